// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: misaligned accesses to shared memory fail; a byte buffer is cut after 12 bytes and holds doubles
#include "../checks.h"

__global__ void mean(const double *in, double *out)
{
    extern __shared__ __align__(16) unsigned char buffer[];
    int *count = (int *)buffer;
    double *values = (double *)(buffer + 12);
    int t = threadIdx.x;
    if (t == 0) count[0] = blockDim.x;
    values[t] = in[t]; // BUG
    __syncthreads();
    if (t == 0) {
        double sum = 0;
        for (int i = 0; i < count[0]; i++) sum += values[i]; // BUG
        out[0] = sum / count[0];
    }
}

int main()
{
    double *in, *out;
    CHECK(cudaMalloc(&in, 64 * sizeof(double)));
    CHECK(cudaMalloc(&out, sizeof(double)));
    CHECK(cudaMemset(in, 0, 64 * sizeof(double)));
    mean<<<1, 64, 16 + 64 * sizeof(double)>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
