// SPDX-License-Identifier: Apache-2.0
#include "decode/native/line_program.h"

#include <string.h>

#include "base/memory.h"

enum { EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, FIXED_ADVANCE_PC = 9, CONST_ADD_PC = 8 };
enum { END_SEQUENCE = 1, SET_ADDRESS, DEFINE_FILE, INLINED_CALL = 0x90 };

struct place {
    uint32_t file, caller_file, caller_line;
};

struct cursor {
    const uint8_t *start, *at, *end;
    const char *fault;
};

struct program {
    struct cursor in;
    const struct line_reader *reader;
    unsigned version;
    unsigned step, line_range, opcode_base;
    int line_base;
    const uint8_t *operand_counts; /* [opcode_base - 1] */
    struct line_row row;
    int64_t line;
    bool has_address;
    struct place *places; /* of the rows of this sequence */
    uint32_t place_count, place_capacity;
    uint64_t call; /* the row that called, from 1; 0: not inlined */
};

static bool has(struct cursor *in, uint64_t bytes)
{
    if ((uint64_t)(in->end - in->at) >= bytes) return true;
    in->fault = "truncated";
    in->at = in->end;
    return false;
}

static uint64_t fixed(struct cursor *in, unsigned bytes)
{
    uint64_t value = 0;
    if (!has(in, bytes)) return 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | in->at[i];
    in->at += bytes;
    return value;
}

static uint64_t leb(struct cursor *in, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = (uint8_t)fixed(in, 1);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        if (is_signed && (byte & 0x40) && shift + 7 < 64) value |= ~UINT64_C(0) << (shift + 7);
        return value;
    }
}

static const char *text(struct cursor *in)
{
    const uint8_t *begin = in->at;
    const uint8_t *zero = begin < in->end ? memchr(begin, 0, (size_t)(in->end - begin)) : NULL;
    if (!zero) {
        in->fault = "truncated";
        in->at = in->end;
        return "";
    }
    in->at = zero + 1;
    return (const char *)begin;
}

/* ---- header ---------------------------------------------------------------------------------- */

static void read_folders(struct program *p)
{
    while (!p->in.fault) {
        const char *name = text(&p->in);
        if (!*name) break;
        p->reader->add_folder(p->reader->user, name);
    }
}

static void read_file(struct program *p, const char *name)
{
    uint64_t number = leb(&p->in, false);
    leb(&p->in, false);
    leb(&p->in, false);
    if (!p->in.fault) p->reader->add_file(p->reader->user, number, name);
}

static void read_files(struct program *p)
{
    while (!p->in.fault) {
        const char *name = text(&p->in);
        if (!*name) break;
        read_file(p, name);
    }
}

