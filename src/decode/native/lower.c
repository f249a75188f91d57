// SPDX-License-Identifier: Apache-2.0
#include "decode/native/lower.h"

#include <string.h>

static const struct {
    const char *opcode;
    lower_fn *lower;
} table[] = {
#define LOWER(text, function) {text, lower_##function},
#include "decode/native/lower.def"
#undef LOWER
};

static bool writes_uniform(const struct insn *insn)
{
    int32_t reg = insn->ndst ? insn->operands[0].reg : -1;
    return (reg >= VREG_UR && reg < VREG_P) || (reg >= VREG_UP && reg <= VREG_UPT);
}

bool native_lower(struct lowering *l)
{
    size_t length = strcspn(l->in->opcode, ".");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strncmp(table[i].opcode, l->in->opcode, length) != 0 || table[i].opcode[length])
            continue;
        if (!table[i].lower(l) || l->out->ndst + l->out->nsrc > OPERANDS_USUAL) return false;
        l->out->is_uniform = writes_uniform(l->out) && !l->reads_lanes;
        return true;
    }
    return false;
}

const struct native_operand *lower_operand(const struct lowering *l, unsigned i)
{
    return i < l->in->operand_count ? &l->in->operands[i] : NULL;
}

unsigned lower_find(const struct lowering *l, bool is_predicate, unsigned k)
{
    for (unsigned i = 0; i < l->in->operand_count; i++) {
        unsigned kind = l->in->operands[i].kind;
        bool is_one = kind == NATIVE_PREDICATE || kind == NATIVE_UNIFORM_PREDICATE;
        if (is_one == is_predicate && k-- == 0) return i;
    }
    return l->in->operand_count;
}

