// SPDX-License-Identifier: Apache-2.0
#include "vector_ptx.h"

const char *const masking_names[MASKINGS] = {"no mask", "branch", "guard"};

/* Bit patterns that no test expects by chance; bit 1 of the lane for predicates. */
struct operand_bits untouched(unsigned lane, unsigned bits)
{
    const uint64_t pattern = UINT64_C(0x5bad5bad5bad5bad);
    if (bits == 1) return (struct operand_bits){(lane >> 1) & 1, 0};
    return (struct operand_bits){bits < 64 ? pattern & ((UINT64_C(1) << bits) - 1) : pattern,
                                 bits == 128 ? pattern : 0};
}

/* Bytes of an operand in memory: predicates are words there. */
static unsigned memory_bits(const struct vector_operand *operand)
{
    return operand->bits == 1 ? 32 : operand->bits;
}

static void declare(FILE *out, const struct vector_operand *operand)
{
    fprintf(out, ".reg .%s %s;\n", operand->bits == 8 ? "b16" : operand->type, operand->name);
}

static void load_input(FILE *out, const struct vector_operand *operand, unsigned slot)
{
    const char *target = operand->bits == 1 ? "%word" : operand->name;
    fprintf(out, "ld.global.b%u %s, [%%in+%u];\n", memory_bits(operand), target, slot * SLOT_BYTES);
    if (operand->bits == 1) fprintf(out, "setp.ne.u32 %s, %%word, 0;\n", operand->name);
}

static void store_output(FILE *out, const struct vector_operand *operand, unsigned slot)
{
    const char *source = operand->bits == 1 ? "%word" : operand->name;
    if (operand->bits == 1) fprintf(out, "selp.u32 %%word, 1, 0, %s;\n", operand->name);
    fprintf(out, "st.global.b%u [%%out+%u], %s;\n", memory_bits(operand), slot * SLOT_BYTES,
            source);
}

static void set_untouched(FILE *out, const struct vector_operand *operand)
{
    unsigned bits = operand->bits;
    unsigned long long low = (unsigned long long)untouched(0, bits).low;
    if (bits == 1)
        fprintf(out,
                "and.b32 %%word, %%lane, 2;\n"
                "setp.ne.u32 %s, %%word, 0;\n",
                operand->name);
    else if (bits == 128)
        fprintf(out,
                "mov.b64 %%at, 0x%llx;\n"
                "mov.b128 %s, {%%at, %%at};\n",
                low, operand->name);
    else
        fprintf(out, "mov.b%u %s, 0x%llx;\n", bits < 16 ? 16 : bits, operand->name, low);
}

static void write_lines(FILE *out, const struct vector_form *form, enum line_kind kind)
{
    for (size_t i = 0; i < form->line_count; i++)
        if (form->lines[i].kind == kind) fprintf(out, "%s\n", form->lines[i].text);
}

static void write_snippet(FILE *out, const struct vector_form *form, enum masking masking)
{
    for (size_t i = 0; i < form->line_count; i++) {
        const struct snippet_line *line = &form->lines[i];
        if (line->kind == LINE_DO)
            fprintf(out, "%s%s\n", masking == MASK_GUARD ? "@%run " : "", line->text);
        else if (line->kind == LINE_RAW)
            fprintf(out, "%s\n", line->text);
    }
}

void ptx_write_header(FILE *out, const struct vector_form *form)
{
    fprintf(out, ".version 9.0\n.target %s\n.address_size 64\n", form->target);
    write_lines(out, form, LINE_GLOBAL);
}

/* Addresses of the thread's rows; threads beyond the last row leave. */
static void write_entry(FILE *out, const struct vector_form *form)
{
    fprintf(out,
            ".reg .b32 %%lane, %%thread, %%word, %%mask;\n"
            ".reg .b64 %%in, %%out, %%scratch, %%common, %%at;\n"
            ".reg .pred %%run, %%beyond;\n"
            "mov.u32 %%thread, %%ctaid.x;\n"
            "mov.u32 %%word, %%ntid.x;\n"
            "mov.u32 %%lane, %%tid.x;\n"
            "mad.lo.u32 %%thread, %%thread, %%word, %%lane;\n"
            "ld.param.u32 %%word, [rows];\n"
            "setp.ge.u32 %%beyond, %%thread, %%word;\n"
            "@%%beyond exit;\n"
            "mov.u32 %%lane, %%laneid;\n"
            "ld.param.u64 %%in, [in];\n"
            "ld.param.u64 %%out, [out];\n"
            "ld.param.u64 %%scratch, [scratch];\n"
            "ld.param.u64 %%common, [common];\n"
            "mad.wide.u32 %%in, %%thread, %u, %%in;\n"
            "mad.wide.u32 %%out, %%thread, %u, %%out;\n"
            "mad.wide.u32 %%scratch, %%thread, %u, %%scratch;\n"
            "ld.param.u32 %%mask, [mask];\n"
            "shr.u32 %%mask, %%mask, %%lane;\n"
            "and.b32 %%mask, %%mask, 1;\n"
            "setp.ne.u32 %%run, %%mask, 0;\n",
            form->input_count * SLOT_BYTES, form->output_count * SLOT_BYTES, SCRATCH_BYTES);
}

void ptx_write_kernel(FILE *out, const struct vector_form *form, enum masking masking,
                      const char *name)
{
    const struct vector_operand *outputs = form->operands + form->input_count;
    fprintf(out,
            ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 scratch,\n"
            "    .param .u64 common, .param .u32 rows, .param .u32 mask)\n{\n",
            name);
    for (unsigned i = 0; i < form->input_count + form->output_count; i++)
        declare(out, &form->operands[i]);
    write_lines(out, form, LINE_DECL);
    write_entry(out, form);
    for (unsigned i = 0; i < form->input_count; i++)
        load_input(out, &form->operands[i], i);
    for (unsigned i = 0; masking != MASK_NONE && i < form->output_count; i++)
        set_untouched(out, &outputs[i]);
    if (masking == MASK_BRANCH) fprintf(out, "@!%%run bra SKIP;\n");
    write_snippet(out, form, masking);
    fprintf(out, "SKIP:\n");
    for (unsigned i = 0; i < form->output_count; i++)
        store_output(out, &outputs[i], i);
    fprintf(out, "ret;\n}\n");
}
