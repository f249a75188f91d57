// SPDX-License-Identifier: Apache-2.0
#include "replay/sass_code.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_FIRST = 1024, INSNS_MAX = 1 << 20 };

void sass_code_init(struct sass_code *code, const struct opcode_map *map)
{
    *code = (struct sass_code){.map = map, .bucket_count = BUCKETS_FIRST};
    code->buckets = mem_alloc(BUCKETS_FIRST * sizeof *code->buckets);
    memset(code->buckets, 0xff, BUCKETS_FIRST * sizeof *code->buckets);
}

void sass_code_clear(struct sass_code *code)
{
    mem_free(code->insns);
    mem_free(code->buckets);
    mem_free(code->opcodes);
    arena_clear(&code->arena);
}

/* ---- one line -------------------------------------------------------------------------------- */

/* A word up to a blank, copied. NULL: none. */
static const char *read_word(struct arena *arena, const char **at)
{
    size_t length = strcspn(*at, " \t");
    if (!length) return NULL;
    const char *word = arena_copy_n(arena, *at, length);
    *at += length;
    *at += strspn(*at, " \t");
    return word;
}

/* R0 to R255. */
static bool read_register(const char **at, uint16_t *out)
{
    uint64_t number;
    const char *c = *at;
    if (*c++ != 'R' || !traceg_decimal(&c, &number) || number > SASS_ZERO) return false;
    *out = (uint16_t)number;
    *at = c;
    return true;
}

static ws_status read_registers(struct diag *diag, const struct traceg *t, const char **at,
                                unsigned most, const char *what, uint16_t *out, unsigned *out_count)
{
    uint64_t count;
    const char *start = *at;
    if (!traceg_decimal(at, &count) || count > most)
        return traceg_fail(diag, t, start, "expected the number of %s, at most %u", what, most);
    for (unsigned i = 0; i < count; i++)
        if (!read_register(at, &out[i]))
            return traceg_fail(diag, t, *at, "%s must be registers, R0 to R255", what);
    *out_count = (unsigned)count;
    return WS_OK;
}

/* dest_num [dests] opcode src_num [srcs] mem_width; *at moves behind the width. */
static ws_status read_middle(struct diag *diag, struct sass_code *code, const struct traceg *t,
                             const char **at, struct sass_text *out)
{
    uint64_t width;
    *out = (struct sass_text){0};
    TRY(read_registers(diag, t, at, 1, "destinations", out->destinations, &out->destination_count));
    out->opcode = read_word(&code->arena, at);
    if (!out->opcode || out->opcode[0] < 'A' || out->opcode[0] > 'Z')
        return traceg_fail(diag, t, *at, "expected an opcode");
    TRY(read_registers(diag, t, at, SASS_SOURCES_MAX, "sources", out->sources, &out->source_count));
    const char *start = *at;
    if (!traceg_decimal(at, &width) || width > 1024)
        return traceg_fail(diag, t, start, "expected the access width in bytes, 0 for none");
    out->access_bytes = (unsigned)width;
    return WS_OK;
}

/* ---- new instructions ------------------------------------------------------------------------ */

static uint32_t opcode_number(struct sass_code *code, const char *opcode, enum insn_class class_id,
                              bool is_mapped)
{
    for (uint32_t i = 0; i < code->opcode_count; i++)
        if (!strcmp(code->opcodes[i].opcode, opcode)) return i;
    GROW(code->opcodes, code->opcode_count, code->opcode_capacity);
    code->opcodes[code->opcode_count] = (struct replay_opcode){
        .opcode = opcode, .class_id = (uint8_t)class_id, .is_mapped = is_mapped};
    return code->opcode_count++;
}

static enum code_route route_of(const struct sass_op *op, const struct insn *insn)
{
    bool is_copy = op && !strcmp(op->name, "LDGSTS");
    if (is_copy) return ROUTE_COPY;
    switch (insn->space) {
    case SPACE_GENERIC:
        return ROUTE_GENERIC;
    case SPACE_GLOBAL:
    case SPACE_SHARED:
    case SPACE_LOCAL:
        return ROUTE_SPACE;
    default:
        return ROUTE_NONE;
    }
}

/* LDSM: eight lanes give the rows of each matrix. */
static uint32_t lanes_of(const struct sass_op *op, const char *opcode)
{
    bool is_matrix = op && (!strcmp(op->name, "LDSM") || !strcmp(op->name, "STSM"));
    if (!is_matrix || sass_has_modifier(opcode, "4")) return UINT32_MAX;
    return sass_has_modifier(opcode, "2") ? 0xffff : 0xff;
}

static void decode(struct sass_code *code, const struct traceg *t, const struct sass_text *text,
                   struct code_insn *out)
{
    const struct sass_op *op = sass_find(text->opcode);
    int mapped = opcode_map_find(code->map, text->opcode);
    enum insn_class class_id = mapped >= 0 ? (enum insn_class)mapped
                               : op        ? sass_class(op, text->opcode)
                                           : CLASS_OTHER;
    /* A map that makes it another kind of instruction takes the row's other properties away. */
    if (op && mapped >= 0 && mapped != (int)sass_class(op, text->opcode)) op = NULL;
    sass_decode(op, class_id, text, &out->insn);
    out->insn.line = (uint32_t)t->insn.pc;
    out->insn.source_line = t->insn.source_line;
    out->flow = op ? op->flow : SASS_FLOW_STRAIGHT;
    out->is_copy_wait = op && !strcmp(op->name, "DEPBAR");
    out->is_arrival = out->flow == SASS_FLOW_BARRIER && out->insn.sub_op == SUB_ARRIVE;
    out->route = (uint8_t)route_of(op, &out->insn);
    out->bytes = (uint8_t)insn_access_bytes(&out->insn);
    out->has_addresses = text->access_bytes != 0;
    out->lanes = lanes_of(op, text->opcode);
    out->opcode =
        op && mapped < 0 ? CODE_NONE : opcode_number(code, text->opcode, class_id, mapped >= 0);
}

