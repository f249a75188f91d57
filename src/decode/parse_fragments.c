// SPDX-License-Identifier: Apache-2.0
/* Operands of matrix instructions. The sources of a product are those of A, B, C, then metadata, then scales; of wgmma
 * those of D again, as sums, A or its descriptor, B's descriptor, metadata, and the predicate that tells whether
 * D is read. Constants that belong to the operation go to a form of its own. */
#include "decode/parse_matrix.h"

static struct operand *add_operand(struct insn *insn, bool is_dst)
{
    unsigned at = is_dst ? insn->ndst++ : (unsigned)insn->ndst + insn->nsrc++;
    return at < OPERANDS_USUAL ? &insn->operands[at] : &insn->further[at - OPERANDS_USUAL];
}

/* {r0, r1, ..}: the first `most` become operands; wmma has more registers than f16 needs. */
static ws_status parse_fragment(struct parser *parser, struct insn *insn, bool is_dst,
                                unsigned element, unsigned most)
{
    enum ptx_type type = element == TYPE_F64 ? TYPE_B64 : TYPE_B32;
    struct token open = *current(parser);
    bool may_have_more = insn->op == OP_WMMA_LOAD || insn->op == OP_WMMA_MMA;
    unsigned seen = 0;
    TRY(parser_expect(parser, '{', "before the registers of the fragment"));
    do {
        struct operand operand;
        TRY(parse_operand(parser, type, is_dst ? ACCEPT_DESTINATION : ACCEPT_REGISTER, &operand));
        if (seen++ < most) *add_operand(insn, is_dst) = operand;
    } while (parser_take(parser, ','));
    if (seen < most || (seen > most && !may_have_more))
        return parser_error(parser, WS_ERR_INPUT, &open,
                            "a fragment of '%s' has %u registers, not %u", insn->text, most, seen);
    return parser_expect(parser, '}', "after the registers of the fragment");
}

static ws_status parse_next(struct parser *parser, struct insn *insn, enum ptx_type type,
                            unsigned accept)
{
    TRY(parser_expect(parser, ',', "between operands"));
    return parse_operand(parser, type, accept, add_operand(insn, false));
}

/* A constant from `least` to `most` in steps: -1 or 1, 0 or 1, selectors. */
static ws_status parse_choice(struct parser *parser, int64_t least, int64_t most, int64_t step,
                              int64_t *out)
{
    struct operand operand;
    TRY(parser_expect(parser, ',', "between operands"));
    struct token token = *current(parser);
    TRY(parse_operand(parser, TYPE_S32, ACCEPT_IMMEDIATE, &operand));
    *out = operand.imm;
    if (*out >= least && *out <= most && (*out - least) % step == 0) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, &token, "expected a constant %s %d and %d (got %lld)",
                        step > 1 ? "out of" : "between", (int)least, (int)most, (long long)*out);
}

/* ---- fragments in memory --------------------------------------------------------------------- */

static ws_status parse_stride(struct parser *parser, struct insn *insn)
{
    const unsigned accept = ACCEPT_REGISTER | ACCEPT_IMMEDIATE;
    struct operand *stride = add_operand(insn, false);
    if (parser_take(parser, ',')) return parse_operand(parser, TYPE_U32, accept, stride);
    const struct matrix_form *f = insn->matrix; /* as long as a row or column of the matrix */
    unsigned rows = f->role == MATRIX_B ? f->k : f->m, columns = f->role == MATRIX_A ? f->k : f->n;
    *stride = (struct operand){
        .kind = OPERAND_IMMEDIATE, .reg = -1, .symbol = -1, .imm = f->columns ? rows : columns};
    return WS_OK;
}

/* Registers and an address: loads name the registers first. */
static ws_status parse_moved(struct parser *parser, struct insn *insn, bool loads, unsigned type,
                             unsigned count)
{
    if (loads) TRY(parse_fragment(parser, insn, true, type, count));
    if (loads) TRY(parser_expect(parser, ',', "between operands"));
    TRY(parse_address(parser, add_operand(insn, false)));
    if (loads) return WS_OK;
    TRY(parser_expect(parser, ',', "between operands"));
    return parse_fragment(parser, insn, false, type, count);
}

/* ---- products -------------------------------------------------------------------------------- */

/* Lanes of four that have metadata of a row, and so how often they fit into four. */
static int64_t greatest_selector(const struct matrix_form *form)
{
    unsigned bits = matrix_stored(form) * matrix_index_bits(form) / matrix_index_elements(form);
    return bits == 16 ? 3 : bits == 32 ? 1 : 0;
}

static ws_status parse_metadata(struct parser *parser, struct insn *insn, struct matrix_form *own)
{
    int64_t selector;
    TRY(parse_next(parser, insn, TYPE_B32, ACCEPT_REGISTER));
    TRY(parse_choice(parser, 0, greatest_selector(own), 1, &selector));
    own->selector = (uint8_t)selector;
    return WS_OK;
}

/* A constant must be one of 0, step, 2 step .. 3 or, of A's threads, 1. */
static ws_status check_place(struct parser *parser, const struct token *token,
                             const struct operand *place, int64_t most, int64_t step)
{
    if (place->kind != OPERAND_IMMEDIATE) return WS_OK;
    if (place->imm >= 0 && place->imm <= most && place->imm % step == 0) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, token, "the scales cannot lie there (got %lld)",
                        (long long)place->imm);
}

