// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a plain read decides only whether the atomic is needed; the result is read behind a barrier
#include "../array.h"

__global__ void maximum(const int *in, int *out, int n)
{
    __shared__ int most;
    if (threadIdx.x == 0) most = -1;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] > most) atomicMax(&most, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) *out = most;
}

int main()
{
    std::vector<int> host = random_ints(700, 10000);
    int wanted = -1;
    for (int one : host) wanted = one > wanted ? one : wanted;
    array<int> in(host), out(1);
    maximum<<<1, 128>>>(in, out, 700);
    return verdict(out.get()[0] == wanted);
}
