// SPDX-License-Identifier: Apache-2.0
/* Elements of arguments: types, text to bits and back, the random generator (doc/arguments.md). */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value_type {
    enum { VALUE_SIGNED, VALUE_UNSIGNED, VALUE_BITS, VALUE_FLOAT, VALUE_BFLOAT } kind;
    unsigned bits;    /* 8, 16, 32 or 64 */
    const char *name; /* "f32"; static */
};

/* "u32"; i is s. False if there is no such type. `length` bytes of text. */
bool value_type_parse(const char *text, size_t length, struct value_type *out);
bool value_type_is_float(const struct value_type *type);

/* One value as text to its bits, zero-extended; false if it is none or out of range. */
bool value_parse(const struct value_type *type, const char *text, uint64_t *out);
/* Nearest value of the type (ties to even); integers wrap. */
uint64_t value_from_double(const struct value_type *type, double value);
uint64_t value_from_index(const struct value_type *type, uint64_t index);
double value_to_double(const struct value_type *type, uint64_t bits);
/* Text that reads back as the same bits; NaN as "nan". */
void value_print(const struct value_type *type, uint64_t bits, char *out, size_t size);

/* Element `index` of the sequence of `seed`: [0,1) for floats, every bit pattern for integers. */
uint64_t value_random(const struct value_type *type, uint64_t seed, uint64_t index);
/* `count` elements from `first` on, as value_store lays them down. */
void values_fill_random(const struct value_type *type, uint64_t seed, uint64_t first, size_t count,
                        uint8_t *to);

/* Elements lie little-endian, as in the files. */
uint64_t value_load(const struct value_type *type, const uint8_t *from);
void value_store(const struct value_type *type, uint64_t bits, uint8_t *to);

#endif
