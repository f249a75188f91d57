// SPDX-License-Identifier: Apache-2.0
/* The caller's floating-point state changes no result, of a launch on one thread and on several, nor
 * of the models, and is as before when a call returns. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "support/kernel_run.h"

enum { COUNT = 1 << 13, BLOCK = 128 };

/* ---- states of a caller ---------------------------------------------------------------------- */

static void leave(void)
{
}
/* What crtfastmath.o sets: programs linked with -ffast-math. */
static void flush_subnormals(void)
{
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}
static void round_up(void)
{
    fesetround(FE_UPWARD);
}
static void round_down(void)
{
    fesetround(FE_DOWNWARD);
}
static void chop(void)
{
    fesetround(FE_TOWARDZERO);
}
static void trap(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_ALL_EXCEPT);
}
static void raise_flag(void)
{
    feraiseexcept(FE_UNDERFLOW);
}

static const struct caller {
    const char *name;
    void (*set)(void);
} callers[] = {
    {"the default", leave}, {"-ffast-math", flush_subnormals},
    {"round up", round_up}, {"round down", round_down},
    {"chop", chop},         {"trap", trap},
    {"a flag", raise_flag},
};
enum { CALLERS = sizeof callers / sizeof *callers };

struct seen {
    int rounding, traps, flags;
    unsigned mxcsr;
};
static struct seen look(void)
{
    struct seen seen = {fegetround(), fegetexcept(), fetestexcept(FE_ALL_EXCEPT), 0};
#if defined(__SSE2__)
    seen.mxcsr = _mm_getcsr();
#endif
    return seen;
}

static fenv_t own;
static struct seen before;
static void begin_caller(const struct caller *caller)
{
    fegetenv(&own);
    feclearexcept(FE_ALL_EXCEPT);
    caller->set();
    before = look();
}
static void end_caller(const struct caller *caller)
{
    struct seen after = look();
    fesetenv(&own);
    if (memcmp(&before, &after, sizeof before) != 0)
        fail_msg("%s: rounding %d, traps %#x, flags %#x, mxcsr %#x became %d, %#x, %#x, %#x",
                 caller->name, before.rounding, (unsigned)before.traps, (unsigned)before.flags,
                 before.mxcsr, after.rounding, (unsigned)after.traps, (unsigned)after.flags,
                 after.mxcsr);
}

/* ---- launches -------------------------------------------------------------------------------- */

static const struct kernel {
    const char *name;
    unsigned results; /* of a thread */
    size_t element;
} kernels[] = {{"float_math", 38, 4}, {"double_math", 22, 8}, {"approx", 12, 4}};

/* Numbers of every magnitude, subnormal ones among them, that no other rounding gives. */
static void arguments(unsigned char *bytes, size_t element)
{
    uint64_t state = 9;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = state ^ state >> 29;
        uint32_t word = (uint32_t)(bits >> 13);
        if (i == 0) word = 0x1e3ce508; /* 1e-20f */
        if (i == 1) word = 0x3f8ccccd; /* 1.1f */
        memcpy(bytes + i * element, element == 8 ? (void *)&bits : (void *)&word, element);
    }
}

static unsigned char *launch(const struct kernel *kernel, unsigned threads,
                             const struct caller *caller, size_t *bytes)
{
    static unsigned char data[COUNT * 8];
    struct run run;
    run_begin(&run, "tests/kernels/float_math.ptx", kernel->name, threads);
    run_shape(&run, COUNT / BLOCK, BLOCK);
    arguments(data, kernel->element);
    run_int(&run, COUNT);
    run_input(&run, data, COUNT * kernel->element);
    run_input(&run, data, COUNT * kernel->element);
    *bytes = COUNT * kernel->element * kernel->results;
    run_output(&run, *bytes);
    begin_caller(caller);
    ws_status status = run_try(&run);
    end_caller(caller);
    if (status != WS_OK) fail_msg("%s: %s", caller->name, ws_context_error(run.context));
    unsigned char *out = run_read(&run, 2);
    run_end(&run);
    return out;
}

