// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// also: init
// why: the doubles lie behind 12 bytes of the dynamic shared memory: not a multiple of 8
#include "../array.h"
__global__ void sums(const double *in, double *out)
{
    extern __shared__ char buffer[];
    float *weights = (float *)buffer;
    double *values = (double *)(buffer + 3 * sizeof(float));
    if (threadIdx.x < 3) weights[threadIdx.x] = 1.0f;
    values[threadIdx.x] = in[threadIdx.x]; // BUG
    __syncthreads();
    out[threadIdx.x] = values[31 - threadIdx.x] * weights[0]; // ALSO
}

int main()
{
    array<double> in(std::vector<double>(32, 1.0)), out(32);
    sums<<<1, 32, 12 + 32 * sizeof(double)>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
