// SPDX-License-Identifier: Apache-2.0
// See linked_a.cu.
__device__ int offsets[4] = {100, 200, 300, 400};

__device__ __noinline__ int twice(int x)
{
    return 2 * x;
}