bool operand_has(const struct native_operand *operand, const char *suffix)
{
    return operand && sass_has_modifier(operand->suffix, suffix);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void add(struct lowering *l, bool is_destination, struct operand operand)
{
    unsigned at = (unsigned)l->out->ndst + l->out->nsrc;
    if (at < OPERANDS_USUAL) l->out->operands[at] = operand;
    if (is_destination)
        l->out->ndst++;
    else
        l->out->nsrc++;
}

static struct operand of_vreg(int32_t vreg, enum operand_width width)
{
    return (struct operand){
        .kind = OPERAND_REGISTER, .reg = vreg, .symbol = -1, .width = (uint8_t)width};
}

static struct operand of_number(uint64_t value, enum operand_width width)
{
    return (struct operand){.kind = OPERAND_IMMEDIATE,
                            .reg = -1,
                            .symbol = -1,
                            .width = (uint8_t)width,
                            .imm = (int64_t)value};
}

static bool is_zero_register(const struct native_operand *operand)
{
    return operand->number == (operand->kind == NATIVE_UNIFORM ? NATIVE_URZ : NATIVE_RZ);
}

/* Registers and uniform registers; RZ and URZ are where results get lost. */
static int32_t vreg_of(const struct native_operand *operand)
{
    if (operand->kind == NATIVE_UNIFORM) return VREG_UR + operand->number;
    return VREG_R + operand->number;
}

static int32_t vreg_of_predicate(const struct native_operand *operand)
{
    return (operand->kind == NATIVE_UNIFORM_PREDICATE ? VREG_UP : VREG_P) + operand->number;
}

/* ---- destinations ---------------------------------------------------------------------------- */

void to_vreg(struct lowering *l, int32_t vreg)
{
    bool is_predicate = (vreg >= VREG_P && vreg <= VREG_UPT) || vreg == VREG_BARRIER_TRUE;
    add(l, true, of_vreg(vreg, is_predicate ? WIDTH_PREDICATE : WIDTH_ONE));
}

void to_register(struct lowering *l, unsigned i)
{
    add(l, true, of_vreg(vreg_of(lower_operand(l, i)), WIDTH_ONE));
}

void to_pair(struct lowering *l, unsigned i)
{
    add(l, true, of_vreg(vreg_of(lower_operand(l, i)), WIDTH_PAIR));
}

void to_registers(struct lowering *l, unsigned i, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        add(l, true, of_vreg(vreg_of(lower_operand(l, i)) + (int32_t)k, WIDTH_ONE));
}

void to_predicate(struct lowering *l, unsigned i)
{
    add(l, true, of_vreg(vreg_of_predicate(lower_operand(l, i)), WIDTH_PREDICATE));
}

void to_nowhere(struct lowering *l)
{
    add(l, true, of_vreg(VREG_RZ, WIDTH_ONE));
}

void to_no_predicate(struct lowering *l)
{
    add(l, true, of_vreg(VREG_PT, WIDTH_PREDICATE));
}

/* ---- sources --------------------------------------------------------------------------------- */

void from_vreg(struct lowering *l, int32_t vreg, enum operand_width width)
{
    add(l, false, of_vreg(vreg, width));
}

void from_number(struct lowering *l, uint64_t value)
{
    add(l, false, of_number(value, WIDTH_ONE));
}

void from_wide_number(struct lowering *l, uint64_t value)
{
    add(l, false, of_number(value, WIDTH_PAIR));
}

void from_true(struct lowering *l, bool value)
{
    add(l, false, of_number(value, WIDTH_PREDICATE));
}

void from_nothing(struct lowering *l)
{
    add(l, false, (struct operand){.kind = OPERAND_NONE, .reg = -1, .symbol = -1});
}

void from_bank(struct lowering *l, unsigned bank, uint64_t offset)
{
    add(l, false,
        (struct operand){
            .kind = OPERAND_BANK, .reg = (int32_t)bank, .symbol = -1, .imm = (int64_t)offset});
}

void from_special(struct lowering *l, enum special_register special)
{
    add(l, false, (struct operand){.kind = OPERAND_SPECIAL, .reg = (int32_t)special, .symbol = -1});
}

void from_predicate(struct lowering *l, unsigned i)
{
    const struct native_operand *operand = lower_operand(l, i);
    if (operand->number == NATIVE_PT) {
        from_true(l, !operand->invert);
        return;
    }
    struct operand out = of_vreg(vreg_of_predicate(operand), WIDTH_PREDICATE);
    out.negate = operand->invert;
    add(l, false, out);
}

static struct operand of_immediate(const struct lowering *l, const struct native_operand *operand,
                                   enum operand_width width)
{
    if (l->symbol >= 0 && width == WIDTH_ONE)
        return (struct operand){.kind = OPERAND_SYMBOL,
                                .reg = -1,
                                .symbol = l->symbol,
                                .select = (uint16_t)l->symbol_shift,
                                .imm = l->addend};
    uint64_t value = (uint64_t)operand->value;
    if (operand->kind == NATIVE_F64) value = width == WIDTH_PAIR ? value << 32 : value;
    if (width == WIDTH_ONE) value &= UINT32_MAX;
    return of_number(value, width);
}

static struct operand of_value(const struct lowering *l, const struct native_operand *operand,
                               enum operand_width width)
{
    struct operand out;
    switch (operand->kind) {
    case NATIVE_REGISTER:
    case NATIVE_UNIFORM:
        out = is_zero_register(operand) ? of_number(0, width) : of_vreg(vreg_of(operand), width);
        break;
    case NATIVE_CONSTANT:
        out = (struct operand){.kind = OPERAND_BANK,
                               .reg = operand->bank,
                               .symbol = -1,
                               .width = (uint8_t)width,
                               .imm = operand->value};
        break;
    default:
        out = of_immediate(l, operand, width);
        break;
    }
    out.negate = operand->negate;
    out.absolute = operand->absolute;
    return out;
}

void from_value(struct lowering *l, unsigned i)
{
    add(l, false, of_value(l, lower_operand(l, i), WIDTH_ONE));
}

void from_pair(struct lowering *l, unsigned i)
{
    add(l, false, of_value(l, lower_operand(l, i), WIDTH_PAIR));
}

void from_registers(struct lowering *l, unsigned i, unsigned count)
{
    struct native_operand operand = *lower_operand(l, i);
    for (unsigned k = 0; k < count; k++) {
        struct operand out = of_value(l, &operand, WIDTH_ONE);
        if (out.kind == OPERAND_REGISTER) out.reg += (int32_t)k;
        if (out.kind == OPERAND_BANK) out.imm += 4 * (int64_t)k;
        add(l, false, out);
    }
}

/* ---- addresses ------------------------------------------------------------------------------- */

void from_address(struct lowering *l, unsigned i)
{
    const struct native_operand *operand = lower_operand(l, i);
    bool is_narrow = sass_has_modifier(operand->suffix, "U32");
    bool is_wide = !is_narrow && (has(l, "E") || sass_has_modifier(operand->suffix, "64"));
    struct operand out = {.kind = OPERAND_ADDRESS,
                          .reg = -1,
                          .symbol = -1,
                          .width = is_wide ? WIDTH_PAIR : WIDTH_ONE,
                          .imm = operand->value};
    if (operand->has_register && operand->number != NATIVE_RZ) out.reg = VREG_R + operand->number;
    if (operand->has_uniform && operand->uniform != NATIVE_URZ) {
        bool is_global = l->out->space == SPACE_GLOBAL || l->out->space == SPACE_GENERIC;
        out.uniform = (int16_t)(VREG_UR + operand->uniform);
        out.select = ADDRESS_UNIFORM | (is_global ? ADDRESS_UNIFORM_PAIR : 0);
    }
    static const char *const scales[] = {"X1", "X2", "X4", "X8", "X16"};
    for (unsigned k = 0; k < sizeof scales / sizeof *scales; k++)
        if (sass_has_modifier(operand->suffix, scales[k]))
            out.select |= (uint16_t)(k << ADDRESS_SCALE_AT);
    add(l, false, out);
}

bool from_constant_address(struct lowering *l, unsigned i)
{
    const struct native_operand *operand = lower_operand(l, i);
    struct operand out = {.kind = OPERAND_ADDRESS, .reg = -1, .symbol = -1, .imm = operand->value};
    if (operand->kind != NATIVE_CONSTANT || operand->bank >= NATIVE_BANKS) return false;
    if (operand->number != NATIVE_RZ) out.reg = VREG_R + operand->number;
    if (operand->has_uniform && operand->uniform != NATIVE_URZ) {
        out.uniform = (int16_t)(VREG_UR + operand->uniform);
        out.select = ADDRESS_UNIFORM;
    }
    l->out->space = operand->bank ? SPACE_CONST : SPACE_PARAM;
    if (operand->bank) out.symbol = l->banks[operand->bank];
    if (operand->bank && out.symbol < 0) return false;
    add(l, false, out);
    return true;
}
