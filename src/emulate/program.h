// SPDX-License-Identifier: Apache-2.0
/* Between program.c (code and places) and operations.c (one instruction to one uop). */
#ifndef EMULATE_PROGRAM_H
#define EMULATE_PROGRAM_H

#include "emulate/exec.h"

/* Registers for special registers that an operation reads in another width. */
enum { TEMPORARIES = 4 };

/* Bounds of a program: what an input asks for beyond them is refused. All are far more than hardware
 * has (255 registers and 512 KiB of local memory a thread, the stack included). */
enum {
    STACK_REGISTER_BYTES_MAX = 1 << 28,  /* of a warp, over any chain of calls */
    STACK_PARAMETER_BYTES_MAX = 1 << 22, /* of a thread */
    STACK_LOCAL_BYTES_MAX = 1 << 25,     /* of a thread */
    POOL_BYTES_MAX = 1 << 30,            /* of constants: as far as an operand_ref reaches */
};

struct function_build {
    uint32_t module_index;
    uint32_t first_block, first_insn, first_vreg; /* in the launch's numbering */
    uint32_t frame_bytes, temporaries;
    uint64_t parameter_bytes, local_bytes;
    uint64_t plain_local_bytes; /* without red zones, if there are any */
    const struct guarded *arrays;
    uint32_t array_count;
    uint32_t *slots; /* by register */
    bool address_taken;
};

/* The distinct signatures of calls and functions, numbered, in a hash table. */
struct signatures {
    const struct call_site **sites; /* one that has it */
    uint32_t count, room;
    uint32_t *slots, slot_count;
};

/* Kinds of constants beside the plain ones of 2, 4, 8 or 16 bytes by lane. A pair is two registers. */
enum pool_kind { POOL_PAIR = 0x40, POOL_BANK, POOL_BANK_PAIR /* bits: bank << 32 | offset */ };

struct constant {
    uint64_t bits;
    uint32_t bytes, offset; /* bytes: or enum pool_kind */
};

struct builder {
    const struct module *module;
    struct program *program;
    const struct semantics *semantics;
    const uint64_t *addresses; /* of variables in device memory */
    uint64_t *shared_offsets;
    uint32_t *parameter_offsets;
    uint8_t *parameter_homes; /* enum parameter_home */
    uint32_t *local_shifts;   /* by variable: what red zones before it take */
    uint32_t *function_of;    /* program.function_of */
    bool knows_addresses;     /* those in initial values were gone through */
    struct signatures signatures;
    const struct call_site **call_sites; /* by launch instruction; NULL: no call */
    uint32_t function_count, function_room;
    struct function_build *functions;
    uint32_t code_count, insn_count, vreg_count;
    uint32_t constant_count, constant_room, pool_bytes;
    bool pool_is_full;
    struct constant *constants;
    uint32_t *constant_slots, constant_slot_count; /* a hash table over them */
    uint32_t uop_count, uop_room;
    struct uop *uops; /* of the block being made */
};

/* An error about a function, at its name. */
ws_status program_error(struct diag *diag, const struct builder *b, const struct function *function,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The function of the device runtime that a call names; BUILTIN_NONE: another. */
enum builtin program_builtin(const struct builder *b, const struct insn *insn);

/* call_sites.c: the values of a call on the caller's side, and of a function as a callee. */
const struct call_site *call_site_of(struct builder *b, const struct call_info *call);
void call_formals(struct builder *b, const struct function *function, struct call_site *out);
void signatures_clear(struct signatures *signatures);
/* red_zones.c: with the tool memory, after the places without red zones are known. */
void red_zones_shared(struct builder *b, const struct device *device);
void red_zones_local(struct builder *b, const struct device *device);
/* As many times as large is the local memory of a function, at most. */
uint64_t red_zones_growth(const struct builder *b);

/* call_depth.c: sets what the deepest chain of calls needs. */
ws_status call_depth(struct diag *diag, struct builder *b);

/* 32 lanes of a constant; bytes is 2, 4, 8, 16 or one of enum pool_kind. */
operand_ref pool_constant(struct builder *b, uint64_t bits, uint32_t bytes);
/* Bytes of a lane that source k is read in; 1 stands for a predicate. */
unsigned source_bytes(const struct insn *insn, unsigned k);
/* What operations.c makes a uop of. */
struct making {
    struct diag *diag;
    struct builder *b;
    const struct function_build *build;
    const struct function *function;
    const struct insn *insn;
    bool in_entry;
    uint32_t temporaries; /* used by this instruction */
};
struct uop *new_uop(struct builder *b);
struct uop empty_uop(void);
/* 32 lanes of up to 64 bits that no other operand of the instruction has. */
operand_ref temporary(struct making *m);
operand_ref place_special(struct making *m, int32_t sreg, unsigned bytes);
operand_ref place_symbol(struct making *m, int32_t symbol, int64_t addend, unsigned bytes);
/* native_operands.c: a source of a native instruction; helper operations go before it. */
operand_ref native_source(struct making *m, unsigned k);
void native_address(struct making *m, struct uop *u);
/* The operation's results of 64 bits become pairs: to be called when it is whole; it is appended. */
void native_append(struct making *m, struct uop *u);
/* Registers of native function `f` that may be read before they are written: what begins as zero. */
void native_zeros(struct builder *b, uint32_t f, struct program_function *out);
/* Appends the operation of instruction `index` of program function `f` to b->uops. */
ws_status make_uop(struct diag *diag, struct builder *b, uint32_t f, uint32_t index);

#endif
