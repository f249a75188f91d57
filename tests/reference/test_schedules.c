// SPDX-License-Identifier: Apache-2.0
/* The kernels of the tool race (tests/checks/ptx_race/litmus.cu) in many orders of their threads: one of which an error is
 * told leaves two different memories, one that is correct always the same. Marks behind the codes tell which cannot
 * show it:
 *
 *     weak      its accesses are out of order in weak memory only: a fence or a wide scope is missing, not an order
 *     inputs    other inputs than zeros are needed (litmus_fill)
 *     orders    correct, but the order of its atomics may be seen in what it leaves
 *
 *     WARPSAGE_SCHEDULES: how many orders, by default 16. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/interpreter.h"
#include "support/litmus.h"

enum { SCHEDULES = 16, BUFFERS = 2 };
#define BUFFER_ADDRESS(i) (UINT64_C(0x10000000) * ((i) + 1))

/* What a launch leaves. */
struct outcome {
    uint32_t memory[BUFFERS][LITMUS_WORDS];
    char fault[200]; /* "": it ends; else it waits for ever, or does what it must not */
};

static void run(const struct module *module, const struct litmus *litmus, uint64_t schedule,
                struct outcome *out)
{
    struct diag diag = {0};
    uint64_t parameters[BUFFERS];
    struct reference_buffer buffers[BUFFERS];
    memset(out, 0, sizeof *out);
    litmus_fill(out->memory[0], litmus_has(litmus, "inputs"));
    for (unsigned i = 0; i < BUFFERS; i++) {
        parameters[i] = BUFFER_ADDRESS(i);
        buffers[i] =
            (struct reference_buffer){parameters[i], (unsigned char *)out->memory[i], LITMUS_BYTES};
    }
    struct reference_launch launch = {.module = module,
                                      .grid = {litmus->grid, 1, 1},
                                      .block = {litmus->block, 1, 1},
                                      .parameters = (const unsigned char *)parameters,
                                      .buffers = buffers,
                                      .buffer_count = BUFFERS,
                                      .schedule = schedule};
    if (module_find_entry(&diag, module, litmus->kernel, &launch.entry) != WS_OK)
        fail_msg("%s", diag.text);
    if (!reference_run(&launch, out->fault, sizeof out->fault) && !out->fault[0])
        fail_msg("a fault without words");
}

/* The first schedule that ends otherwise than the first; 0: none. *fault: of the one or the other. */
static unsigned find_difference(const struct module *module, const struct litmus *litmus,
                                unsigned count, const char **fault)
{
    static struct outcome first, now;
    run(module, litmus, 1, &first);
    for (unsigned schedule = 2; schedule <= count; schedule++) {
        run(module, litmus, schedule, &now);
        *fault = first.fault[0] ? first.fault : now.fault;
        if (memcmp(&first, &now, sizeof first) != 0) return schedule;
    }
    return 0;
}

static bool is_error(const struct litmus *litmus)
{
    return litmus_has(litmus, "R01") || litmus_has(litmus, "R02") || litmus_has(litmus, "R03") ||
           litmus_has(litmus, "R04");
}

static bool is_as_told(const struct module *module, const struct litmus *litmus, unsigned count)
{
    /* Lanes that only hardware orders may run apart here. */
    bool may_differ = is_error(litmus) || litmus_has(litmus, "R05") || litmus_has(litmus, "orders");
    bool must_differ = may_differ && !litmus_has(litmus, "weak");
    const char *fault = "";
    unsigned schedule = find_difference(module, litmus, count, &fault);
    if (must_differ && !schedule)
        print_message("%s:%s: %u orders leave the same memory\n", litmus->kernel, litmus->words,
                      count);
    if (!must_differ && schedule)
        print_message("%s:%s: order %u leaves another memory %s\n", litmus->kernel, litmus->words,
                      schedule, fault);
    return must_differ == (schedule != 0);
}

static void every_kernel(void **state)
{
    const char *wanted = getenv("WARPSAGE_SCHEDULES");
    unsigned bad = 0, kernels = 0, schedules = wanted ? (unsigned)atoi(wanted) : SCHEDULES;
    char *source = litmus_source(), *code = litmus_code();
    struct diag diag = {0};
    struct module *module;
    struct litmus litmus;
    (void)state;
    if (module_load_memory(&diag, "litmus.ptx", code, strlen(code), &module) != WS_OK)
        fail_msg("%s", diag.text);
    for (const char *at = source; litmus_next(&at, &litmus); kernels++)
        bad += !is_as_told(module, &litmus, schedules);
    assert_true(kernels > 0 && schedules > 1);
    assert_int_equal(bad, 0);
    module_destroy(module);
    diag_clear(&diag);
    free(source);
    free(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
