// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp that meet at .sync operations while they stand at different places of the code.

#define BFLY(r, v) asm volatile("shfl.sync.bfly.b32 %0, %1, 16, 31, -1;" : "=r"(r) : "r"(v))
#define MATCH(r, v) asm volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(r) : "r"(v))

extern "C" __global__ void meet_apart(unsigned *shuffled, unsigned *votes, unsigned *matches)
{
    unsigned lane = threadIdx.x & 31, value = lane * 3 + 1, got, vote, match;
    if (lane < 7) {
        BFLY(got, value);
        asm volatile("{.reg .pred p; setp.gt.s32 p, %1, 10;\n\t"
                     "vote.sync.ballot.b32 %0, p, -1;}" : "=r"(vote) : "r"(value));
    } else if (lane & 1) {
        value += 100;
        BFLY(got, value);
        asm volatile("{.reg .pred p; setp.lt.s32 p, %1, 160;\n\t"
                     "vote.sync.ballot.b32 %0, !p, -1;}" : "=r"(vote) : "r"(value));
    } else {
        value += 1000;
        BFLY(got, value);
        asm volatile("{.reg .pred p; setp.eq.s32 p, %1, 1049;\n\t"
                     "vote.sync.ballot.b32 %0, p, -1;}" : "=r"(vote) : "r"(value));
    }
    if (lane == 3)
        MATCH(match, 9);
    else
        MATCH(match, lane & 4 ? 9 : 2);
    if (lane < 5)
        __syncwarp();
    else
        __syncwarp();
    shuffled[threadIdx.x] = got;
    votes[threadIdx.x] = vote;
    matches[threadIdx.x] = match;
}
