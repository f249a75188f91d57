// SPDX-License-Identifier: Apache-2.0
// expect: error race
// heavy: yes
// silent: yes
// why: CUB: a barrier is needed before the temporary storage of a block-wide primitive is used again
#include "../array.h"
#include <cub/cub.cuh>

__global__ void two_sums(const int *in, int *out)
{
    typedef cub::BlockReduce<int, 128> reduce;
    __shared__ typename reduce::TempStorage storage;
    int a = reduce(storage).Sum(in[threadIdx.x]); // BUG
    int b = reduce(storage).Sum(in[128 + threadIdx.x]); // BUG
    if (threadIdx.x == 0) out[0] = a, out[1] = b;
}

int main()
{
    array<int> in(random_ints(256, 100)), out(2);
    two_sums<<<1, 128>>>(in, out);
    return verdict(out.get()[0] > 0);
}
