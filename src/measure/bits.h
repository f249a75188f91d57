// SPDX-License-Identifier: Apache-2.0
/* Counting in lane masks. */
#ifndef MEASURE_BITS_H
#define MEASURE_BITS_H

#include <stdint.h>

static inline unsigned bits_lowest(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* Without the popcnt instruction (baseline x86-64) the builtin is a library call. */
static inline unsigned bits_count(uint32_t mask)
{
    if (mask == UINT32_MAX) return 32;
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    mask = (mask + (mask >> 4)) & 0x0f0f0f0fu;
    return mask * 0x01010101u >> 24;
}

static inline unsigned bits_count64(uint64_t mask)
{
    return bits_count((uint32_t)mask) + bits_count((uint32_t)(mask >> 32));
}

#endif
