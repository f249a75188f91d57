// SPDX-License-Identifier: Apache-2.0
/* The tool memory on hand-written PTX. Each file of tests/checks/ptx_memory/ holds a kernel `k` and, in comments, its launch
 * and what must be told of it; the expectation is worked out by hand from the PTX ISA.
 *
 *     //! hardware                             as `run` executes: host addresses, hardware's tolerance
 *     //! grid 2   //! block 32   //! shared 64
 *     //! buffer 128                           the next argument: so many zeros
 *     //! freed 128                            the same, freed before the launch
 *     //! value 0x0                            the next argument: 64 bits
 *     //! host                                 the next argument: address of a variable of the host
 *     //! texture 32                           the next argument: a texture of so many words, of a buffer of its own
 *     //! stale                                the same, destroyed before the launch
 *     //! report M01 x3 block 0 thread 29: WORDS   the code was told three times; first there, and in these words
 *     //! leaks                                what malloc of kernels gave and nobody freed is told, too
 *     //! fails   //! passes                   the launch does
 *     //! word 0 5 = 7                         word 5 of the first buffer afterwards
 *
 * Nothing but what stands there may be told. */
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

#define FOLDER TESTS_DIR "/checks/ptx_memory"

enum { ARGUMENTS_MAX = 8, TOLD_MAX = 16, TEXT_MAX = 512 };

/* One code that was told. */
struct told {
    enum check_code code;
    unsigned count;
    uint64_t block;
    uint32_t thread;
    char words[TEXT_MAX];
};

struct recorder {
    struct told told[TOLD_MAX];
    unsigned count;
};

struct test_case {
    struct diag diag;
    struct device *device;
    struct module *module;
    struct recorder recorder;
    struct checker checker;
    struct launch_options launch;
    uint64_t arguments[ARGUMENTS_MAX], buffers[ARGUMENTS_MAX];
    unsigned argument_count, buffer_count, seen;
    bool is_hardware;
    ws_status status;
};

/* ---- recording ------------------------------------------------------------------------------- */

static void begin(void *self, const struct launch_view *launch)
{
    (void)self, (void)launch;
}

static void end(void *self)
{
    (void)self;
}

/* Paths with lines become FILE:LINE, hexadecimal numbers 0xADDRESS. */
static void hide_places(const char *words, char out[TEXT_MAX])
{
    size_t length = 0;
    for (const char *at = words; *at;) {
        const char *path = !strncmp(at, TESTS_DIR, strlen(TESTS_DIR)) ? "FILE:LINE" : NULL;
        if (!strncmp(at, "0x30000", 7)) path = "0xADDRESS";
        if (!strncmp(at, "0x10000", 7)) path = "0xADDRESS";
        if (!path) {
            out[length++] = *at++;
            continue;
        }
        memcpy(out + length, path, strlen(path));
        length += strlen(path);
        at += strcspn(at, path[0] == 'F' ? " ;," : ";:,)");
    }
    out[length] = 0;
}

static void report(void *self, const struct check_report *report)
{
    struct recorder *recorder = self;
    unsigned k = 0;
    while (k < recorder->count && recorder->told[k].code != report->code)
        k++;
    struct told *told = &recorder->told[k];
    assert_true(k < TOLD_MAX);
    if (told->count++) return;
    recorder->count++;
    told->code = report->code;
    told->block = report->here.block;
    told->thread = report->here.warp * 32 + report->here.lane;
    char words[TEXT_MAX];
    snprintf(words, sizeof words, "%s%s%s", report->memory ? report->memory : "",
             report->memory && report->detail ? "; " : "", report->detail ? report->detail : "");
    hide_places(words, told->words);
}

static void note(void *self, const char *text)
{
    (void)self, (void)text;
}

static const struct checker_ops ops = {
    .launch_begin = begin, .launch_end = end, .report = report, .note = note};

/* ---- a file ---------------------------------------------------------------------------------- */

static void must(struct test_case *c, ws_status status)
{
    if (status != WS_OK) fail_msg("%s", c->diag.text);
}

static uint64_t add_buffer(struct test_case *c, uint64_t bytes)
{
    uint64_t address;
    must(c, device_alloc(&c->diag, c->device, bytes, &address));
    must(c, device_fill(&c->diag, c->device, address, 0, bytes));
    c->buffers[c->buffer_count++] = address;
    return address;
}

static uint64_t add_texture(struct test_case *c, uint64_t words)
{
    uint64_t handle;
    ws_texture texture = {.kind = WS_TEXTURE_LINEAR_MEMORY,
                          .address = add_buffer(c, 4 * words),
                          .width = words,
                          .channels = 1,
                          .channel_bits = 32,
                          .channel_kind = WS_CHANNEL_UNSIGNED};
    must(c, device_texture_create(&c->diag, c->device, &texture, &handle));
    return handle;
}

