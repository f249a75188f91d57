// SPDX-License-Identifier: Apache-2.0
/* The tool race on tests/checks/ptx_race/litmus.cu, whose comments say what each kernel must be told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulate/emulate.h"
#include "support/race_findings.h"

static void print_findings(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct check_finding *one = findings->items[i];
        print_message(
            "    %s x%llu lines %u and %u, threads %u and %u, values %llu and %llu: %s; %s\n",
            check_codes[one->code].id, (unsigned long long)one->count, one->here.source_line,
            one->other.source_line, one->here.warp * 32 + one->here.lane,
            one->other.warp * 32 + one->other.lane, (unsigned long long)one->here.value,
            (unsigned long long)one->other.value, one->memory, one->detail);
    }
}

/* Every code that is expected was told, and nothing else. */
static bool is_as_expected(const struct findings *findings, const char *codes)
{
    for (size_t i = 0; i < findings->count; i++)
        if (!strstr(codes, check_codes[findings->items[i]->code].id)) return false;
    for (const char *at = strchr(codes, 'R'); at; at = strchr(at + 1, 'R')) {
        bool is_told = false;
        for (size_t i = 0; i < findings->count; i++)
            is_told = is_told || !strncmp(at, check_codes[findings->items[i]->code].id, 3);
        if (!is_told) return false;
    }
    return true;
}

static bool run_kernel(const struct module *module, const struct litmus *litmus, int level)
{
    struct findings *findings = race_findings(module, litmus, level);
    bool is_good = is_as_expected(findings, litmus->words);
    if (!is_good) print_message("%s: expected '%s', told:\n", litmus->kernel, litmus->words);
    if (!is_good || getenv("WARPSAGE_RACE_CU")) print_findings(findings);
    findings_destroy(findings);
    return is_good;
}

static void every_kernel(void **state)
{
    char *source = litmus_source();
    struct module *module = litmus_module();
    struct litmus litmus;
    unsigned count = 0, bad = 0;
    (void)state;
    for (const char *at = source; litmus_next(&at, &litmus); count++)
        for (int level = 0; level < device_isa_levels(); level++)
            bad += !run_kernel(module, &litmus, level);
    assert_true(count > 0);
    assert_int_equal(bad, 0);
    module_destroy(module);
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