/* scales, {byte, thread} */
static ws_status parse_scales(struct parser *parser, struct insn *insn, unsigned role)
{
    TRY(parse_next(parser, insn, TYPE_B32, ACCEPT_REGISTER));
    TRY(parser_expect(parser, ',', "between operands"));
    struct token token = *current(parser);
    TRY(parser_expect(parser, '{', "before the byte of the scales"));
    TRY(parse_operand(parser, TYPE_B16, ACCEPT_REGISTER | ACCEPT_IMMEDIATE,
                      add_operand(insn, false)));
    TRY(parse_next(parser, insn, TYPE_B16, ACCEPT_REGISTER | ACCEPT_IMMEDIATE));
    const struct operand *thread = insn_source(insn, insn->nsrc - 1u);
    const struct operand *byte = insn_source(insn, insn->nsrc - 2u);
    TRY(check_place(parser, &token, byte, 3, insn->matrix->scales));
    TRY(check_place(parser, &token, thread, role == MATRIX_A ? 1 : 3, 1));
    return parser_expect(parser, '}', "after the thread of the scales");
}

static ws_status parse_product(struct parser *parser, struct insn *insn, struct matrix_form *own)
{
    static const uint8_t order[] = {MATRIX_D, MATRIX_A, MATRIX_B, MATRIX_C};
    for (unsigned k = 0; k < sizeof order; k++) {
        if (k) TRY(parser_expect(parser, ',', "between operands"));
        TRY(parse_fragment(parser, insn, !k, own->types[order[k]],
                           matrix_registers(own, order[k])));
    }
    if (own->is_sparse) TRY(parse_metadata(parser, insn, own));
    for (unsigned k = 0; k < 2 && own->scales; k++)
        TRY(parse_scales(parser, insn, k ? MATRIX_B : MATRIX_A));
    return WS_OK;
}

/* Signs of the factors, if they are floats; which of them lie in memory the other way round, if they are halves. */
static ws_status parse_choices(struct parser *parser, struct matrix_form *own)
{
    int64_t value;
    bool is_half = type_infos[own->types[MATRIX_A]].bits == 16;
    if (own->types[MATRIX_D] == TYPE_S32) return WS_OK;
    for (unsigned k = 0; k < 2; k++) {
        TRY(parse_choice(parser, -1, 1, 2, &value));
        own->is_negated[k] = value < 0;
    }
    for (unsigned k = own->is_in_memory ? 0 : 1; k < 2 && is_half; k++) {
        TRY(parse_choice(parser, 0, 1, 1, &value));
        own->is_transposed[k] = value == 1;
    }
    return WS_OK;
}

static ws_status parse_group(struct parser *parser, struct insn *insn, struct matrix_form *own)
{
    unsigned sums = matrix_registers(own, MATRIX_D);
    insn->further = ARENA_ARRAY(parser->arena, struct operand, 2 * sums + OPERANDS_USUAL);
    TRY(parse_fragment(parser, insn, true, own->types[MATRIX_D], sums));
    for (unsigned k = 0; k < sums; k++) {
        const struct operand *sum = insn_operand(insn, k);
        if (sum->kind == OPERAND_REGISTER) *add_operand(insn, false) = *sum;
    }
    if (insn->nsrc != sums)
        return parser_error(parser, WS_ERR_INPUT, current(parser),
                            "the sums of '%s' must be registers", insn->text);
    TRY(parser_expect(parser, ',', "between operands"));
    own->is_in_memory = !at_punct(parser, '{');
    if (own->is_in_memory)
        TRY(parse_operand(parser, TYPE_B64, ACCEPT_REGISTER, add_operand(insn, false)));
    else
        TRY(parse_fragment(parser, insn, false, own->types[MATRIX_A],
                           matrix_registers(own, MATRIX_A)));
    TRY(parse_next(parser, insn, TYPE_B64, ACCEPT_REGISTER));
    if (own->is_sparse) TRY(parse_metadata(parser, insn, own));
    TRY(parser_expect(parser, ',', "before the predicate that tells whether sums are added"));
    TRY(parse_predicate(parser, true, add_operand(insn, false)));
    return parse_choices(parser, own);
}

ws_status parse_matrix(struct parser *parser, struct insn *insn)
{
    const struct matrix_form *form = insn->matrix;
    bool loads = insn->op == OP_WMMA_LOAD || insn->op == OP_LDMATRIX;
    switch (insn->op) {
    case OP_WMMA_LOAD: /* registers beyond those needed repeat the first ones */
    case OP_WMMA_STORE:
        TRY(parse_moved(parser, insn, loads, insn->type, matrix_registers(form, form->role)));
        return parse_stride(parser, insn);
    case OP_LDMATRIX:
    case OP_STMATRIX:
        return parse_moved(parser, insn, loads, TYPE_B32, insn->vector);
    case OP_MOVMATRIX:
        TRY(parse_operand(parser, TYPE_B32, ACCEPT_REGISTER, add_operand(insn, true)));
        return parse_next(parser, insn, TYPE_B32, ACCEPT_REGISTER);
    default:
        break;
    }
    struct matrix_form *own = ARENA_ARRAY(parser->arena, struct matrix_form, 1);
    *own = *form; /* that of the mnemonic is shared */
    insn->matrix = own;
    return own->by_group ? parse_group(parser, insn, own) : parse_product(parser, insn, own);
}
