// SPDX-License-Identifier: Apache-2.0
#include "vector_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "emulate/emulate.h"
#include "vector_ptx.h"

enum { DIFFERENCES_SHOWN = 4, BLOCK_THREADS = 32 };

struct session {
    const struct vector_file *file;
    const struct vector_form *form;
    int level;
    const struct engine *engine;
    FILE *report;
    struct diag diag;
    struct module *module;
    struct device *device;
    uint64_t in, out, scratch, common; /* addresses */
    unsigned char *results;            /* of the last launch */
    size_t result_bytes;
    enum masking masking;
    uint32_t mask;
    unsigned differences;
};

/* The line that a message about this run starts with. */
static void report_place(struct session *s, unsigned line)
{
    fprintf(s->report, "%s:%u: %s [%s%s, %s, lanes %08" PRIx32 "]: ", s->file->path, line,
            s->form->name, device_isa_name(s->level), s->engine ? ", compiled" : "",
            masking_names[s->masking], s->mask);
}

static bool fail(struct session *s)
{
    report_place(s, s->form->line);
    fprintf(s->report, "%s\n", s->diag.text ? s->diag.text : "failed without a message");
    return false;
}

/* ---- preparation ----------------------------------------------------------------------------- */

static bool load_module(struct session *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ptx_write_header(out, s->form);
    ptx_write_kernel(out, s->form, s->masking, "k");
    fclose(out);
    ws_status status = module_load_memory(&s->diag, "vector.ptx", text, size, &s->module);
    free(text);
    return status == WS_OK || fail(s);
}

static void write_value(unsigned char *to, const struct operand_bits *value)
{
    memcpy(to, &value->low, 8);
    memcpy(to + 8, &value->high, 8);
}

static ws_status allocate(struct session *s, size_t bytes, const void *content, uint64_t *out)
{
    size_t room = bytes ? bytes : 1;
    TRY(device_alloc(&s->diag, s->device, room, out));
    return content ? device_copy_in(&s->diag, s->device, *out, content, bytes)
                   : device_fill(&s->diag, s->device, *out, 0, room);
}

static ws_status fill_buffers(struct session *s)
{
    const struct vector_form *form = s->form;
    size_t row_bytes = (size_t)form->input_count * SLOT_BYTES;
    unsigned char *rows = mem_zalloc(form->row_count, row_bytes + 1);
    for (size_t r = 0; r < form->row_count; r++)
        for (unsigned i = 0; i < form->input_count; i++)
            write_value(rows + r * row_bytes + i * SLOT_BYTES, &form->rows[r].values[i]);
    ws_status status = allocate(s, form->row_count * row_bytes, rows, &s->in);
    mem_free(rows);
    TRY(status);
    s->result_bytes = form->row_count * form->output_count * SLOT_BYTES;
    s->results = mem_zalloc(s->result_bytes + 1, 1);
    TRY(allocate(s, s->result_bytes, NULL, &s->out));
    TRY(allocate(s, form->row_count * SCRATCH_BYTES, NULL, &s->scratch));
    return allocate(s, COMMON_BYTES, NULL, &s->common);
}

static bool open_device(struct session *s)
{
    struct device_options options = {.threads = 1, .isa_level = s->level, .engine = s->engine};
    if (device_create(&s->diag, &options, &s->device) != WS_OK) return fail(s);
    return fill_buffers(s) == WS_OK || fail(s);
}

/* ---- a launch -------------------------------------------------------------------------------- */

