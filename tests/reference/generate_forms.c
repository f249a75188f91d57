// SPDX-License-Identifier: Apache-2.0
/* Statements of arithmetic: the templates of generate_forms.def filled with random types, modifiers
 * and operands. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/generate_state.h"

struct form {
    uint32_t weight;
    const char *text;
};
static const struct form forms[] = {
#define FORMS(weight, text) {weight, text},
#include "reference/generate_forms.def"
#undef FORMS
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

enum { REGISTER_CLASSES = 7 };
struct register_class {
    const char *prefix;
    uint32_t count;
};
enum {
    CLASS_HALF,
    CLASS_WORD,
    CLASS_LONG,
    CLASS_SINGLE,
    CLASS_DOUBLE,
    CLASS_PREDICATE,
    CLASS_WIDE
};
static const struct register_class classes[REGISTER_CLASSES] = {
    [CLASS_HALF] = {"%h", HALF_REGISTERS},  [CLASS_WORD] = {"%r", WORD_REGISTERS},
    [CLASS_LONG] = {"%d", LONG_REGISTERS},  [CLASS_SINGLE] = {"%f", SINGLE_REGISTERS},
    [CLASS_WIDE] = {"%w", WIDE_REGISTERS},  [CLASS_DOUBLE] = {"%fd", DOUBLE_REGISTERS},
    [CLASS_PREDICATE] = {"%p", PREDICATES},
};

enum { SUFFIX_MAX = 12, TYPES_MAX = 3 };
struct statement {
    struct generator *g;
    struct strbuf text;
    char types[TYPES_MAX][SUFFIX_MAX]; /* "u32" */
    unsigned type_count;
    uint32_t written[REGISTER_CLASSES]; /* destinations of this instruction: they must differ */
};

/* ---- constants ------------------------------------------------------------------------------- */

/* Parts of which integers and floats are made. Halves of 64-bit values may be special by themselves. */
static const uint64_t special_words[] = {
    0,          1,          2,          3,          31,         32,         33,         63,
    64,         127,        128,        255,        256,        0x7fff,     0x8000,     0xffff,
    0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x00000010, 0xffffff00,
    0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x007fffff, 0x00800000,
    0x80800000, 0x807fffff, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x3fc00000, 0x4b000000, 0x4b800001,
    0x4f000000, 0x4effffff, 0xcf000000, 0x5f000000, 0x3c003c00, 0x7c007bff, 0x80010001, 0x33800000,
};
static const uint64_t special_longs[] = {
    0,
    1,
    UINT64_MAX,
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_C(0x00000000ffffffff),
    UINT64_C(0xffffffff00000000),
    UINT64_C(0x0000000100000000),
    UINT64_C(0x3ff0000000000000), /* 1 */
    UINT64_C(0xbff0000000000000),
    UINT64_C(0x7ff0000000000000), /* infinity */
    UINT64_C(0xfff0000000000000),
    UINT64_C(0x7ff8000000000000), /* NaN */
    UINT64_C(0x7ff8000000000003),
    UINT64_C(0xfff4000000000002), /* signalling */
    UINT64_C(0x7ff0000000000001),
    UINT64_C(0x000fffffffffffff), /* greatest subnormal */
    UINT64_C(0x0010000000000000),
    UINT64_C(0x8000000000000001),
    UINT64_C(0x7fefffffffffffff), /* greatest finite */
    UINT64_C(0x3fe0000000000000), /* 0.5 */
    UINT64_C(0xc004000000000000), /* -2.5 */
    UINT64_C(0x41dfffffffe00000), /* 2^31 - 0.5 */
    UINT64_C(0xc1e0000000100000),
    UINT64_C(0x43e0000000000000), /* 2^63 */
    UINT64_C(0x43f0000000000000), /* 2^64 */
    UINT64_C(0x47efffffe0000000), /* greatest f32 */
    UINT64_C(0x47effffff0000000), /* half a place above it */
    UINT64_C(0x36a0000000000000), /* least subnormal f32 */
    UINT64_C(0x3690000000000000), /* half of it */
    UINT64_C(0x3ca0000000000000), /* 2^-53 */
};

