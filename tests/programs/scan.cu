// SPDX-License-Identifier: Apache-2.0
/* Inclusive prefix sums of any length: by block, of the block sums, then added. */
#include "check.h"

__global__ void scan_block(const unsigned *in, unsigned *out, unsigned *sums, int n)
{
    extern __shared__ unsigned buffer[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    unsigned *from = buffer, *to = buffer + blockDim.x;
    from[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        to[t] = from[t] + (t >= step ? from[t - step] : 0);
        unsigned *swap = from;
        from = to;
        to = swap;
        __syncthreads();
    }
    if (i < n) out[i] = from[t];
    if (sums && t == blockDim.x - 1) sums[blockIdx.x] = from[t];
}

__global__ void add_offsets(unsigned *out, const unsigned *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x && i < n) out[i] += sums[blockIdx.x - 1];
}

static void scan(const unsigned *in, unsigned *out, int n)
{
    const int threads = 256;
    int blocks = (n + threads - 1) / threads;
    unsigned *sums;
    CHECK(cudaMalloc(&sums, blocks * sizeof(unsigned)));
    scan_block<<<blocks, threads, 2 * threads * sizeof(unsigned)>>>(in, out, sums, n);
    CHECK(cudaGetLastError());
    if (blocks > 1) {
        scan(sums, sums, blocks);
        add_offsets<<<blocks, threads>>>(out, sums, n);
    }
    CHECK(cudaFree(sums));
}

int main()
{
    const int n = 70001;
    std::vector<unsigned> in(n), out(n);
    unsigned state = 3, *d;
    for (unsigned &x : in)
        x = next_random(&state) % 100;
    CHECK(cudaMalloc(&d, n * sizeof(unsigned)));
    CHECK(cudaMemcpy(d, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    scan(d, d, n);
    CHECK(cudaMemcpy(out.data(), d, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = true;
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        ok &= out[i] == (sum += in[i]);
    return verdict(ok);
}
