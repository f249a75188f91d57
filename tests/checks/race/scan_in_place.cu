// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: no
// why: an in-place Hillis-Steele scan needs a barrier between its read and its write
#include "../checks.h"

__global__ void scan(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int offset = 1; offset < 128; offset *= 2) {
        if (t >= offset) s[t] += s[t - offset]; // BUG
        __syncthreads();
    }
    data[t] = s[t];
}

int main()
{
    int host[128], *data;
    for (int i = 0; i < 128; i++) host[i] = 1;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    scan<<<1, 128>>>(data);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return 0;
}
