// SPDX-License-Identifier: Apache-2.0
#include "hostile_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hostile_program.h"

/* ---- bytes in, text out ---------------------------------------------------------------------- */

unsigned take(struct writer *w)
{
    if (!w->left) return 0;
    w->left--;
    return *w->data++;
}

unsigned below(struct writer *w, unsigned count)
{
    return take(w) % count;
}

uint64_t take_word(struct writer *w)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value = value << 8 | take(w);
    return value;
}

void put(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = HOSTILE_TEXT_BYTES - w->length;
    int length = vsnprintf(w->text + w->length, room, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < room); /* statements stop long before */
    w->length += (size_t)length;
}

uint64_t odd_number(struct writer *w)
{
    static const uint64_t numbers[] = {
        0,          1,          2,          4,          8,          12,
        16,         24,         32,         64,         96,         100,
        128,        4088,       4092,       4095,       4096,       4097,
        0x7fffffff, 0x80000000, 0xffffffff, 0x01000000, 0x01fffff8, 0x02000000,
        0x07fffffc, 0x08000000, 0x0ffffff8, 0x10000000, 0x0fffffff, 0x40000000,
    };
    static const uint64_t steps[] = {
        UINT64_C(0x7777777777777778), UINT64_C(0x8000000000000000), UINT64_C(0x4000000000000000),
        UINT64_C(0x1111111111111110), UINT64_C(0x0842108421084210), UINT64_C(0x7fffffffffffffff),
        UINT64_C(0xfffffffffffffff8), UINT64_C(0x2000000000000004), UINT64_C(0x1000000000000000),
        UINT64_C(0xffffffff00000000), UINT64_C(0x0000100000000000), UINT64_C(0x03ffffffffffffff),
    };
    unsigned kind = below(w, 8);
    if (kind < 3) return numbers[below(w, sizeof numbers / sizeof *numbers)];
    if (kind < 5) return 0 - numbers[below(w, sizeof numbers / sizeof *numbers)];
    if (kind < 7) return steps[below(w, sizeof steps / sizeof *steps)];
    return take_word(w);
}

unsigned label(struct writer *w)
{
    return w->labels++;
}

void guard(struct writer *w)
{
    unsigned kind = below(w, 4);
    if (kind == 2) put(w, "@%%p%u ", below(w, PREDICATES));
    if (kind == 3) put(w, "@!%%p%u ", below(w, PREDICATES));
}

/* ---- addresses ------------------------------------------------------------------------------- */

const char *const hostile_spaces[SPACES] = {".global", ".shared", ".local", ".const", ""};

struct place base_address(struct writer *w, bool reads)
{
    enum space space = (enum space)below(w, reads ? SPACES : CONST + 2);
    if (!reads && space == CONST) space = GENERIC;
    enum space real = space == GENERIC ? (enum space)below(w, 3) : space;
    struct place place = {space, 0};
    switch (real) {
    case GLOBAL: {
        bool in_kernel = w->inside < 0;
        unsigned which = below(w, 3);
        if (which == 2 || !in_kernel)
            put(w, "mov.u64 %%a0, g0;\n");
        else
            put(w, "ld.param.u64 %%a0, [p%u];\n", which);
        place.bytes = which == 2 || !in_kernel ? w->global_bytes
                      : which                  ? HOSTILE_SMALL_BYTES
                                               : HOSTILE_BUFFER_BYTES;
        break;
    }
    case SHARED:
        put(w, "mov.u64 %%a0, s0;\n");
        place.bytes = w->shared_bytes;
        break;
    case LOCAL:
        put(w, "mov.u64 %%a0, l0;\n");
        place.bytes = w->local_bytes;
        break;
    default:
        put(w, "mov.u64 %%a0, c0;\n");
        place.bytes = w->const_bytes;
        break;
    }
    if (space == GENERIC && real != GLOBAL)
        put(w, "cvta%s.u64 %%a0, %%a0;\n", hostile_spaces[real]);
    return place;
}

