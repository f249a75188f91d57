// SPDX-License-Identifier: Apache-2.0
/* Kernels whose blocks do unequal work, for samples of the grid (tests/unit/test_sampling.c). */

/* Escape times: iterations by pixel. */
extern "C" __global__ void mandelbrot(unsigned *out, unsigned width, unsigned most)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.2f + 3.2f * x / width, cy = -1.6f + 3.2f * y / width, zx = 0, zy = 0;
    unsigned i = 0;
    for (; i < most && zx * zx + zy * zy < 4; i++) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
    }
    out[y * width + x] = i;
}

/* Work that grows along the grid's rows. */
extern "C" __global__ void ramp(unsigned *out, unsigned width)
{
    unsigned value = threadIdx.x;
    for (unsigned i = 0; i < blockIdx.x; i++)
        value = value * 1664525 + 1013904223;
    out[(blockIdx.y * width + blockIdx.x) * blockDim.x + threadIdx.x] = value;
}

/* A row by thread, compressed rows. */
extern "C" __global__ void spmv(const unsigned *starts, const unsigned *columns,
                                const float *values, const float *x, float *y, unsigned rows)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (unsigned i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

/* One step of a breadth-first search: nodes of the frontier reach their neighbours. */
extern "C" __global__ void bfs(const unsigned *starts, const unsigned *neighbours,
                               const unsigned *levels, unsigned *next, unsigned nodes,
                               unsigned level)
{
    unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || levels[node] != level) return;
    for (unsigned i = starts[node]; i < starts[node + 1]; i++) {
        unsigned to = neighbours[i];
        if (levels[to] > level + 1) next[to] = level + 1;
    }
}

/* Ways to complete a board of n queens whose first rows are given by the thread's number. */
extern "C" __global__ void queens(unsigned *out, unsigned n, unsigned given)
{
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x, left = number, found = 0;
    unsigned all = (1u << n) - 1, columns[16], downs[16], ups[16], open[16];
    unsigned column = 0, down = 0, up = 0;
    for (unsigned row = 0; row < given; row++, left /= n) {
        unsigned bit = 1u << left % n;
        if ((column | down | up) & bit) {
            out[number] = 0;
            return;
        }
        column |= bit;
        down = (down | bit) << 1;
        up = (up | bit) >> 1;
    }
    int depth = 0;
    columns[0] = column, downs[0] = down, ups[0] = up, open[0] = all & ~(column | down | up);
    while (depth >= 0) {
        if (!open[depth]) {
            depth--;
            continue;
        }
        unsigned bit = open[depth] & -open[depth];
        open[depth] ^= bit;
        column = columns[depth] | bit;
        if (column == all) {
            found++;
            continue;
        }
        down = (downs[depth] | bit) << 1;
        up = (ups[depth] | bit) >> 1;
        depth++;
        columns[depth] = column, downs[depth] = down, ups[depth] = up;
        open[depth] = all & ~(column | down | up);
    }
    out[number] = found;
}
