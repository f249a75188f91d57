// SPDX-License-Identifier: Apache-2.0
/* The tool sync on hand-written PTX. The files of tests/checks/sync/ hold kernels of one parameter, a buffer of zeros.
 * Comments say how each is launched and what must be told of it; the expectation is worked out by hand from the PTX
 * ISA and the CUDA C++ Programming Guide.
 *
 *     // resident NAME COUNT                               blocks that the GPU holds at once
 *     //! NAME GRID BLOCK: CODE GRADE, CODE GRADE ...     exactly these kinds are told; nothing: none is
 *     // here CODE    // other CODE                       at the end of a line: the finding's places, where they are given
 *     // says NAME WORDS                                  the words are in the detail of a finding
 *
 * A launch fails where DEADLOCK, ENDLESS_LOOP, GRID or BARRIER_NUMBER is expected, and succeeds elsewhere. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/findings.h"
#include "emulate/emulate.h"

#define FOLDER TESTS_DIR "/checks/sync"

enum { BUFFER_BYTES = 16384, LINE_MAX = 512, FILES_MAX = 64 };

struct test_file {
    const char *path, *text;
    struct diag diag;
    struct device *device;
    struct module *module;
    struct findings *findings;
    ws_status status;
    unsigned kernels;
};

static void must(struct test_file *f, ws_status status)
{
    if (status != WS_OK) fail_msg("%s: %s", f->path, f->diag.text);
}

static void launch(struct test_file *f, const char *name, unsigned grid, unsigned block)
{
    uint64_t address;
    struct device_options options = {.isa_level = -1, .check = &f->findings->checker};
    must(f, device_create(&f->diag, &options, &f->device));
    must(f, device_alloc(&f->diag, f->device, BUFFER_BYTES, &address));
    must(f, device_fill(&f->diag, f->device, address, 0, BUFFER_BYTES));
    struct launch_options launch = {.grid = {grid, 1, 1},
                                    .block = {block, 1, 1},
                                    .parameters = &address,
                                    .parameter_bytes = sizeof address};
    char mark[LINE_MAX];
    int length = snprintf(mark, sizeof mark, "// resident %s ", name);
    const char *at = strstr(f->text, mark);
    if (at) launch.resident_blocks = strtoull(at + length, NULL, 10);
    must(f, module_find_entry(&f->diag, f->module, name, &launch.entry));
    f->status = device_launch(&f->diag, f->device, f->module, &launch, NULL);
    device_destroy(f->device);
}

/* The line of the kernel's body that ends with "// KIND CODE"; 0: none does. */
static unsigned marked_line(const struct test_file *f, const char *name, const char *kind,
                            const char *code)
{
    char start[LINE_MAX], mark[64];
    snprintf(start, sizeof start, ".entry %s(", name);
    snprintf(mark, sizeof mark, "// %s %s\n", kind, code);
    const char *from = strstr(f->text, start);
    assert_non_null(from);
    const char *end = strstr(from, "\n}"), *at = strstr(from, mark);
    if (!at || (end && at > end)) return 0;
    unsigned line = 1;
    for (const char *c = f->text; c < at; c++)
        line += *c == '\n';
    return line;
}

/* Several places of one code are one kind, and its highest grade counts. */
static unsigned count_kinds(const struct findings *findings)
{
    unsigned count = 0;
    for (size_t i = 0; i < findings->count; i++) {
        size_t k = 0;
        while (findings->items[k]->code != findings->items[i]->code)
            k++;
        count += k == i;
    }
    return count;
}

static bool is_topped(const struct findings *findings, const struct check_finding *finding)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i]->code == finding->code && findings->items[i]->grade < finding->grade)
            return true;
    return false;
}

