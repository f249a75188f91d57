// SPDX-License-Identifier: Apache-2.0
/* An instruction that several others stand for. */
#ifndef DECODE_PARTS_H
#define DECODE_PARTS_H

#include "decode/parser.h"

enum { PARTS_MAX = 14 };
struct parts {
    struct insn like; /* text, place and guard */
    struct insn insns[PARTS_MAX];
    unsigned count;
};

struct operand parts_number(int64_t value);
struct operand parts_register(struct parser *parser, enum ptx_type type);
/* Without operands. */
struct insn *parts_add(struct parts *parts, enum ptx_op op, enum ptx_type type,
                       enum mem_space space, unsigned vector);
/* to = a op b */
struct insn *parts_operation(struct parts *parts, enum ptx_op op, enum ptx_type type,
                             const struct operand *to, struct operand a, struct operand b);
/* They take the place of the instruction, which may move. */
void parts_put(struct parser *parser, const struct parts *parts, struct insn *insn);

#endif
