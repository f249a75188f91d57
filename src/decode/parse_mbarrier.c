// SPDX-License-Identifier: Apache-2.0
/* Operands of the operations on mbarrier objects.
 *
 *     mbarrier.init.b64 [a], count;              mbarrier.arrive.b64 state, [a]{, count};
 *     mbarrier.inval.b64 [a];                    mbarrier.arrive.expect_tx.b64 state, [a], bytes;
 *     mbarrier.expect_tx.b64 [a], bytes;         mbarrier.test_wait.b64 p, [a], state;
 *     cp.async.mbarrier.arrive.b64 [a];          mbarrier.try_wait.parity.b64 p, [a], parity{, nanoseconds};
 */
#include "decode/parser.h"

static bool is_arrival(const struct insn *insn)
{
    return insn->op == OP_MBARRIER_ARRIVE || insn->op == OP_MBARRIER_ARRIVE_DROP;
}

static ws_status parse_value(struct parser *parser, struct insn *insn, enum ptx_type type)
{
    TRY(parser_expect(parser, ',', "between operands"));
    return parse_operand(parser, type, ACCEPT_REGISTER | ACCEPT_IMMEDIATE,
                         &insn->operands[insn->ndst + insn->nsrc++]);
}

static ws_status parse_object(struct parser *parser, struct insn *insn)
{
    struct token token = *current(parser);
    TRY(parse_memory_operand(parser, insn));
    if (insn->space == SPACE_SHARED || insn->space == SPACE_GENERIC) return WS_OK;
    return parser_error(parser, WS_ERR_INPUT, &token, "mbarrier objects lie in shared memory");
}

ws_status parse_mbarrier(struct parser *parser, struct insn *insn)
{
    bool waits = insn_is_mbarrier_wait(insn), arrives = is_arrival(insn);
    if (waits || arrives) {
        TRY(parse_operand(parser, waits ? TYPE_PRED : TYPE_B64,
                          waits ? ACCEPT_REGISTER : ACCEPT_DESTINATION,
                          &insn->operands[insn->ndst++]));
        TRY(parser_expect(parser, ',', "between operands"));
    }
    TRY(parse_object(parser, insn));
    if (insn->op == OP_MBARRIER_INVAL || insn->op == OP_MBARRIER_COPIES) return WS_OK;
    bool needs_count = insn->flags & (INSN_EXPECT_TX | INSN_NO_COMPLETE);
    if (arrives && !needs_count && !at_punct(parser, ',')) return WS_OK;
    TRY(parse_value(parser, insn, waits && !(insn->flags & INSN_PARITY) ? TYPE_B64 : TYPE_B32));
    if (insn->op != OP_MBARRIER_TRY_WAIT || !at_punct(parser, ',')) return WS_OK;
    return parse_value(parser, insn, TYPE_B32);
}