static void launches_are_the_same(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        size_t bytes;
        unsigned char *expected = launch(&kernels[k], 1, &callers[0], &bytes);
        for (unsigned threads = 1; threads <= 3; threads += 2)
            for (size_t c = 1; c < CALLERS; c++) {
                unsigned char *got = launch(&kernels[k], threads, &callers[c], &bytes);
                for (size_t i = 0; i < bytes; i++)
                    if (got[i] != expected[i])
                        fail_msg("%s, %u threads, %s: byte %zu", kernels[k].name, threads,
                                 callers[c].name, i);
                free(got);
            }
        free(expected);
    }
}

/* 1e-20f squared is 71362.38 units of 2^-149, 1.1f squared 10150216.12 units of 2^-23. */
static void products_are_those_of_ieee(void **state)
{
    (void)state;
    enum { PRODUCT = 5 }; /* __fmul_rn is the sixth function */
    for (size_t c = 0; c < CALLERS; c++) {
        size_t bytes;
        uint32_t words[2];
        unsigned char *out = launch(&kernels[0], 1, &callers[c], &bytes);
        memcpy(words, out + PRODUCT * COUNT * sizeof *words, sizeof words);
        assert_int_equal(words[0], 71362);
        assert_int_equal(words[1], 0x3f800000 + 10150216 - (1 << 23));
        free(out);
    }
}

/* ---- models ---------------------------------------------------------------------------------- */

static bool append(void *user, const char *text, size_t length)
{
    return fwrite(text, 1, length, user) == length;
}

/* Everything that is said of a profile on a machine, read from files. */
static ws_status describe(ws_context *context, FILE *out)
{
    ws_profile *profile = NULL;
    ws_machine *machine = NULL;
    ws_answer *answer = NULL;
    ws_report_options options = {.size = sizeof options, .format = WS_FORMAT_JSON};
    ws_status status = ws_profile_load(context, TESTS_DIR "/profiles/two_stages.json", &profile);
    if (status == WS_OK) status = ws_machine_load(context, "gtx285", &machine);
    if (status == WS_OK) status = ws_machine_set(machine, "sm.count", "=*0.7");
    const ws_machine *machines[] = {machine};
    const ws_profile *profiles[] = {profile};
    const ws_question question = {.size = sizeof question,
                                  .name = "analyze",
                                  .profiles = profiles,
                                  .profile_count = 1,
                                  .machines = machines,
                                  .machine_count = 1};
    if (status == WS_OK) status = ws_ask(context, &question, &answer);
    if (status == WS_OK) status = ws_answer_write(context, answer, &options, append, out);
    ws_answer_destroy(answer);
    ws_machine_destroy(machine);
    ws_profile_destroy(profile);
    return status;
}

static char *description(const struct caller *caller)
{
    char *text = NULL;
    size_t size = 0;
    ws_context *context;
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_context_set_machine_dir(context, SOURCE_DIR "/data/machines"), WS_OK);
    FILE *out = open_memstream(&text, &size);
    begin_caller(caller);
    ws_status status = describe(context, out);
    end_caller(caller);
    fclose(out);
    if (status != WS_OK) fail_msg("%s: %s", caller->name, ws_context_error(context));
    ws_context_destroy(context);
    return text;
}

static void reports_are_the_same(void **state)
{
    (void)state;
    char *expected = description(&callers[0]);
    assert_true(strlen(expected) > 1000);
    for (size_t c = 1; c < CALLERS; c++) {
        char *got = description(&callers[c]);
        if (strcmp(got, expected) != 0) fail_msg("%s: another report", callers[c].name);
        free(got);
    }
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_the_same),
        cmocka_unit_test(products_are_those_of_ieee),
        cmocka_unit_test(reports_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
