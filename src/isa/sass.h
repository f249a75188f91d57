// SPDX-License-Identifier: Apache-2.0
/* Native instructions as disassemblers and tracers write them: "IMAD.WIDE", "LDG.E.128.CONSTANT".
 * sass_ops.def has one row a base opcode. */
#ifndef ISA_SASS_H
#define ISA_SASS_H

#include "isa/insn.h"

/* How many registers an operand has that is written as its first register. */
enum sass_words {
    SASS_WORDS_ONE,
    SASS_WORDS_PAIR,
    SASS_WORDS_MATRIX,
    SASS_WORDS_DATA,
    SASS_WORDS_CONVERSION,
    SASS_WORDS_MULTIPLY
};

enum sass_flow {
    SASS_FLOW_STRAIGHT,
    SASS_FLOW_BREAK,  /* the lanes behind it may be others than those before it */
    SASS_FLOW_BRANCH, /* likewise; its mask is that of the lanes that take it */
    SASS_FLOW_EXIT,
    SASS_FLOW_BARRIER
};

struct sass_op {
    const char *name;
    uint8_t class_id, words, flow;
    uint16_t kin; /* enum ptx_op */
};

/* One operand list of a trace: first registers; SASS_ZERO for RZ. */
enum { SASS_ZERO = 255, SASS_REGISTERS = 256, SASS_SOURCES_MAX = 8 };
struct sass_text {
    const char *opcode; /* with modifiers; must outlive the decoded instruction */
    unsigned destination_count, source_count;
    uint16_t destinations[1], sources[SASS_SOURCES_MAX];
    unsigned access_bytes; /* by lane, as recorded; 0: no access */
};

/* By the base opcode of "FADD.FTZ"; NULL: there is no such row. */
const struct sass_op *sass_find(const char *opcode);
/* With its modifiers. */
enum insn_class sass_class(const struct sass_op *op, const char *opcode);
/* The opcode that stands for a class in traces for others (sass_names.def). */
const char *sass_name(enum insn_class class_id);
/* -1: no class is called so. */
int class_find(const char *id);
/* ".WIDE" of "IMAD.WIDE.U32": whole words between dots. */
bool sass_has_modifier(const char *opcode, const char *modifier);
/* Bytes of a lane: as the opcode says (.U8, .S16, .64, .128), else as recorded if that is 1, 2, 4,
 * 8 or 16, else 4. Rows of matrices (LDSM, STSM) are 16. */
unsigned sass_access_bytes(const struct sass_op *op, const char *opcode, unsigned recorded);

/* Registers of decoded instructions: 0 is an unknown predicate, which is never written (traces do
 * not tell predicates); R0 is 1. */
enum { SASS_VREGS = 1 + SASS_REGISTERS };
/* Fills everything but places (line, source line). `op` NULL: an unknown opcode of class `class_id`. */
void sass_decode(const struct sass_op *op, enum insn_class class_id, const struct sass_text *text,
                 struct insn *out);

#endif
