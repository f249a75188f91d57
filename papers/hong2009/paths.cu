// SPDX-License-Identifier: Apache-2.0
// Divergent paths as in figure 29 of Hong's thesis: three ways through seven basic blocks,
//
//     B1 B2 B4 B6 B7     lanes below `four`
//     B1 B2 B5 B6 B7     lanes from `four` on, below `two`
//     B1 B3 B7           the others
//
// so that four = 4, two = 16 sends every warp along all of them, and 32 32, 0 32 or 0 0 along one
// alone. B3, B4 and B5 are loops: no compiler turns them into selections. `rounds` is their length,
// `in` and `out` have an element a thread.

static __device__ __forceinline__ float work(float value, float factor, int rounds)
{
#pragma unroll 1
    for (int i = 0; i < rounds; i++)
        value = fmaf(value, factor, factor);
    return value;
}

extern "C" __global__ void paths(int four, int two, int rounds, const float *__restrict__ in,
                                 float *__restrict__ out)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31; // B1
    float value = in[thread];
    if (lane < two) { // B2
        if (lane < four)
            value = work(value, 0.5f, rounds); // B4
        else
            value = work(value, 0.25f, 2 * rounds); // B5
        value = work(value, 0.75f, rounds); // B6
    } else {
        value = work(value, 0.125f, 3 * rounds); // B3
    }
    out[thread] = value; // B7
}