/* %a1 = what a lane adds: a step, one for each half, powers, anything. */
static void lane_offset(struct writer *w)
{
    switch (below(w, 7)) {
    case 0:
        put(w, "mov.u64 %%a1, 0;\n");
        break;
    case 1:
        put(w, "mul.lo.u64 %%a1, %%lane, %" PRIu64 ";\n", odd_number(w));
        break;
    case 2:
        put(w, "and.b64 %%a1, %%lane, 15;\nmul.lo.u64 %%a1, %%a1, %" PRIu64 ";\n", odd_number(w));
        break;
    case 3:
        put(w, "and.b64 %%a1, %%lane, 15;\nmul.lo.u64 %%a1, %%a1, %" PRIu64 ";\n", odd_number(w));
        put(w, "and.b64 %%a2, %%lane, 16;\nmad.lo.u64 %%a1, %%a2, %" PRIu64 ", %%a1;\n",
            odd_number(w));
        break;
    case 4:
        put(w, "mul.lo.u64 %%a1, %%lane, %%lane;\nmul.lo.u64 %%a1, %%a1, %" PRIu64 ";\n",
            odd_number(w));
        break;
    case 5:
        put(w, "xor.b64 %%a1, %%lane, %u;\nshl.b64 %%a1, %%a1, %u;\n", below(w, 32), below(w, 64));
        break;
    default:
        put(w, "mov.b64 %%a1, %%d%u;\n", below(w, LONGS));
        break;
    }
}

/* %a0 = an address for `width` bytes; returns what is to be added to it in the instruction. Three of
 * four are tame: folded into the variable, and aligned. */
static int64_t finish_address(struct writer *w, struct place place, unsigned width)
{
    bool tame = below(w, 4) != 3 && place.bytes >= 2 * width;
    lane_offset(w);
    if (!tame) {
        put(w, "add.u64 %%a0, %%a0, %%a1;\n");
        if (below(w, 2)) put(w, "add.u64 %%a0, %%a0, %" PRIu64 ";\n", odd_number(w));
        return below(w, 2) ? (int64_t)(int32_t)odd_number(w) : 0;
    }
    unsigned most = 1;
    while (2 * most + width <= place.bytes)
        most *= 2;
    put(w, "and.b64 %%a1, %%a1, %u;\nadd.u64 %%a0, %%a0, %%a1;\n", (most - 1) & ~(width - 1));
    if (below(w, 4) || place.bytes % width) return 0;
    put(w, "sub.u64 %%a0, %%a0, %u;\n", width);
    return (int64_t)width;
}

/* ---- statements ------------------------------------------------------------------------------ */

void arithmetic(struct writer *w)
{
    static const char *const words[] = {
        "add.u32", "sub.u32", "mul.lo.u32", "and.b32",    "or.b32",      "xor.b32",     "min.s32",
        "max.u32", "shl.b32", "shr.s32",    "add.cc.u32", "addc.cc.u32", "mul24.lo.u32"};
    static const char *const longs[] = {"add.u64", "sub.u64", "mul.lo.u64", "and.b64",
                                        "or.b64",  "xor.b64", "min.s64",    "max.u64"};
    unsigned word = below(w, WORDS), wide = below(w, LONGS);
    switch (below(w, 8)) {
    case 0:
    case 1:
        guard(w);
        put(w, "%s %%r%u, %%r%u, %%r%u;\n", words[below(w, sizeof words / sizeof *words)], word,
            below(w, WORDS), below(w, WORDS));
        break;
    case 2:
        guard(w);
        put(w, "%s %%d%u, %%d%u, %%d%u;\n", longs[below(w, sizeof longs / sizeof *longs)], wide,
            below(w, LONGS), below(w, LONGS));
        break;
    case 3:
        put(w, "mov.b64 %%d%u, %" PRIu64 ";\n", wide, odd_number(w));
        break;
    case 4:
        put(w, "setp.%s.u32 %%p%u, %%r%u, %u;\n", below(w, 2) ? "lt" : "ne", below(w, PREDICATES),
            word, take(w));
        break;
    case 5:
        put(w, "cvt.%s.u32 %%d%u, %%r%u;\n", below(w, 2) ? "u64" : "s64", wide, word);
        break;
    case 6:
        put(w, "cvt.u32.u64 %%r%u, %%d%u;\n", word, wide);
        break;
    default:
        put(w, "mov.u32 %%r%u, %s;\n", word, below(w, 2) ? "%tid.x" : "%ctaid.x");
        break;
    }
}

void load_or_store(struct writer *w)
{
    static const char *const types[] = {"u8", "s16", "b32", "b64", "s8", "u16"};
    static const unsigned widths[] = {1, 2, 4, 8, 1, 2};
    bool reads = below(w, 2);
    unsigned type = below(w, 6), vector = 1u << below(w, 3);
    if (vector * widths[type] > 16) vector = 1;
    struct place place = base_address(w, reads);
    int64_t offset = finish_address(w, place, widths[type] * vector);
    const char *kind = place.space == GLOBAL || place.space == SHARED || place.space == GENERIC
                           ? below(w, 4) ? "" : ".volatile"
                           : "";
    char letter = widths[type] == 8 ? 'd' : widths[type] == 4 ? 'r' : 'h';
    unsigned room = letter == 'd' ? LONGS : letter == 'r' ? WORDS : HALVES;
    unsigned first = below(w, room - vector + 1);
    char list[64] = "";
    for (unsigned i = 0; i < vector; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%%%c%u", i ? ", " : "", letter,
                 first + i);
    char form[16] = "";
    if (vector > 1) snprintf(form, sizeof form, ".v%u", vector);
    const char *open = vector > 1 ? "{" : "", *close = vector > 1 ? "}" : "";
    guard(w);
    if (reads)
        put(w, "ld%s%s%s.%s %s%s%s, [%%a0+%" PRId64 "];\n", kind, hostile_spaces[place.space], form,
            types[type], open, list, close, offset);
    else
        put(w, "st%s%s%s.%s [%%a0+%" PRId64 "], %s%s%s;\n", kind, hostile_spaces[place.space], form,
            types[type], offset, open, list, close);
}

