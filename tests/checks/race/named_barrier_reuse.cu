// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: the producers refill the buffer without waiting for the consumers' barrier of the round before
#include "../checks.h"

__global__ void pipe(const int *in, int *out, int rounds)
{
    __shared__ int buffer[32];
    int t = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; r++) {
            buffer[t] = in[r * 32 + t]; // BUG
            asm volatile("bar.sync 1, 64;" ::: "memory");
        }
    } else {
        int sum = 0;
        for (int r = 0; r < rounds; r++) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += buffer[31 - t]; // BUG
        }
        out[t] = sum;
    }
}

int main()
{
    int host[128], *in, *out;
    for (int i = 0; i < 128; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    pipe<<<1, 64>>>(in, out, 4);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
