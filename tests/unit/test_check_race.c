// SPDX-License-Identifier: Apache-2.0
/* The tool race on tests/checks/ptx_race/litmus.cu, whose comments say what each kernel must be told:
 *
 *     //! KERNEL GRID BLOCK [CODE ...]
 *
 * Arguments are two buffers of 16 KiB: of zeros, the second half of the first of numbers from 100 on. WARPSAGE_RACE_PTX and _CU name other files than these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/findings.h"
#include "emulate/emulate.h"

#define FOLDER TESTS_DIR "/checks/ptx_race"

enum { BUFFER_BYTES = 1 << 14, TEXT_MAX = 1 << 20, LINE_MAX_ = 256 };

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, TEXT_MAX);
    assert_non_null(text);
    size_t length = fread(text, 1, TEXT_MAX - 1, file);
    assert_true(length > 0 && length < TEXT_MAX - 1);
    fclose(file);
    return text;
}

static void must(struct diag *diag, ws_status status)
{
    if (status != WS_OK) fail_msg("%s", diag->text);
}

static void launch(struct diag *diag, const struct module *module, struct findings *findings,
                   const char *kernel, unsigned grid, unsigned block, int level)
{
    struct device *device;
    struct device_options options = {.isa_level = level, .check = &findings->checker};
    struct launch_options launch = {.grid = {grid, 1, 1}, .block = {block, 1, 1}};
    uint64_t arguments[2];
    must(diag, device_create(diag, &options, &device));
    for (unsigned k = 0; k < 2; k++) {
        must(diag, device_alloc(diag, device, BUFFER_BYTES, &arguments[k]));
        must(diag, device_fill(diag, device, arguments[k], 0, BUFFER_BYTES));
    }
    uint32_t numbers[BUFFER_BYTES / 8];
    for (uint32_t i = 0; i < BUFFER_BYTES / 8; i++)
        numbers[i] = 100 + i;
    must(diag,
         device_copy_in(diag, device, arguments[0] + sizeof numbers, numbers, sizeof numbers));
    must(diag, module_find_entry(diag, module, kernel, &launch.entry));
    launch.parameters = arguments;
    launch.parameter_bytes = sizeof arguments;
    must(diag, device_launch(diag, device, module, &launch, NULL));
    device_destroy(device);
}

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

static bool run_line(const struct module *module, const char *line, int level)
{
    char kernel[64];
    unsigned grid, block;
    int at = 0;
    struct diag diag = {0};
    struct findings *findings = findings_create(CHECK_RACE);
    if (sscanf(line, "%63s %u %u%n", kernel, &grid, &block, &at) != 3)
        fail_msg("cannot read '%s'", line);
    launch(&diag, module, findings, kernel, grid, block, level);
    bool is_good = is_as_expected(findings, line + at);
    if (!is_good) print_message("%s: expected '%s', told:\n", kernel, line + at);
    if (!is_good || getenv("WARPSAGE_RACE_CU")) print_findings(findings);
    findings_destroy(findings);
    diag_clear(&diag);
    return is_good;
}

static void every_kernel(void **state)
{
    const char *source = getenv("WARPSAGE_RACE_CU"), *code = getenv("WARPSAGE_RACE_PTX");
    (void)state;
    char *lines = read_text(source ? source : FOLDER "/litmus.cu");
    char *text = read_text(code ? code : FOLDER "/litmus.ptx");
    struct diag diag = {0};
    struct module *module;
    unsigned count = 0, bad = 0;
    must(&diag, module_load_memory(&diag, "litmus.ptx", text, strlen(text), &module));
    for (const char *at = strstr(lines, "\n//! "); at; at = strstr(at + 1, "\n//! ")) {
        char line[LINE_MAX_];
        size_t length = strcspn(at + 5, "\n");
        assert_true(length < sizeof line);
        memcpy(line, at + 5, length);
        line[length] = 0;
        for (int level = 0; level < device_isa_levels(); level++)
            bad += !run_line(module, line, level);
        count++;
    }
    assert_true(count > 0);
    assert_int_equal(bad, 0);
    module_destroy(module);
    diag_clear(&diag);
    free(lines);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