void atomic(struct writer *w)
{
    static const char *const operations[] = {"add.u32", "min.s32", "exch.b32", "inc.u32",
                                             "xor.b32", "cas.b32", "dec.u32",  "max.u32"};
    static const char *const wide[] = {"add.u64", "max.s64", "exch.b64", "cas.b64"};
    bool is_wide = below(w, 2), returns = below(w, 2);
    const char *operation = is_wide ? wide[below(w, 4)] : operations[below(w, 8)];
    struct place place = base_address(w, false);
    while (place.space == LOCAL || (place.space == GENERIC && below(w, 2)))
        place = base_address(w, false), w->left -= w->left > 0;
    if (place.space == LOCAL) return;
    int64_t offset = finish_address(w, place, is_wide ? 8 : 4);
    char letter = is_wide ? 'd' : 'r';
    bool compares = !strncmp(operation, "cas", 3),
         red = !returns && !compares && strncmp(operation, "exch", 4) != 0;
    guard(w);
    put(w, "%s%s.%s ", red ? "red" : "atom", hostile_spaces[place.space], operation);
    if (!red) put(w, "%%%c%u, ", letter, below(w, WORDS));
    put(w, "[%%a0+%" PRId64 "], %%%c%u", offset, letter, below(w, WORDS));
    if (compares) put(w, ", %%%c%u", letter, below(w, WORDS));
    put(w, ";\n");
}

void together(struct writer *w)
{
    unsigned word = below(w, WORDS), other = below(w, WORDS);
    switch (below(w, 9)) {
    case 0:
        put(w, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %%r%u, %u, %d;\n",
            below(w, 2) ? "idx" : "bfly", word, below(w, PREDICATES), other, below(w, WORDS),
            take(w) & 31, -1);
        break;
    case 1:
        put(w, "vote.sync.ballot.b32 %%r%u, %%p%u, -1;\n", word, below(w, PREDICATES));
        break;
    case 2:
        put(w, "bar.sync %u;\n", below(w, 2));
        break;
    case 3:
        put(w, "bar.warp.sync %d;\n", below(w, 2) ? -1 : 0xffff);
        break;
    case 4: {
        unsigned bytes = 4u << below(w, 3);
        struct place place = {GLOBAL, HOSTILE_BUFFER_BYTES};
        put(w, "mov.u64 %%a0, g0;\n");
        place.bytes = w->global_bytes;
        int64_t offset = finish_address(w, place, bytes);
        put(w, "mov.u64 %%a3, %%a0;\nmov.u64 %%a0, s0;\n");
        place.bytes = w->shared_bytes;
        int64_t to = finish_address(w, place, bytes);
        put(w, "cp.async.ca.shared.global [%%a0+%" PRId64 "], [%%a3+%" PRId64 "], %u;\n", to,
            offset, bytes);
        put(w, "cp.async.wait_all;\n");
        break;
    }
    case 5: {
        struct place place = {SHARED, w->shared_bytes};
        put(w, "mov.u64 %%a0, s0;\n");
        int64_t offset = finish_address(w, place, 16);
        put(w,
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r0,%%r1,%%r2,%%r3}, [%%a0+%" PRId64 "];\n",
            offset);
        break;
    }
    case 6:
        put(w, "match.any.sync.b32 %%r%u, %%r%u, -1;\n", word, other);
        break;
    case 7:
        put(w, "redux.sync.add.u32 %%r%u, %%r%u, -1;\n", word, other);
        break;
    default:
        if (w->inside < 0)
            put(w, "ld.param.u64 %%a0, [p%u];\n", below(w, 8) ? 2 : 3);
        else
            put(w, "mov.u64 %%a0, %" PRIu64 ";\n", odd_number(w));
        put(w, "tex.1d.v4.s32.s32 {%%r0,%%r1,%%r2,%%r3}, [%%a0, {%%r%u}];\n", word);
        break;
    }
}
