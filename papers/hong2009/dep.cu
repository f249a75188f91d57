// SPDX-License-Identifier: Apache-2.0
// Dependent against independent loads (Hong's thesis, section 2.6.3): two loops with the same
// instructions. In dep the address of every load needs the value of the one before; in indep it
// does not, so that the two loads of a round can be under way together. If every element of `in`
// equals `step`, both touch the same addresses.
//
//     iterations   rounds of two loads
//     step         indep: distance of successive loads, in elements
//     mask         elements of `in` - 1; the number is a power of two
//     in           dep: distances; multiples of 32 keep the loads coalesced
//     out          one element a thread

template <bool DEPENDENT>
static __device__ __forceinline__ void chase(int iterations, unsigned step, unsigned mask,
                                             const unsigned *__restrict__ in,
                                             unsigned *__restrict__ out)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned p = thread, sum = 0, first = step, second = step;
#pragma unroll 1
    for (int i = 0; i < iterations; i++) {
        p += DEPENDENT ? second : step;
        first = in[p & mask];
        p += DEPENDENT ? first : step;
        second = in[p & mask];
        sum += first ^ second;
    }
    out[thread] = sum;
}

extern "C" __global__ void dep(int iterations, unsigned step, unsigned mask,
                               const unsigned *__restrict__ in, unsigned *__restrict__ out)
{
    chase<true>(iterations, step, mask, in, out);
}

extern "C" __global__ void indep(int iterations, unsigned step, unsigned mask,
                                 const unsigned *__restrict__ in, unsigned *__restrict__ out)
{
    chase<false>(iterations, step, mask, in, out);
}
