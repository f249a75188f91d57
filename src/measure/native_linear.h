// SPDX-License-Identifier: Apache-2.0
/* Addresses as sums: constant + scale * register + ... Two with the same registers lie a known distance apart. */
#ifndef MEASURE_NATIVE_LINEAR_H
#define MEASURE_NATIVE_LINEAR_H

#include "measure/low_bits.h"
#include "measure/native_plan.h"

enum { LINEAR_TERMS = 4 };

struct linear_term {
    uint64_t scale;
    uint32_t reg;     /* of the launch; behind them the variables of the module */
    uint32_t written; /* last instruction of the code block before that writes it, or NOWHERE */
};

struct linear {
    uint64_t constant;
    uint32_t count;
    struct linear_term terms[LINEAR_TERMS]; /* by ascending register */
};

/* What is known while the instructions of a code block are looked at in their order. */
struct linear_scope {
    const struct planner *p;
    uint64_t *layout;      /* low_bits_layout */
    struct low_bits *bits; /* by register */
    uint32_t
        *written;   /* by register: the last instruction that wrote it, in this block if >= first */
    uint32_t first; /* of the code block */
};

void linear_scope_init(struct linear_scope *scope, const struct planner *p);
void linear_scope_clear(struct linear_scope *scope);
void linear_scope_enter(struct linear_scope *scope, const struct code_block *code);
/* Behind the instruction. */
void linear_scope_pass(struct linear_scope *scope, uint32_t pc);

/* The address that the memory instruction accesses. */
struct linear linear_address(const struct linear_scope *scope, uint32_t pc);
/* Low bits of the sum without its constant. */
struct low_bits linear_bits(const struct linear_scope *scope, const struct linear *linear);

#endif
