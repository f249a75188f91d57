// SPDX-License-Identifier: Apache-2.0
// Arithmetic of 128 bits, which nvcc makes of carry chains; a quotient it inlines.
typedef __int128 s128;
typedef unsigned __int128 u128;

// Sum, difference, product, quotient and remainder without and with sign, of thread i's operands.
extern "C" __global__ void wide(const u128 *a, const u128 *b, u128 *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    u128 x = a[i], y = b[i];
    s128 sx = (s128)x, sy = (s128)y;
    out += 8 * i;
    out[0] = x + y;
    out[1] = x - y;
    out[2] = x * y;
    out[3] = x / y;
    out[4] = x % y;
    out[5] = (u128)(sx / sy);
    out[6] = (u128)(sx % sy);
    out[7] = (u128)(sx < sy) << 1 | (x < y);
}

// Every lane of a warp in another chain, and a quotient by a constant.
extern "C" __global__ void parted(const u128 *a, const u128 *b, u128 *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    u128 x = a[i], y = b[i], r = 0;
    if (i % 3 == 0) {
        for (unsigned k = 0; k < i % 5; k++)
            r += x - y * k;
    } else if (i % 3 == 1) {
        r = x / 7 - y;
    } else {
        r = y - x;
        if (r > x) r -= x;
    }
    out[i] = r;
}
