// SPDX-License-Identifier: Apache-2.0
/* cp.async: a load from global memory and a store to shared memory, done at once, so that groups of them have
 * nothing to wait for.
 *
 *     cp.async.cg.shared.global.L2::128B [a], [b], 16;      ld.global.v4.b32 {t..}, [b]
 *                                                           st.shared.v4.b32 [a], {t..}
 *     cp.async.commit_group;   cp.async.wait_group N;   cp.async.wait_all;
 *
 * Fewer bytes than the instruction has are filled up with zeros. Their number is an immediate, or a register that
 * the same basic block sets to all or none, as Triton's pipelines do:
 *
 *     selp.b32 %r1, 16, 0, %p1;                             @%p1 ld.global.v4.b32 {t..}, [b]
 *     cp.async.cg.shared.global [a], [b], 16, %r1;          @%p1 st.shared.v4.b32 [a], {t..}
 *                                                           @!%p1 st.shared.v4.b32 [a], {0, 0, 0, 0}
 *
 * or a predicate that says that none are read. With any other register the bytes beyond are cleared after a load of all,
 * which touches no other sector:
 *
 *     cp.async.ca.shared.global [a], [b], 8, %r1;           setp.ne.u32 p|z, %r1, 0;  shl.b32 t, %r1, 3;
 *                                                           @p ld.global.b64 w, [b];
 *                                                           @p shl.b64 m, 1, t;  @p sub.u64 m, m, 1;  @p and.b64 w, w, m;
 *                                                           @p st.shared.b64 [a], w;  @z st.shared.b64 [a], 0;
 *
 * Copies in bulk, those that tell a barrier, and policies are refused. */
#include <string.h>

#include "decode/parts.h"

static bool take(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0) return false;
    *at += length;
    return true;
}

bool mnemonic_copy(struct mnemonic *mnemonic)
{
    static const char *const hints[] = {".L2::64B", ".L2::128B", ".L2::256B"};
    struct insn *insn = &mnemonic->insn;
    const char *at = insn->text;
    insn->op = OP_CP;
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    if (!strcmp(at, "cp.async.commit_group") || !strcmp(at, "cp.async.wait_all")) {
        insn->sub_op = !strcmp(at, "cp.async.wait_all") ? SUB_ALL : SUB_SYNC;
        return true;
    }
    if (!strcmp(at, "cp.async.wait_group")) {
        insn->sub_op = SUB_ARRIVE;
        return true;
    }
    if (!take(&at, "cp.async.ca.") && !take(&at, "cp.async.cg.")) return false;
    if (!take(&at, "shared.global") && !take(&at, "shared::cta.global")) return false;
    for (unsigned k = 0; k < sizeof hints / sizeof *hints; k++)
        if (take(&at, hints[k])) break;
    return !*at;
}

struct copy {
    struct operand to, from;
    uint64_t bytes, given; /* given: those that are read; the rest becomes zeros */
    int32_t chooser;       /* predicate that says whether any are read; -1: always */
    bool is_negated;
    int32_t
        size; /* register with the number of those that are read, or a predicate: none are; -1: no such */
};

static bool defines(const struct insn *insn, int32_t reg)
{
    for (unsigned i = 0; i < insn->ndst; i++)
        if (insn_operand(insn, i)->kind == OPERAND_REGISTER && insn_operand(insn, i)->reg == reg)
            return true;
    return insn->op == OP_CALL; /* perhaps */
}

/* The last instruction of the basic block before `end` that sets a register; NULL: none. */
static const struct insn *find_definition(const struct body *body, uint32_t end, int32_t reg)
{
    while (end > body->block_begin)
        if (defines(&body->insns[--end], reg)) return &body->insns[end];
    return NULL;
}

static bool is_number(const struct operand *operand, uint64_t value)
{
    return operand->kind == OPERAND_IMMEDIATE && (uint64_t)operand->imm == value;
}

/* All bytes or none, by a predicate, or by one that is still what it was when the register was set. */
static bool take_choice(const struct body *body, const struct insn *copying, int32_t reg,
                        struct copy *out)
{
    if (body->vregs[reg].type == TYPE_PRED && copying->guard < 0) {
        out->chooser = reg;
        out->is_negated = true; /* the predicate tells to ignore the source */
        return true;
    }
    uint32_t end = (uint32_t)(copying - body->insns);
    const struct insn *choice = find_definition(body, end, reg);
    if (!choice || choice->op != OP_SELP || choice->guard >= 0 || copying->guard >= 0) return false;
    const struct operand *yes = insn_source(choice, 0), *no = insn_source(choice, 1);
    int32_t chooser = insn_source(choice, 2)->reg;
    bool is_negated = is_number(yes, 0);
    if (!is_number(is_negated ? no : yes, out->bytes) || !is_number(is_negated ? yes : no, 0))
        return false;
    const struct insn *set = find_definition(body, end, chooser);
    if (set && set > choice) return false;
    out->chooser = chooser;
    out->is_negated = is_negated;
    return true;
}

