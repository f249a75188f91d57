// SPDX-License-Identifier: Apache-2.0
/* Shuffles, votes, matches and reductions of a warp against plain loops. */
#include "check.h"

__global__ void operate(const int *in, int *shuffled, unsigned *votes, int *scanned)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, value = in[i];
    shuffled[i] = __shfl_xor_sync(~0u, value, 5) + 10 * __shfl_sync(~0u, value, (lane + 7) % 32);
    votes[3 * i] = __ballot_sync(~0u, value & 1);
    votes[3 * i + 1] = __any_sync(~0u, value > 90) * 2 + __all_sync(~0u, value < 95);
    votes[3 * i + 2] = __match_any_sync(~0u, value % 4);
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(~0u, value, step);
        if (lane >= step) value += other;
    }
    scanned[i] = value;
}

int main()
{
    const int n = 256;
    std::vector<int> in(n), shuffled(n), scanned(n);
    std::vector<unsigned> votes(3 * n);
    unsigned state = 19;
    for (int &x : in)
        x = next_random(&state) % 100;
    int *din, *dshuffled, *dscanned;
    unsigned *dvotes;
    CHECK(cudaMalloc(&din, n * 4));
    CHECK(cudaMalloc(&dshuffled, n * 4));
    CHECK(cudaMalloc(&dscanned, n * 4));
    CHECK(cudaMalloc(&dvotes, 3 * n * 4));
    CHECK(cudaMemcpy(din, in.data(), n * 4, cudaMemcpyHostToDevice));
    operate<<<n / 64, 64>>>(din, dshuffled, dvotes, dscanned);
    CHECK(cudaMemcpy(shuffled.data(), dshuffled, n * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(scanned.data(), dscanned, n * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(votes.data(), dvotes, 3 * n * 4, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i++) {
        int base = i / 32 * 32, lane = i % 32, sum = 0;
        unsigned odd = 0, same = 0, any = 0, all = 1;
        for (int l = 0; l < 32; l++) {
            int x = in[base + l];
            odd |= (unsigned)(x & 1) << l;
            same |= (unsigned)(x % 4 == in[i] % 4) << l;
            any |= x > 90;
            all &= x < 95;
            if (l <= lane) sum += x;
        }
        ok &= shuffled[i] == in[base + (lane ^ 5)] + 10 * in[base + (lane + 7) % 32];
        ok &= votes[3 * i] == odd && votes[3 * i + 1] == any * 2 + all && votes[3 * i + 2] == same;
        ok &= scanned[i] == sum;
    }
    return verdict(ok);
}
