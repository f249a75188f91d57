// SPDX-License-Identifier: Apache-2.0
/* tensormap.replace and tensormap.cp_fenceproxy (sm_90): what ptxas makes of them, accesses to the 128 bytes of a map
 * (emulate/tensor_map.h tells where it has what).
 *
 *     tensormap.replace.tile.box_dim.global.b1024.b32 [a], 0, b;
 *                                         ld.global.b32 w, [a + 52];  sub.u32 t, b, 1;
 *                                         bfi.b32 w, t, w, 24, 8;     st.global.b32 [a + 52], w;
 *     tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [a], [b], 128;
 *                                         ld.shared.b32 w, [b + 4 * %laneid];  st.global.b32 [a + 4 * %laneid], w;
 *
 * Values that no map here can have (interleaved layouts, types that flush subnormal numbers) are refused. */
#include <string.h>

#include "decode/parts.h"

enum { MAP_BYTES = 128, MODES = 8, STRIDES = 12, STRIDES_HIGH = 28 };
enum { NUMBER_F32 = 7, NUMBER_F32_FTZ = 8, NUMBER_TF32 = 11, NUMBER_TF32_FTZ = 12 };

/* Bits of a 32-bit word of the map. `step`: from one dimension to the next, in bits. */
struct field {
    const char *name;
    uint8_t dimensions; /* 0: it has one value */
    bool is_less_one, is_constant;
    uint8_t byte, shift, bits, step;
    uint8_t most; /* of constants (ptxas) */
};
enum { FIELD_ADDRESS, FIELD_STRIDE, FIELD_TYPE, FIELD_INTERLEAVED, FIELD_SWIZZLE };
static const struct field fields[] = {
    [FIELD_ADDRESS] = {"global_address", .byte = 0, .bits = 64},
    [FIELD_STRIDE] = {"global_stride", 4, .bits = 64},
    [FIELD_TYPE] = {"elemtype", .is_constant = true, .byte = MODES, .shift = 7, .bits = 4,
                    .most = 12},
    [FIELD_INTERLEAVED] = {"interleave_layout", .is_constant = true, .byte = MODES, .shift = 11,
                           .bits = 2, .most = 2},
    [FIELD_SWIZZLE] = {"swizzle_mode", .is_constant = true, .byte = MODES, .shift = 13, .bits = 2,
                       .most = 3},
    {"fill_mode", .is_constant = true, .byte = MODES, .shift = 15, .bits = 1, .most = 1},
    {"rank", .byte = MODES, .shift = 4, .bits = 3}, /* the value is less one itself */
    {"box_dim", 5, true, .byte = 52, .shift = 24, .bits = 8, .step = 8},
    {"global_dim", 5, true, .byte = 32, .bits = 32, .step = 32},
    {"element_stride", 5, true, .byte = 52, .bits = 3, .step = 3},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* ---- the mnemonic ------------------------------------------------------------------------------- */

static bool take(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0) return false;
    *at += length;
    return true;
}

static bool take_field(const char **at, struct insn *insn)
{
    for (unsigned k = 0; k < FIELDS; k++)
        if (take(at, fields[k].name)) {
            insn->choice = (uint8_t)k;
            return true;
        }
    return false;
}

static bool is_replace(const char *at, struct insn *insn)
{
    if (!take(&at, ".tile.") || !take_field(&at, insn)) return false;
    insn->space = take(&at, ".global")        ? SPACE_GLOBAL
                  : take(&at, ".shared::cta") ? SPACE_SHARED
                                              : SPACE_GENERIC;
    return !strcmp(at, fields[insn->choice].bits == 64 ? ".b1024.b64" : ".b1024.b32");
}

static bool is_copy(const char *at)
{
    if (!take(&at, ".global.shared::cta.tensormap::generic.release")) return false;
    bool has_scope =
        take(&at, ".cta") || take(&at, ".cluster") || take(&at, ".gpu") || take(&at, ".sys");
    return has_scope && !strcmp(at, ".sync.aligned");
}

bool mnemonic_tensormap(struct mnemonic *mnemonic, enum ptx_op op)
{
    struct insn *insn = &mnemonic->insn;
    const char *rest = insn->text + strlen(op_infos[op].mnemonic);
    insn->op = (uint16_t)op;
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    return op == OP_TENSORMAP_REPLACE ? is_replace(rest, insn) : is_copy(rest);
}

/* ---- tensormap.replace --------------------------------------------------------------------------- */

struct replacement {
    struct parser *parser;
    struct parts parts;
    struct operand at; /* the map */
    unsigned dimension;
    enum mem_space space;
};

