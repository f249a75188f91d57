// SPDX-License-Identifier: Apache-2.0
#include "reference/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "compile/compile.h"
#include "emulate/emulate.h"
#include "measure/profile.h"
#include "measure/trace_file.h"
#include "reference/interpreter.h"
#include "reference/native.h"

struct engine_share engine_share[2];

/* Where the interpreter believes its buffers to be: elsewhere than the engine's. */
enum { BUFFERS = 4 };
#define BUFFER_ADDRESS(i) ((uint64_t)(0x10 + (i)) << 32)

struct buffer {
    unsigned char *bytes;
    size_t size;
};
static void list_buffers(const struct memory_image *image, struct buffer *buffers)
{
    size_t threads = image->row_bytes / ROW_BYTES;
    buffers[0] = (struct buffer){image->in, threads * IN_BYTES};
    buffers[1] = (struct buffer){image->out, image->out_bytes};
    buffers[2] = (struct buffer){image->rows, image->row_bytes};
    buffers[3] = (struct buffer){image->words, WORDS_BYTES};
}

static void fill(unsigned char *bytes, size_t size, uint64_t *random)
{
    for (size_t at = 0; at < size; at += 8) {
        uint64_t value = program_random_bits(random);
        memcpy(bytes + at, &value, 8);
    }
}

static struct memory_image image_create(const struct program *program)
{
    size_t threads = program_threads(program);
    struct memory_image image = {.out_bytes = threads * OUT_BYTES,
                                 .row_bytes = threads * ROW_BYTES};
    image.in = mem_zalloc(threads, IN_BYTES);
    image.out = mem_zalloc(1, image.out_bytes);
    image.rows = mem_zalloc(1, image.row_bytes);
    image.words = mem_zalloc(1, WORDS_BYTES);
    uint64_t random = ~program->seed;
    fill(image.in, threads * IN_BYTES, &random);
    fill(image.rows, image.row_bytes, &random);
    fill(image.words, WORDS_BYTES, &random);
    return image;
}

static void image_destroy(struct memory_image *image)
{
    mem_free(image->in);
    mem_free(image->out);
    mem_free(image->rows);
    mem_free(image->words);
}

/* ---- the two implementations ----------------------------------------------------------------- */

/* Of a launch; the cluster stays zeros where the kernel requires one by itself, or there is none. */
static void choose_shape(const struct program *program, uint32_t *grid, uint32_t *block,
                         uint32_t *cluster)
{
    memcpy(grid, program->grid, sizeof program->grid);
    memcpy(block, program->block, sizeof program->block);
    if (!program->requires_cluster) memcpy(cluster, program->cluster, sizeof program->cluster);
}

/* What a run leaves beside its memory. */
struct counted {
    struct strbuf text; /* the profile, and its warp traces, if they are wanted */
    uint64_t instructions, compiled;
};

static ws_status launch_counted(struct diag *diag, struct device *device,
                                const struct module *module, struct launch_options *launch,
                                bool traces, struct counted *counted)
{
    struct launch_result result = {0};
    if (!counted) return device_launch(diag, device, module, launch, NULL);
    struct measure *measure = measure_begin(counting_rules_of(RULES_ALL));
    if (traces) measure_record(measure, 2, 1 << 24);
    launch->observer = measure_observer(measure);
    ws_status status = device_launch(diag, device, module, launch, &result);
    if (status != WS_OK) {
        measure_cancel(measure);
        return status;
    }
    counted->instructions = result.warp_instructions;
    counted->compiled = result.compiled_instructions;
    mem_free(result.tolerated);
    mem_free(result.undefined);
    struct profile *profile = measure_end(measure, 1);
    char *json = profile_to_json(profile);
    strbuf_puts(&counted->text, json);
    mem_free(json);
    if (profile->trace) trace_encode(profile->trace, &counted->text);
    profile_destroy(profile);
    return WS_OK;
}

static ws_status run_on_device(struct diag *diag, struct device *device,
                               const struct module *module, const struct program *program,
                               struct memory_image *image, bool traces, struct counted *counted)
{
    struct buffer buffers[BUFFERS];
    uint64_t addresses[BUFFERS];
    list_buffers(image, buffers);
    for (unsigned i = 0; i < BUFFERS; i++) {
        TRY(device_alloc(diag, device, buffers[i].size, &addresses[i]));
        TRY(device_copy_in(diag, device, addresses[i], buffers[i].bytes, buffers[i].size));
    }
    struct launch_options launch = {.parameters = addresses, .parameter_bytes = sizeof addresses};
    choose_shape(program, launch.grid, launch.block, launch.cluster);
    TRY(module_find_entry(diag, module, "k", &launch.entry));
    TRY(launch_counted(diag, device, module, &launch, traces, counted));
    for (unsigned i = 0; i < BUFFERS; i++)
        TRY(device_copy_out(diag, device, buffers[i].bytes, addresses[i], buffers[i].size));
    return WS_OK;
}

