// SPDX-License-Identifier: Apache-2.0
// arch: sm_90
// Atomics of CUDA C++ on halves, 16 and 128 bits, vectors; barriers that reduce.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_sums(const __half *h, const __nv_bfloat16 *b, __half *h_sums,
                                     __nv_bfloat16 *b_sums, __half2 *h2_sums, __nv_bfloat162 *b2_sums,
                                     int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int slot = i % 7;
    atomicAdd(&h_sums[slot], h[i]);
    atomicAdd(&b_sums[slot], b[i]);
    atomicAdd(&h2_sums[slot], __halves2half2(h[i], __hneg(h[i])));
    atomicAdd(&b2_sums[slot], __halves2bfloat162(b[i], __hneg(b[i])));
}

extern "C" __global__ void half_shared(const __half *h, __half *sum, int n)
{
    __shared__ __half total;
    if (threadIdx.x == 0) total = __float2half(0.0f);
    __syncthreads();
    if ((int)threadIdx.x < n) atomicAdd(&total, h[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *sum = total;
}

// A 16-bit counter that all threads raise by compare and swap.
extern "C" __global__ void count_cas16(unsigned short *counter)
{
    unsigned short seen = *counter, old;
    do {
        old = seen;
        seen = atomicCAS(counter, old, (unsigned short)(old + 1));
    } while (seen != old);
}

// A pair {sum, count} that all threads change as one.
extern "C" __global__ void pair_cas128(ulonglong2 *pair, ulonglong2 *seen, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ulonglong2 expected = *pair, old;
    do {
        ulonglong2 next = {expected.x + (unsigned long long)i, expected.y + 1};
        asm volatile("{.reg .b128 a, b, c;\n mov.b128 a, {%3, %4};\n mov.b128 b, {%5, %6};\n"
                     "atom.global.cas.b128 c, [%2], a, b;\n mov.b128 {%0, %1}, c;}"
                     : "=l"(old.x), "=l"(old.y)
                     : "l"(pair), "l"(expected.x), "l"(expected.y), "l"(next.x), "l"(next.y)
                     : "memory");
        if (old.x == expected.x && old.y == expected.y) break;
        expected = old;
    } while (true);
    seen[i] = old;
}

extern "C" __global__ void vector_sums(float4 *sums, const float4 *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sums[i % 3], values[i]);
}

extern "C" __global__ void barrier_reduce(const int *values, int *out)
{
    int v = values[blockIdx.x * blockDim.x + threadIdx.x];
    int count = __syncthreads_count(v > 0);
    int all = __syncthreads_and(v > -100);
    int any = __syncthreads_or(v == 77);
    int *o = out + 3 * (blockIdx.x * blockDim.x + threadIdx.x);
    o[0] = count;
    o[1] = all != 0;
    o[2] = any != 0;
}

extern "C" __global__ void extremes(const unsigned *u, const long long *s, unsigned *u_out,
                                    long long *s_out, unsigned *wrapped, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(&u_out[0], u[i]);
    atomicMax(&u_out[1], u[i]);
    atomicAnd(&u_out[2], u[i] | 0x80);
    atomicOr(&u_out[3], u[i] & 0xff00);
    atomicXor(&u_out[4], u[i]);
    atomicMin(&s_out[0], s[i]);
    atomicMax(&s_out[1], s[i]);
    atomicAdd((unsigned long long *)&s_out[2], (unsigned long long)s[i]);
    atomicInc(&wrapped[0], 9);
    atomicDec(&wrapped[1], 9);
}
