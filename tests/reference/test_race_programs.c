// SPDX-License-Identifier: Apache-2.0
/* Random kernels (race_program.h) under the tool race, and in many orders of their threads on the interpreter of this
 * folder: where two orders leave different memories, something must be told; where an error is told, orders must
 * differ. The latter not always: what differs may be overwritten before anybody reads it; but seldom.
 *
 *     test_race_programs [COUNT [SEED]]        by default 60 from seed 1 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/module.h"
#include "reference/orders.h"
#include "reference/race_program.h"
#include "support/race_findings.h"

enum { PROGRAMS = 60, ORDERS = 32, SELDOM = 20 /* one in so many */ };

static struct counts {
    unsigned long from, programs;
    unsigned errors, differ, missed, unseen;
} counts = {.from = 1, .programs = PROGRAMS};

static bool is_error(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (check_codes[findings->items[i]->code].grade == GRADE_ERROR) return true;
    return false;
}

static void run_program(unsigned long seed)
{
    const struct litmus litmus = {.kernel = "k", .grid = RACE_BLOCKS, .block = RACE_THREADS};
    struct diag diag = {0};
    struct module *module;
    const char *fault = "";
    char *text = race_program(seed);
    if (module_load_memory(&diag, "k.ptx", text, strlen(text), &module) != WS_OK)
        fail_msg("seed %lu: %s", seed, diag.text);
    struct findings *findings = race_findings(module, &litmus, 0);
    bool has_error = is_error(findings);
    unsigned order = orders_find(module, &litmus, ORDERS, &fault);
    counts.errors += has_error;
    counts.differ += order != 0;
    counts.unseen += has_error && !order;
    if (order && !findings->count) {
        print_message("seed %lu: order %u differs, nothing is told %s\n%s", seed, order, fault,
                      text);
        counts.missed++;
    }
    if (has_error && !order) print_message("seed %lu: an error that no order shows\n", seed);
    findings_destroy(findings);
    module_destroy(module);
    diag_clear(&diag);
    mem_free(text);
}

static void every_program(void **state)
{
    (void)state;
    for (unsigned long i = 0; i < counts.programs; i++)
        run_program(counts.from + i);
    print_message(
        "%lu programs: %u with errors, %u with orders that differ; %u missed, %u unseen\n",
        counts.programs, counts.errors, counts.differ, counts.missed, counts.unseen);
    assert_int_equal(counts.missed, 0);
    assert_true(counts.errors > 0 && counts.errors < counts.programs);
    assert_true(counts.unseen * SELDOM <= counts.errors);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_program)};
    if (argc > 1) counts.programs = strtoul(argv[1], NULL, 10);
    if (argc > 2) counts.from = strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