static ws_status run_engine(struct diag *diag, const struct module *module,
                            const struct program *program, struct engine_choice choice,
                            uint64_t compile_after, struct memory_image *image,
                            struct counted *counted)
{
    struct device *device;
    struct device_options options = {.max_bytes = 1 << 26,
                                     .threads = choice.threads,
                                     .isa_level = choice.level,
                                     .engine = choice.compiled ? compile_engine() : NULL,
                                     .compile_after = compile_after};
    TRY(device_create(diag, &options, &device));
    ws_status status = run_on_device(diag, device, module, program, image, choice.traces, counted);
    device_destroy(device);
    return status;
}

static bool run_reference(const struct module *module, const struct program *program,
                          struct memory_image *image, char *message, size_t message_size)
{
    struct buffer buffers[BUFFERS];
    struct reference_buffer memory[BUFFERS];
    uint64_t parameters[BUFFERS];
    struct diag diag = {0};
    list_buffers(image, buffers);
    for (unsigned i = 0; i < BUFFERS; i++) {
        parameters[i] = BUFFER_ADDRESS(i);
        memory[i] = (struct reference_buffer){parameters[i], buffers[i].bytes, buffers[i].size};
    }
    struct reference_launch launch = {.module = module,
                                      .parameters = (const unsigned char *)parameters,
                                      .buffers = memory,
                                      .buffer_count = BUFFERS};
    choose_shape(program, launch.grid, launch.block, launch.cluster);
    if (module_find_entry(&diag, module, "k", &launch.entry) != WS_OK) {
        diag_clear(&diag);
        return false;
    }
    return reference_run(&launch, message, message_size);
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Index of the first 8 bytes that differ. */
static bool first_difference(const unsigned char *a, const unsigned char *b, size_t size,
                             size_t *out)
{
    for (size_t at = 0; at < size; at += 8)
        if (memcmp(a + at, b + at, 8) != 0) {
            *out = at;
            return true;
        }
    return false;
}

static void name_slot(struct strbuf *text, size_t offset)
{
    static const struct {
        const char *prefix;
        unsigned count;
    } names[] = {
        {"%h", HALF_REGISTERS},   {"%r", WORD_REGISTERS},    {"%d", LONG_REGISTERS},
        {"%f", SINGLE_REGISTERS}, {"%fd", DOUBLE_REGISTERS}, {"%p", PREDICATES},
    };
    size_t slot = offset / SLOT_BYTES;
    for (unsigned c = 0; c < sizeof names / sizeof *names; c++) {
        if (slot < names[c].count) {
            strbuf_printf(text, "%s%zu", names[c].prefix, slot);
            return;
        }
        slot -= names[c].count;
    }
    offset -= IN_BYTES;
    if (offset < 2 * ROW_BYTES)
        strbuf_printf(text, "%s row, byte %zu", offset < ROW_BYTES ? "shared" : "local",
                      offset % ROW_BYTES);
    else
        strbuf_printf(text, "shared words, byte %zu", offset - 2 * ROW_BYTES);
}

/* NULL if the images are equal. */
static char *difference(const struct memory_image *engine, const struct memory_image *reference)
{
    const struct part {
        const unsigned char *a, *b;
        size_t size, row;
        const char *name;
    } parts[] = {
        {engine->out, reference->out, engine->out_bytes, OUT_BYTES, "out"},
        {engine->rows, reference->rows, engine->row_bytes, ROW_BYTES, "global row"},
        {engine->words, reference->words, WORDS_BYTES, WORDS_BYTES, "global words"},
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *part = &parts[i];
        struct strbuf text = {0};
        size_t at;
        uint64_t x, y;
        if (!first_difference(part->a, part->b, part->size, &at)) continue;
        memcpy(&x, part->a + at, 8);
        memcpy(&y, part->b + at, 8);
        strbuf_printf(&text, "thread %zu of the grid, ", at / part->row);
        if (i == 0)
            name_slot(&text, at % part->row);
        else
            strbuf_printf(&text, "%s, byte %zu", part->name, at % part->row);
        strbuf_printf(&text, ": engine 0x%llx, interpreter 0x%llx", (unsigned long long)x,
                      (unsigned long long)y);
        return strbuf_take(&text);
    }
    return NULL;
}

/* ---- one program ----------------------------------------------------------------------------- */

static void add_share(struct engine_choice choice, uint64_t compile_after,
                      const struct counted *counted)
{
    struct engine_share *share = &engine_share[choice.interpreted != 0];
    share->runs++;
    share->all += counted->instructions;
    share->compiled += counted->compiled;
    share->changed_over += compile_after && counted->compiled;
}

/* The profile of the compiled engine beside that of the interpreter with one thread. The message is NULL if they are equal. */
static ws_status compare_profiles(struct diag *diag, const struct module *module,
                                  const struct program *program, struct engine_choice choice,
                                  struct memory_image *image, char **message)
{
    struct counted compiled = {0}, interpreted = {0};
    struct memory_image other = image_create(program);
    const struct engine_choice plain = {
        .level = choice.level, .threads = 1, .traces = choice.traces};
    ws_status status = run_engine(diag, module, program, plain, 0, &other, &interpreted);
    uint64_t compile_after = interpreted.instructions * choice.interpreted >> 32;
    if (status == WS_OK)
        status = run_engine(diag, module, program, choice, compile_after, image, &compiled);
    const struct strbuf *a = &compiled.text, *b = &interpreted.text;
    bool same = a->length == b->length && (!a->length || !memcmp(a->data, b->data, a->length));
    if (status == WS_OK && !same)
        *message = mem_copy("profile or traces of the compiled engine are others");
    if (status == WS_OK && choice.threads == 1) add_share(choice, compile_after, &compiled);
    image_destroy(&other);
    strbuf_clear(&compiled.text);
    strbuf_clear(&interpreted.text);
    return status;
}

static enum comparison compare_choice(struct module *ptx, const struct program *program,
                                      struct engine_choice choice,
                                      const struct memory_image *reference, char **message)
{
    struct diag diag = {0};
    struct memory_image image = image_create(program);
    struct module *native = NULL;
    ws_status status = choice.native ? native_compile(&diag, ptx, choice.native, &native) : WS_OK;
    const struct module *module = native ? native : ptx;
    *message = NULL;
    if (status == WS_OK)
        status = choice.compiled ? compare_profiles(&diag, module, program, choice, &image, message)
                                 : run_engine(&diag, module, program, choice, 0, &image, NULL);
    bool ran = status == WS_OK;
    module_destroy(native);
    if (!*message) *message = ran ? difference(&image, reference) : mem_copy(diag.text);
    image_destroy(&image);
    diag_clear(&diag);
    return !ran ? COMPARE_NOT_RUN : *message ? COMPARE_DIFFERENT : COMPARE_EQUAL;
}

static enum comparison compare_module(struct module *module, const struct program *program,
                                      const struct engine_choice *choices, unsigned choice_count,
                                      unsigned *failed, char **message)
{
    char fault[256] = "";
    struct memory_image reference = image_create(program);
    enum comparison result = COMPARE_EQUAL;
    if (!run_reference(module, program, &reference, fault, sizeof fault)) {
        struct strbuf text = {0};
        strbuf_printf(&text, "the interpreter stops: %s", fault);
        *message = strbuf_take(&text);
        result = COMPARE_NOT_RUN;
    }
    for (*failed = 0; result == COMPARE_EQUAL && *failed < choice_count; ++*failed)
        result = compare_choice(module, program, choices[*failed], &reference, message);
    if (*failed) --*failed;
    image_destroy(&reference);
    return result;
}

enum comparison compare_program(const struct program *program, const bool *removed,
                                const struct engine_choice *choices, unsigned choice_count,
                                unsigned *failed, char **message)
{
    struct diag diag = {0};
    struct module *module = NULL;
    enum comparison result = COMPARE_NOT_RUN;
    char *text = program_text(program, removed);
    *failed = 0;
    *message = NULL;
    if (module_load_memory(&diag, "random.ptx", text, strlen(text), &module) == WS_OK)
        result = compare_module(module, program, choices, choice_count, failed, message);
    else
        *message = mem_copy(diag.text);
    module_destroy(module);
    diag_clear(&diag);
    mem_free(text);
    return result;
}
