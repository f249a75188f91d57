// SPDX-License-Identifier: Apache-2.0
/* Between program.c (code and places) and operations.c (one instruction to one uop). */
#ifndef EMULATE_PROGRAM_H
#define EMULATE_PROGRAM_H

#include "emulate/exec.h"

/* Registers for special registers that an operation reads in another width. */
enum { TEMPORARIES = 4 };

struct function_build {
    uint32_t module_index;
    uint32_t first_block, first_insn, first_vreg; /* in the launch's numbering */
    uint32_t frame_bytes, parameter_bytes, temporaries;
    uint32_t *slots; /* by register */
    bool address_taken;
};

struct constant {
    uint64_t bits;
    uint32_t bytes, offset;
};

struct builder {
    const struct module *module;
    struct program *program;
    const struct semantics *semantics;
    const uint64_t *addresses; /* of variables in device memory */
    uint64_t *shared_offsets;
    uint32_t *parameter_offsets;
    uint32_t function_count, function_room;
    struct function_build *functions;
    uint32_t code_count, insn_count, vreg_count;
    uint32_t constant_count, constant_room, pool_bytes;
    struct constant *constants;
    uint32_t *constant_slots, constant_slot_count; /* a hash table over them */
    uint32_t uop_count, uop_room;
    struct uop *uops; /* of the block being made */
};

/* 32 lanes of a constant; bytes is 2, 4, 8 or 16. */
operand_ref pool_constant(struct builder *b, uint64_t bits, uint32_t bytes);
/* Bytes of a lane that source k is read in; 1 stands for a predicate. */
unsigned source_bytes(const struct insn *insn, unsigned k);
/* Appends the operation of instruction `index` of program function `f` to b->uops. */
ws_status make_uop(struct diag *diag, struct builder *b, uint32_t f, uint32_t index);

#endif
