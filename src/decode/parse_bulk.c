// SPDX-License-Identifier: Apache-2.0
/* Copies in bulk and of tensors, and asynchronous stores (isa/bulk.h).
 *
 *     cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], size, [object];
 *     cp.async.bulk.global.shared::cta.bulk_group [to], [from], size;
 *     cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [map, {x, y}], [object];
 *     cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [to], [from], size;
 *     st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [to], {a, b}, [object];
 *
 * Forms for later GPUs than sm_90 are refused. */
#include <string.h>

#include "decode/parser.h"
#include "isa/bulk.h"

/* ---- the mnemonic ---------------------------------------------------------------------------- */

struct word {
    const char *start;
    size_t length;
};

static bool is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && !memcmp(word->start, text, word->length);
}

static bool next_word(struct word *word)
{
    const char *start = word->start + word->length;
    if (*start != '.') return false;
    word->start = start + 1;
    word->length = strcspn(word->start, ".");
    return true;
}

static bool take_place(const struct word *word, struct bulk_form *form)
{
    bool is_cta = is(word, "shared::cta"), is_cluster = is(word, "shared::cluster");
    if (!is_cta && !is_cluster && !is(word, "global")) return false;
    uint8_t place = is_cta || is_cluster ? BULK_SHARED : BULK_GLOBAL;
    if (!form->to)
        form->to = place;
    else if (!form->from)
        form->from = place;
    else
        return false;
    return true;
}

static bool take_operation(const struct word *word, struct insn *insn)
{
    static const struct {
        const char *name;
        uint8_t op;
    } operations[] = {{"add", ATOM_ADD}, {"min", ATOM_MIN}, {"max", ATOM_MAX}, {"inc", ATOM_INC},
                      {"dec", ATOM_DEC}, {"and", ATOM_AND}, {"or", ATOM_OR},   {"xor", ATOM_XOR}};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (is(word, operations[i].name)) {
            insn->atom_op = operations[i].op;
            return true;
        }
    return false;
}

static bool take_flag(const struct word *word, struct mnemonic *mnemonic, struct bulk_form *form)
{
    struct insn *insn = &mnemonic->insn;
    if (is(word, "mbarrier::complete_tx::bytes"))
        form->signals = true;
    else if (is(word, "multicast::cluster"))
        form->is_multicast = true;
    else if (is(word, "im2col") || is(word, "im2col_no_offs"))
        form->is_im2col = true, form->has_offsets = is(word, "im2col");
    else if (is(word, "L2::cache_hint"))
        mnemonic->has_cache_policy = true;
    else if (is(word, "noftz"))
        insn->flags |= INSN_NOFTZ;
    else if (is(word, "read") && insn->op == OP_BULK_WAIT)
        insn->sub_op = SUB_READ;
    else if (is(word, "v2") || is(word, "v4"))
        insn->vector = (uint8_t)(word->start[1] - '0');
    else
        return is(word, "bulk_group") || is(word, "tile") || is(word, "tensor") ||
               is(word, "weak") || is(word, "relaxed") || is(word, "cluster") || is(word, "L2");
    return true;
}

static bool take_type(const struct word *word, struct insn *insn)
{
    enum ptx_type type = parser_type_of(word->start - 1, word->length + 1);
    if (type == TYPE_NONE || insn->type != TYPE_NONE) return false;
    insn->type = (uint8_t)type;
    return true;
}

static bool take_dimensions(const struct word *word, struct bulk_form *form)
{
    if (word->length != 2 || word->start[1] != 'd' || form->dimensions) return false;
    form->dimensions = (uint8_t)(word->start[0] - '0');
    return form->dimensions >= 1 && form->dimensions <= TENSOR_RANK_MAX;
}

/* Which sources the form has, in their order. */
static void number_sources(struct bulk_form *form, unsigned values)
{
    uint8_t next = 0;
    bool is_tensor = form->dimensions != 0, prefetches = form->to == BULK_NOWHERE;
    memset(&form->target, BULK_NO_SOURCE, sizeof *form - offsetof(struct bulk_form, target));
    bool maps_first = is_tensor && form->to != BULK_SHARED;
    if (!maps_first && !prefetches) form->target = next++;
    if (is_tensor) {
        form->map = next++;
        form->coordinates = next;
        next = (uint8_t)(next + form->dimensions);
    }
    if (!is_tensor || form->from == BULK_SHARED) {
        form->source = next;
        next = (uint8_t)(next + values);
    }
    if (!is_tensor && form->from != BULK_REGISTERS) form->size = next++;
    if (form->signals) form->object = next++;
    if (form->has_offsets) {
        form->offsets = next;
        next = (uint8_t)(next + form->dimensions - 2);
    }
    if (form->is_multicast) form->blocks = next++;
}

/* What the GPUs of sm_90 have. */
static bool is_known(const struct insn *insn, const struct bulk_form *form)
{
    bool reduces = insn->op == OP_BULK_REDUCE || insn->op == OP_RED_ASYNC;
    bool loads = form->from == BULK_GLOBAL && form->to == BULK_SHARED;
    bool is_tensor = form->dimensions != 0;
    if (reduces != (insn->atom_op != ATOM_NONE)) return false;
    if (form->is_im2col && form->dimensions < 3) return false;
    if (form->is_multicast && !loads) return false;
    if (form->from == BULK_REGISTERS)
        return form->to == BULK_SHARED && form->signals && insn->type != TYPE_NONE && !is_tensor;
    if (form->to == BULK_NOWHERE) return form->from == BULK_GLOBAL && !form->signals;
    if (form->to == BULK_GLOBAL) return form->from == BULK_SHARED && !form->signals;
    return form->signals && (loads ? !reduces : !is_tensor);
}

