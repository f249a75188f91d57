// SPDX-License-Identifier: Apache-2.0
/* Texture fetches, as PTX's tex. Operands of an instruction: rows_memory.def.
 *
 *     TEX.SCR.LL R3, R14, R2, R27, 0x0, 0x5a, 2D, 0x7      channels 0 and 1 to R14, R15, channel 2 to R3;
 *                                                          x, y in R2, R3; the level in R27
 *     TEX.SCR.B.LL RZ, R15, R24, R26, 2D, 0x1              x, y in R24, R25; R26: handle, R27: level
 *     TEX.B.LL RZ, R13, R12, R28, ARRAY_2D, 0x1            layer, x, y in R12 to R14; R28: handle, R29: level
 *     TEX.SCR.LL RZ, R11, R24, R26, 0x0, 0x5a, 3D, 0x8     x, y in R24, R25; z in R26; R27: level
 *
 * Established from code that ptxas made of PTX's tex of each geometry. Levels and derivatives change nothing
 * (one level is all there is), a handle is its lower 32 bits, and the instruction does not tell what a
 * channel is: that is the texture's. */
#include <string.h>

#include "decode/native/lower.h"

struct geometry {
    const char *text;
    uint8_t sub_op, coordinates;
};

static const struct geometry *geometry_of(const struct lowering *l)
{
    static const struct geometry geometries[] = {{"1D", SUB_1D, 1},
                                                 {"2D", SUB_2D, 2},
                                                 {"3D", SUB_3D, 3},
                                                 {"CUBE", SUB_CUBE, 3},
                                                 {"ARRAY_1D", SUB_1D_LAYERED, 2},
                                                 {"ARRAY_2D", SUB_2D_LAYERED, 3}};
    for (unsigned i = 0; i < l->in->operand_count; i++) {
        const struct native_operand *operand = lower_operand(l, i);
        if (operand->kind != NATIVE_WORDS) continue;
        const char *text = operand->suffix + (*operand->suffix == '.');
        for (size_t k = 0; k < sizeof geometries / sizeof *geometries; k++)
            if (!strcmp(text, geometries[k].text)) return &geometries[k];
    }
    return NULL;
}

static bool is_plain(const struct lowering *l)
{
    static const char *const more[] = {"DC", "AOFFI", "PTP", "MS", "NDV", "F16", "LC", "CL", "FDV"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (has(l, more[i])) return false;
    const struct native_operand *resident = lower_operand(l, lower_find(l, true, 0));
    return !resident || resident->number == NATIVE_PT;
}

/* The channels of the mask, in order: two to d, two to the register before it in the text. */
static void to_channels(struct lowering *l, unsigned mask)
{
    const struct native_operand *late = lower_operand(l, lower_find(l, false, 0));
    const struct native_operand *early = lower_operand(l, lower_find(l, false, 1));
    unsigned taken = 0;
    for (unsigned c = 0; c < 4; c++) {
        if (!(mask >> c & 1)) {
            to_nowhere(l);
            continue;
        }
        const struct native_operand *to = taken < 2 ? early : late;
        if (to->number == NATIVE_RZ)
            to_nowhere(l);
        else
            to_vreg(l, VREG_R + to->number + (int32_t)(taken & 1));
        taken++;
    }
}

/* Register k of operand i. */
static void from_kth(struct lowering *l, unsigned i, unsigned k)
{
    const struct native_operand *operand = lower_operand(l, i);
    if (operand->number == NATIVE_RZ)
        from_number(l, 0);
    else
        from_vreg(l, VREG_R + operand->number + (int32_t)k, WIDTH_ONE);
}

/* Handle first, then the coordinates as PTX has them. */
bool lower_tex(struct lowering *l)
{
    const struct geometry *geometry = geometry_of(l);
    unsigned last = l->in->operand_count - 1, first = lower_find(l, false, 2), bank = first + 2;
    bool is_scattered = has(l, "SCR"), is_in_registers = has(l, "B");
    if (!geometry || !is_plain(l) || lower_operand(l, last)->kind != NATIVE_INTEGER) return false;
    if (is_in_registers && l->in->opcode[1] == 'X') return false;
    unsigned near = is_scattered && geometry->coordinates > 2 ? 2 : geometry->coordinates;
    lower_to(l, OP_TEX, TYPE_F32);
    l->out->type2 = l->in->opcode[1] == 'L' ? TYPE_S32 : TYPE_F32;
    l->out->sub_op = geometry->sub_op;
    l->out->modifiers = NM_LOW_HANDLE;
    to_channels(l, (unsigned)lower_operand(l, last)->value);
    if (is_in_registers)
        from_kth(l, first + 1, geometry->coordinates - near);
    else if (lower_operand(l, bank)->kind == NATIVE_UNIFORM)
        from_value(l, bank);
    else
        from_bank(l, (unsigned)lower_operand(l, bank)->value,
                  4 * (uint64_t)lower_operand(l, bank + 1)->value);
    for (unsigned k = 0; k < geometry->coordinates; k++)
        from_kth(l, k < near ? first : first + 1, k < near ? k : k - near);
    return true;
}