static ws_status parse_parts(struct parser *parser, const struct insn *insn, struct copy *out)
{
    TRY(parse_address(parser, &out->to));
    TRY(parser_expect(parser, ',', "between operands"));
    TRY(parse_address(parser, &out->from));
    TRY(parser_expect(parser, ',', "between operands"));
    struct token token = *current(parser);
    TRY(parse_count(parser, "the number of bytes", 16, &out->bytes));
    if (out->bytes != 4 && out->bytes != 8 && out->bytes != 16)
        return parser_error(parser, WS_ERR_INPUT, &token, "'%s' copies 4, 8 or 16 bytes",
                            insn->text);
    if (out->bytes != 16 && !strncmp(insn->text, "cp.async.cg", 11))
        return parser_error(parser, WS_ERR_INPUT, &token,
                            "'%s' copies 16 bytes only: use .ca for other sizes", insn->text);
    out->given = out->bytes;
    out->chooser = out->size = -1;
    if (!parser_take(parser, ',')) return WS_OK;
    int32_t reg;
    struct token next = *current(parser);
    if (next.kind == TOKEN_NAME && parser_find_register(parser, &next, &reg)) {
        advance(parser);
        if (!take_choice(&parser->body, insn, reg, out)) out->size = reg;
        return WS_OK;
    }
    return parse_count(parser, "the number of bytes to read", out->bytes, &out->given);
}

/* At most those of a size in a register, for two words of 64 bits. */
_Static_assert(PARTS_MAX >= 14, "all parts of a copy have room");

static struct operand new_word(struct parser *parser)
{
    return parts_register(parser, TYPE_B32);
}

/* bfi.b32 word, byte, so far, 8 k, 8; `so far` is 0 before the first. */
static void add_byte(struct parser *parser, struct parts *parts, const struct operand *from,
                     unsigned k, struct operand *word)
{
    struct operand byte = new_word(parser), sum = new_word(parser);
    struct insn *load = parts_add(parts, OP_LD, TYPE_U8, SPACE_GLOBAL, 1);
    load->operands[load->ndst++] = byte;
    load->operands[load->ndst + load->nsrc++] = *from;
    struct insn *insert = parts_add(parts, OP_BFI, TYPE_B32, SPACE_NONE, 1);
    const struct operand sources[] = {byte, *word, parts_number(8 * k), parts_number(8)};
    insert->operands[insert->ndst++] = sum;
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++)
        insert->operands[insert->ndst + insert->nsrc++] = sources[i];
    *word = sum;
}

/* Words of 4, 2 or 1 at once, then single bytes; what is not read stays 0. */
static void add_loads(struct parser *parser, struct parts *parts, const struct copy *copy,
                      struct operand words[4])
{
    struct operand from = copy->from;
    uint64_t left = copy->given;
    unsigned at = 0;
    while (left >= 4) {
        unsigned count = left >= 16 ? 4 : left >= 8 ? 2 : 1;
        struct insn *load = parts_add(parts, OP_LD, TYPE_B32, SPACE_GLOBAL, count);
        for (unsigned k = 0; k < count; k++)
            load->operands[load->ndst++] = words[at++] = new_word(parser);
        load->operands[load->ndst + load->nsrc++] = from;
        from.imm += 4 * count;
        left -= 4 * count;
    }
    for (unsigned k = 0; k < left; k++, from.imm++)
        add_byte(parser, parts, &from, k, &words[at]);
}

static struct insn *add_store(struct parts *parts, const struct copy *copy,
                              const struct operand words[4])
{
    struct insn *store = parts_add(parts, OP_ST, TYPE_B32, SPACE_SHARED, (unsigned)copy->bytes / 4);
    store->operands[store->nsrc++] = copy->to;
    for (unsigned k = 0; k < copy->bytes / 4; k++)
        store->operands[store->nsrc++] = words[k];
    return store;
}

/* What was added so far happens if bytes are read, zeros are stored if not. */
static void add_choice(struct parts *parts, const struct copy *copy)
{
    const struct operand zeros[4] = {parts_number(0), parts_number(0), parts_number(0),
                                     parts_number(0)};
    unsigned count = parts->count;
    add_store(parts, copy, zeros);
    for (unsigned k = 0; k <= count; k++) {
        parts->insns[k].guard = copy->chooser;
        if (copy->is_negated == (k < count)) parts->insns[k].flags |= INSN_NEG_GUARD;
    }
}

