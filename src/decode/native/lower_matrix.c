// SPDX-License-Identifier: Apache-2.0
/* Matrix instructions, as PTX's mma: fragments lie in the same registers. Those in groups of warps, and
 * Volta's, are refused. Operands of an instruction: rows_float.def. */
#include <string.h>
#include <strings.h>

#include "decode/native/lower.h"
#include "isa/matrix.h"

struct shape {
    const char *word;
    uint16_t m, n, k;
};

/* d, a, b, c as they are; of those that are sparse a register with metadata and a number, which lanes have them. */
static bool is_plain(const struct lowering *l)
{
    unsigned registers = has(l, "SP") ? 5 : 4;
    if (l->in->operand_count != registers + (has(l, "SP") ? 1u : 0u)) return false;
    for (unsigned i = 0; i < registers; i++) {
        const struct native_operand *operand = lower_operand(l, i);
        if (operand->kind != NATIVE_REGISTER || operand->negate || operand->absolute) return false;
    }
    return true;
}

static void from_fragment(struct lowering *l, unsigned i, unsigned count, bool are_pairs)
{
    unsigned first = (unsigned)l->out->ndst + l->out->nsrc;
    from_registers(l, i, are_pairs ? 2 * count : count);
    if (!are_pairs) return;
    for (unsigned k = 0; k < count; k++) { /* the low words stand for the pairs */
        l->out->operands[first + k] = l->out->operands[first + 2 * k];
        l->out->operands[first + k].width = WIDTH_PAIR;
    }
    l->out->nsrc = (uint8_t)(l->out->nsrc - count);
}

static void to_fragment(struct lowering *l, unsigned count, bool are_pairs)
{
    to_registers(l, 0, are_pairs ? 2 * count : count);
    if (!are_pairs) return;
    for (unsigned k = 0; k < count; k++) {
        l->out->operands[k] = l->out->operands[2 * k];
        l->out->operands[k].width = WIDTH_PAIR;
    }
    l->out->ndst = (uint8_t)count;
}

/* d, a, b, c{, metadata, selector} */
static bool lower_product(struct lowering *l, const struct shape *shapes, size_t count,
                          enum ptx_type a, enum ptx_type b, enum ptx_type sum)
{
    size_t i = 0;
    while (i < count && !has(l, shapes[i].word))
        i++;
    if (i == count || !is_plain(l)) return false;
    struct matrix_form *form = ARENA_ARRAY(l->arena, struct matrix_form, 1);
    *form = (struct matrix_form){
        .m = shapes[i].m,
        .n = shapes[i].n,
        .k = shapes[i].k,
        .types = {(uint8_t)a, (uint8_t)b, (uint8_t)sum, (uint8_t)sum},
        .saturates = has(l, "SAT"),
        .joins = has(l, "AND"),
        .columns_of = {false, true},
        .is_sparse = has(l, "SP"),
        .selector = has(l, "SP") ? (uint8_t)lower_operand(l, 5)->value : 0,
    };
    if (form->k % (4 * matrix_elements(form, MATRIX_A))) return false;
    lower_to(l, OP_MMA, sum);
    l->out->matrix = form;
    bool are_pairs = sum == TYPE_F64;
    to_fragment(l, matrix_registers(form, MATRIX_D), are_pairs);
    from_fragment(l, 1, matrix_registers(form, MATRIX_A), are_pairs);
    from_fragment(l, 2, matrix_registers(form, MATRIX_B), are_pairs);
    from_fragment(l, 3, matrix_registers(form, MATRIX_C), are_pairs);
    if (form->is_sparse) from_registers(l, 4, 1);
    return true;
}

bool lower_hmma(struct lowering *l)
{
    static const struct shape shapes[] = {
        {"16816", 16, 8, 16}, {"1688", 16, 8, 8}, {"1684", 16, 8, 4}, {"16832", 16, 8, 32}};
    enum ptx_type type = has(l, "BF16") ? TYPE_BF16 : has(l, "TF32") ? TYPE_TF32 : TYPE_F16;
    enum ptx_type sum = has(l, "F32") ? TYPE_F32 : TYPE_F16;
    return lower_product(l, shapes, sizeof shapes / sizeof *shapes, type, type, sum);
}

/* The types of a and b among these words, in their order, as in "IMMA.16832.S8.U8.SAT". False: not two. */
static bool find_types(const struct lowering *l, const enum ptx_type *known, size_t count,
                       enum ptx_type found[2])
{
    unsigned at = 0;
    for (const char *dot = strchr(l->in->opcode, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t length = strcspn(dot + 1, ".");
        for (size_t k = 0; k < count; k++) {
            const char *name = type_infos[known[k]].suffix;
            if (strlen(name) != length || strncasecmp(name, dot + 1, length) != 0) continue;
            if (at == 2) return false;
            found[at++] = known[k];
        }
    }
    return at == 2;
}

bool lower_imma(struct lowering *l)
{
    static const struct shape shapes[] = {{"8816", 8, 8, 16},   {"8832", 8, 8, 32},
                                          {"16816", 16, 8, 16}, {"16832", 16, 8, 32},
                                          {"16864", 16, 8, 64}, {"168128", 16, 8, 128}};
    static const enum ptx_type known[] = {TYPE_S8, TYPE_U8, TYPE_S4, TYPE_U4};
    enum ptx_type types[2];
    if (!find_types(l, known, sizeof known / sizeof *known, types)) return false;
    return lower_product(l, shapes, sizeof shapes / sizeof *shapes, types[0], types[1], TYPE_S32);
}

bool lower_bmma(struct lowering *l)
{
    static const struct shape shapes[] = {
        {"88128", 8, 8, 128}, {"168128", 16, 8, 128}, {"168256", 16, 8, 256}};
    return lower_product(l, shapes, sizeof shapes / sizeof *shapes, TYPE_B1, TYPE_B1, TYPE_S32);
}

bool lower_qmma(struct lowering *l)
{
    static const struct shape shapes[] = {
        {"16816", 16, 8, 16}, {"16832", 16, 8, 32}, {"16864", 16, 8, 64}};
    static const enum ptx_type known[] = {TYPE_E4M3, TYPE_E5M2};
    enum ptx_type types[2];
    if (!find_types(l, known, sizeof known / sizeof *known, types)) return false;
    return lower_product(l, shapes, sizeof shapes / sizeof *shapes, types[0], types[1],
                         has(l, "F32") ? TYPE_F32 : TYPE_F16);
}

bool lower_dmma(struct lowering *l)
{
    static const struct shape shapes[] = {{"884", 8, 8, 4},
                                          {"8x8x4", 8, 8, 4},
                                          {"16x8x4", 16, 8, 4},
                                          {"16x8x8", 16, 8, 8},
                                          {"16x8x16", 16, 8, 16}};
    if (has(l, "RM") || has(l, "RP") || has(l, "RZ")) return false;
    return lower_product(l, shapes, sizeof shapes / sizeof *shapes, TYPE_F64, TYPE_F64, TYPE_F64);
}

/* d, a: 8 x 8 halves, transposed */
bool lower_movm(struct lowering *l)
{
    if (!has(l, "16") || !has(l, "MT88")) return false;
    lower_to(l, OP_N_MOVM, TYPE_B32);
    to_register(l, 0);
    from_value(l, 1);
    return true;
}
