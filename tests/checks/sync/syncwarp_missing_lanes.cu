// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: __syncwarp waits for all lanes named; those of the other branch end without it
#include "../checks.h"

__global__ void first_ten(const int *in, int *out)
{
    __shared__ int s[32];
    int lane = threadIdx.x;
    if (lane < 10) {
        s[lane] = in[lane];
        __syncwarp(); // BUG
        out[lane] = s[9 - lane];
    } else {
        out[lane] = -1;
        __syncwarp(0xfffffc00u);
        out[lane] -= 1;
    }
}

int main()
{
    int host[32], *in, *out;
    for (int i = 0; i < 32; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    first_ten<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
