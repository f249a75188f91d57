// SPDX-License-Identifier: Apache-2.0
/* Kernels of bench_check that examples/kernels has not. */

/* The inclusive scan of each block's 256 elements, Hillis and Steele's, in two rows of shared memory. */
extern "C" __global__ void scan(int n, const int *in, int *out)
{
    __shared__ int rows[2][256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, from = 0;
    rows[0][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2, from ^= 1) {
        int sum = rows[from][threadIdx.x];
        if (threadIdx.x >= step) sum += rows[from][threadIdx.x - step];
        rows[from ^ 1][threadIdx.x] = sum;
        __syncthreads();
    }
    if (i < n) out[i] = rows[from][threadIdx.x];
}

/* A bitonic sort of each block's 512 elements by 256 threads. */
extern "C" __global__ void sort(const unsigned *in, unsigned *out)
{
    __shared__ unsigned keys[512];
    unsigned base = blockIdx.x * 512;
    for (unsigned i = threadIdx.x; i < 512; i += 256)
        keys[i] = in[base + i];
    for (unsigned width = 2; width <= 512; width *= 2)
        for (unsigned step = width / 2; step > 0; step /= 2) {
            __syncthreads();
            unsigned low = 2 * threadIdx.x - (threadIdx.x & (step - 1)), high = low + step;
            bool is_up = (low & width) == 0 || width == 512;
            unsigned a = keys[low], b = keys[high];
            if ((a > b) == is_up) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 512; i += 256)
        out[base + i] = keys[i];
}

/* Random reads. */
extern "C" __global__ void gather(int n, const unsigned *index, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i] % (unsigned)n];
}

/* A register's worth of work by shuffles, which reads and writes little. */
extern "C" __global__ void warp_sum(int n, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}
