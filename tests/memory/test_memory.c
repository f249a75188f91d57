// SPDX-License-Identifier: Apache-2.0
/* The n-th allocation of the library fails, for every n: the call says WS_ERR_MEMORY, gives back what it took
 * (the leak checker of the address sanitizer looks), and does its work when it is called again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

#include "support/code_mappings.h"

/* ---- the allocator --------------------------------------------------------------------------- */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

static unsigned long count, fail_at;

static bool fails(void)
{
    return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) == fail_at;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t items, size_t bytes)
{
    return fails() ? NULL : __real_calloc(items, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

/* ---- what a program does --------------------------------------------------------------------- */

/* A call, a divergent branch, shared memory, a barrier, a variable, text of the kernel's. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".global .u32 added = 7;\n"
    ".func (.reg .u32 %out) more(.reg .u32 %in)\n"
    "{ .reg .u32 %r<2>; ld.global.u32 %r1, [added]; add.u32 %out, %in, %r1; ret; }\n"
    ".visible .entry k(.param .u64 p)\n"
    "{ .reg .u64 %rd<3>; .reg .u32 %r<6>; .reg .pred %q; .shared .u32 s[64];\n"
    "  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
    "  add.u64 %rd2, %rd2, %rd1; ld.global.u32 %r2, [%rd2]; setp.gt.u32 %q, %r2, 40;\n"
    "  @%q bra over; call (%r3), more, (%r2); mov.u32 %r2, %r3;\n"
    "over: bar.sync 0; st.global.u32 [%rd2], %r2; ret; }\n";

struct program {
    ws_context *context;
    ws_module *module;
    ws_device *device, *compiling;
    ws_machine *machine;
    ws_profile *profile, *compiled;
    ws_answer *answer, *session;
    uint64_t address, compiled_address;
    char text[8192]; /* of the report */
};

static bool keep_text(void *user, const char *bytes, size_t size)
{
    struct program *p = user;
    snprintf(p->text, sizeof p->text, "%.*s", (int)size, bytes);
    return true;
}

/* On zeros: a launch that fails may have written before. */
static ws_status launch_blocks(const struct program *p, ws_device *device, uint64_t address,
                               uint32_t blocks, ws_profile **profile)
{
    static const uint32_t zeros[64];
    ws_status status = ws_device_copy_in(device, address, zeros, sizeof zeros);
    if (status != WS_OK) return status;
    ws_launch_result result = {.size = sizeof result};
    const ws_launch launch = {.size = sizeof launch,
                              .grid = {blocks, 1, 1},
                              .block = {64, 1, 1},
                              .parameters = &address,
                              .parameter_bytes = sizeof address,
                              .counters = profile != NULL,
                              .result = &result};
    status = ws_device_launch(device, p->module, &launch, profile);
    ws_free(result.tolerated);
    return status;
}

static ws_status launch(const struct program *p, ws_device *device, uint64_t address,
                        ws_profile **profile)
{
    return launch_blocks(p, device, address, 4, profile);
}

static ws_status ask(struct program *p)
{
    const ws_question question = {.size = sizeof question,
                                  .name = "analyze",
                                  .profiles = (const ws_profile *const *)&p->profile,
                                  .profile_count = 1,
                                  .machines = (const ws_machine *const *)&p->machine,
                                  .machine_count = 1};
    return ws_ask(p->context, &question, &p->answer);
}

static ws_status ask_session(struct program *p)
{
    static const ws_input inputs[] = {
        {.name = "session", .word = SOURCE_DIR "/tests/cli/data/session"},
        {.name = "program", .word = "app"},
        {.name = "report_prefix", .word = ""}};
    const ws_question question = {.size = sizeof question,
                                  .name = "run",
                                  .machines = (const ws_machine *const *)&p->machine,
                                  .machine_count = 1,
                                  .inputs = inputs,
                                  .input_count = sizeof inputs / sizeof *inputs};
    return ws_ask(p->context, &question, &p->session);
}

static ws_status step(struct program *p, unsigned index)
{
    static const ws_device_options two_threads = {
        .size = sizeof two_threads, .threads = 2, .max_bytes = 1 << 20, .keep_programs = true};
    static const ws_device_options compiled = {
        .size = sizeof compiled, .threads = 2, .max_bytes = 1 << 20, .engine = "compiled"};
    switch (index) {
    case 0:
        return ws_context_create(&p->context);
    case 1:
        return ws_module_load_memory(p->context, "k.ptx", ptx, strlen(ptx), &p->module);
    case 2:
        return ws_device_create(p->context, &two_threads, &p->device);
    case 3:
        return ws_device_alloc(p->device, 64 * sizeof(uint32_t), &p->address);
    case 4:
        return launch(p, p->device, p->address, &p->profile);
    case 5:
        return ws_machine_load(p->context, SOURCE_DIR "/data/machines/v100.yaml", &p->machine);
    case 6:
        return ask(p);
    case 7:
        return ws_answer_write(p->context, p->answer, NULL, keep_text, p);
    case 8:
        return ask_session(p);
    case 9:
        return ws_device_create(p->context, &compiled, &p->compiling);
    case 10:
        return ws_device_alloc(p->compiling, 64 * sizeof(uint32_t), &p->compiled_address);
    case 11:
        return launch(p, p->compiling, p->compiled_address, &p->compiled);
    default:
        return WS_OK;
    }
}
enum { STEPS = 12, COMPILED_STEPS_FROM = 9 };

static void clear(struct program *p)
{
    ws_answer_destroy(p->session);
    ws_answer_destroy(p->answer);
    ws_profile_destroy(p->compiled);
    ws_profile_destroy(p->profile);
    ws_machine_destroy(p->machine);
    ws_device_destroy(p->compiling);
    ws_device_destroy(p->device);
    ws_module_destroy(p->module);
    ws_context_destroy(p->context);
    *p = (struct program){0};
}

/* Each step that fails is done again. How many failed. */
static unsigned run(struct program *p, unsigned first)
{
    unsigned failed = 0;
    for (unsigned i = first; i < STEPS; i++) {
        ws_status status = step(p, i);
        if (status == WS_OK) continue;
        if (status != WS_ERR_MEMORY)
            fail_msg("allocation %lu, step %u: %s: %s", fail_at, i, ws_status_text(status),
                     ws_context_error(p->context));
        if (i) assert_true(strlen(ws_context_error(p->context)) > 0);
        failed++;
        i--;
    }
    return failed;
}

static void test_every_allocation(void **state)
{
    (void)state;
    enum { FULL = 400, STRIDE = 11 }; /* all of the first, which load and launch; then samples */
    struct program whole = {0}, p = {0};
    unsigned failures = 0;
    assert_int_equal(run(&whole, 0), 0);
    unsigned long all = count;
    for (unsigned long n = 1; n <= all;
         n += n < FULL || getenv("WARPSAGE_FULL_SIZE") ? 1 : STRIDE) {
        count = 0;
        fail_at = n;
        failures += run(&p, 0);
        fail_at = 0;
        size_t same = 0;
        while (p.text[same] && p.text[same] == whole.text[same])
            same++;
        if (p.text[same] != whole.text[same])
            fail_msg("allocation %lu: another report: '%.40s', not '%.40s'", n, p.text + same,
                     whole.text + same);
        assert_true(ws_answer_number(p.session, "time_s") ==
                    ws_answer_number(whole.session, "time_s"));
        clear(&p);
    }
    clear(&whole);
    assert_true(failures > FULL / 2);
}

/* The device does not keep the program, nor its code, wherever memory runs out. */
static void test_compiled_code(void **state)
{
    (void)state;
    unsigned before = count_code_mappings(), failures = 0, failed = 0;
    unsigned long n = 0;
    do {
        struct program p = {0};
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(step(&p, i), WS_OK);
        count = 0;
        fail_at = ++n;
        failed = run(&p, COMPILED_STEPS_FROM);
        fail_at = 0;
        failures += failed;
        assert_int_equal(count_code_mappings(), before);
        clear(&p);
    } while (failed);
    assert_true(failures > 50);
}

/* A kept program is interpreted first. The launch that compiles it fails; the next compiles it again. */
static void test_kept_program(void **state)
{
    (void)state;
    enum { BLOCKS = 500 }; /* two launches reach the 20,000 warp instructions, one does not */
    static const ws_device_options kept = {.size = sizeof kept,
                                           .threads = 1,
                                           .max_bytes = 1 << 20,
                                           .keep_programs = true,
                                           .engine = "auto"};
    unsigned before = count_code_mappings(), failures = 0;
    ws_status status = WS_OK;
    for (unsigned long n = 1; n == 1 || status != WS_OK; n++) {
        struct program p = {0};
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(step(&p, i), WS_OK);
        assert_int_equal(ws_device_create(p.context, &kept, &p.device), WS_OK);
        assert_int_equal(ws_device_alloc(p.device, 64 * sizeof(uint32_t), &p.address), WS_OK);
        assert_int_equal(launch_blocks(&p, p.device, p.address, BLOCKS, NULL), WS_OK);
        assert_int_equal(count_code_mappings(), before);
        count = 0;
        fail_at = n;
        status = launch_blocks(&p, p.device, p.address, BLOCKS, NULL);
        fail_at = 0;
        failures += status != WS_OK;
        assert_int_equal(launch_blocks(&p, p.device, p.address, BLOCKS, NULL), WS_OK);
        assert_int_equal(count_code_mappings(), before + 1);
        clear(&p);
        assert_int_equal(count_code_mappings(), before);
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation),
                                       cmocka_unit_test(test_compiled_code),
                                       cmocka_unit_test(test_kept_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