/* setp.ne.and.u32 some|none, size, 0, guard */
static void add_size_test(struct parts *parts, const struct operand *size,
                          const struct operand *some, const struct operand *none)
{
    struct insn *test = parts_add(parts, OP_SETP, TYPE_U32, SPACE_NONE, 1);
    const struct operand operands[] = {*some, *none, *size, parts_number(0)};
    memcpy(test->operands, operands, sizeof operands);
    test->compare = CMP_NE;
    test->ndst = test->nsrc = 2;
    if (test->guard < 0) return;
    test->combine = COMBINE_AND;
    test->operands[test->ndst + test->nsrc++] =
        (struct operand){.kind = OPERAND_REGISTER,
                         .reg = test->guard,
                         .symbol = -1,
                         .negate = test->flags & INSN_NEG_GUARD};
    test->guard = -1;
    test->flags &= ~(uint32_t)INSN_NEG_GUARD;
}

/* As many low bits of the word stay as `bits` has behind the words before it. */
static void add_mask(struct parser *parser, struct parts *parts, enum ptx_type type,
                     const struct operand *word, struct operand bits, unsigned before)
{
    enum ptx_type number_type = type == TYPE_B64 ? TYPE_U64 : TYPE_U32;
    struct operand mask = parts_register(parser, type), rest = bits;
    if (before) {
        rest = parts_register(parser, TYPE_U32);
        parts_operation(parts, OP_MAX, TYPE_U32, &rest, bits, parts_number(before));
        parts_operation(parts, OP_SUB, TYPE_U32, &rest, rest, parts_number(before));
    }
    parts_operation(parts, OP_SHL, type, &mask, parts_number(1), rest); /* 0 if that is all bits */
    parts_operation(parts, OP_SUB, number_type, &mask, mask, parts_number(1));
    parts_operation(parts, OP_AND, type, word, *word, mask);
}

static void add_sized(struct parser *parser, struct parts *parts, const struct copy *copy)
{
    enum ptx_type type = copy->bytes >= 8 ? TYPE_B64 : TYPE_B32;
    unsigned width = copy->bytes >= 8 ? 8 : 4, count = (unsigned)copy->bytes / width;
    struct operand some = parts_register(parser, TYPE_PRED),
                   none = parts_register(parser, TYPE_PRED);
    struct operand bits = parts_register(parser, TYPE_B32), words[2];
    struct operand size = {.kind = OPERAND_REGISTER, .reg = copy->size, .symbol = -1};
    if (parser->body.vregs[copy->size].type == TYPE_PRED) {
        struct operand ignores = size;
        size = parts_register(parser, TYPE_B32);
        struct insn *choice = parts_operation(parts, OP_SELP, TYPE_B32, &size, parts_number(0),
                                              parts_number((int64_t)copy->bytes));
        choice->operands[choice->ndst + choice->nsrc++] = ignores;
    }
    add_size_test(parts, &size, &some, &none);
    parts->like.guard = some.reg;
    parts->like.flags &= ~(uint32_t)INSN_NEG_GUARD;
    parts_operation(parts, OP_SHL, TYPE_B32, &bits, size, parts_number(3));
    struct insn *load = parts_add(parts, OP_LD, type, SPACE_GLOBAL, count);
    for (unsigned k = 0; k < count; k++)
        load->operands[load->ndst++] = words[k] = parts_register(parser, type);
    load->operands[load->ndst + load->nsrc++] = copy->from;
    for (unsigned k = 0; k < count; k++)
        add_mask(parser, parts, type, &words[k], bits, 8 * width * k);
    for (unsigned is_none = 0; is_none < 2; is_none++) {
        struct insn *store = parts_add(parts, OP_ST, type, SPACE_SHARED, count);
        if (is_none) store->guard = none.reg;
        store->operands[store->nsrc++] = copy->to;
        for (unsigned k = 0; k < count; k++)
            store->operands[store->nsrc++] = is_none ? parts_number(0) : words[k];
    }
}

ws_status parse_copy(struct parser *parser, struct insn *insn)
{
    struct copy copy;
    uint64_t group;
    if (insn->sub_op == SUB_SYNC || insn->sub_op == SUB_ALL) return WS_OK;
    if (insn->sub_op == SUB_ARRIVE) {
        TRY(parse_count(parser, "a number of groups", 1 << 16, &group));
        insn->groups = (uint32_t)group;
        return WS_OK;
    }
    TRY(parse_parts(parser, insn, &copy));
    struct parts parts = {.like = *insn};
    parts.like.flags |= INSN_ASYNC;
    struct operand words[4] = {parts_number(0), parts_number(0), parts_number(0), parts_number(0)};
    if (copy.size >= 0) {
        add_sized(parser, &parts, &copy);
    } else {
        add_loads(parser, &parts, &copy, words);
        add_store(&parts, &copy, words);
        if (copy.chooser >= 0) add_choice(&parts, &copy);
    }
    parts_put(parser, &parts, insn);
    return WS_OK;
}