static void add_store(struct replacement *r, unsigned byte, enum ptx_type type,
                      struct operand value)
{
    struct insn *store = parts_add(&r->parts, OP_ST, type, r->space, 1);
    store->operands[store->nsrc] = r->at;
    store->operands[store->nsrc++].imm += byte;
    store->operands[store->nsrc++] = value;
}

static struct operand add_load(struct replacement *r, unsigned byte)
{
    struct operand word = parts_register(r->parser, TYPE_B32);
    struct insn *load = parts_add(&r->parts, OP_LD, TYPE_B32, r->space, 1);
    load->operands[load->ndst++] = word;
    load->operands[load->ndst + load->nsrc] = r->at;
    load->operands[load->ndst + load->nsrc++].imm += byte;
    return word;
}

/* bfi.b32 word, value, word, shift, bits */
static void add_insertion(struct replacement *r, struct operand word, struct operand value,
                          unsigned shift, unsigned bits)
{
    struct insn *insert = parts_operation(&r->parts, OP_BFI, TYPE_B32, &word, value, word);
    insert->operands[insert->ndst + insert->nsrc++] = parts_number(shift);
    insert->operands[insert->ndst + insert->nsrc++] = parts_number(bits);
}

static struct operand add_narrowing(struct replacement *r, struct operand wide)
{
    struct operand narrow = parts_register(r->parser, TYPE_U32);
    struct insn *convert = parts_add(&r->parts, OP_CVT, TYPE_U32, SPACE_NONE, 1);
    convert->type2 = TYPE_U64;
    convert->operands[convert->ndst++] = narrow;
    convert->operands[convert->ndst + convert->nsrc++] = wide;
    return narrow;
}

/* In units of 16 bytes: 32 bits in a word of their own, 4 bits together with those of others. */
static void replace_stride(struct replacement *r, struct operand value)
{
    struct operand units = parts_register(r->parser, TYPE_U64);
    parts_operation(&r->parts, OP_SHR, TYPE_U64, &units, value, parts_number(4));
    add_store(r, STRIDES + 4 * r->dimension, TYPE_B32, add_narrowing(r, units));
    parts_operation(&r->parts, OP_SHR, TYPE_U64, &units, units, parts_number(32));
    struct operand high = add_narrowing(r, units), word = add_load(r, STRIDES_HIGH);
    add_insertion(r, word, high, 4 * r->dimension, 4);
    add_store(r, STRIDES_HIGH, TYPE_B32, word);
}

static struct operand less_one(struct replacement *r, struct operand value)
{
    struct operand less = parts_register(r->parser, TYPE_U32);
    parts_operation(&r->parts, OP_SUB, TYPE_U32, &less, value, parts_number(1));
    return less;
}

static void replace_bits(struct replacement *r, const struct field *field, struct operand value)
{
    const unsigned bit = 8u * field->byte + field->shift + r->dimension * field->step;
    if (field->is_less_one) value = less_one(r, value);
    struct operand word = value;
    if (field->bits < 32) {
        word = add_load(r, bit / 32 * 4);
        add_insertion(r, word, value, bit % 32, field->bits);
    }
    if (field == &fields[FIELD_SWIZZLE]) add_insertion(r, word, parts_number(0), 22, 1);
    add_store(r, bit / 32 * 4, TYPE_B32, word);
}

/* tf32 is f32 with a mark. */
static void replace_type(struct replacement *r, unsigned type)
{
    const bool is_tf32 = type == NUMBER_TF32;
    struct operand word = add_load(r, MODES);
    if (is_tf32) add_insertion(r, word, parts_number(1), 16, 1);
    add_insertion(r, word, parts_number(is_tf32 ? NUMBER_F32 : type), 7, 4);
    add_store(r, MODES, TYPE_B32, word);
}

static void refuse(struct parser *parser, const struct insn *insn, uint64_t value)
{
    parser->body.is_foreign = true;
    parser->body.foreign_what = arena_format(parser->arena, "'%s' with the value %llu", insn->text,
                                             (unsigned long long)value);
}

static ws_status replace_constant(struct replacement *r, const struct insn *insn)
{
    const struct field *field = &fields[insn->choice];
    uint64_t value;
    TRY(parse_count(r->parser, "a constant", field->most, &value));
    bool is_type = field == &fields[FIELD_TYPE];
    bool flushes = is_type && (value == NUMBER_F32_FTZ || value == NUMBER_TF32_FTZ);
    bool is_interleaved = field == &fields[FIELD_INTERLEAVED] && value;
    if (flushes || is_interleaved) refuse(r->parser, insn, value);
    if (is_type)
        replace_type(r, (unsigned)value);
    else
        replace_bits(r, field, parts_number((int64_t)value));
    return WS_OK;
}

