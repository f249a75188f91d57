// SPDX-License-Identifier: Apache-2.0
/* A two-dimensional convolution in the space of a tuner, as nvcc 13 compiles it for one configuration:
 * filter and tile are unrolled, the filter lies in constant memory.
 *
 * A block of block_x x block_y threads computes tile_x x tile_y points a thread, which lie block_x and
 * block_y apart. With a pitch the block first copies its input to shared memory, rows `pitch` floats
 * apart. The image is padded by half a filter on each side. Where the grid does not divide the image,
 * stores and loads of the input are tested; else none is. Equal loads of one thread are made once, but
 * for those through the read-only path, which nvcc takes for opaque, and tested ones. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/validate/generator.h"

enum parameter {
    WIDTH,
    HEIGHT,
    FILTER,
    BLOCK_X,
    BLOCK_Y,
    TILE_X,
    TILE_Y,
    READ_ONLY,
    PITCH,
    PARAMETER_COUNT
};

enum {
    FLOAT = 4,
    THREADS_MAX = 1024, /* of a block */
    /* With tests nvcc unrolls the rows of the filter if the thread has at most so many points ... */
    POINTS_UNROLLED = 9,
    ROWS_UNROLLED = 4,  /* ... else so many of them */
    COPIES_UNROLLED = 4 /* of a row that is copied to shared memory */
};

struct convolution {
    unsigned width, height, filter, block_x, block_y, tile_x, tile_y, pitch;
    bool read_only, has_tests;
    unsigned input_width, input_height; /* of the padded image */
    unsigned copied_x, copied_y;        /* inputs of a block */
    unsigned span_x, span_y;            /* inputs from a thread's first point on */
};

/* Registers by number: %f, %p, %r, %rd. */
struct writer {
    const struct convolution *c;
    FILE *out;
    unsigned floats, predicates, words, longs, labels;
    unsigned tx, ty, x0, y0;        /* threadIdx, first point of the block */
    unsigned x, y;                  /* first point of the thread */
    unsigned input, output;         /* addresses */
    unsigned *values, *sums;        /* values: loaded inputs or their addresses, 0: none yet */
    unsigned *row_out, *column_out; /* predicates: beyond the padded image */
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputc('\t', w->out);
    vfprintf(w->out, format, args);
    fputs(";\n", w->out);
    va_end(args);
}

static void put_label(struct writer *w, unsigned label)
{
    fprintf(w->out, "$L%u:\n", label);
}

static const char *load_of(const struct convolution *c)
{
    return c->read_only ? "ld.global.nc.f32" : "ld.global.f32";
}

/* ---- the block's input to shared memory -------------------------------------------------------- */

struct copying {
    unsigned column;             /* of this thread; tx at first */
    unsigned global, shared;     /* addresses of (row, column) */
    unsigned row_beyond, left_x; /* predicate; x of the column in the image */
    unsigned done;               /* label: the next row */
};

/* One input, `step` blocks to the right of the column. */
static void put_copy(struct writer *w, const struct copying *copy, unsigned step)
{
    const struct convolution *c = w->c;
    unsigned bytes = step * c->block_x * FLOAT, skip = ++w->labels, value = ++w->floats;
    unsigned address = copy->global;
    if (c->has_tests) {
        unsigned x = copy->left_x, beyond = ++w->predicates, either = ++w->predicates;
        if (step)
            put(w, "add.s32 %%r%u, %%r%u, %u", x = ++w->words, copy->left_x, step * c->block_x);
        put(w, "setp.gt.s32 %%p%u, %%r%u, %u", beyond, x, c->input_width - 1);
        put(w, "or.pred %%p%u, %%p%u, %%p%u", either, copy->row_beyond, beyond);
        put(w, "@%%p%u bra $L%u", either, skip);
    }
    if (c->read_only && step)
        put(w, "add.s64 %%rd%u, %%rd%u, %u", address = ++w->longs, copy->global, bytes);
    put(w, "%s %%f%u, [%%rd%u+%u]", load_of(c), value, address, c->read_only ? 0 : bytes);
    put(w, "st.shared.f32 [%%r%u+%u], %%f%u", copy->shared, bytes, value);
    if (c->has_tests) put_label(w, skip);
}

