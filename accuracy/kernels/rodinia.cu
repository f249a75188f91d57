// SPDX-License-Identifier: Apache-2.0
/* Seven computations of the Rodinia suite. */

enum { TILE = 16 };

/* ---- hotspot: two steps of heat flow in a tile whose border shrinks by one a step ---- */

extern "C" __global__ void hotspot(int steps, const float *power, const float *from, float *to, int columns, int rows,
                                   int border_columns, int border_rows, float capacity, float rx, float ry, float rz,
                                   float step)
{
    __shared__ float temperature[TILE][TILE], heat[TILE][TILE], next[TILE][TILE];
    const float ambient = 80.0f;
    const float step_by_capacity = step / capacity, by_rx = 1 / rx, by_ry = 1 / ry, by_rz = 1 / rz;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int top = (TILE - 2 * steps) * blockIdx.y - border_rows, left = (TILE - 2 * steps) * blockIdx.x - border_columns;
    const int bottom = top + TILE - 1, right = left + TILE - 1;
    const int y = top + ty, x = left + tx, at = columns * y + x;
    if (y >= 0 && y <= rows - 1 && x >= 0 && x <= columns - 1) {
        temperature[ty][tx] = from[at];
        heat[ty][tx] = power[at];
    }
    __syncthreads();
    const int y_first = top < 0 ? -top : 0, y_last = bottom > rows - 1 ? TILE - 1 - (bottom - rows + 1) : TILE - 1;
    const int x_first = left < 0 ? -left : 0, x_last = right > columns - 1 ? TILE - 1 - (right - columns + 1) : TILE - 1;
    const int north = ty - 1 < y_first ? y_first : ty - 1, south = ty + 1 > y_last ? y_last : ty + 1;
    const int west = tx - 1 < x_first ? x_first : tx - 1, east = tx + 1 > x_last ? x_last : tx + 1;
    bool is_mine = false;
    for (int i = 0; i < steps; i++) {
        is_mine = false;
        if (tx >= i + 1 && tx <= TILE - i - 2 && ty >= i + 1 && ty <= TILE - i - 2 && tx >= x_first && tx <= x_last &&
            ty >= y_first && ty <= y_last) {
            is_mine = true;
            next[ty][tx] = temperature[ty][tx] +
                           step_by_capacity *
                               (heat[ty][tx] +
                                (temperature[south][tx] + temperature[north][tx] - 2.0f * temperature[ty][tx]) * by_ry +
                                (temperature[ty][east] + temperature[ty][west] - 2.0f * temperature[ty][tx]) * by_rx +
                                (ambient - temperature[ty][tx]) * by_rz);
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (is_mine) temperature[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (is_mine) to[at] = next[ty][tx];
}

/* ---- hotspot3D: seven points, the column along z in registers ---- */

extern "C" __global__ void hotspot3d(const float *power, const float *in, float *out, float step_by_capacity, int nx,
                                     int ny, int nz, float ce, float cw, float cn, float cs, float ct, float cb,
                                     float cc)
{
    const float ambient = 80.0f;
    const int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y, plane = nx * ny;
    int at = x + y * nx;
    const int west = x == 0 ? at : at - 1, east = x == nx - 1 ? at : at + 1;
    const int north = y == 0 ? at : at - nx, south = y == ny - 1 ? at : at + nx;
    int w = west, e = east, n = north, s = south;
    float below = in[at], here = below, above = in[at + plane];
    out[at] = cc * here + cw * in[w] + ce * in[e] + cs * in[s] + cn * in[n] + cb * below + ct * above +
              step_by_capacity * power[at] + ct * ambient;
    at += plane, w += plane, e += plane, n += plane, s += plane;
    for (int k = 1; k < nz - 1; k++) {
        below = here;
        here = above;
        above = in[at + plane];
        out[at] = cc * here + cw * in[w] + ce * in[e] + cs * in[s] + cn * in[n] + cb * below + ct * above +
                  step_by_capacity * power[at] + ct * ambient;
        at += plane, w += plane, e += plane, n += plane, s += plane;
    }
    below = here;
    here = above;
    out[at] = cc * here + cw * in[w] + ce * in[e] + cs * in[s] + cn * in[n] + cb * below + ct * above +
              step_by_capacity * power[at] + ct * ambient;
}

/* ---- backprop: products of 16 inputs with 16 weights each, summed by a tree; then the weights move ---- */

extern "C" __global__ void backprop_forward(const float *input, float *weights, float *sums, int hidden)
{
    __shared__ float inputs[TILE], products[TILE][TILE];
    const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    const int at = (hidden + 1) * TILE * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
    if (tx == 0) inputs[ty] = input[TILE * by + ty + 1];
    __syncthreads();
    products[ty][tx] = weights[at];
    __syncthreads();
    products[ty][tx] = products[ty][tx] * inputs[ty];
    __syncthreads();
    for (int i = 1; i <= 4; i++) {
        const int power = 1 << i;
        if (ty % power == 0) products[ty][tx] = products[ty][tx] + products[ty + power / 2][tx];
        __syncthreads();
    }
    weights[at] = products[ty][tx];
    __syncthreads();
    if (tx == 0) sums[by * hidden + ty] = products[tx][ty];
}

extern "C" __global__ void backprop_adjust(const float *delta, int hidden, const float *layer, float *weights,
                                           float *old)
{
    const float rate = 0.3f, momentum = 0.3f;
    const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    const int at = (hidden + 1) * TILE * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
    const int y = TILE * by + ty + 1, x = tx + 1;
    weights[at] += rate * delta[x] * layer[y] + momentum * old[at];
    old[at] = rate * delta[x] * layer[y] + momentum * old[at];
    __syncthreads();
    if (ty == 0 && by == 0) {
        weights[x] += rate * delta[x] + momentum * old[x];
        old[x] = rate * delta[x] + momentum * old[x];
    }
}

/* ---- nn: distances from one place ---- */

struct place {
    float latitude, longitude;
};

extern "C" __global__ void nearest(const struct place *places, float *distances, int count, float latitude,
                                   float longitude)
{
    const int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i >= count) return;
    const float dy = latitude - places[i].latitude, dx = longitude - places[i].longitude;
    distances[i] = sqrtf(dy * dy + dx * dx);
}

/* ---- pathfinder: rows of a grid of costs, some at a time inside shared memory ---- */

enum { PATH = 256 };

extern "C" __global__ void pathfinder(int steps, const int *wall, const int *from, int *to, int columns, int rows,
                                      int first, int border)
{
    __shared__ int previous[PATH], result[PATH];
    const int tx = threadIdx.x;
    const int left = (PATH - 2 * steps) * blockIdx.x - border, right = left + PATH - 1, x = left + tx;
    const int x_first = left < 0 ? -left : 0, x_last = right > columns - 1 ? PATH - 1 - (right - columns + 1) : PATH - 1;
    const int west = tx - 1 < x_first ? x_first : tx - 1, east = tx + 1 > x_last ? x_last : tx + 1;
    const bool is_inside = tx >= x_first && tx <= x_last;
    if (x >= 0 && x <= columns - 1) previous[tx] = from[x];
    __syncthreads();
    bool is_mine = false;
    for (int i = 0; i < steps; i++) {
        is_mine = false;
        if (tx >= i + 1 && tx <= PATH - i - 2 && is_inside) {
            is_mine = true;
            const int shortest = min(min(previous[west], previous[tx]), previous[east]);
            result[tx] = shortest + wall[columns * (first + i) + x];
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (is_mine) previous[tx] = result[tx];
        __syncthreads();
    }
    if (is_mine) to[x] = result[tx];
}

/* ---- lud: one step of a blocked LU decomposition ---- */

extern "C" __global__ void lud_diagonal(float *matrix, int size, int offset)
{
    __shared__ float tile[TILE][TILE];
    const int tx = threadIdx.x;
    int at = offset * size + offset;
    for (int i = 0; i < TILE; i++, at += size)
        tile[i][tx] = matrix[at + tx];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (tx > i) {
            for (int j = 0; j < i; j++)
                tile[tx][i] -= tile[tx][j] * tile[j][i];
            tile[tx][i] /= tile[i][i];
        }
        __syncthreads();
        if (tx > i)
            for (int j = 0; j < i + 1; j++)
                tile[i + 1][tx] -= tile[i + 1][j] * tile[j][tx];
        __syncthreads();
    }
    at = (offset + 1) * size + offset;
    for (int i = 1; i < TILE; i++, at += size)
        matrix[at + tx] = tile[i][tx];
}

extern "C" __global__ void lud_perimeter(float *matrix, int size, int offset)
{
    __shared__ float diagonal[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
    const int tx = threadIdx.x % TILE, far = (blockIdx.x + 1) * TILE;
    if (threadIdx.x < TILE) {
        int at = offset * size + offset;
        for (int i = 0; i < TILE / 2; i++, at += size)
            diagonal[i][tx] = matrix[at + tx];
        at = offset * size + offset;
        for (int i = 0; i < TILE; i++, at += size)
            row[i][tx] = matrix[at + far + tx];
    } else {
        int at = (offset + TILE / 2) * size + offset;
        for (int i = TILE / 2; i < TILE; i++, at += size)
            diagonal[i][tx] = matrix[at + tx];
        at = (offset + far) * size + offset;
        for (int i = 0; i < TILE; i++, at += size)
            column[i][tx] = matrix[at + tx];
    }
    __syncthreads();
    if (threadIdx.x < TILE) {
#pragma unroll
        for (int i = 1; i < TILE; i++)
#pragma unroll
            for (int j = 0; j < i; j++)
                row[i][tx] -= diagonal[i][j] * row[j][tx];
    } else {
#pragma unroll
        for (int i = 0; i < TILE; i++) {
#pragma unroll
            for (int j = 0; j < i; j++)
                column[tx][i] -= column[tx][j] * diagonal[j][i];
            column[tx][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (threadIdx.x < TILE) {
        int at = (offset + 1) * size + offset;
        for (int i = 1; i < TILE; i++, at += size)
            matrix[at + far + tx] = row[i][tx];
    } else {
        int at = (offset + far) * size + offset;
        for (int i = 0; i < TILE; i++, at += size)
            matrix[at + tx] = column[i][tx];
    }
}

extern "C" __global__ void lud_internal(float *matrix, int size, int offset)
{
    __shared__ float row[TILE][TILE], column[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int down = offset + (blockIdx.y + 1) * TILE, right = offset + (blockIdx.x + 1) * TILE;
    row[ty][tx] = matrix[(offset + ty) * size + right + tx];
    column[ty][tx] = matrix[(down + ty) * size + offset + tx];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < TILE; i++)
        sum += column[ty][i] * row[i][tx];
    matrix[(down + ty) * size + right + tx] -= sum;
}
