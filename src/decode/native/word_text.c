// SPDX-License-Identifier: Apache-2.0
/* The text of a decoded instruction, as NVIDIA's disassembler writes it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/half.h"
#include "decode/native/picture.h"
#include "decode/native/word.h"

static void print_hex(struct strbuf *out, int64_t value)
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    strbuf_printf(out, "%s0x%" PRIx64, value < 0 ? "-" : "", size);
}

static void print_register(struct strbuf *out, const char *prefix, unsigned number, unsigned zero,
                           const char *zero_name)
{
    if (number == zero)
        strbuf_puts(out, zero_name);
    else
        strbuf_printf(out, "%s%u", prefix, number);
}

enum { LONGEST_INTEGER = 1000000000 }; /* numbers from here on have an exponent */

static void print_float(struct strbuf *out, double value, bool is_negative, bool is_quiet)
{
    if (isnan(value))
        strbuf_printf(out, "%c%cNAN ", is_negative ? '-' : '+', is_quiet ? 'Q' : 'S');
    else if (isinf(value))
        strbuf_printf(out, "%cINF ", is_negative ? '-' : '+');
    else if (value == 0 && is_negative)
        strbuf_puts(out, "-0.0");
    else
        strbuf_printf(out, fabs(value) < LONGEST_INTEGER ? "%.20g" : "%.20e", value);
}

static void print_f32(struct strbuf *out, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    print_float(out, value, bits >> 31, bits >> 22 & 1);
}

static void print_f64(struct strbuf *out, uint32_t upper)
{
    uint64_t bits = (uint64_t)upper << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    print_float(out, value, upper >> 31, upper >> 19 & 1);
}

static void print_half(struct strbuf *out, unsigned bits)
{
    print_float(out, half_to_float((uint16_t)bits), bits >> 15 & 1, bits >> 9 & 1);
}

static void print_number(struct strbuf *out, const struct native_operand *operand)
{
    uint32_t bits = (uint32_t)operand->value;
    switch (operand->kind) {
    case NATIVE_F32:
        print_f32(out, bits);
        break;
    case NATIVE_F64:
        print_f64(out, bits);
        break;
    case NATIVE_HALVES:
        print_half(out, bits >> 16);
        strbuf_puts(out, ", ");
        print_half(out, bits & 0xffff);
        break;
    case NATIVE_BF16_HALVES:
        print_f32(out, bits & 0xffff0000);
        strbuf_puts(out, ", ");
        print_f32(out, bits << 16);
        break;
    case NATIVE_HALF:
        print_half(out, bits & 0xffff);
        break;
    case NATIVE_BF16:
        print_f32(out, bits << 16);
        break;
    default:
        if (operand->label)
            strbuf_puts(out, operand->label);
        else
            print_hex(out, operand->value);
        break;
    }
}

static void print_address(struct strbuf *out, const struct native_operand *operand)
{
    bool is_scaled = operand->suffix[0] == '.' && operand->suffix[1] == 'X';
    bool is_zero = operand->number == NATIVE_RZ;
    bool has_suffix = *operand->suffix && (!is_scaled || !is_zero || operand->has_uniform);
    bool has_register = operand->has_register && (!is_zero || has_suffix);
    const char *plus = "";
    if (operand->has_descriptor) {
        strbuf_puts(out, "desc[");
        print_register(out, "UR", operand->descriptor, NATIVE_URZ, "URZ");
        strbuf_puts(out, "]");
        if (!operand->has_register && !operand->has_uniform) return;
    }
    strbuf_puts(out, "[");
    if (has_register || (!operand->has_uniform && !operand->value)) {
        print_register(out, "R", operand->number, NATIVE_RZ, "RZ");
        if (has_suffix) strbuf_puts(out, operand->suffix);
        plus = "+";
    }
    if (operand->has_uniform) {
        strbuf_puts(out, plus);
        print_register(out, "UR", operand->uniform, NATIVE_URZ, "URZ");
        plus = "+";
    }
    if (operand->value) {
        strbuf_puts(out, plus);
        print_hex(out, operand->value);
    }
    strbuf_puts(out, "]");
}

