// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: the size of an extern array is that of the launch; a float per thread was forgotten to be doubled
#include "../checks.h"

__global__ void minmax(const float *in, float *out)
{
    extern __shared__ float shared[];
    float *least = shared, *most = shared + blockDim.x;
    int t = threadIdx.x;
    least[t] = in[blockIdx.x * blockDim.x + t];
    most[t] = in[blockIdx.x * blockDim.x + t]; // BUG
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (t < s) {
            least[t] = fminf(least[t], least[t + s]);
            most[t] = fmaxf(most[t], most[t + s]); // BUG
        }
    }
    if (t == 0) {
        out[2 * blockIdx.x] = least[0];
        out[2 * blockIdx.x + 1] = most[0]; // BUG
    }
}

int main()
{
    float host[512], *in, *out;
    for (int i = 0; i < 512; i++) host[i] = (float)(i * 37 % 101);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 4 * sizeof(float)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    minmax<<<2, 256, 256 * sizeof(float)>>>(in, out);
    cudaError_t error = cudaDeviceSynchronize();
    puts(cudaGetErrorName(error));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
