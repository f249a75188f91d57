// SPDX-License-Identifier: Apache-2.0
// One step of a 5-point stencil: out = centre * in + side * (north + south + west + east) in the
// interior of a width x height grid; the edge is copied. Blocks of TILE_X x TILE_Y threads.

#define TILE_X 32
#define TILE_Y 8

// Everything from global memory: five loads a point, four of them of the neighbours' points.
extern "C" __global__ void stencil2d_global(int width, int height, float centre, float side,
                                            const float *__restrict__ in, float *__restrict__ out)
{
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    int i = y * width + x;
    float value = in[i];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        float sides = in[i - width] + in[i + width] + in[i - 1] + in[i + 1];
        value = fmaf(centre, value, side * sides);
    }
    out[i] = value;
}

// A tile and its halo in shared memory: each point is loaded once a block, the halo by the threads
// at the tile's edges.
extern "C" __global__ void stencil2d_shared(int width, int height, float centre, float side,
                                            const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float tile[TILE_Y + 2][TILE_X + 2];

    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int i = y * width + x;
    bool inside = x < width && y < height;
    if (inside) {
        tile[ty][tx] = in[i];
        if (ty == 1 && y > 0) tile[0][tx] = in[i - width];
        if (ty == TILE_Y && y < height - 1) tile[TILE_Y + 1][tx] = in[i + width];
        if (tx == 1 && x > 0) tile[ty][0] = in[i - 1];
        if (tx == TILE_X && x < width - 1) tile[ty][TILE_X + 1] = in[i + 1];
    }
    __syncthreads();
    if (!inside) return;
    float value = tile[ty][tx];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        float sides = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
        value = fmaf(centre, value, side * sides);
    }
    out[i] = value;
}