static void read_header(struct program *p)
{
    struct cursor *in = &p->in;
    uint64_t rest = fixed(in, 4);
    if (!has(in, rest)) return;
    const uint8_t *begin = in->at + rest;
    p->step = (unsigned)fixed(in, 1);
    if (p->version >= 4) fixed(in, 1);
    fixed(in, 1);
    p->line_base = (int8_t)fixed(in, 1);
    p->line_range = (unsigned)fixed(in, 1);
    p->opcode_base = (unsigned)fixed(in, 1);
    p->operand_counts = in->at;
    if (p->line_range == 0 || p->opcode_base == 0) {
        in->fault = "malformed header";
        return;
    }
    if (!has(in, p->opcode_base - 1)) return;
    in->at += p->opcode_base - 1;
    p->reader->begin(p->reader->user);
    read_folders(p);
    read_files(p);
    if (in->at > begin) in->fault = "malformed header";
    in->at = begin;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void begin_sequence(struct program *p)
{
    p->row = (struct line_row){.file = 1};
    p->line = 1;
    p->has_address = false;
    p->place_count = 0;
    p->call = 0;
}

static void find_caller(struct program *p)
{
    struct line_row *row = &p->row;
    const struct place *call =
        p->call && p->call <= p->place_count ? &p->places[p->call - 1] : NULL;
    bool is_foreign = call && call->file != row->file;
    row->caller_file = is_foreign ? call->caller_file : row->file;
    row->caller_line = is_foreign ? call->caller_line : row->line;
    GROW(p->places, p->place_count, p->place_capacity);
    p->places[p->place_count++] = (struct place){row->file, row->caller_file, row->caller_line};
}

static void emit(struct program *p, bool is_end)
{
    p->row.line = p->line >= 0 && p->line <= UINT32_MAX ? (uint32_t)p->line : 0;
    p->row.is_end = is_end;
    find_caller(p);
    if (p->has_address) p->reader->add_row(p->reader->user, &p->row);
}

static void run_extended(struct program *p)
{
    struct cursor *in = &p->in;
    uint64_t length = leb(in, false);
    if (length == 0 || !has(in, length)) return;
    const uint8_t *next = in->at + length;
    switch (fixed(in, 1)) {
    case END_SEQUENCE:
        emit(p, true);
        begin_sequence(p);
        break;
    case SET_ADDRESS:
        p->row.address_at = (uint64_t)(in->at - in->start);
        p->row.base = length == 9 ? fixed(in, 8) : fixed(in, 4);
        p->row.distance = 0;
        p->has_address = true;
        break;
    case DEFINE_FILE:
        read_file(p, text(in));
        break;
    case INLINED_CALL: /* NVIDIA's; then the name of the function */
        p->call = leb(in, false);
        break;
    default:
        break;
    }
    if (in->at > next) in->fault = "malformed instruction";
    in->at = next;
}

static void run_standard(struct program *p, unsigned opcode)
{
    struct cursor *in = &p->in;
    switch (opcode) {
    case COPY:
        emit(p, false);
        break;
    case ADVANCE_PC:
        p->row.distance += leb(in, false) * p->step;
        break;
    case ADVANCE_LINE:
        p->line = (int64_t)((uint64_t)p->line + leb(in, true));
        break;
    case SET_FILE:
        p->row.file = (uint32_t)leb(in, false);
        break;
    case CONST_ADD_PC:
        p->row.distance += (uint64_t)((255 - p->opcode_base) / p->line_range) * p->step;
        break;
    case FIXED_ADVANCE_PC:
        p->row.distance += fixed(in, 2);
        break;
    default:
        for (unsigned i = 0; i < p->operand_counts[opcode - 1] && !in->fault; i++)
            leb(in, false);
        break;
    }
}

static void run_instruction(struct program *p)
{
    unsigned opcode = (unsigned)fixed(&p->in, 1);
    if (opcode == EXTENDED) {
        run_extended(p);
    } else if (opcode < p->opcode_base) {
        run_standard(p, opcode);
    } else {
        unsigned adjusted = opcode - p->opcode_base;
        p->row.distance += (uint64_t)(adjusted / p->line_range) * p->step;
        p->line = (int64_t)((uint64_t)p->line +
                            (uint64_t)(int64_t)(p->line_base + (int)(adjusted % p->line_range)));
        emit(p, false);
    }
}

const char *line_programs_read(const uint8_t *bytes, size_t size, const struct line_reader *reader)
{
    struct cursor all = {.start = bytes, .at = bytes, .end = bytes + size};
    while (all.at < all.end && !all.fault) {
        uint64_t length = fixed(&all, 4);
        if (all.fault || length == UINT32_MAX || !has(&all, length)) return "truncated";
        struct program p = {.in = {.start = bytes, .at = all.at, .end = all.at + length},
                            .reader = reader};
        all.at += length;
        p.version = (unsigned)fixed(&p.in, 2);
        if (p.version < 2 || p.version > 4) continue;
        read_header(&p);
        begin_sequence(&p);
        while (!p.in.fault && p.in.at < p.in.end)
            run_instruction(&p);
        mem_free(p.places);
        if (p.in.fault) return p.in.fault;
    }
    return all.fault;
}
