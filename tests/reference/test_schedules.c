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

#include "decode/module.h"
#include "reference/orders.h"
#include "support/litmus.h"

enum { SCHEDULES = 16 };

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
    unsigned schedule = orders_find(module, litmus, count, &fault);
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
    char *source = litmus_source();
    struct module *module = litmus_module();
    struct litmus litmus;
    (void)state;
    for (const char *at = source; litmus_next(&at, &litmus); kernels++)
        bad += !is_as_told(module, &litmus, schedules);
    assert_true(kernels > 0 && schedules > 1);
    assert_int_equal(bad, 0);
    module_destroy(module);
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
