// SPDX-License-Identifier: Apache-2.0
// Floating-point instructions, one result each: out[k * n + i] is the k-th function of a[i] and
// b[i]. The order is that of the tables in tests/unit/test_kernels_float.c. float_math, double_math
// and convert are exact by IEEE 754; approx holds the instructions with an error bound.

#define PUT(value) out[n * k++ + i] = (value)

extern "C" __global__ void float_math(int n, const float *__restrict__ a,
                                      const float *__restrict__ b, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], r;
    int k = 0;
    PUT(__fadd_rn(x, y));
    PUT(__fadd_rz(x, y));
    PUT(__fadd_ru(x, y));
    PUT(__fadd_rd(x, y));
    PUT(__fsub_rn(x, y));
    PUT(__fmul_rn(x, y));
    PUT(__fmul_rz(x, y));
    PUT(__fmul_ru(x, y));
    PUT(__fmul_rd(x, y));
    PUT(__fmaf_rn(x, y, x));
    PUT(__fmaf_rz(x, y, x));
    PUT(__fmaf_ru(x, y, x));
    PUT(__fmaf_rd(x, y, x));
    PUT(__fdiv_rn(x, y));
    PUT(__fdiv_rz(x, y));
    PUT(__fdiv_ru(x, y));
    PUT(__fdiv_rd(x, y));
    PUT(__frcp_rn(y));
    PUT(__fsqrt_rn(fabsf(x)));
    PUT(__fsqrt_rz(fabsf(x)));
    PUT(__fsqrt_ru(fabsf(x)));
    PUT(fminf(x, y));
    PUT(fmaxf(x, y));
    PUT(fabsf(x));
    PUT(-x);
    asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(y), "f"(x)); // |x| with the sign of y
    PUT(r);
    PUT(__saturatef(x));
    PUT(floorf(x));
    PUT(ceilf(x));
    PUT(truncf(x));
    PUT(rintf(x));
    PUT(x < y ? 1.0f : 0.0f);
    PUT(!(x >= y) ? 1.0f : 0.0f);
    PUT(x == y ? 1.0f : 0.0f);
    PUT(isnan(x * 0.0f) ? 1.0f : 0.0f);
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    PUT(r);
    asm("mul.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    PUT(r);
    asm("fma.rn.ftz.sat.f32 %0, %1, %2, %1;" : "=f"(r) : "f"(x), "f"(y));
    PUT(r);
}

extern "C" __global__ void double_math(int n, const double *__restrict__ a,
                                       const double *__restrict__ b, double *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i], y = b[i];
    int k = 0;
    PUT(__dadd_rn(x, y));
    PUT(__dadd_rz(x, y));
    PUT(__dadd_ru(x, y));
    PUT(__dadd_rd(x, y));
    PUT(x - y);
    PUT(__dmul_rn(x, y));
    PUT(__dmul_rz(x, y));
    PUT(__fma_rn(x, y, x));
    PUT(__fma_ru(x, y, x));
    PUT(__ddiv_rn(x, y));
    PUT(__ddiv_rd(x, y));
    PUT(__drcp_rn(y));
    PUT(__dsqrt_rn(fabs(x)));
    PUT(fmin(x, y));
    PUT(fmax(x, y));
    PUT(fabs(x));
    PUT(-x);
    PUT(floor(x));
    PUT(rint(x));
    PUT((double)(float)x);
    PUT((double)__double2float_rz(x));
    PUT(x < y ? x : y + 1.0);
}

// Integers in out are bit patterns or values; |x| below 2^62.
extern "C" __global__ void convert(int n, const float *__restrict__ a, const int *__restrict__ b,
                                   long long *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i];
    int y = b[i], k = 0, r;
    unsigned short h;
    PUT(__float2int_rn(x));
    PUT(__float2int_rz(x));
    PUT(__float2int_ru(x));
    PUT(__float2int_rd(x));
    PUT(__float2uint_rz(x));
    PUT(__float2ll_rn(x));
    PUT(__float2ll_rd(x));
    PUT(__double2int_rz(2.5 * x));
    PUT(__double2ll_rn(0.5 * x));
    PUT(__float_as_int(__int2float_rn(y)));
    PUT(__float_as_int(__int2float_rz(y)));
    PUT(__float_as_int(__uint2float_ru(y)));
    PUT(__float_as_int(__ll2float_rn((long long)y * 1000003)));
    PUT(__float_as_int(__ull2float_rz((unsigned long long)(unsigned)y << 20 | 1)));
    PUT(__double_as_longlong((double)y));
    PUT(__double_as_longlong(__ll2double_rn((long long)y << 29 | 1)));
    PUT(__double_as_longlong(__ll2double_rz((long long)y << 29 | 3)));
    PUT(__double_as_longlong((double)x));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(y));
    PUT(r);
    asm("cvt.sat.u16.s32 %0, %1;" : "=r"(r) : "r"(y));
    PUT(r);
    asm("cvt.rzi.sat.u8.f32 %0, %1;" : "=r"(r) : "f"(x));
    PUT(r);
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    PUT(h);
    float back;
    asm("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(h));
    PUT(__float_as_int(back));
}

// Arguments are positive and between 2^-20 and 2^20.
#define APPROX(instruction)                                                                        \
    asm(instruction " %0, %1;" : "=f"(r) : "f"(x));                                                \
    PUT(r)

extern "C" __global__ void approx(int n, const float *__restrict__ a, const float *__restrict__ b,
                                  float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], r;
    int k = 0;
    APPROX("rcp.approx.f32");
    APPROX("sqrt.approx.f32");
    APPROX("rsqrt.approx.f32");
    APPROX("lg2.approx.f32");
    asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    PUT(r);
    asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    PUT(r);
    x = log2f(x); // -20 to 20: an argument for those that are steep or periodic
    PUT(x);
    APPROX("ex2.approx.f32");
    x *= 0.15f; // within [-pi, pi]
    PUT(x);
    APPROX("sin.approx.f32");
    APPROX("cos.approx.f32");
    APPROX("tanh.approx.f32");
}
