// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: memory of the host's malloc is not accessible to kernels (a GPU without HMM)
#include "../checks.h"

__global__ void scale(float *data, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= by; // BUG
}

int main()
{
    const int n = 1000;
    float *data = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) data[i] = 1.0f;
    scale<<<4, 256>>>(data, n, 2.0f);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    free(data);
    return 0;
}