static void expect_finding(const struct test_file *f, const char *name, const char *expected)
{
    char code[64] = "", grade[32] = "";
    if (sscanf(expected, " %63s %31s", code, grade) != 2)
        fail_msg("%s: cannot read '%s'", f->path, expected);
    unsigned here = marked_line(f, name, "here", code), other = marked_line(f, name, "other", code);
    for (size_t i = 0; i < f->findings->count; i++) {
        const struct check_finding *finding = f->findings->items[i];
        if (strcmp(check_codes[finding->code].name, code) != 0) continue;
        if (is_topped(f->findings, finding)) continue;
        assert_string_equal(check_grade_name(finding->grade), grade);
        if (here && finding->here.module_line != here)
            fail_msg("%s: %s: %s is at line %u, not %u", f->path, name, code,
                     finding->here.module_line, here);
        if (other && finding->other.module_line != other)
            fail_msg("%s: %s: the other side of %s is at line %u, not %u", f->path, name, code,
                     finding->other.module_line, other);
        return;
    }
    fail_msg("%s: %s: %s was not told as %s", f->path, name, code, grade);
}

static void expect_words(const struct test_file *f, const char *name)
{
    char start[LINE_MAX], words[LINE_MAX];
    size_t length = (size_t)snprintf(start, sizeof start, "// says %s ", name);
    for (const char *at = strstr(f->text, start); at; at = strstr(at + 1, start)) {
        snprintf(words, sizeof words, "%.*s", (int)strcspn(at + length, "\n"), at + length);
        bool found = false;
        for (size_t i = 0; i < f->findings->count; i++) {
            const char *detail = f->findings->items[i]->detail;
            found = found || (detail && strstr(detail, words));
        }
        if (!found)
            fail_msg("%s: %s does not say '%s' but '%s'", f->path, name, words,
                     f->findings->count && f->findings->items[0]->detail
                         ? f->findings->items[0]->detail
                         : "");
    }
}

static void run_kernel(struct test_file *f, char *line)
{
    char name[LINE_MAX];
    unsigned grid, block, expected = 0;
    int at = 0;
    if (sscanf(line, "%500s %u %u:%n", name, &grid, &block, &at) != 3 || !at)
        fail_msg("%s: cannot read '%s'", f->path, line);
    f->findings = findings_create(CHECK_SYNC);
    launch(f, name, grid, block);
    bool fails = strstr(line, "DEADLOCK") || strstr(line, "ENDLESS_LOOP");
    bool is_refused = strstr(line, "BARRIER_NUMBER") || strstr(line, "GRID ");
    ws_status status = fails ? WS_ERR_DEADLOCK : is_refused ? WS_ERR_FAULT : WS_OK;
    if (f->status != status)
        fail_msg("%s: %s: status %d: %s", f->path, name, (int)f->status, f->diag.text);
    for (char *part = strtok(line + at, ","); part; part = strtok(NULL, ",")) {
        if (!part[strspn(part, " ")]) continue;
        expect_finding(f, name, part);
        expected++;
    }
    for (size_t i = 0; i < f->findings->count && count_kinds(f->findings) != expected; i++)
        print_message("%s: %s: told %s line %u: %s\n", f->path, name,
                      check_codes[f->findings->items[i]->code].name,
                      f->findings->items[i]->here.module_line, f->findings->items[i]->detail);
    assert_int_equal(count_kinds(f->findings), expected);
    expect_words(f, name);
    findings_destroy(f->findings);
    diag_clear(&f->diag);
    f->kernels++;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 18);
    assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
    fclose(file);
    return text;
}

static unsigned run_file(const char *path)
{
    char *text = read_text(path), line[LINE_MAX];
    struct test_file f = {.path = path, .text = text};
    must(&f, module_load_memory(&f.diag, path, text, strlen(text), &f.module));
    for (const char *at = strstr(text, "//! "); at; at = strstr(at + 1, "//! ")) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 4, "\n"), at + 4);
        run_kernel(&f, line);
    }
    module_destroy(f.module);
    free(text);
    return f.kernels;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void every_file(void **state)
{
    char path[LINE_MAX], *names[FILES_MAX];
    unsigned count = 0, kernels = 0;
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < FILES_MAX;)
        if (strstr(entry->d_name, ".ptx")) names[count++] = strdup(entry->d_name);
    closedir(folder);
    qsort(names, count, sizeof *names, by_name);
    for (unsigned k = 0; k < count; k++) {
        snprintf(path, sizeof path, "%s/%s", FOLDER, names[k]);
        kernels += run_file(path);
        free(names[k]);
    }
    assert_true(kernels >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