static void print_constant(struct strbuf *out, const struct native_operand *operand)
{
    strbuf_printf(out, "c[0x%x][", operand->bank);
    bool has_register = operand->has_register && (operand->number != NATIVE_RZ || !operand->value);
    if (has_register) print_register(out, "R", operand->number, NATIVE_RZ, "RZ");
    if (operand->has_uniform) print_register(out, "UR", operand->uniform, NATIVE_URZ, "URZ");
    bool has_index = has_register || operand->has_uniform;
    if (has_index && operand->value) strbuf_puts(out, "+");
    if (!has_index || operand->value) print_hex(out, (int16_t)operand->value); /* as if signed */
    strbuf_puts(out, "]");
}

static void print_special(struct strbuf *out, const struct native_operand *operand)
{
    if (operand->name)
        strbuf_puts(out, operand->name);
    else
        strbuf_printf(out, "SR%u", (unsigned)operand->value);
}

/* {5,0} */
static void print_set(struct strbuf *out, uint64_t set)
{
    const char *before = "{";
    for (int i = 63; i >= 0; i--) {
        if (!(set >> i & 1)) continue;
        strbuf_printf(out, "%s%d", before, i);
        before = ",";
    }
    strbuf_puts(out, set ? "}" : "{}");
}

static void print_body(struct strbuf *out, const struct native_operand *operand)
{
    switch (operand->kind) {
    case NATIVE_REGISTER:
        print_register(out, "R", operand->number, NATIVE_RZ, "RZ");
        break;
    case NATIVE_UNIFORM:
        print_register(out, "UR", operand->number, NATIVE_URZ, "URZ");
        break;
    case NATIVE_PREDICATE:
        print_register(out, "P", operand->number, NATIVE_PT, "PT");
        break;
    case NATIVE_UNIFORM_PREDICATE:
        print_register(out, "UP", operand->number, NATIVE_PT, "UPT");
        break;
    case NATIVE_BARRIER:
        strbuf_printf(out, "B%u", operand->number);
        break;
    case NATIVE_SCOREBOARD:
        strbuf_printf(out, "SB%u", operand->number);
        break;
    case NATIVE_SPECIAL:
        print_special(out, operand);
        break;
    case NATIVE_CONSTANT:
        print_constant(out, operand);
        break;
    case NATIVE_DESCRIPTOR:
        strbuf_puts(out, "gdesc[");
        print_register(out, "UR", operand->number, NATIVE_URZ, "URZ");
        strbuf_puts(out, "]");
        break;
    case NATIVE_ADDRESS:
        print_address(out, operand);
        break;
    case NATIVE_SET:
        print_set(out, (uint64_t)operand->value);
        break;
    case NATIVE_WORDS:
        break;
    default:
        print_number(out, operand);
        break;
    }
}

static void print_operand(struct strbuf *out, const struct native_operand *operand)
{
    bool is_predicate =
        operand->kind == NATIVE_PREDICATE || operand->kind == NATIVE_UNIFORM_PREDICATE;
    if (operand->negate) strbuf_puts(out, "-");
    if (operand->invert) strbuf_puts(out, is_predicate ? "!" : "~");
    if (operand->absolute) strbuf_puts(out, "|");
    print_body(out, operand);
    if (operand->kind == NATIVE_ADDRESS) return;
    /* Registers alone have suffixes behind the bar, but not the half that is converted. */
    bool bar_is_last = operand->kind != NATIVE_REGISTER || !strcmp(operand->suffix, ".H1");
    if (operand->absolute && !bar_is_last) strbuf_puts(out, "|");
    if (operand->reuse) strbuf_puts(out, ".reuse");
    strbuf_puts(out, operand->suffix + (operand->kind == NATIVE_WORDS && *operand->suffix == '.'));
    if (operand->absolute && bar_is_last) strbuf_puts(out, "|");
}

void native_print(const struct native_insn *insn, struct strbuf *out)
{
    const char *before = " ";
    strbuf_puts(out, insn->opcode);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        if (insn->operands[i].is_hidden) continue;
        strbuf_puts(out, before);
        print_operand(out, &insn->operands[i]);
        before = insn->operands[i].is_before_blank ? " " : ", ";
    }
}

void native_print_guard(const struct native_insn *insn, struct strbuf *out)
{
    if (insn->guard == NATIVE_PT && !insn->guard_inverted) return;
    strbuf_printf(out, "@%s", insn->guard_inverted ? "!" : "");
    print_register(out, insn->guard_uniform ? "UP" : "P", insn->guard, NATIVE_PT,
                   insn->guard_uniform ? "UPT" : "PT");
    strbuf_puts(out, " ");
}
