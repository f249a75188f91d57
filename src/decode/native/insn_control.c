// SPDX-License-Identifier: Apache-2.0
#include "decode/native/lower.h"

struct insn_control native_insn_control(const struct native_insn *in)
{
    const struct native_control *from = &in->control;
    struct insn_control out = {
        .is_set = true,
        .stays = from->yield, /* doc/models/teg.md: 0 yields */
        .stall = from->stall,
        .writes = from->write_counter,
        .reads = from->read_counter,
        .awaited = from->awaited,
        .reuse = from->reuse,
        .slots = {CONTROL_NO_REGISTER, CONTROL_NO_REGISTER, CONTROL_NO_REGISTER},
    };
    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct native_operand *operand = &in->operands[i];
        if (operand->kind == NATIVE_REGISTER && operand->slot < CONTROL_SLOTS)
            out.slots[operand->slot] = (uint8_t)operand->number;
    }
    return out;
}
