// SPDX-License-Identifier: Apache-2.0
// The micro-benchmarks Mb1 to Mb7 of Hong's thesis (chapter II, table 3): a loop with a given
// number of global loads and of floating-point instructions, and, as the table's totals say, six
// integer instructions for every load and three for the loop itself. The text does not give the
// programs; these have the printed counts.
//
// Coalesced and uncoalesced are one program: thread t starts at element t * stride, so that stride
// 1 makes a warp's loads consecutive and stride 32 puts each lane into a line of its own. Position
// p moves by multiples of 64 elements, alike in all threads.
//
//     iterations   rounds of the loop
//     stride       1: _C, 32: _UC
//     mask         elements of `in` - 1; the number is a power of two, at least 64
//     scale        a factor below 1, so that the sums stay small; an argument and no constant,
//                  since PTX would move a constant into a register in every round
//     in           what is loaded (Mb1 loads nothing)
//     out          one element a thread

template <int LOADS, int FLOPS>
static __device__ __forceinline__ void mb(int iterations, unsigned stride, unsigned mask,
                                          float scale, const float *__restrict__ in,
                                          float *__restrict__ out)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned base = thread * stride;
    unsigned p = 0;
    float sum = (float)threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < iterations; i++) {
        int done = 0;
#pragma unroll
        for (int load = 0; load < LOADS; load++) {
            // Add and exclusive-or in turn: the compiler can fold no step into the next one.
            p = (p + 64 * (2 * load + 1)) ^ (64 * (5 * load + 3));
            sum = fmaf(sum, scale, in[(p + base) & mask]);
            done++;
        }
#pragma unroll
        for (; done < FLOPS; done++)
            sum = fmaf(sum, scale, scale);
    }
    out[thread] = sum;
}

#define MB(NAME, LOADS, FLOPS)                                                                     \
    extern "C" __global__ void NAME(int iterations, unsigned stride, unsigned mask, float scale,   \
                                    const float *__restrict__ in, float *__restrict__ out)         \
    {                                                                                              \
        mb<LOADS, FLOPS>(iterations, stride, mask, scale, in, out);                                \
    }

MB(mb1, 0, 20)
MB(mb2, 1, 8)
MB(mb3, 1, 20)
MB(mb4, 2, 12)
MB(mb5, 2, 20)
MB(mb6, 4, 20)
MB(mb7, 6, 20)
