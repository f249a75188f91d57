// SPDX-License-Identifier: Apache-2.0
#include "decode/native/picture.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tables ------------------------------------------------------------------------------ */

enum { FIELD_WORDS = 256 };
static const struct {
    const char *name;
    uint8_t width;
    const char *words[FIELD_WORDS];
} fields[] = {
#define FIELD(name, width, ...) {#name, width, {__VA_ARGS__}},
#include "decode/native/fields.def"
#undef FIELD
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

const char *picture_field_word(unsigned field, unsigned value)
{
    return value < FIELD_WORDS ? fields[field].words[value] : NULL;
}

#define F1(a) (1u << (a))
#define F2(a, b) (F1(a) | F1(b))
#define F3(a, b, c) (F2(a, b) | F1(c))
#define F4(a, b, c, d) (F3(a, b, c) | F1(d))
#define F5(a, b, c, d, e) (F4(a, b, c, d) | F1(e))
#define F6(a, b, c, d, e, f) (F5(a, b, c, d, e) | F1(f))
#define F7(a, b, c, d, e, f, g) (F6(a, b, c, d, e, f) | F1(g))
#define PICK(a, b, c, d, e, f, g, name, ...) name
#define F(...) PICK(__VA_ARGS__, F7, F6, F5, F4, F3, F2, F1, 0)(__VA_ARGS__)

static const struct row {
    uint16_t opcode;
    uint8_t forms;
    uint16_t since, until;
    bool is_uniform;
    const char *name, *modifiers, *operands, *fixed;
} rows[] = {
#define ROW(opcode, forms, since, until, name, modifiers, operands, fixed)                         \
    {opcode, forms, since, until, false, name, modifiers, operands, fixed},
#define UROW(opcode, forms, since, until, name, modifiers, operands, fixed)                        \
    {opcode, forms, since, until, true, name, modifiers, operands, fixed},
#include "decode/native/rows.def"
#undef ROW
#undef UROW
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* ---- reading one row ------------------------------------------------------------------------- */

struct reader {
    const struct row *row;
    unsigned form;
    const char *at;
    struct picture *out;
    bool has_uniform_slot;
    char *fault;
};

static void complain(struct reader *r, const char *what)
{
    if (*r->fault) return;
    snprintf(r->fault, sizeof((struct pictures *)0)->fault, "%s (%#x): %s at '%.40s'", r->row->name,
             r->row->opcode, what, r->at);
}

static bool take(struct reader *r, char c)
{
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static void skip_spaces(struct reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static unsigned take_number(struct reader *r)
{
    char *end;
    if (!is_digit(*r->at)) {
        complain(r, "a number is missing");
        return 0;
    }
    unsigned long value = strtoul(r->at, &end, 10);
    r->at = end;
    return (unsigned)value;
}

static void cover(struct picture *out, unsigned at, unsigned width)
{
    for (unsigned i = at; i < at + width && i < 128; i++)
        *(i < 64 ? &out->covered.low : &out->covered.high) |= UINT64_C(1) << (i % 64);
}

static struct bit_place place_at(struct reader *r, unsigned at, unsigned width)
{
    if (at + width > 128) complain(r, "beyond bit 127");
    cover(r->out, at, width);
    return (struct bit_place){.at = (uint8_t)at, .width = (uint8_t)width};
}

/* `80`, `80:2`, `80+77+91` or `16:8+34:48`; `width`: if none is told. */
static struct bit_place take_place(struct reader *r, unsigned width)
{
    unsigned at = take_number(r);
    bool has_width = take(r, ':');
    if (has_width) width = take_number(r);
    if (*r->at != '+' || !is_digit(r->at[1])) return place_at(r, at, width);
    struct bit_place place = {.piece_count = 1};
    unsigned piece_width = has_width ? width : 1;
    for (;;) {
        struct bit_place piece = place_at(r, at, piece_width);
        place.pieces[place.piece_count - 1].at = piece.at;
        place.pieces[place.piece_count - 1].width = piece.width;
        place.width = (uint8_t)(place.width + piece.width);
        if (*r->at != '+' || !is_digit(r->at[1]) ||
            place.piece_count == sizeof place.pieces / sizeof *place.pieces)
            return place;
        r->at++;
        at = take_number(r);
        piece_width = take(r, ':') ? take_number(r) : 1;
        place.piece_count++;
    }
}

static struct picture_field take_field(struct reader *r)
{
    struct picture_field out = {.field = FIELD_LITERAL};
    size_t length = strcspn(r->at, "@ ,]+?");
    if (r->at[length] != '@') { /* .TEXT */
        snprintf(out.text, sizeof out.text, "%.*s", (int)length, r->at);
        if (length >= sizeof out.text || !length) complain(r, "no such word");
        r->at += length;
        return out;
    }
    for (unsigned i = 0; i < FIELD_COUNT; i++)
        if (!strncmp(fields[i].name, r->at, length) && !fields[i].name[length])
            out.field = (uint8_t)i;
    if (out.field == FIELD_LITERAL) complain(r, "no such field");
    r->at += length + 1;
    out.place = take_place(r, out.field == FIELD_LITERAL ? 1 : fields[out.field].width);
    return out;
}

static void read_modifiers(struct reader *r)
{
    r->at = r->row->modifiers;
    for (skip_spaces(r); *r->at && !*r->fault; skip_spaces(r)) {
        if (r->out->field_count == ROW_FIELDS) {
            complain(r, "too many modifiers");
            return;
        }
        r->out->fields[r->out->field_count++] = take_field(r);
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

struct prefixes {
    bool negate, absolute, invert;
    int negate_at, absolute_at, invert_at; /* -1: the place's own bit */
};

static struct prefixes take_prefixes(struct reader *r)
{
    struct prefixes out = {.negate_at = -1, .absolute_at = -1, .invert_at = -1};
    for (;; r->at++) {
        bool *flag = *r->at == '-'                    ? &out.negate
                     : *r->at == '|'                  ? &out.absolute
                     : *r->at == '~' || *r->at == '!' ? &out.invert
                                                      : NULL;
        if (!flag) return out;
        *flag = true;
        if (!is_digit(r->at[1])) continue;
        int *at = *r->at == '-'   ? &out.negate_at
                  : *r->at == '|' ? &out.absolute_at
                                  : &out.invert_at;
        r->at++;
        *at = (int)take_number(r);
        r->at--;
    }
}

static uint8_t prefix_bit(struct reader *r, bool is_given, int own, unsigned usual)
{
    if (!is_given) return NO_BIT;
    unsigned at = own >= 0 ? (unsigned)own : usual;
    if (at == NO_BIT) {
        complain(r, "this place has no bit for the prefix");
        return NO_BIT;
    }
    cover(r->out, at, 1);
    return (uint8_t)at;
}

/* A register at one of the three places, with the bits that belong to it. */
static void put_register(struct reader *r, const struct prefixes *p, unsigned at, bool is_uniform,
                         struct picture_piece *piece)
{
    unsigned negate = at == 24 ? 72 : at == 32 ? 63 : at == 64 ? 75 : NO_BIT;
    unsigned absolute = at == 24 ? 73 : at == 32 ? 62 : at == 64 ? 74 : NO_BIT;
    piece->kind = is_uniform ? NATIVE_UNIFORM : NATIVE_REGISTER;
    piece->place = place_at(r, at, is_uniform && r->row->until < 100 ? 6 : is_uniform ? 8 : 8);
    piece->negate_at = prefix_bit(r, p->negate, p->negate_at, negate);
    piece->absolute_at = prefix_bit(r, p->absolute, p->absolute_at, absolute);
    piece->invert_at = prefix_bit(r, p->invert, p->invert_at, negate);
    piece->reuse_at = is_uniform ? NO_BIT
                      : at == 24 ? 122
                      : at == 32 ? 123
                      : at == 64 ? 124
                                 : NO_BIT;
}

static void put_constant(struct reader *r, const struct prefixes *p, struct picture_piece *piece)
{
    piece->kind = NATIVE_CONSTANT;
    piece->place = place_at(r, 40, 14); /* in words */
    cover(r->out, 54, 5);
    piece->negate_at = prefix_bit(r, p->negate, p->negate_at, 63);
    piece->absolute_at = prefix_bit(r, p->absolute, p->absolute_at, 62);
    piece->invert_at = prefix_bit(r, p->invert, p->invert_at, 63);
}

static void put_immediate(struct reader *r, char type, struct picture_piece *piece)
{
    piece->kind = type == 'f'   ? NATIVE_F32
                  : type == 'd' ? NATIVE_F64
                  : type == 'h' ? NATIVE_HALVES
                  : type == 'e' ? NATIVE_BF16_HALVES
                  : type == 'H' ? NATIVE_HALF
                  : type == 'E' ? NATIVE_BF16
                                : NATIVE_INTEGER;
    piece->type = type;
    piece->place = place_at(r, 32, 32);
}

/* b, c and w: what the form puts there. */
static void put_slot(struct reader *r, const struct prefixes *p, char letter,
                     struct picture_piece *piece)
{
    char type = *r->at;
    if (!strchr("sufhdeHE", type) || !type) {
        complain(r, "the type of an immediate is missing");
        return;
    }
    r->at++;
    bool c_is_wide = r->form == 2 || r->form == 3 || r->form == 7;
    bool b_is_wide = r->form == 4 || r->form == 5 || r->form == 6;
    bool is_wide = letter == 'w' ? r->form != 1 : letter == 'b' ? b_is_wide : c_is_wide;
    if (!is_wide) {
        unsigned at = letter == 'c' || (letter == 'b' && c_is_wide) ? 64 : 32;
        put_register(r, p, at, r->row->is_uniform, piece);
        /* The second source keeps its bit when the wide operand takes its place. */
        if (!r->row->is_uniform) piece->reuse_at = letter == 'b' ? 123 : 124;
    } else if (r->form == 2 || r->form == 4) {
        put_immediate(r, type, piece);
    } else if (r->form == 3 || r->form == 5) {
        put_constant(r, p, piece);
    } else {
        put_register(r, p, 32, true, piece);
        r->has_uniform_slot = true;
    }
}

static void take_suffix_fields(struct reader *r, uint8_t *count, struct picture_field *out)
{
    while (*r->at == '.' && *count < PIECE_FIELDS) {
        if (strcspn(r->at, "@") < strcspn(r->at, " ,]+?")) r->at++;
        out[(*count)++] = take_field(r);
    }
}

static void take_address(struct reader *r, struct picture_piece *piece)
{
    piece->kind = NATIVE_ADDRESS;
    while (*r->at && *r->at != ']' && piece->part_count < ADDRESS_PARTS && !*r->fault) {
        struct address_part *part = &piece->parts[piece->part_count++];
        part->letter = *r->at++;
        if (!strchr("RUsi", part->letter)) complain(r, "no such part of an address");
        part->place = take_place(r, part->letter == 'R' ? 8 : part->letter == 'U' ? 6 : 24);
        take_suffix_fields(r, &part->field_count, part->fields);
        part->is_always_written = take(r, '!');
        part->is_hidden_default = take(r, '?');
        take(r, '+');
    }
    if (!take(r, ']')) complain(r, "']' is missing");
}

static void take_constant(struct reader *r, const struct prefixes *p, struct picture_piece *piece)
{
    put_constant(r, p, piece);
    piece->place = place_at(r, 38, 16); /* in bytes */
    bool is_uniform = take(r, 'U');
    if (!is_digit(*r->at)) return;
    piece->part_count = 1;
    piece->parts[0].letter = is_uniform ? 'U' : 'R';
    piece->parts[0].place = take_place(r, is_uniform ? 6 : 8);
}

static void take_letter(struct reader *r, const struct prefixes *p, struct picture_piece *piece)
{
    static const struct {
        char letter;
        uint8_t kind, width;
    } numbered[] = {{'P', NATIVE_PREDICATE, 3},         {'N', NATIVE_PREDICATE, 3},
                    {'V', NATIVE_UNIFORM_PREDICATE, 3}, {'W', NATIVE_UNIFORM_PREDICATE, 3},
                    {'B', NATIVE_BARRIER, 4},           {'Q', NATIVE_SCOREBOARD, 3},
                    {'S', NATIVE_SPECIAL, 8},           {'L', NATIVE_TARGET, 48},
                    {'l', NATIVE_TARGET, 48},           {'J', NATIVE_TARGET, 48},
                    {'D', NATIVE_INTEGER, 48},          {'i', NATIVE_INTEGER, 32},
                    {'s', NATIVE_INTEGER, 32},          {'M', NATIVE_SET, 6}};
    char letter = *r->at++;
    piece->role = letter;
    if (letter == 'd' || letter == 'a') {
        put_register(r, p, letter == 'd' ? 16 : 24, r->row->is_uniform, piece);
    } else if (letter == 'b' || letter == 'c' || letter == 'w') {
        put_slot(r, p, letter, piece);
    } else if (letter == 'R' || letter == 'U' || letter == 'r') {
        put_register(r, p, take_number(r), letter == 'U', piece);
        if (letter == 'r') piece->reuse_at = NO_BIT;
    } else if (letter == 'G') {
        piece->kind = NATIVE_DESCRIPTOR;
        piece->place = take_place(r, 6);
    } else if (letter == 'K') {
        take_constant(r, p, piece);
    } else if (letter == '[') {
        take_address(r, piece);
    } else if (letter == 'T') {
        piece->kind = NATIVE_WORDS;
        skip_spaces(r);
        piece->fields[piece->field_count++] = take_field(r);
    } else {
        unsigned i = 0, count = sizeof numbered / sizeof *numbered;
        while (i < count && numbered[i].letter != letter)
            i++;
        if (i == count) {
            complain(r, "no such operand");
            return;
        }
        piece->kind = numbered[i].kind;
        piece->type = letter;
        piece->place = take_place(r, numbered[i].width);
        bool is_predicate = letter == 'P' || letter == 'N' || letter == 'V' || letter == 'W';
        piece->is_complemented = letter == 'N' || letter == 'W';
        unsigned negation = is_predicate ? piece->place.at + 3u : NO_BIT;
        piece->invert_at = prefix_bit(r, p->invert, p->invert_at, negation);
        piece->negate_at = prefix_bit(r, p->negate, p->negate_at, NO_BIT);
    }
}

static bool is_immediate(const struct picture_piece *piece)
{
    return strchr("bcw", piece->role) && piece->kind >= NATIVE_INTEGER &&
           piece->kind <= NATIVE_BF16;
}

/* An immediate lies where its suffixes would: it has none. */
static void read_suffixes(struct reader *r, struct picture_piece *piece)
{
    struct native_word covered = r->out->covered;
    take_suffix_fields(r, &piece->field_count, piece->fields);
    if (!is_immediate(piece)) return;
    piece->field_count = 0;
    r->out->covered = covered;
}

/* desc[U32], and whether an address follows. */
static bool take_descriptor(struct reader *r, struct picture_piece *piece)
{
    r->at += strlen("desc[U");
    piece->has_descriptor = true;
    piece->descriptor = take_place(r, 6);
    piece->descriptor_follows = take(r, '^');
    if (!take(r, ']')) complain(r, "']' is missing");
    if (*r->at == '[') return true;
    piece->kind = NATIVE_ADDRESS;
    piece->role = '[';
    return false;
}

static void read_operands(struct reader *r)
{
    r->at = r->row->operands;
    for (skip_spaces(r); *r->at && !*r->fault; skip_spaces(r)) {
        if (r->out->piece_count == NATIVE_OPERANDS_MAX) {
            complain(r, "too many operands");
            return;
        }
        struct picture_piece *piece = &r->out->pieces[r->out->piece_count++];
        piece->negate_at = piece->absolute_at = piece->invert_at = piece->reuse_at = NO_BIT;
        struct prefixes prefixes = take_prefixes(r);
        if (strncmp(r->at, "desc[U", 6) != 0 || take_descriptor(r, piece))
            take_letter(r, &prefixes, piece);
        read_suffixes(r, piece);
        piece->is_hidden_default = take(r, '?');
        if (piece->is_hidden_default && is_digit(*r->at))
            piece->default_value = (uint8_t)take_number(r);
        bool has_blank = *r->at == ' ';
        skip_spaces(r);
        if (!*r->at || take(r, ',')) continue;
        piece->is_before_blank = true;
        if (!has_blank) complain(r, "',' is missing");
    }
}

static void read_fixed(struct reader *r)
{
    r->at = r->row->fixed;
    for (skip_spaces(r); *r->at && !*r->fault; skip_spaces(r)) {
        if (r->out->fixed_count == ROW_FIXED) {
            complain(r, "too many fixed bits");
            return;
        }
        struct picture_fixed *fixed = &r->out->fixed[r->out->fixed_count++];
        fixed->place = take_place(r, 1);
        if (!take(r, '=')) complain(r, "'=' is missing");
        if (!strncmp(r->at, "pow2", 4)) {
            fixed->rule = FIXED_POWER_OF_TWO;
            r->at += 4;
        } else if (!strncmp(r->at, "any", 3)) {
            fixed->rule = FIXED_ANY;
            r->at += 3;
        } else {
            fixed->value = take_number(r);
        }
    }
}

/* ---- all rows -------------------------------------------------------------------------------- */

static void read_row(const struct row *row, unsigned form, struct picture *out, char *fault)
{
    struct reader r = {.row = row, .form = form, .out = out, .fault = fault};
    *out = (struct picture){.opcode = (uint16_t)(row->opcode | form << 9),
                            .since = row->since,
                            .until = row->until,
                            .is_uniform = row->is_uniform,
                            .name = row->name,
                            .next = PICTURE_NONE};
    cover(out, 0, 16);
    cover(out, 105, 21);
    read_modifiers(&r);
    read_operands(&r);
    read_fixed(&r);
    /* Bit 91 says that a uniform register is among the operands of these forms. */
    if (r.has_uniform_slot) {
        if (out->fixed_count == ROW_FIXED) complain(&r, "too many fixed bits");
        out->fixed[out->fixed_count++] =
            (struct picture_fixed){.place = place_at(&r, 91, 1), .value = 1};
    }
}

static struct picture items[7 * ROW_COUNT]; /* no row has more forms */
static struct pictures all;

static void read_all(void)
{
    all.items = items;
    for (unsigned i = 0; i < 4096; i++)
        all.first[i] = PICTURE_NONE;
    for (unsigned i = 0; i < ROW_COUNT; i++)
        for (unsigned form = 0; form < 8; form++)
            if (rows[i].forms >> form & 1)
                read_row(&rows[i], form, &all.items[all.count++], all.fault);
    for (uint32_t i = all.count; i-- > 0;) {
        all.items[i].next = all.first[all.items[i].opcode];
        all.first[all.items[i].opcode] = i;
    }
}

const struct pictures *pictures_all(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
    return &all;
}

const char *native_rows_fault(void)
{
    const char *fault = pictures_all()->fault;
    return *fault ? fault : NULL;
}
