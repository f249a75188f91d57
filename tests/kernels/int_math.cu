// SPDX-License-Identifier: Apache-2.0
// Integer instructions, one result each: out[k * n + i] is the k-th function of a[i] and b[i]. The
// order is that of the tables in tests/unit/test_kernels_int.c. b is never 0.

#define PUT(value) out[n * k++ + i] = (value)

extern "C" __global__ void int_math(int n, const int *__restrict__ a, const int *__restrict__ b,
                                    int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i], k = 0, r;
    unsigned ux = x, uy = y;
    PUT(x + y);
    PUT(x - y);
    PUT(x * y);
    PUT(__mulhi(x, y));
    PUT(__umulhi(ux, uy));
    PUT(x / y);
    PUT(x % y);
    PUT(ux / uy);
    PUT(ux % uy);
    PUT(min(x, y));
    PUT(max(x, y));
    PUT(min(ux, uy));
    PUT(max(ux, uy));
    PUT(abs(x));
    PUT(-x);
    PUT(x & y);
    PUT(x | y);
    PUT(x ^ y);
    PUT(~x);
    PUT(x << (y & 31));
    PUT(x >> (y & 31));
    PUT(ux >> (uy & 31));
    PUT(__popc(x));
    PUT(__clz(x));
    PUT(__brev(x));
    PUT(__ffs(x));
    PUT(__byte_perm(x, y, 0x5341));
    PUT(__funnelshift_l(x, y, y & 31));
    PUT(__funnelshift_r(x, y, y & 31));
    PUT(__funnelshift_lc(x, y, y & 63));
    PUT(__mul24(x, y));
    PUT(x < y ? x : ~y);
    PUT(ux < uy);
    PUT(__sad(x, y, ux));
    PUT(__dp4a(x, y, x));
    // Shifts by 32 and more are defined in PTX, not in C: 0, or the sign.
    asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63));
    PUT(r);
    asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63));
    PUT(r);
    asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63));
    PUT(r);
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"((y >> 5) & 31));
    PUT(r);
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"((y >> 5) & 31));
    PUT(r);
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(y & 31), "r"((y >> 5) & 31));
    PUT(r);
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x));
    PUT(r);
    asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(x));
    PUT(r);
    asm("cnot.b32 %0, %1;" : "=r"(r) : "r"(x & y & 1));
    PUT(r);
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(r) : "r"(x), "r"(y), "r"(0x1234567)); // majority
    PUT(r);
    // 64-bit addition and subtraction of {y, x} and {x, y}: the upper halves.
    asm("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %2, %1; }" : "=r"(r) : "r"(x), "r"(y));
    PUT(r);
    asm("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %2, %1; }" : "=r"(r) : "r"(x), "r"(y));
    PUT(r);
    PUT((signed char)x + (short)y);
    PUT((unsigned char)x * (unsigned short)y);
}

extern "C" __global__ void long_math(int n, const long long *__restrict__ a,
                                     const long long *__restrict__ b, long long *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long x = a[i], y = b[i];
    unsigned long long ux = x, uy = y;
    int k = 0;
    PUT(x + y);
    PUT(x - y);
    PUT(x * y);
    PUT(__mul64hi(x, y));
    PUT(__umul64hi(ux, uy));
    PUT(x / y);
    PUT(x % y);
    PUT(ux / uy);
    PUT(ux % uy);
    PUT(min(x, y));
    PUT(max(x, y));
    PUT(min(ux, uy));
    PUT(max(ux, uy));
    PUT(llabs(x));
    PUT(-x);
    PUT(x & y);
    PUT(x | y);
    PUT(x ^ y);
    PUT(~x);
    PUT(x << (y & 63));
    PUT(x >> (y & 63));
    PUT(ux >> (uy & 63));
    PUT(__popcll(x));
    PUT(__clzll(x));
    PUT(__brevll(x));
    PUT(__ffsll(x));
    PUT((long long)(int)x * (int)y);
    PUT((unsigned long long)(unsigned)x * (unsigned)y);
    PUT(x < y ? y : x + 1);
    PUT((int)x);
    PUT((unsigned)x);
    PUT((short)x);
    PUT((unsigned char)x);
}