static void put_copy_addresses(struct writer *w, struct copying *copy, unsigned row, unsigned y)
{
    const struct convolution *c = w->c;
    unsigned at = ++w->words, wide = ++w->longs, offset = ++w->words;
    put(w, "add.s32 %%r%u, %%r%u, %%r%u", copy->left_x, copy->column, w->x0);
    put(w, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u", at, y, c->input_width, copy->left_x);
    put(w, "mul.wide.s32 %%rd%u, %%r%u, %d", wide, at, FLOAT);
    put(w, "add.s64 %%rd%u, %%rd%u, %%rd%u", copy->global, w->input, wide);
    put(w, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u", offset, row, c->pitch, copy->column);
    put(w, "shl.b32 %%r%u, %%r%u, 2", offset, offset);
    put(w, "mov.u32 %%r%u, tile", copy->shared);
    put(w, "add.s32 %%r%u, %%r%u, %%r%u", copy->shared, copy->shared, offset);
}

/* First the columns beyond a multiple of four, then four at a time. */
static void put_copied_row(struct writer *w, struct copying *copy, unsigned trips, unsigned rest,
                           unsigned row, unsigned y)
{
    const struct convolution *c = w->c;
    unsigned fours = ++w->labels, again = ++w->labels, test = ++w->predicates;
    put(w, "mov.u32 %%r%u, %%r%u", copy->column, w->tx);
    put_copy_addresses(w, copy, row, y);
    for (unsigned step = 0; step + 1 < COPIES_UNROLLED; step++) {
        put(w, "setp.eq.s32 %%p%u, %%r%u, %u", test, rest, step);
        put(w, "@%%p%u bra $L%u", test, fours);
        put_copy(w, copy, step);
        put(w, "add.s32 %%r%u, %%r%u, %u", copy->column, w->tx, (step + 1) * c->block_x);
    }
    put_label(w, fours);
    put(w, "setp.lt.u32 %%p%u, %%r%u, %d", test, trips, COPIES_UNROLLED);
    put(w, "@%%p%u bra $L%u", test, copy->done);
    put_copy_addresses(w, copy, row, y);
    put_label(w, again);
    for (unsigned step = 0; step < COPIES_UNROLLED; step++)
        put_copy(w, copy, step);
    unsigned stride = COPIES_UNROLLED * c->block_x;
    put(w, "add.s64 %%rd%u, %%rd%u, %u", copy->global, copy->global, stride * FLOAT);
    put(w, "add.s32 %%r%u, %%r%u, %u", copy->left_x, copy->left_x, stride);
    put(w, "add.s32 %%r%u, %%r%u, %u", copy->shared, copy->shared, stride * FLOAT);
    put(w, "add.s32 %%r%u, %%r%u, %u", copy->column, copy->column, stride);
    put(w, "setp.lt.s32 %%p%u, %%r%u, %u", test, copy->column, c->copied_x);
    put(w, "@%%p%u bra $L%u", test, again);
}

/* for (row = ty; row < copied_y; row += block_y)
 *     for (column = tx; column < copied_x; column += block_x) */
static void put_copying(struct writer *w)
{
    const struct convolution *c = w->c;
    struct copying copy = {++w->words,      ++w->longs, ++w->words,
                           ++w->predicates, ++w->words, ++w->labels};
    unsigned rows = ++w->labels, row = ++w->words, trips = ++w->words, rest = ++w->words;
    unsigned test = ++w->predicates, y = ++w->words;
    put(w, "sub.s32 %%r%u, %u, %%r%u", trips, c->copied_x + c->block_x - 1, w->tx);
    if (c->block_x > 1) /* a division by block_x, exact below 2^16 */
        put(w, "mul.hi.u32 %%r%u, %%r%u, %u", trips, trips, UINT32_MAX / c->block_x + 1);
    put(w, "and.b32 %%r%u, %%r%u, %d", rest, trips, COPIES_UNROLLED - 1);
    put(w, "mov.u32 %%r%u, %%r%u", row, w->ty);
    put_label(w, rows);
    put(w, "add.s32 %%r%u, %%r%u, %%r%u", y, row, w->y0);
    if (c->has_tests)
        put(w, "setp.gt.s32 %%p%u, %%r%u, %u", copy.row_beyond, y, c->input_height - 1);
    put_copied_row(w, &copy, trips, rest, row, y);
    put_label(w, copy.done);
    put(w, "add.s32 %%r%u, %%r%u, %u", row, row, c->block_y);
    put(w, "setp.lt.s32 %%p%u, %%r%u, %u", test, row, c->copied_y);
    put(w, "@%%p%u bra $L%u", test, rows);
    put(w, "bar.sync 0");
}

/* ---- sums -------------------------------------------------------------------------------------- */

static unsigned *value_at(struct writer *w, unsigned row, unsigned column)
{
    return &w->values[(size_t)row * w->c->span_x + column];
}

static unsigned input_offset(const struct convolution *c, unsigned row, unsigned column)
{
    return (row * (c->pitch ? c->pitch : c->input_width) + column) * FLOAT;
}

/* Address of an input `offset` bytes from the thread's first; nvcc computes those of opaque loads one
 * by one. */
static unsigned put_address(struct writer *w, unsigned first, unsigned offset)
{
    unsigned word = ++w->words, wide = ++w->longs, address = ++w->longs;
    put(w, "add.s32 %%r%u, %%r%u, %u", word, first, offset / FLOAT);
    put(w, "mul.wide.s32 %%rd%u, %%r%u, %d", wide, word, FLOAT);
    put(w, "add.s64 %%rd%u, %%rd%u, %%rd%u", address, w->input, wide);
    return address;
}

/* %f of the input at (row, column) from the thread's first; `word`: its index, `address`: its address. */
static unsigned put_value(struct writer *w, unsigned word, unsigned address, unsigned row,
                          unsigned column)
{
    const struct convolution *c = w->c;
    unsigned *known = value_at(w, row, column), offset = input_offset(c, row, column);
    bool is_opaque = c->read_only && !c->pitch;
    if (*known && !is_opaque) return *known;
    unsigned value = ++w->floats;
    if (c->pitch)
        put(w, "ld.shared.f32 %%f%u, [%%r%u+%u]", value, address, offset);
    else if (!is_opaque)
        put(w, "%s %%f%u, [%%rd%u+%u]", load_of(c), value, address, offset);
    else {
        if (!*known) *known = put_address(w, word, offset);
        put(w, "%s %%f%u, [%%rd%u]", load_of(c), value, *known);
        return value;
    }
    return *known = value;
}

/* All points of one element of the filter. */
static void put_element(struct writer *w, unsigned word, unsigned address, unsigned i, unsigned j)
{
    const struct convolution *c = w->c;
    unsigned weight = 0;
    for (unsigned y = 0; y < c->tile_y; y++)
        for (unsigned x = 0; x < c->tile_x; x++) {
            unsigned *sum = &w->sums[y * c->tile_x + x], before = *sum;
            unsigned value = put_value(w, word, address, i + y * c->block_y, j + x * c->block_x);
            if (!weight)
                put(w, "ld.const.f32 %%f%u, [weights+%u]", weight = ++w->floats,
                    (i * c->filter + j) * FLOAT);
            *sum = ++w->floats;
            if (before)
                put(w, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u", *sum, value, weight, before);
            else
                put(w, "fma.rn.f32 %%f%u, %%f%u, %%f%u, 0f00000000", *sum, value, weight);
        }
}

/* Index and address of the thread's first input. */
static void put_sums(struct writer *w)
{
    const struct convolution *c = w->c;
    unsigned word = ++w->words, address = c->pitch ? ++w->words : 0;
    put(w, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u", word, c->pitch ? w->ty : w->y,
        c->pitch ? c->pitch : c->input_width, c->pitch ? w->tx : w->x);
    if (c->pitch) {
        put(w, "shl.b32 %%r%u, %%r%u, 2", word, word);
        put(w, "mov.u32 %%r%u, tile", address);
        put(w, "add.s32 %%r%u, %%r%u, %%r%u", address, address, word);
    } else if (!c->read_only) {
        address = put_address(w, word, 0);
    }
    for (unsigned i = 0; i < c->filter; i++)
        for (unsigned j = 0; j < c->filter; j++)
            put_element(w, word, address, i, j);
}

/* ---- sums with tests --------------------------------------------------------------------------- */

/* %p: the coordinate at `offset` from `base` is not in the image; computed once. */
static unsigned put_beyond(struct writer *w, unsigned *known, unsigned base, unsigned offset,
                           unsigned size)
{
    if (*known) return *known;
    *known = ++w->predicates;
    put(w, "setp.gt.s32 %%p%u, %%r%u, %d", *known, base, (int)size - 1 - (int)offset);
    return *known;
}

/* The registers of a turn of the loop over the filter's rows. */
struct turn {
    unsigned y, word, address, weights; /* y, index and address of the first input; weights: %rd */
};

static void put_tested_point(struct writer *w, const struct turn *turn, unsigned row,
                             unsigned column, unsigned element, unsigned sum)
{
    const struct convolution *c = w->c;
    unsigned offset = input_offset(c, row, column), address = turn->address;
    unsigned below = put_beyond(w, &w->row_out[row], turn->y, row, c->input_height);
    unsigned right = put_beyond(w, &w->column_out[column], w->x, column, c->input_width);
    unsigned either = ++w->predicates, skip = ++w->labels;
    unsigned value = ++w->floats, weight = ++w->floats;
    put(w, "or.pred %%p%u, %%p%u, %%p%u", either, below, right);
    put(w, "@%%p%u bra $L%u", either, skip);
    if (c->read_only) address = put_address(w, turn->word, offset);
    put(w, "%s %%f%u, [%%rd%u+%u]", load_of(c), value, address, c->read_only ? 0 : offset);
    if (turn->weights)
        put(w, "ld.const.f32 %%f%u, [%%rd%u+%u]", weight, turn->weights, element * FLOAT);
    else
        put(w, "ld.const.f32 %%f%u, [weights+%u]", weight, element * FLOAT);
    put(w, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u", sum, value, weight, sum);
    put_label(w, skip);
}

static void put_tested_row(struct writer *w, const struct turn *turn, unsigned i)
{
    const struct convolution *c = w->c;
    for (unsigned j = 0; j < c->filter; j++)
        for (unsigned y = 0; y < c->tile_y; y++)
            for (unsigned x = 0; x < c->tile_x; x++)
                put_tested_point(w, turn, i + y * c->block_y, j + x * c->block_x, i * c->filter + j,
                                 w->sums[y * c->tile_x + x]);
}

/* Registers for the row `first` of the filter, a %r, or for row 0. */
static struct turn put_turn(struct writer *w, unsigned first)
{
    const struct convolution *c = w->c;
    struct turn turn = {.y = w->y};
    if (first) {
        unsigned offset = ++w->words, wide = ++w->longs;
        put(w, "mul.lo.s32 %%r%u, %%r%u, %u", offset, first, c->filter);
        put(w, "mul.wide.s32 %%rd%u, %%r%u, %d", wide, offset, FLOAT);
        put(w, "mov.u64 %%rd%u, weights", turn.weights = ++w->longs);
        put(w, "add.s64 %%rd%u, %%rd%u, %%rd%u", turn.weights, turn.weights, wide);
        put(w, "add.s32 %%r%u, %%r%u, %%r%u", turn.y = ++w->words, w->y, first);
    }
    put(w, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u", turn.word = ++w->words, turn.y, c->input_width,
        w->x);
    if (!c->read_only) turn.address = put_address(w, turn.word, 0);
    return turn;
}

static void put_tested_sums(struct writer *w)
{
    const struct convolution *c = w->c;
    unsigned points = c->tile_x * c->tile_y;
    for (unsigned i = 0; i < points; i++)
        put(w, "mov.f32 %%f%u, 0f00000000", w->sums[i] = ++w->floats);
    if (points <= POINTS_UNROLLED) {
        struct turn whole = put_turn(w, 0);
        for (unsigned i = 0; i < c->filter; i++)
            put_tested_row(w, &whole, i);
        return;
    }
    unsigned first = ++w->words, again = ++w->labels, end = ++w->labels, test = ++w->predicates;
    put(w, "mov.u32 %%r%u, 0", first);
    put_label(w, again);
    struct turn turn = put_turn(w, first);
    for (unsigned i = 0; i < ROWS_UNROLLED; i++) {
        unsigned left = c->filter % ROWS_UNROLLED;
        if (i == left && left) {
            put(w, "setp.eq.s32 %%p%u, %%r%u, %u", test, first, c->filter - left);
            put(w, "@%%p%u bra $L%u", test, end);
        }
        put_tested_row(w, &turn, i);
    }
    put(w, "add.s32 %%r%u, %%r%u, %d", first, first, ROWS_UNROLLED);
    put(w, "setp.lt.s32 %%p%u, %%r%u, %u", test, first, c->filter);
    put(w, "@%%p%u bra $L%u", test, again);
    put_label(w, end);
}

/* ---- the kernel -------------------------------------------------------------------------------- */

static void put_start(struct writer *w)
{
    const struct convolution *c = w->c;
    unsigned column = ++w->words, row = ++w->words;
    put(w, "ld.param.u64 %%rd%u, [convolution_param_0]", w->output = ++w->longs);
    put(w, "ld.param.u64 %%rd%u, [convolution_param_1]", w->input = ++w->longs);
    put(w, "cvta.to.global.u64 %%rd%u, %%rd%u", w->output, w->output);
    put(w, "cvta.to.global.u64 %%rd%u, %%rd%u", w->input, w->input);
    put(w, "mov.u32 %%r%u, %%tid.x", w->tx = ++w->words);
    put(w, "mov.u32 %%r%u, %%tid.y", w->ty = ++w->words);
    put(w, "mov.u32 %%r%u, %%ctaid.x", column);
    put(w, "mov.u32 %%r%u, %%ctaid.y", row);
    put(w, "mul.lo.s32 %%r%u, %%r%u, %u", w->x0 = ++w->words, column, c->block_x * c->tile_x);
    put(w, "mul.lo.s32 %%r%u, %%r%u, %u", w->y0 = ++w->words, row, c->block_y * c->tile_y);
    put(w, "add.s32 %%r%u, %%r%u, %%r%u", w->x = ++w->words, w->x0, w->tx);
    put(w, "add.s32 %%r%u, %%r%u, %%r%u", w->y = ++w->words, w->y0, w->ty);
}

static void put_stores(struct writer *w)
{
    const struct convolution *c = w->c;
    unsigned word = ++w->words, wide = ++w->longs, address = ++w->longs;
    memset(w->row_out, 0, c->span_y * sizeof *w->row_out);
    memset(w->column_out, 0, c->span_x * sizeof *w->column_out);
    put(w, "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u", word, w->y, c->width, w->x);
    put(w, "mul.wide.s32 %%rd%u, %%r%u, %d", wide, word, FLOAT);
    put(w, "add.s64 %%rd%u, %%rd%u, %%rd%u", address, w->output, wide);
    for (unsigned i = 0; i < c->tile_x * c->tile_y; i++) {
        unsigned row = i / c->tile_x * c->block_y, column = i % c->tile_x * c->block_x;
        unsigned skip = ++w->labels;
        if (c->has_tests) {
            unsigned below = put_beyond(w, &w->row_out[row], w->y, row, c->height);
            unsigned right = put_beyond(w, &w->column_out[column], w->x, column, c->width);
            unsigned either = ++w->predicates;
            put(w, "or.pred %%p%u, %%p%u, %%p%u", either, below, right);
            put(w, "@%%p%u bra $L%u", either, skip);
        }
        put(w, "st.global.f32 [%%rd%u+%u], %%f%u", address, (row * c->width + column) * FLOAT,
            w->sums[i]);
        if (c->has_tests) put_label(w, skip);
    }
    put(w, "ret");
}

/* The filter's element k is (k % 7 + 1) / 32, which a test can compute as exactly. */
static void put_module(FILE *out, const char *target, const struct convolution *c,
                       const struct writer *w, const struct cli_text *body)
{
    fprintf(out, ".version 7.0\n.target %s\n.address_size 64\n.const .align 4 .f32 weights[%u] = {",
            target, c->filter * c->filter);
    for (unsigned k = 0; k < c->filter * c->filter; k++)
        fprintf(out, "%s%g", k ? ", " : "", (k % 7 + 1) / 32.0);
    fputs("};\n.visible .entry convolution(\n\t.param .u64 convolution_param_0,\n"
          "\t.param .u64 convolution_param_1\n)\n{\n",
          out);
    fprintf(out, "\t.reg .pred %%p<%u>;\n\t.reg .f32 %%f<%u>;\n", w->predicates + 1, w->floats + 1);
    fprintf(out, "\t.reg .b32 %%r<%u>;\n\t.reg .b64 %%rd<%u>;\n", w->words + 1, w->longs + 1);
    if (c->pitch)
        fprintf(out, "\t.shared .align 4 .b8 tile[%u];\n", c->copied_y * c->pitch * FLOAT);
    fwrite(body->bytes, 1, body->size, out);
    fputs("}\n", out);
}

static int write_kernel(struct cli *cli, const char *target, const struct convolution *c,
                        unsigned *room, struct cli_text *out)
{
    struct cli_text body;
    CLI_TRY(cli_text_open(cli, &body));
    struct writer w = {.c = c, .out = body.out, .sums = room};
    w.row_out = w.sums + (size_t)c->tile_x * c->tile_y;
    w.column_out = w.row_out + c->span_y;
    w.values = w.column_out + c->span_x;
    put_start(&w);
    if (c->pitch) put_copying(&w);
    if (c->has_tests && !c->pitch)
        put_tested_sums(&w);
    else
        put_sums(&w);
    put_stores(&w);
    fflush(body.out);
    int exit_code = cli_text_open(cli, out);
    if (exit_code == EXIT_DONE) {
        put_module(out->out, target, c, &w, &body);
        fflush(out->out);
    }
    cli_text_drop(&body);
    return exit_code;
}

/* ---- the configuration ------------------------------------------------------------------------- */

static int check(struct cli *cli, const double *values)
{
    static const double most[PARAMETER_COUNT] = {
        [WIDTH] = 1 << 14, [HEIGHT] = 1 << 14, [FILTER] = 31,   [BLOCK_X] = 1024, [BLOCK_Y] = 1024,
        [TILE_X] = 16,     [TILE_Y] = 16,      [READ_ONLY] = 1, [PITCH] = 1 << 14};
    for (unsigned i = 0; i < PARAMETER_COUNT; i++) {
        double least = i == READ_ONLY || i == PITCH ? 0 : 1;
        if (values[i] < least || values[i] > most[i])
            return cli_error(cli, EXIT_INPUT, "%s: expected %g to %g, found %g",
                             generator_convolution.parameters[i], least, most[i], values[i]);
    }
    return EXIT_DONE;
}

static int read_configuration(struct cli *cli, const double *values, struct convolution *c)
{
    unsigned v[PARAMETER_COUNT];
    CLI_TRY(check(cli, values));
    for (unsigned i = 0; i < PARAMETER_COUNT; i++)
        v[i] = (unsigned)values[i];
    unsigned border = v[FILTER] - 1, group_x = v[BLOCK_X] * v[TILE_X],
             group_y = v[BLOCK_Y] * v[TILE_Y];
    *c = (struct convolution){
        .width = v[WIDTH],
        .height = v[HEIGHT],
        .filter = v[FILTER],
        .block_x = v[BLOCK_X],
        .block_y = v[BLOCK_Y],
        .tile_x = v[TILE_X],
        .tile_y = v[TILE_Y],
        .pitch = v[PITCH],
        .read_only = v[READ_ONLY] == 1,
        .has_tests = v[WIDTH] % group_x || v[HEIGHT] % group_y,
        .input_width = v[WIDTH] + border,
        .input_height = v[HEIGHT] + border,
        .copied_x = group_x + border,
        .copied_y = group_y + border,
        .span_x = (v[TILE_X] - 1) * v[BLOCK_X] + v[FILTER],
        .span_y = (v[TILE_Y] - 1) * v[BLOCK_Y] + v[FILTER],
    };
    if (v[BLOCK_X] * v[BLOCK_Y] > THREADS_MAX)
        return cli_error(cli, EXIT_INPUT, "block_x, block_y: expected up to %d threads, found %u",
                         THREADS_MAX, v[BLOCK_X] * v[BLOCK_Y]);
    if (c->pitch && c->pitch < c->copied_x)
        return cli_error(cli, EXIT_INPUT, "pitch: a row of shared memory holds %u floats, found %u",
                         c->copied_x, c->pitch);
    return EXIT_DONE;
}

static int generate(struct cli *cli, const char *target, const double *values,
                    struct generated *out)
{
    struct convolution c;
    CLI_TRY(read_configuration(cli, values, &c));
    size_t words = (size_t)c.tile_x * c.tile_y + c.span_y + c.span_x + (size_t)c.span_y * c.span_x;
    unsigned *room = calloc(words, sizeof *room);
    if (!room) return cli_out_of_memory(cli, words * sizeof *room);
    *out = (struct generated){
        .entry = "convolution",
        .grid = {(c.width - 1) / (c.block_x * c.tile_x) + 1,
                 (c.height - 1) / (c.block_y * c.tile_y) + 1, 1},
        .block = {c.block_x, c.block_y, 1},
        .args = cli_format(cli, "f32[%u] f32[%u]=zeros", c.width * c.height,
                           c.input_width * c.input_height),
    };
    int exit_code = write_kernel(cli, target, &c, room, &out->ptx);
    free(room);
    return exit_code;
}

const struct generator generator_convolution = {
    .id = "convolution",
    .parameters = {"width", "height", "filter", "block_x", "block_y", "tile_x", "tile_y",
                   "read_only", "pitch"},
    .generate = generate,
};