static ws_status parse_replace(struct parser *parser, struct insn *insn)
{
    const struct field *field = &fields[insn->choice];
    struct replacement r = {.parser = parser, .parts.like = *insn, .space = insn->space};
    struct operand value;
    TRY(parse_address(parser, &r.at));
    TRY(parser_expect(parser, ',', "between operands"));
    if (field->dimensions) {
        uint64_t dimension;
        TRY(parse_count(parser, "a dimension", field->dimensions - 1u, &dimension));
        TRY(parser_expect(parser, ',', "between operands"));
        r.dimension = (unsigned)dimension;
    }
    if (field->is_constant) {
        TRY(replace_constant(&r, insn));
    } else {
        enum ptx_type type = field->bits == 64 ? TYPE_B64 : TYPE_B32;
        TRY(parse_operand(parser, type, ACCEPT_REGISTER | ACCEPT_IMMEDIATE, &value));
        if (field == &fields[FIELD_ADDRESS])
            add_store(&r, 0, TYPE_B64, value);
        else if (field == &fields[FIELD_STRIDE])
            replace_stride(&r, value);
        else
            replace_bits(&r, field, value);
    }
    parts_put(parser, &r.parts, insn);
    return WS_OK;
}

/* ---- tensormap.cp_fenceproxy ---------------------------------------------------------------------- */

/* Moves the address on by an offset of each lane. */
static void add_offset(struct parser *parser, struct parts *parts, struct operand *at,
                       struct operand offset)
{
    struct operand base = *at;
    base.kind = OPERAND_REGISTER;
    if (at->reg < 0) {
        struct operand from = *at;
        from.kind = at->symbol < 0 ? OPERAND_IMMEDIATE : OPERAND_SYMBOL;
        base = parts_register(parser, TYPE_U64);
        struct insn *move = parts_add(parts, OP_MOV, TYPE_U64, SPACE_NONE, 1);
        move->operands[move->ndst++] = base;
        move->operands[move->ndst + move->nsrc++] = from;
        *at = (struct operand){.kind = OPERAND_ADDRESS, .symbol = -1};
    }
    base.imm = 0;
    const bool is_wide = type_infos[parser->body.vregs[base.reg].type].bits == 64;
    const enum ptx_type type = is_wide ? TYPE_U64 : TYPE_U32;
    struct operand sum = parts_register(parser, type);
    if (is_wide) {
        struct operand wide = parts_register(parser, TYPE_U64);
        struct insn *convert = parts_add(parts, OP_CVT, TYPE_U64, SPACE_NONE, 1);
        convert->type2 = TYPE_U32;
        convert->operands[convert->ndst++] = wide;
        convert->operands[convert->ndst + convert->nsrc++] = offset;
        offset = wide;
    }
    parts_operation(parts, OP_ADD, type, &sum, base, offset);
    at->reg = sum.reg;
}

static ws_status parse_map_copy(struct parser *parser, struct insn *insn)
{
    struct parts parts = {.like = *insn};
    struct operand to, from, lane = {.kind = OPERAND_SPECIAL, .reg = SREG_LANEID, .symbol = -1};
    struct operand word = parts_register(parser, TYPE_B32), at = parts_register(parser, TYPE_U32);
    uint64_t bytes;
    TRY(parse_address(parser, &to));
    TRY(parser_expect(parser, ',', "between operands"));
    TRY(parse_address(parser, &from));
    TRY(parser_expect(parser, ',', "between operands"));
    const struct token token = *current(parser);
    TRY(parse_count(parser, "a size in bytes", UINT32_MAX, &bytes));
    if (bytes != MAP_BYTES)
        return parser_error(parser, WS_ERR_INPUT, &token, "a tensor map has %d bytes", MAP_BYTES);
    parts_operation(&parts, OP_SHL, TYPE_B32, &at, lane, parts_number(2));
    add_offset(parser, &parts, &from, at);
    add_offset(parser, &parts, &to, at);
    struct insn *load = parts_add(&parts, OP_LD, TYPE_B32, SPACE_SHARED, 1);
    load->operands[load->ndst++] = word;
    load->operands[load->ndst + load->nsrc++] = from;
    struct insn *store = parts_add(&parts, OP_ST, TYPE_B32, SPACE_GLOBAL, 1);
    store->operands[store->nsrc++] = to;
    store->operands[store->nsrc++] = word;
    parts_put(parser, &parts, insn);
    return WS_OK;
}

ws_status parse_tensormap(struct parser *parser, struct insn *insn)
{
    return insn->op == OP_TENSORMAP_REPLACE ? parse_replace(parser, insn)
                                            : parse_map_copy(parser, insn);
}