/* The tracer keeps one immediate, the last: 0 of BAR.SYNC 0, the barrier of BAR.SYNC 1, but the
 * threads of BAR.SYNC 1, 64. */
static void set_barrier(struct insn *insn, const char *tail)
{
    enum { BARRIERS = 16, NUMBER_UNKNOWN = -1 };
    int64_t immediate = 0;
    bool is_told = traceg_signed(&tail, &immediate) && !*tail;
    bool is_count = is_told && immediate >= BARRIERS;
    insn->operands[0] = (struct operand){
        .kind = OPERAND_IMMEDIATE, .reg = -1, .imm = is_count ? NUMBER_UNKNOWN : immediate};
    insn->operands[1] = (struct operand){
        .kind = OPERAND_IMMEDIATE, .reg = -1, .imm = is_count ? immediate : NUMBER_UNKNOWN};
    insn->ndst = 0;
    insn->nsrc = is_told && immediate ? 2 : 1;
}

/* Groups that may be under way behind DEPBAR.LE SB0, 1: its last immediate. */
static void set_groups(struct insn *insn, const char *tail)
{
    int64_t immediate = 0;
    if (!traceg_signed(&tail, &immediate) || *tail) return;
    insn->operands[0] = (struct operand){.kind = OPERAND_IMMEDIATE, .reg = -1, .imm = immediate};
    insn->ndst = 0;
    insn->nsrc = 1;
}

static uint32_t hash(uint64_t pc)
{
    return (uint32_t)((pc >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void grow_buckets(struct sass_code *code)
{
    code->bucket_count *= 2;
    code->buckets = mem_realloc(code->buckets, code->bucket_count * sizeof *code->buckets);
    memset(code->buckets, 0xff, code->bucket_count * sizeof *code->buckets);
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t *bucket = &code->buckets[hash(code->insns[i].pc) & (code->bucket_count - 1)];
        code->insns[i].chain = *bucket;
        *bucket = i;
    }
}

static ws_status enter(struct diag *diag, struct sass_code *code, const struct traceg *t,
                       uint32_t *out)
{
    struct sass_text text;
    const char *at = t->insn.rest;
    if (code->count == INSNS_MAX)
        return traceg_fail(diag, t, NULL, "too many different instructions: at most %d", INSNS_MAX);
    TRY(read_middle(diag, code, t, &at, &text));
    const char *tail = at;
    while (at > t->insn.rest && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    GROW(code->insns, code->count, code->capacity);
    uint32_t *bucket = &code->buckets[hash(t->insn.pc) & (code->bucket_count - 1)];
    struct code_insn *insn = &code->insns[code->count];
    *insn = (struct code_insn){.pc = t->insn.pc,
                               .length = (uint32_t)(at - t->insn.rest),
                               .chain = *bucket,
                               .next = CODE_NONE,
                               .previous = CODE_NONE};
    insn->middle = arena_copy_n(&code->arena, t->insn.rest, insn->length);
    decode(code, t, &text, insn);
    if (insn->flow == SASS_FLOW_BARRIER) set_barrier(&insn->insn, tail);
    if (insn->is_copy_wait) set_groups(&insn->insn, tail);
    *bucket = *out = code->count++;
    if (code->count > code->bucket_count) grow_buckets(code);
    return WS_OK;
}

/* ---- finding --------------------------------------------------------------------------------- */

static inline bool matches(const struct code_insn *insn, const struct traceg *t, size_t room,
                           const char **out_tail)
{
    if (insn->pc != t->insn.pc || insn->length > room) return false;
    if (memcmp(insn->middle, t->insn.rest, insn->length) != 0) return false;
    const char *tail = t->insn.rest + insn->length;
    if (*tail && *tail != ' ' && *tail != '\t') return false;
    *out_tail = tail + strspn(tail, " \t");
    return true;
}

ws_status sass_code_find(struct diag *diag, struct sass_code *code, const struct traceg *t,
                         uint32_t guess, bool add, uint32_t *out, const char **out_tail)
{
    size_t room = t->length - (size_t)(t->insn.rest - t->line);
    *out = guess;
    if (guess < code->count && matches(&code->insns[guess], t, room, out_tail)) return WS_OK;
    *out = code->buckets[hash(t->insn.pc) & (code->bucket_count - 1)];
    for (; *out != CODE_NONE; *out = code->insns[*out].chain)
        if (matches(&code->insns[*out], t, room, out_tail)) return WS_OK;
    if (!add) return traceg_fail(diag, t, NULL, "the file changed while it was read");
    TRY(enter(diag, code, t, out));
    if (matches(&code->insns[*out], t, room, out_tail)) return WS_OK;
    return traceg_fail(diag, t, t->insn.rest, "malformed instruction");
}

/* ---- who follows whom ------------------------------------------------------------------------ */

void sass_code_follow(struct sass_code *code, uint32_t from, uint32_t to)
{
    if (from < code->count) {
        uint32_t *next = &code->insns[from].next;
        if (*next != to) *next = *next == CODE_NONE ? to : CODE_MANY;
    }
    if (to < code->count) {
        uint32_t *previous = &code->insns[to].previous;
        if (*previous != from) *previous = *previous == CODE_NONE ? from : CODE_MANY;
    }
}
