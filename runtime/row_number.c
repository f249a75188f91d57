// SPDX-License-Identifier: Apache-2.0
#include "row_number.h"

#include <stdbool.h>
#include <string.h>

/* Digits of a number whose last one stands before `end`. */
static void put_digits(char *end, uint64_t number, unsigned count, unsigned base)
{
    for (; count; count--, number /= base)
        *--end = "0123456789abcdef"[number % base];
}

void row_set_count(char *field, uint64_t count)
{
    if (field) put_digits(field + strlen(ROW_COUNT), count, 16, 16);
}

/* The bits of a double as C writes hexadecimal ones: 0x1.<52 bits>p<exponent>. */
void row_set_seconds(char *field, double seconds)
{
    enum { LEADING = 2, MANTISSA_END = 17, SIGN = 18, BIAS = 1023 };
    uint64_t bits;
    if (!field) return;
    memcpy(&bits, &seconds, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - BIAS;
    bool is_normal = exponent > -BIAS;
    if (!is_normal) exponent++;
    if (!bits) exponent = 0;
    field[LEADING] = is_normal ? '1' : '0';
    field[SIGN] = exponent < 0 ? '-' : '+';
    put_digits(field + MANTISSA_END, bits, 13, 16);
    put_digits(field + strlen(ROW_SECONDS), (uint64_t)(exponent < 0 ? -exponent : exponent), 4, 10);
}
