// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: a deadlock: the producer skips bar.arrive in its last round, the consumer waits for it
#include "../checks.h"

__global__ void pipe(const int *in, int *out, int rounds)
{
    __shared__ int buffer[2][32];
    int t = threadIdx.x % 32, sum = 0;
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; r++) {
            buffer[r % 2][t] = in[r * 32 + t];
            if (r + 1 < rounds) asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory"); // BUG
        }
    } else {
        for (int r = 0; r < rounds; r++) {
            asm volatile("bar.sync 1, 64;" ::: "memory"); // BUG
            sum += buffer[r % 2][31 - t];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
        out[t] = sum;
    }
}

int main()
{
    int host[96], *in, *out;
    for (int i = 0; i < 96; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    pipe<<<1, 64>>>(in, out, 3);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
