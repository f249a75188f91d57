// SPDX-License-Identifier: Apache-2.0
/* How a row of isa/ptx_ops.def finds its lane loops: select_NAME(insn, function), where NAME is the
 * row's last column, returns the pair of loops for one form of the instruction, or NOT_SUPPORTED. */
#ifndef EMULATE_SEM_SELECT_H
#define EMULATE_SEM_SELECT_H

#include "emulate/lanes.h"

#define BY_WIDTH(insn, name)                                                                       \
    (type_infos[(insn)->type].bits == 16   ? PAIR(name##16)                                        \
     : type_infos[(insn)->type].bits == 32 ? PAIR(name##32)                                        \
                                           : PAIR(name##64))
#define BY_SIGN(insn, name)                                                                        \
    (type_infos[(insn)->type].kind == KIND_SIGNED ? BY_WIDTH(insn, name##s)                        \
                                                  : BY_WIDTH(insn, name##u))
static const struct uop_pair NOT_SUPPORTED = {NULL, NULL};

static bool is_float(const struct insn *insn)
{
    return type_infos[insn->type].kind == KIND_FLOAT;
}
static bool is_64(const struct insn *insn)
{
    return type_infos[insn->type].bits == 64;
}

#define SELECT_ONE(name, value)                                                                    \
    static struct uop_pair select_##name(const struct insn *insn, const struct function *function) \
    {                                                                                              \
        (void)insn, (void)function;                                                                \
        return value;                                                                              \
    }

#endif
