// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp tell each other: shuffles, votes, matches, the active mask. Blocks of
// whole warps.

#define ALL 0xffffffffu
#define PUT(value) out[n * k++ + i] = (value)

extern "C" __global__ void shuffles(int n, const int *__restrict__ in, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    int x = in[i];
    PUT(__shfl_up_sync(ALL, x, 3));
    PUT(__shfl_down_sync(ALL, x, 5));
    PUT(__shfl_xor_sync(ALL, x, 9));
    PUT(__shfl_sync(ALL, x, x & 31));
    PUT(__shfl_up_sync(ALL, x, 1, 8));
    PUT(__shfl_down_sync(ALL, x, 6, 16));
    PUT(__shfl_sync(ALL, x, 3, 8));
    // d|p: p tells whether the source lane is in range.
    int value, in_range;
    asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 20, 0x1f, 0xffffffff;"
                 " selp.s32 %1, 1, 0, p; }"
                 : "=r"(value), "=r"(in_range)
                 : "r"(x));
    PUT(value);
    PUT(in_range);
    int sum = x; // the sum over the warp in every lane
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(ALL, sum, step);
    PUT(sum);
    double wide = __shfl_sync(ALL, (double)x, 7); // 64 bits go as two halves
    PUT((int)wide);
}

extern "C" __global__ void votes(int n, const int *__restrict__ in, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    int x = in[i];
    bool odd = x & 1;
    PUT(__all_sync(ALL, odd));
    PUT(__any_sync(ALL, odd));
    PUT(__uni_sync(ALL, odd));
    PUT(__ballot_sync(ALL, odd));
    PUT(__all_sync(ALL, x >= 0));
    PUT(__match_any_sync(ALL, x & 3));
    int same;
    PUT(__match_all_sync(ALL, x >> 30, &same));
    PUT(same);
    // Only the odd lanes take part: the others are in the second branch with their own mask.
    unsigned lanes = __ballot_sync(ALL, odd);
    int count;
    if (odd)
        count = __popc(__ballot_sync(lanes, x & 2)) + (__popc(__activemask()) << 8);
    else
        count = __popc(__ballot_sync(~lanes, x & 4));
    __syncwarp();
    PUT(count);
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    PUT(__popc(lanes & below)); // place of an odd lane among the odd ones
}

// A warp packs the positive elements of its 32 to the front of its part of out; -1 fills the rest.
extern "C" __global__ void compact(const int *__restrict__ in, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int first = i & ~31, lane = i & 31;
    int x = in[i];
    unsigned keep = __ballot_sync(ALL, x > 0);
    out[i] = -1;
    __syncwarp();
    if (x > 0) out[first + __popc(keep & ((1u << lane) - 1))] = x;
}
