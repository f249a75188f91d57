// SPDX-License-Identifier: Apache-2.0
// expect: none
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: cuda::barrier: arrive, independent work, wait; then the others' writes are visible
#include "../array.h"
#include <cuda/barrier>

__global__ void rotate(int *data, int rounds)
{
    __shared__ int s[2][128];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int t = threadIdx.x, value = data[t];
    if (t == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        s[r % 2][t] = value;
        auto token = barrier.arrive();
        int twice = 2 * r;
        barrier.wait(std::move(token));
        value = s[r % 2][(t + 1) % 128] + twice;
    }
    data[t] = value;
}

int main()
{
    std::vector<int> host = random_ints(128, 1000), wanted(128);
    array<int> data(host);
    rotate<<<1, 128>>>(data, 5);
    for (int i = 0; i < 128; i++) wanted[i] = host[(i + 5) % 128] + 2 * (0 + 1 + 2 + 3 + 4);
    return verdict(data.get() == wanted);
}