/* Row by row: the operation of the mnemonic's first words and the places that it names. */
static void settle(struct insn *insn, const struct bulk_form *form)
{
    bool writes_global = form->to == BULK_GLOBAL, reads_global = form->from == BULK_GLOBAL;
    insn->space = writes_global || reads_global ? SPACE_GLOBAL : SPACE_SHARED;
    if (insn->op == OP_BULK_LOAD && !reads_global) insn->op = OP_BULK_STORE;
    bool copies = insn->op == OP_BULK_LOAD || insn->op == OP_BULK_STORE;
    if (copies || (form->dimensions && insn->op == OP_BULK_REDUCE)) insn->type = TYPE_B128;
}

static bool take_words(struct mnemonic *mnemonic, struct bulk_form *form)
{
    struct insn *insn = &mnemonic->insn;
    struct word word = {insn->text, strlen(op_infos[insn->op].mnemonic)};
    if (insn->op == OP_BULK_STORE) word.length -= strlen(".global"); /* a place, too */
    while (next_word(&word)) {
        bool is_prefetch = is(&word, "prefetch") && insn->op == OP_BULK_PREFETCH;
        if (!is_prefetch && !take_flag(&word, mnemonic, form) && !take_place(&word, form) &&
            !take_operation(&word, insn) && !take_type(&word, insn) &&
            !take_dimensions(&word, form))
            return false;
    }
    return true;
}

bool mnemonic_bulk(struct parser *parser, struct mnemonic *mnemonic, enum ptx_op op)
{
    struct insn *insn = &mnemonic->insn;
    struct bulk_form form = {.to = BULK_NOWHERE};
    bool waits = op == OP_BULK_COMMIT || op == OP_BULK_WAIT;
    insn->op = (uint16_t)op;
    if (!take_words(mnemonic, &form)) return false;
    bool stores = op == OP_ST_ASYNC || op == OP_RED_ASYNC;
    if (op == OP_BULK_PREFETCH) form.from = form.to, form.to = BULK_NOWHERE;
    if (stores) {
        insn->flags |= INSN_CLUSTER;
        if (form.to == BULK_NOWHERE) insn->sub_op = SUB_TO; /* a generic address */
        form.to = BULK_SHARED;
        form.from = BULK_REGISTERS;
    }
    if (!waits) {
        if (!is_known(insn, &form)) return false;
        settle(insn, &form);
        number_sources(&form, stores ? insn->vector : 1);
        struct bulk_form *kept = ARENA_ARRAY(parser->arena, struct bulk_form, 1);
        *kept = form;
        insn->bulk = kept;
    }
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    return true;
}

/* ---- operands -------------------------------------------------------------------------------- */

static struct operand *add_source(struct insn *insn)
{
    return &insn->operands[insn->nsrc++];
}

static ws_status parse_value(struct parser *parser, struct insn *insn, enum ptx_type type)
{
    return parse_operand(parser, type, ACCEPT_REGISTER | ACCEPT_IMMEDIATE, add_source(insn));
}

/* An address as a value: of a register, a variable, or a sum that goes before the instruction. */
static ws_status parse_place(struct parser *parser, struct insn *insn)
{
    struct operand *operand = add_source(insn);
    TRY(parse_address(parser, operand));
    return address_to_value(parser, operand);
}

static ws_status comma(struct parser *parser)
{
    return parser_expect(parser, ',', "between operands");
}

/* {a, b, c} or, of one, also a */
static ws_status parse_list(struct parser *parser, struct insn *insn, enum ptx_type type,
                            unsigned count)
{
    if (count == 1 && !at_punct(parser, '{')) return parse_value(parser, insn, type);
    return parse_vector(parser, insn, false, type, ACCEPT_REGISTER | ACCEPT_IMMEDIATE, count);
}

/* [map, {x, y}] */
static ws_status parse_tensor(struct parser *parser, struct insn *insn)
{
    struct operand *map = add_source(insn);
    TRY(parse_open_address(parser, map));
    TRY(address_to_value(parser, map));
    TRY(comma(parser));
    TRY(parse_list(parser, insn, TYPE_B32, insn->bulk->dimensions));
    return parser_expect(parser, ']', "after the coordinates");
}

ws_status parse_bulk(struct parser *parser, struct insn *insn)
{
    const struct bulk_form *form = insn->bulk;
    uint64_t groups;
    if (insn->op == OP_BULK_COMMIT) return WS_OK;
    if (insn->op == OP_BULK_WAIT) {
        TRY(parse_count(parser, "a number of groups", 1 << 16, &groups));
        insn->groups = (uint32_t)groups;
        return WS_OK;
    }
    if (form->target != BULK_NO_SOURCE) {
        TRY(parse_place(parser, insn));
        TRY(comma(parser));
    }
    if (form->dimensions) TRY(parse_tensor(parser, insn));
    if (form->source != BULK_NO_SOURCE) {
        if (form->dimensions) TRY(comma(parser));
        if (form->from == BULK_REGISTERS)
            TRY(parse_list(parser, insn, insn->type, insn->vector));
        else
            TRY(parse_place(parser, insn));
    }
    if (form->size != BULK_NO_SOURCE) {
        TRY(comma(parser));
        TRY(parse_value(parser, insn, TYPE_B32));
    }
    if (form->signals) {
        TRY(comma(parser));
        TRY(parse_place(parser, insn));
    }
    if (form->has_offsets) {
        TRY(comma(parser));
        TRY(parse_list(parser, insn, TYPE_B16, form->dimensions - 2u));
    }
    if (!form->is_multicast) return WS_OK;
    TRY(comma(parser));
    return parse_value(parser, insn, TYPE_B16);
}
