// SPDX-License-Identifier: Apache-2.0
// The address spaces and access widths: constants, initialised globals, local arrays, vectors,
// bytes, generic pointers, global atomics.

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ float scale; // set by the host
__device__ int offsets[4] = {10, 20, 30, 40};
__device__ const int *offset_end = &offsets[3]; // an address in an initialiser

extern "C" __global__ void constants(int n, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = primes[i & 7] * 1000 + offsets[i & 3] + *offset_end + (int)(scale * 8.0f);
}

// Digits of x in base 4, counted in a local array with a dynamic index; out[i] packs the counts.
extern "C" __global__ void local_array(int n, const unsigned *__restrict__ in,
                                       unsigned *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned counts[4] = {0, 0, 0, 0};
    for (unsigned x = in[i], k = 0; k < 16; k++, x >>= 2)
        counts[x & 3]++;
    out[i] = counts[0] | counts[1] << 8 | counts[2] << 16 | counts[3] << 24;
}

// 8-, 4- and 2-element vectors and single bytes.
extern "C" __global__ void vectors(int n, const float4 *__restrict__ in, float4 *__restrict__ out,
                                   double2 *__restrict__ sums, uchar4 *__restrict__ bytes,
                                   short *__restrict__ shorts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    out[i] = make_float4(v.w, v.z, v.y, v.x);
    sums[i] = make_double2((double)v.x + v.y, (double)v.z * v.w);
    bytes[i] = make_uchar4(i, i >> 8, i * 3, 255 - i);
    shorts[i] = (short)(i * -7);
}

// One generic pointer that is shared in the even warps and global in the odd ones. Block of 64.
extern "C" __global__ void generic(int *table, int *__restrict__ out)
{
    __shared__ int copy[64];
    copy[threadIdx.x] = 100 + threadIdx.x;
    __syncthreads();
    volatile int *from = threadIdx.x / 32 % 2 ? table : copy;
    out[threadIdx.x] = from[63 - threadIdx.x] + (__isShared((const void *)from) ? 1000 : 0);
}

// One value each of the atomic operations, all threads of the grid on the same words. tickets[i] is
// what the i-th thread got: all different.
extern "C" __global__ void atomics(int *words, unsigned long long *sum, float *total,
                                   unsigned *tickets)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&words[0], i);
    atomicSub(&words[1], i);
    atomicMin(&words[2], 5 - i);
    atomicMax(&words[3], i * 3);
    atomicAnd(&words[4], ~(1 << (i & 15)));
    atomicOr(&words[5], 1 << (i & 31));
    atomicXor(&words[6], i);
    atomicInc((unsigned *)&words[7], 9);
    atomicDec((unsigned *)&words[8], 9);
    tickets[i] = atomicAdd((unsigned *)&words[9], 1u);
    atomicAdd(sum, 1ull << 33);
    atomicAdd(total, 0.5f);
    int old = words[10], seen; // a product, by compare and swap
    do {
        seen = old;
        old = atomicCAS(&words[10], seen, seen * 3);
    } while (old != seen);
    atomicExch(&words[11], 77);
}
