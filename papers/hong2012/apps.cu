// SPDX-License-Identifier: Apache-2.0
// Binomial options and convolution, the two of the GPGPU kernels of section 3.5 that are not in
// papers/hong2009. The text has no sources: the usual forms, a block an option, and rows in tiles.

// European call by a binomial lattice of `steps` < blockDim.x steps: thread k holds the value at node
// k, one step back in time a round. p: probability of up, discounted, and q: of down.
extern "C" __global__ void binomial(int steps, float p, float q, float up, const float *price,
                                    const float *strike, float *out)
{
    __shared__ float value[512];
    int node = threadIdx.x;
    float level = price[blockIdx.x] * __powf(up, (float)(2 * node - steps));
    value[node] = node <= steps ? fmaxf(level - strike[blockIdx.x], 0.0f) : 0.0f;
    __syncthreads();
    for (int step = steps; step > 0; step--) {
        float later = 0.0f;
        if (node < step) later = fmaf(p, value[node + 1], q * value[node]);
        __syncthreads();
        if (node < step) value[node] = later;
        __syncthreads();
    }
    if (node == 0) out[blockIdx.x] = value[0];
}

enum { RADIUS = 8, TILE = 128 };
__constant__ float weights[2 * RADIUS + 1] = {
    0.01f, 0.02f, 0.03f, 0.05f, 0.06f, 0.07f, 0.09f, 0.11f, 0.12f,
    0.11f, 0.09f, 0.07f, 0.06f, 0.05f, 0.03f, 0.02f, 0.01f};

// Rows of an image with a filter of 17: a block of 128 threads a tile of a row, zeros beyond the edge.
extern "C" __global__ void convolution_rows(int width, const float *in, float *out)
{
    __shared__ float tile[TILE + 2 * RADIUS];
    int start = blockIdx.x * TILE - RADIUS;
    const float *row = in + (size_t)blockIdx.y * width;
    for (int i = threadIdx.x; i < TILE + 2 * RADIUS; i += blockDim.x) {
        int x = start + i;
        tile[i] = x >= 0 && x < width ? row[x] : 0.0f;
    }
    __syncthreads();
    int x = blockIdx.x * TILE + threadIdx.x;
    if (x >= width) return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 2 * RADIUS + 1; k++)
        sum = fmaf(tile[threadIdx.x + k], weights[k], sum);
    out[(size_t)blockIdx.y * width + x] = sum;
}
