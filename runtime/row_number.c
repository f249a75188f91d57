// SPDX-License-Identifier: Apache-2.0
#include "row_number.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

/* Eight hexadecimal digits, all at once: a digit to a byte. */
static void put_eight(char *field, uint32_t number)
{
    uint64_t digits = number;
    digits = (digits & 0xffff0000) << 16 | (digits & 0xffff);
    digits = (digits << 8 & UINT64_C(0x00ff000000ff0000)) | (digits & UINT64_C(0x000000ff000000ff));
    digits = (digits << 4 & UINT64_C(0x0f000f000f000f00)) | (digits & UINT64_C(0x000f000f000f000f));
    uint64_t letters = (digits + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    digits += UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
    digits = htobe64(digits);
    memcpy(field, &digits, sizeof digits);
}

static void put_sixteen(char *field, uint64_t number)
{
    put_eight(field, (uint32_t)(number >> 32));
    put_eight(field + 8, (uint32_t)number);
}

void row_set_count(char *field, uint64_t count)
{
    enum { FIRST = 2 };
    if (field) put_sixteen(field + FIRST, count);
}

/* The bits of a double as C writes hexadecimal ones: 0x1.<52 bits>p<exponent>. */
void row_set_seconds(char *field, double seconds)
{
    enum { LEADING = 2, SIGN = 18, MANTISSA_BITS = 52, BIAS = 1023 };
    uint64_t bits;
    if (!field) return;
    memcpy(&bits, &seconds, sizeof bits);
    int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff) - BIAS;
    bool is_normal = exponent > -BIAS;
    if (!is_normal) exponent = bits ? exponent + 1 : 0;
    put_sixteen(field + 1, bits); /* the first three are not of the mantissa */
    memcpy(field, "0x0.", 4);
    field[LEADING] = is_normal ? '1' : '0';
    field[SIGN] = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    for (int i = 4; i; i--, size /= 10)
        field[SIGN + i] = (char)('0' + size % 10);
}