static ws_status launch(struct session *s)
{
    const struct vector_form *form = s->form;
    uint32_t rows = (uint32_t)form->row_count;
    uint32_t block = form->threads > 1 ? form->threads : BLOCK_THREADS;
    struct {
        uint64_t in, out, scratch, common;
        uint32_t rows, mask;
    } parameters = {s->in, s->out, s->scratch, s->common, rows, s->mask};
    struct launch_options options = {.grid = {(rows + block - 1) / block, 1, 1},
                                     .block = {block, 1, 1},
                                     .parameters = &parameters,
                                     .parameter_bytes = sizeof parameters,
                                     .max_instructions = 1000000};
    TRY(module_find_entry(&s->diag, s->module, "k", &options.entry));
    TRY(device_fill(&s->diag, s->device, s->out, 0, s->result_bytes));
    TRY(device_fill(&s->diag, s->device, s->scratch, 0, rows * (size_t)SCRATCH_BYTES));
    TRY(device_fill(&s->diag, s->device, s->common, 0, COMMON_BYTES));
    TRY(device_launch(&s->diag, s->device, s->module, &options, NULL));
    return device_copy_out(&s->diag, s->device, s->results, s->out, s->result_bytes);
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* A NaN of IEEE's format of this width. */
static bool is_nan(uint64_t value, unsigned bits)
{
    uint64_t infinity = bits == 64   ? UINT64_C(0x7ff0000000000000)
                        : bits == 32 ? 0x7f800000
                                     : 0x7c00;
    return (value & ((UINT64_C(1) << (bits - 1)) - 1)) > infinity;
}

static void print_value(FILE *out, const struct operand_bits *value, unsigned bits)
{
    if (bits == 128)
        fprintf(out, "%016" PRIx64 "%016" PRIx64, value->high, value->low);
    else
        fprintf(out, "%0*" PRIx64, bits == 1 ? 1 : (int)bits / 4, value->low);
}

static void report_difference(struct session *s, const struct vector_row *row, unsigned k,
                              const struct operand_bits *expected, const struct operand_bits *got)
{
    const struct vector_form *form = s->form;
    if (s->differences++ >= DIFFERENCES_SHOWN) return;
    report_place(s, row->line);
    for (unsigned i = 0; i < form->input_count; i++) {
        print_value(s->report, &row->values[i], form->operands[i].bits);
        fprintf(s->report, " ");
    }
    fprintf(s->report, "= ... %s is ", form->operands[k].name);
    print_value(s->report, got, form->operands[k].bits);
    fprintf(s->report, ", not ");
    if (expected)
        print_value(s->report, expected, form->operands[k].bits);
    else
        fprintf(s->report, "a NaN");
    fprintf(s->report, "\n");
}

static struct operand_bits read_result(const struct session *s, size_t row, unsigned output)
{
    struct operand_bits got;
    size_t slot = row * s->form->output_count + output;
    unsigned bits = s->form->operands[s->form->input_count + output].bits;
    memcpy(&got.low, s->results + slot * SLOT_BYTES, 8);
    memcpy(&got.high, s->results + slot * SLOT_BYTES + 8, 8);
    if (bits < 64) got.low &= bits == 1 ? UINT32_MAX : (UINT64_C(1) << bits) - 1;
    if (bits < 128) got.high = 0;
    return got;
}

static void compare_row(struct session *s, size_t r, bool ran)
{
    const struct vector_form *form = s->form;
    const struct vector_row *row = &form->rows[r];
    for (unsigned i = 0; i < form->output_count; i++) {
        unsigned k = form->input_count + i;
        struct operand_bits got = read_result(s, r, i), expected = row->values[k];
        unsigned expectation = row->expectations[i];
        if (!ran) {
            expected = untouched((unsigned)r % BLOCK_THREADS, form->operands[k].bits);
            expectation = EXPECT_BITS;
        }
        bool same = got.low == expected.low && got.high == expected.high;
        if (expectation == EXPECT_BITS && !same)
            report_difference(s, row, k, &expected, &got);
        else if (expectation == EXPECT_NAN && !is_nan(got.low, form->operands[k].bits))
            report_difference(s, row, k, NULL, &got);
    }
}

static bool launch_and_compare(struct session *s)
{
    const struct vector_form *form = s->form;
    ws_status status = launch(s);
    if (status != form->status) return fail(s);
    if (status != WS_OK) return strstr(s->diag.text, form->message) || fail(s);
    s->differences = 0;
    for (size_t r = 0; r < form->row_count; r++)
        compare_row(s, r, s->masking == MASK_NONE || (s->mask >> r % BLOCK_THREADS) & 1);
    if (s->differences > DIFFERENCES_SHOWN) {
        report_place(s, form->line);
        fprintf(s->report, "%u differences in all\n", s->differences);
    }
    return s->differences == 0;
}

/* ---- all runs -------------------------------------------------------------------------------- */

static bool run_masks(struct session *s)
{
    static const uint32_t masks[] = {UINT32_MAX, 0xaaaaaaaa, 0x55555555};
    const struct vector_form *form = s->form;
    bool only_one = form->whole_warps || form->threads > 1 || form->status != WS_OK;
    size_t count = only_one || s->masking == MASK_NONE ? 1 : sizeof masks / sizeof *masks;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        s->mask = form->whole_warps ? form->lanes : masks[i];
        good = launch_and_compare(s);
    }
    return good;
}

static bool run_masking(struct session *s)
{
    if (s->masking == MASK_GUARD && !s->form->takes_guard) return true;
    bool part = s->form->whole_warps && s->form->lanes != UINT32_MAX;
    if (s->masking == MASK_NONE && part) return true;
    bool good = load_module(s) && open_device(s) && run_masks(s);
    device_destroy(s->device);
    module_destroy(s->module);
    mem_free(s->results);
    s->device = NULL;
    s->module = NULL;
    s->results = NULL;
    return good;
}

bool vector_run_form(const struct vector_file *file, const struct vector_form *form, int level,
                     bool compiled, FILE *report)
{
    struct session s = {.file = file, .form = form, .level = level, .report = report};
    if (compiled) s.engine = compile_engine();
    bool good = true;
    for (unsigned masking = 0; good && masking < MASKINGS; masking++) {
        s.masking = (enum masking)masking;
        good = run_masking(&s);
    }
    diag_clear(&s.diag);
    return good;
}
