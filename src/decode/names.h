// SPDX-License-Identifier: Apache-2.0
/* Names of a module: each text is kept once and known by a number; what it means now (its symbol)
 * changes as scopes open and close. */
#ifndef DECODE_NAMES_H
#define DECODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"

struct name {
    const char *text; /* points into the PTX */
    uint32_t length, hash;
    int32_t symbol;   /* the innermost symbol of this name, -1: none */
    int32_t mnemonic; /* its decoded mnemonic, -1: not decoded yet */
};

/* 64-bit key to 32-bit value; single keys are never removed. Key 0 is not allowed. */
struct map {
    struct hash_table table;
};
bool map_get(const struct map *map, uint64_t key, uint32_t *out);
void map_set(struct map *map, uint64_t key, uint32_t value);
/* Empties it, at a cost in proportion to what was in it. */
void map_reset(struct map *map);
void map_clear(struct map *map);

enum symbol_kind {
    SYMBOL_REGISTER,  /* value: register of the function */
    SYMBOL_RANGE,     /* value: register range of the function */
    SYMBOL_VECTOR,    /* value: its elements, which are registers named %v.x, .y, .z, .w */
    SYMBOL_VARIABLE,  /* value: variable of the module */
    SYMBOL_FUNCTION,  /* value: function of the module */
    SYMBOL_TARGETS,   /* value: list of branch targets of the function */
    SYMBOL_PROTOTYPE, /* .callprototype, .calltargets */
    SYMBOL_SPECIAL,   /* value: enum special_register */
    SYMBOL_FOREIGN,   /* a special register that warpsage does not know */
};

struct symbol {
    uint8_t kind;
    uint32_t value, name;
    int32_t shadowed; /* the symbol that the name meant outside this scope */
    bool is_linked;   /* seen by the other parts of the file, too: names_link */
};

struct names {
    struct name *items;
    uint32_t count, capacity;
    uint32_t *buckets; /* item + 1 */
    uint32_t bucket_count;
    struct symbol *symbols;
    uint32_t symbol_count, symbol_capacity;
};

void names_clear(struct names *names);
uint32_t names_intern(struct names *names, const char *text, uint32_t length);
/* Declares; the symbols beyond a mark are forgotten by names_close. */
void names_declare(struct names *names, uint32_t name, enum symbol_kind kind, uint32_t value);
void names_close(struct names *names, uint32_t mark);
/* The same, but symbols that are linked stay. All beyond the mark are of the file's own scope. */
void names_close_part(struct names *names, uint32_t mark);
/* The innermost symbol of this name, for good and all, is linked. */
void names_link(struct names *names, uint32_t name);
const struct symbol *names_find(const struct names *names, const char *text, uint32_t length);

#endif