static void set_up(struct test_case *c, const char *line)
{
    unsigned long long number = 0;
    char word[16] = "";
    static uint32_t of_the_host[64];
    sscanf(line, "%15s %lli", word, (long long *)&number);
    uint64_t *argument = &c->arguments[c->argument_count];
    if (!strcmp(word, "grid")) c->launch.grid[0] = (uint32_t)number;
    if (!strcmp(word, "block")) c->launch.block[0] = (uint32_t)number;
    if (!strcmp(word, "shared")) c->launch.dynamic_shared_bytes = number;
    bool is_freed = !strcmp(word, "freed"), is_stale = !strcmp(word, "stale");
    if (!strcmp(word, "buffer") || is_freed) *argument = add_buffer(c, number);
    if (is_freed) must(c, device_free(&c->diag, c->device, *argument));
    if (!strcmp(word, "texture") || is_stale) *argument = add_texture(c, is_stale ? 1 : number);
    if (is_stale) must(c, device_texture_destroy(&c->diag, c->device, *argument));
    if (!strcmp(word, "value")) *argument = number;
    if (!strcmp(word, "host")) *argument = (uint64_t)(uintptr_t)of_the_host;
    c->argument_count += strstr("buffer freed value host texture stale", word) != NULL;
}

static void expect_report(struct test_case *c, const char *line)
{
    char id[8];
    unsigned count, thread;
    unsigned long long block;
    int at = 0;
    if (sscanf(line, "report %7s x%u block %llu thread %u:%n", id, &count, &block, &thread, &at) !=
            4 ||
        !at)
        fail_msg("cannot read '%s'", line);
    for (unsigned k = 0; k < c->recorder.count; k++) {
        const struct told *told = &c->recorder.told[k];
        if (strcmp(check_codes[told->code].id, id) != 0) continue;
        const char *words = line + at + (line[at] == ' ');
        if (told->count != count || told->block != block || told->thread != thread ||
            strcmp(told->words, words) != 0)
            fail_msg("%s x%u block %llu thread %u: %s, expected: %s", id, told->count,
                     (unsigned long long)told->block, told->thread, told->words, line);
        c->seen++;
        return;
    }
    fail_msg("%s was not told", id);
}

static void expect(struct test_case *c, const char *line)
{
    unsigned buffer, at;
    uint32_t value, expected;
    if (!strncmp(line, "report ", 7)) expect_report(c, line);
    if (!strcmp(line, "passes") && c->status != WS_OK) fail_msg("it failed: %s", c->diag.text);
    if (!strcmp(line, "fails") && c->status != WS_ERR_FAULT) fail_msg("status %d", c->status);
    if (sscanf(line, "word %u %u = %i", &buffer, &at, (int *)&expected) != 3) return;
    must(c, device_copy_out(&c->diag, c->device, &value, c->buffers[buffer] + 4 * at, 4));
    if (value != expected)
        fail_msg("word %u of buffer %u is 0x%x, not 0x%x", at, buffer, value, expected);
}

typedef void line_fn(struct test_case *c, const char *line);
static void each_line(struct test_case *c, const char *text, line_fn *each)
{
    char line[TEXT_MAX];
    for (const char *at = strstr(text, "//! "); at; at = strstr(at + 1, "//! ")) {
        size_t length = strcspn(at + 4, "\n");
        assert_true(length < sizeof line);
        memcpy(line, at + 4, length);
        line[length] = 0;
        each(c, line);
    }
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void run_file(const char *path, int level)
{
    char *text = read_text(path);
    struct test_case c = {.launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}}};
    c.checker = (struct checker){.ops = &ops, .self = &c.recorder, .tools = CHECK_MEMORY};
    bool is_hardware = strstr(text, "//! hardware") != NULL;
    must(&c, module_load_memory(&c.diag, path, text, strlen(text), &c.module));
    struct device_options options = {.isa_level = level,
                                     .host_addresses = is_hardware,
                                     .as_hardware = is_hardware,
                                     .check = &c.checker};
    must(&c, device_create(&c.diag, &options, &c.device));
    each_line(&c, text, set_up);
    must(&c, module_find_entry(&c.diag, c.module, "k", &c.launch.entry));
    c.launch.parameters = c.arguments;
    c.launch.parameter_bytes = c.argument_count * sizeof *c.arguments;
    c.status = device_launch(&c.diag, c.device, c.module, &c.launch, NULL);
    if (c.status != WS_OK && c.status != WS_ERR_FAULT) fail_msg("%s", c.diag.text);
    if (strstr(text, "//! leaks")) device_report_leaks(c.device);
    each_line(&c, text, expect);
    if (c.seen != c.recorder.count)
        fail_msg("%u kinds were told, expected %u; the last: %s: %s", c.recorder.count, c.seen,
                 check_codes[c.recorder.told[c.recorder.count - 1].code].id,
                 c.recorder.told[c.recorder.count - 1].words);
    device_destroy(c.device);
    module_destroy(c.module);
    diag_clear(&c.diag);
    free(text);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void every_file(void **state)
{
    char path[TEXT_MAX], *names[256];
    unsigned count = 0;
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strstr(entry->d_name, ".ptx")) names[count++] = strdup(entry->d_name);
    closedir(folder);
    qsort(names, count, sizeof *names, by_name);
    for (unsigned k = 0; k < count; k++) {
        snprintf(path, sizeof path, "%s/%s", FOLDER, names[k]);
        print_message("%s\n", names[k]);
        for (int level = 0; level < device_isa_levels(); level++)
            run_file(path, level);
        free(names[k]);
    }
    assert_true(count >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
