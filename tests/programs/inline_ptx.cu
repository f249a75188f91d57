// SPDX-License-Identifier: Apache-2.0
/* PTX within C++: numbers of 256 bits by carries, bit fields, byte permutations, dot products, special registers, predicates,
 * a loop with labels, and local declarations. */
#include <cstdint>

#include "check.h"

using wide = uint32_t[8];

__device__ void add(const wide &a, const wide &b, wide &sum)
{
    asm("add.cc.u32 %0, %8, %16;\n\taddc.cc.u32 %1, %9, %17;\n\taddc.cc.u32 %2, %10, %18;\n\taddc.cc.u32 %3, %11, %19;\n\t"
        "addc.cc.u32 %4, %12, %20;\n\taddc.cc.u32 %5, %13, %21;\n\taddc.cc.u32 %6, %14, %22;\n\taddc.u32 %7, %15, %23;"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3]), "=r"(sum[4]), "=r"(sum[5]), "=r"(sum[6]), "=r"(sum[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]),
          "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}

/* The low 256 bits of a product: row by row, each with its carries. */
__device__ void multiply(const wide &a, const wide &b, wide &product)
{
    for (int i = 0; i < 8; i++)
        product[i] = 0;
    for (int i = 0; i < 8; i++) {
        uint32_t carry = 0;
        for (int k = 0; i + k < 8; k++) {
            uint32_t low, high;
            asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, 0;" : "=r"(low), "=r"(high)
                : "r"(a[i]), "r"(b[k]), "r"(product[i + k]));
            asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, 0;" : "=r"(product[i + k]), "=r"(carry)
                : "r"(low), "r"(carry), "r"(high));
        }
    }
}

__global__ void big(const wide *a, const wide *b, wide *sums, wide *products)
{
    int i = threadIdx.x;
    add(a[i], b[i], sums[i]);
    multiply(a[i], b[i], products[i]);
}

__device__ uint32_t collatz(uint32_t start)
{
    uint32_t steps;
    asm("{\n\t.reg .pred even, done;\n\t.reg .u32 x, low;\n\tmov.u32 x, %1;\n\tmov.u32 %0, 0;\n"
        "again:\n\tsetp.le.u32 done, x, 1;\n\t@done bra end;\n\tand.b32 low, x, 1;\n\tsetp.eq.u32 even, low, 0;\n\t"
        "@even shr.u32 x, x, 1;\n\t@!even mad.lo.u32 x, x, 3, 1;\n\tadd.u32 %0, %0, 1;\n\tbra again;\nend:\n\t}"
        : "=r"(steps) : "r"(start));
    return steps;
}

__global__ void bits(uint32_t *out)
{
    uint32_t i = threadIdx.x, x = i * 2654435761u, y = x ^ 0x5bd1e995u, *to = out + 8 * i;
    asm("bfi.b32 %0, %1, %2, 5, 9;" : "=r"(to[0]) : "r"(x), "r"(y));
    asm("bfe.s32 %0, %1, 7, 11;" : "=r"(to[1]) : "r"(x));
    asm("prmt.b32 %0, %1, %2, 0x5a14;" : "=r"(to[2]) : "r"(x), "r"(y));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(to[3]) : "r"(x), "r"(y), "r"(i));
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(to[4]) : "r"(x), "r"(y), "r"(i));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(to[5]) : "r"(x), "r"(y), "r"(i));
    asm("{ .reg .u32 l; mov.u32 l, %%laneid; fns.b32 %0, %1, 0, 3; add.u32 %0, %0, l; }" : "=r"(to[6]) : "r"(x | 0x70000000u));
    to[7] = collatz(i + 1);
}

static uint32_t expect(int which, uint32_t i)
{
    uint32_t x = i * 2654435761u, y = x ^ 0x5bd1e995u, result = 0;
    auto byte = [&](int k) { return (k < 4 ? x >> 8 * k : y >> 8 * (k - 4)) & 255; };
    switch (which) {
    case 0:
        return (y & ~(0x1ffu << 5)) | (x & 0x1ff) << 5;
    case 1:
        return static_cast<uint32_t>(static_cast<int32_t>(x << 14) >> 21);
    case 2: /* selectors 4, 1, 10 (the sign of byte 2), 5 */
        return byte(4) | byte(1) << 8 | (byte(2) >> 7 ? 255u : 0u) << 16 | byte(5) << 24;
    case 3:
        return (x & y) | (y & i) | (x & i);
    case 4:
        for (int k = 0; k < 4; k++)
            result += static_cast<uint32_t>(static_cast<int8_t>(x >> 8 * k) * static_cast<int>(y >> 8 * k & 255));
        return result + i;
    case 5:
        return i % 32 ? y << i % 32 | x >> (32 - i % 32) : y;
    case 6:
        x |= 0x70000000u;
        for (int found = 0;; result++)
            if (x >> result & 1 && ++found == 3) return result + i;
    default:
        for (uint32_t at = i + 1; at > 1; result++)
            at = at % 2 ? 3 * at + 1 : at / 2;
        return result;
    }
}

int main()
{
    const int n = 32;
    wide *a, *b, *sums, *products;
    uint32_t *out, state = 23;
    CHECK(cudaMallocManaged(&a, n * sizeof *a));
    CHECK(cudaMallocManaged(&b, n * sizeof *b));
    CHECK(cudaMallocManaged(&sums, n * sizeof *sums));
    CHECK(cudaMallocManaged(&products, n * sizeof *products));
    CHECK(cudaMallocManaged(&out, 8 * n * sizeof *out));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            a[i][k] = next_random(&state) * 257, b[i][k] = k < 3 ? ~0u : next_random(&state) * 257;
    big<<<1, n>>>(a, b, sums, products);
    bits<<<1, n>>>(out);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < n; i++) {
        unsigned __int128 sum = 0, column = 0;
        for (int k = 0; k < 8; k++) {
            sum += static_cast<unsigned __int128>(a[i][k]) + b[i][k];
            for (int j = 0; j <= k; j++)
                column += static_cast<uint64_t>(a[i][j]) * b[i][k - j];
            ok &= sums[i][k] == static_cast<uint32_t>(sum) && products[i][k] == static_cast<uint32_t>(column);
            sum >>= 32, column >>= 32;
            ok &= out[8 * i + k] == expect(k, i);
        }
    }
    return verdict(ok);
}
