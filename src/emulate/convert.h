// SPDX-License-Identifier: Apache-2.0
/* One value from any number format of PTX to any other, exactly, with one rounding (ISA: cvt). The
 * slow and general way: what occurs often has lane loops of its own in sem_convert.h. */
#ifndef EMULATE_CONVERT_H
#define EMULATE_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

struct conversion {
    uint8_t to, from; /* enum ptx_type; a packed type means its elements */
    uint8_t rounding; /* enum rounding */
    bool ftz, sat, satfinite, relu;
    uint8_t random_bits; /* .rs: how many bits of `random` convert_value adds */
};

/* The bits of one element of type `to`, in its low bits, for the bits of one of type `from`;
 * integers of type `to` extended to 64 bits. */
uint64_t convert_value(const struct conversion *c, uint64_t bits, uint32_t random);

/* Bits that an element takes in its packed register: 8 for .e2m3x2, 4 for .e2m1x2. */
unsigned convert_field_bits(enum ptx_type type);

#endif
