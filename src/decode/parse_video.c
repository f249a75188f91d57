// SPDX-License-Identifier: Apache-2.0
/* The video instructions: sources and destination may be bytes or halves of registers. */
#include <string.h>

#include "decode/parser.h"

/* How many bytes or halves an instruction works on at once. */
static unsigned lanes_of(const struct insn *insn)
{
    if (insn->op < OP_VADD2) return 1;
    return insn->op < OP_VADD4 ? 2 : 4;
}

unsigned video_types(const struct insn *insn)
{
    return insn->op == OP_VSET || insn->op == OP_VSET2 || insn->op == OP_VSET4 ? 2 : 3;
}

const char *video_lacks(const struct insn *insn)
{
    bool shifts = insn->op == OP_VSHL || insn->op == OP_VSHR;
    bool compares = video_types(insn) == 2;
    if (shifts && !(insn->flags & (INSN_CLAMP | INSN_WRAP))) return "'.clamp' or '.wrap'";
    return compares && !insn->compare ? "a comparison such as .lt" : NULL;
}

const char *video_fault(const struct insn *insn)
{
    bool shifts = insn->op == OP_VSHL || insn->op == OP_VSHR;
    if (shifts && insn->type3 != TYPE_U32) return "the count must be .u32";
    if (insn->compare > CMP_GE || insn->combine) return "unsupported comparison";
    if (lanes_of(insn) > 1 && insn->flags & INSN_SAT && insn->atom_op)
        return "'.sat' and '.add' are mutually exclusive";
    return NULL;
}

/* .b3 .h0 .b7610: each digit picks a part, the rightmost for the lowest. */
static bool read_selector(const struct token *token, unsigned most, uint16_t *out)
{
    unsigned count = token->length - 2, select = token->start[1] == 'h' ? SELECT_HALVES : 0;
    if (count == 0 || count > 4) return false;
    for (unsigned k = 0; k < count; k++) {
        char digit = token->start[token->length - 1 - k];
        if (digit < '0' || digit > '7' || (unsigned)(digit - '0') > most) return false;
        select |= (unsigned)(digit - '0') << (SELECT_DIGIT_BITS * k);
    }
    *out = (uint16_t)(select | count << SELECT_COUNT_AT);
    return true;
}

static bool falls(uint16_t select)
{
    for (unsigned k = 1; k < select_count(select); k++)
        if (select_digit(select, k) <= select_digit(select, k - 1)) return false;
    return true;
}

static ws_status parse_selector(struct parser *parser, const struct insn *insn, bool is_dst,
                                struct operand *operand)
{
    struct token token = *current(parser);
    if (token.kind != TOKEN_DIRECTIVE) return WS_OK;
    unsigned lanes = lanes_of(insn);
    bool halves = token.length > 1 && token.start[1] == 'h';
    bool bytes = token.length > 1 && token.start[1] == 'b';
    unsigned parts = (halves ? 2u : 4u) * (lanes > 1 && !is_dst ? 2u : 1u);
    bool right_kind = lanes == 1 ? halves || bytes : lanes == 2 ? halves : bytes;
    bool good = right_kind && read_selector(&token, parts - 1, &operand->select);
    unsigned count = select_count(operand->select);
    good = good && (is_dst ? count <= lanes && falls(operand->select) : count == lanes);
    if (!good)
        return parser_error(parser, WS_ERR_INPUT, &token, "invalid selector %s for this operand",
                            parser_token_text(parser, &token));
    advance(parser);
    return WS_OK;
}

/* -%r1: vmad only. A minus before a digit belongs to a constant. */
static bool take_minus(struct parser *parser, const struct insn *insn)
{
    if (insn->op != OP_VMAD || !at_punct(parser, '-')) return false;
    struct lexer before = parser->lexer;
    advance(parser);
    if (current(parser)->kind == TOKEN_NAME) return true;
    parser->lexer = before;
    return false;
}

static ws_status parse_part(struct parser *parser, struct insn *insn, bool may_select)
{
    struct operand *operand = &insn->operands[insn->ndst + insn->nsrc++];
    bool negate = take_minus(parser, insn);
    unsigned accept = lanes_of(insn) > 1 ? ACCEPT_REGISTER : ACCEPT_REGISTER | ACCEPT_IMMEDIATE;
    TRY(parse_operand(parser, TYPE_U32, accept, operand));
    operand->negate = negate;
    return may_select ? parse_selector(parser, insn, false, operand) : WS_OK;
}

static ws_status check_negation(struct parser *parser, const struct token *token,
                                const struct insn *insn)
{
    bool product = insn_source(insn, 0)->negate != insn_source(insn, 1)->negate;
    bool any = insn_source(insn, 0)->negate || insn_source(insn, 1)->negate;
    bool sum = insn->nsrc > 2 && insn_source(insn, 2)->negate;
    if ((insn->flags & INSN_PLUS_ONE && (any || sum)) || (product && sum))
        return parser_error(parser, WS_ERR_INPUT, token,
                            "either the product or the third source may be negated, "
                            "and neither with '.po'");
    return WS_OK;
}

ws_status parse_video(struct parser *parser, struct insn *insn)
{
    struct token token = *current(parser);
    insn->ndst = 1;
    TRY(parse_operand(parser, TYPE_U32, ACCEPT_REGISTER, &insn->operands[0]));
    TRY(parse_selector(parser, insn, true, &insn->operands[0]));
    bool selects = insn->operands[0].select != 0;
    for (unsigned k = 0; k < 2; k++) {
        TRY(parser_expect(parser, ',', "between operands"));
        TRY(parse_part(parser, insn, true));
    }
    bool needs_third = selects || insn->atom_op || insn->op == OP_VMAD || lanes_of(insn) > 1;
    if (needs_third || at_punct(parser, ',')) {
        TRY(parser_expect(parser, ',', "between operands"));
        TRY(parse_part(parser, insn, false));
    }
    if (lanes_of(insn) == 1 && selects && insn->atom_op)
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "a destination selector and a second operation are mutually exclusive");
    return check_negation(parser, &token, insn);
}
