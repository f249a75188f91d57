// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: memcheck: an access through a null pointer; the optional output is not asked for
#include "../checks.h"

__global__ void argmax(const float *in, int n, float *value, int *place)
{
    float most = in[0];
    int at = 0;
    for (int i = 1; i < n; i++)
        if (in[i] > most) most = in[i], at = i;
    *value = most;
    *place = at; // BUG
}

int main()
{
    float host[64], *in, *value;
    for (int i = 0; i < 64; i++) host[i] = (float)(i * 29 % 61);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&value, sizeof(float)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    argmax<<<1, 1>>>(in, 64, value, nullptr);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(value);
    return 0;
}