static uint64_t random_long(uint64_t *state)
{
    /* SplitMix64 (Steele, Lea, Flood 2014). */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t pick(struct generator *g, uint32_t count)
{
    return (uint32_t)((random_long(&g->random) >> 32) * count >> 32);
}

bool chance(struct generator *g, unsigned percent)
{
    return pick(g, 100) < percent;
}

/* A float of moderate size, so that sums and products do not all overflow. */
static uint64_t moderate_float(uint64_t random)
{
    double value = ((double)(random >> 40) - 0x1p23) / (double)(1u << (random & 15)) / 64;
    float single = (float)value;
    uint64_t bits;
    uint32_t word;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&word, &single, sizeof word);
    return random & 16 ? bits : word;
}

uint64_t program_random_bits(uint64_t *state)
{
    uint64_t random = random_long(state), kind = random_long(state) % 8;
    uint64_t word = special_words[random % (sizeof special_words / sizeof *special_words)];
    switch (kind) {
    case 0:
    case 1:
        return word;
    case 2:
        return special_longs[random % (sizeof special_longs / sizeof *special_longs)];
    case 3:
        return special_words[(random >> 32) % (sizeof special_words / sizeof *special_words)]
                   << 32 |
               word;
    case 4:
    case 5:
        return moderate_float(random);
    case 6:
        return random % 100;
    default:
        return random;
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool is_packed(const char *type)
{
    return strchr(type, 'x') != NULL;
}

/* Of a register of the type; of both elements if it is packed. */
static unsigned bits_of(const char *type)
{
    unsigned bits = (unsigned)strtoul(type + strcspn(type, "0123456789"), NULL, 10);
    return is_packed(type) ? 2 * bits : bits;
}

/* f32, f64: they have registers and constants of their own. */
static bool is_float(const char *type)
{
    return *type == 'f' && bits_of(type) > 16 && !is_packed(type);
}

static unsigned class_of(struct generator *g, const char *type)
{
    unsigned bits = bits_of(type);
    if (bits <= 16) return CLASS_HALF;
    if (bits == 64) return is_float(type) && chance(g, 70) ? CLASS_DOUBLE : CLASS_LONG;
    return is_float(type) && chance(g, 70) ? CLASS_SINGLE : CLASS_WORD;
}

static void put_register(struct statement *s, unsigned class, bool is_destination)
{
    uint32_t at;
    do
        at = pick(s->g, classes[class].count);
    while (is_destination && s->written[class] >> at & 1);
    if (is_destination) s->written[class] |= 1u << at;
    strbuf_printf(&s->text, "%s%u", classes[class].prefix, at);
}

static void put_constant(struct statement *s, const char *type)
{
    unsigned bits = bits_of(type);
    uint64_t value = program_random_bits(&s->g->random);
    if (bits < 64) value &= (UINT64_C(1) << bits) - 1;
    if (is_float(type))
        strbuf_printf(&s->text, bits == 64 ? "0d%016llX" : "0f%08llX", (unsigned long long)value);
    else
        strbuf_printf(&s->text, "0x%llx", (unsigned long long)value);
}

static void put_source(struct statement *s, const char *type)
{
    bool may_be_constant = is_float(type) || (!is_packed(type) && !strchr(type, 'f'));
    if (may_be_constant && chance(s->g, 20))
        put_constant(s, type);
    else
        put_register(s, class_of(s->g, type), false);
}

/* An amount of bits: mostly near the widths. */
static void put_amount(struct statement *s)
{
    static const unsigned amounts[] = {0, 1, 4, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255};
    if (chance(s->g, 50))
        put_register(s, CLASS_WORD, false);
    else
        strbuf_printf(&s->text, "%u", amounts[pick(s->g, sizeof amounts / sizeof *amounts)]);
}

static const char *doubled(const char *type)
{
    static const char *const wide[4] = {"u32", "s32", "u64", "s64"};
    return wide[(bits_of(type) == 32) * 2 + (*type == 's')];
}

/* cvt: a register at least as wide as the type. */
static void put_wide_register(struct statement *s, const char *type, bool is_destination)
{
    unsigned class = class_of(s->g, type);
    if (!is_float(type) && class == CLASS_HALF && chance(s->g, 50)) class = CLASS_WORD;
    if (!is_float(type) && class == CLASS_WORD && chance(s->g, 25)) class = CLASS_LONG;
    put_register(s, class, is_destination);
}

static void put_predicates(struct statement *s)
{
    put_register(s, CLASS_PREDICATE, true);
    if (!chance(s->g, 30)) return;
    strbuf_putc(&s->text, '|');
    put_register(s, CLASS_PREDICATE, true);
}

/* Letters whose operand depends on the types of the statement. False: it is none of them. */
static bool put_typed(struct statement *s, char letter)
{
    const char *first = s->types[0], *second = s->types[1];
    switch (letter) {
    case 'T':
        strbuf_printf(&s->text, ".%s", first);
        return true;
    case '_':
        if (bits_of(first) >= 32 && chance(s->g, 15)) {
            strbuf_putc(&s->text, '_');
            return true;
        }
        /* fall through */
    case 'd':
    case 'r':
        put_register(s, class_of(s->g, first), letter != 'r');
        return true;
    case 's':
    case 't':
        put_source(s, letter == 's' ? first : second);
        return true;
    case 'o':
        put_register(s, class_of(s->g, second), false);
        return true;
    case 'c':
    case 'C':
        put_wide_register(s, letter == 'c' ? first : second, letter == 'c');
        return true;
    case 'w':
        put_register(s, class_of(s->g, doubled(first)), true);
        return true;
    case 'W':
        put_source(s, doubled(first));
        return true;
    default:
        return false;
    }
}

/* Letters of one register class. False: it is none of them. */
static bool put_plain_register(struct statement *s, char letter)
{
    static const struct {
        char letter;
        uint8_t class;
        bool is_destination;
    } letters[] = {
        {'v', CLASS_WORD, true},      {'X', CLASS_WORD, true},       {'x', CLASS_WORD, false},
        {'H', CLASS_HALF, true},      {'h', CLASS_HALF, false},      {'L', CLASS_LONG, true},
        {'l', CLASS_LONG, false},     {'Z', CLASS_WIDE, true},       {'z', CLASS_WIDE, false},
        {'p', CLASS_PREDICATE, true}, {'k', CLASS_PREDICATE, false},
    };
    for (unsigned i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter) {
            put_register(s, letters[i].class, letters[i].is_destination);
            return true;
        }
    return false;
}

static void put_operand(struct statement *s, char letter)
{
    struct generator *g = s->g;
    if (put_typed(s, letter) || put_plain_register(s, letter)) return;
    switch (letter) {
    case 'u':
        put_source(s, "b32");
        break;
    case 'f':
        put_source(s, "f32");
        break;
    case 'a':
        put_amount(s);
        break;
    case 'P':
        put_predicates(s);
        break;
    case 'q':
        if (chance(g, 40)) strbuf_putc(&s->text, '!');
        put_register(s, CLASS_PREDICATE, false);
        break;
    default: /* i, b */
        strbuf_printf(&s->text, "%u", pick(g, letter == 'i' ? 256 : 32));
        break;
    }
}

/* ---- templates ------------------------------------------------------------------------------- */

/* One of the parts of a list that ends with `end`; returns what follows the list. */
static const char *choose(struct generator *g, const char *list, char separator, char end,
                          const char **part, size_t *length)
{
    const char *close = strchr(list, end);
    uint32_t count = 1;
    for (const char *c = list; c < close; c++)
        count += *c == separator;
    uint32_t chosen = pick(g, count);
    const char *start = list;
    for (; chosen; start++)
        chosen -= *start == separator;
    *part = start;
    *length = 0;
    while (start[*length] != separator && start + *length < close)
        (*length)++;
    return close + 1;
}

static bool begins_types(const char *text)
{
    size_t letters = strspn(text + 1, "ubsf");
    return letters && text[1 + letters] >= '0' && text[1 + letters] <= '9';
}

static const char *put_choice(struct statement *s, const char *text)
{
    const char *part;
    size_t length;
    if (*text == '<') {
        const char *rest = choose(s->g, text + 1, '|', '>', &part, &length);
        strbuf_append(&s->text, part, length);
        return rest;
    }
    const char *rest = choose(s->g, text + 1, ' ', '}', &part, &length);
    char *type = s->types[s->type_count++];
    snprintf(type, SUFFIX_MAX, "%.*s", (int)length, part);
    strbuf_printf(&s->text, ".%s", type);
    return rest;
}

static void flush_statement(struct statement *s, uint32_t group, const char *guard)
{
    add_line(s->g, group, "%s%s;", guard, s->text.data);
    strbuf_clear(&s->text);
    memset(s->written, 0, sizeof s->written);
}

static void expand(struct statement *s, const char *text, uint32_t group, const char *guard)
{
    while (*text) {
        if (*text == '$') {
            put_operand(s, text[1]);
            text += 2;
        } else if (*text == '<' || (*text == '{' && begins_types(text))) {
            text = put_choice(s, text);
        } else if (*text == ';') {
            flush_statement(s, group, guard);
            text++;
        } else {
            strbuf_putc(&s->text, *text++);
        }
    }
    flush_statement(s, group, guard);
    strbuf_clear(&s->text);
}

void add_template(struct generator *g, uint32_t group, const char *guard, const char *format, ...)
{
    struct statement s = {.g = g};
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    expand(&s, text.data, group, guard);
    strbuf_clear(&text);
}

void random_guard(struct generator *g, char *guard)
{
    *guard = '\0';
    if (!chance(g, 15)) return;
    snprintf(guard, GUARD_BYTES, "@%s%%p%u ", chance(g, 50) ? "!" : "", pick(g, PREDICATES));
}

/* A step of the division of 128-bit integers as nvcc 13 inlines it: a product is subtracted from the
 * remainder, and the divisor added back where the chain left no carry, which says that it was too great. */
void add_division_step(struct generator *g)
{
    uint32_t group = new_group(g);
    add_template(g, group, "",
                 "mad.lo.cc.u32 %%x1, $x, $x, 0;madc.hi.u32 %%x2, $x, $x, 0;"
                 "mad.lo.cc.u32 %%x2, $x, $x, %%x2;madc.hi.u32 %%x3, $x, $x, 0;"
                 "sub.cc.u32 %%x1, $x, %%x1;subc.cc.u32 %%x2, $x, %%x2;"
                 "subc.cc.u32 %%x3, $x, %%x3;addc.u32 %%x4, 0, 0;setp.eq.u32 %%q1, %%x4, 0");
    add_template(g, group, "@%q1 ",
                 "add.cc.u32 %%x1, %%x1, $x;addc.cc.u32 %%x2, %%x2, $x;addc.u32 %%x3, %%x3, 0");
    add_template(g, group, "", "mov.b64 $L, {%%x1, %%x2};mov.u32 $X, %%x3");
}

/* Sums, differences and products of 128 bits. */
void add_wide_arithmetic(struct generator *g)
{
    static const char *const templates[] = {
        "<add|sub>.cc.u64 %y0, $l, $l;<addc|subc>.cc.u64 %y1, $l, $l;<addc|subc>.s64 %y2, $l, "
        "$l",
        "mul.lo.u64 %y0, %d0, %d1;mul.hi.u64 %y1, %d0, %d1;mad.lo.u64 %y1, $l, %d1, %y1;"
        "mad.lo.u64 %y1, %d0, $l, %y1;mov.u64 %y2, $l",
        "mad.lo.cc.u64 %y0, $l, $l, $l;madc.hi.cc.u64 %y1, $l, $l, $l;<addc|subc>.u64 %y2, $l, "
        "0",
    };
    uint32_t group = new_group(g);
    add_template(g, group, "", "%s", templates[pick(g, sizeof templates / sizeof *templates)]);
    add_template(g, group, "", "mov.b64 $L, %%y0;mov.b64 $L, %%y1;xor.b64 $L, %%y2, $l");
}

void add_arithmetic(struct generator *g)
{
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < FORM_COUNT; i++)
        total += forms[i].weight;
    uint32_t chosen = pick(g, total);
    while (chosen >= forms[at].weight)
        chosen -= forms[at++].weight;
    char guard[GUARD_BYTES];
    random_guard(g, guard);
    struct statement s = {.g = g};
    expand(&s, forms[at].text, new_group(g), guard);
}
