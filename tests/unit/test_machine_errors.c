// SPDX-License-Identifier: Apache-2.0
/* tests/machines/bad/NAME.yaml: the first line of each says `# expect: LINE:COLUMN: words`, where
 * the error must point and what it must say. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "machine/machine.h"

#define GOOD TESTS_DIR "/machines/good"
#define BAD TESTS_DIR "/machines/bad"
#define CONFLICT TESTS_DIR "/machines/alias_conflict"

/* `line:column: words` */
struct expectation {
    unsigned line, column;
    const char *words;
};

static struct expectation read_expectation(struct arena *arena, const char *path)
{
    static const char mark[] = "# expect: ";
    struct diag diag = {0};
    struct expectation expected = {0};
    char *text;
    size_t size;
    int end = 0;
    assert_int_equal(text_read_file(&diag, arena, path, &text, &size), WS_OK);
    if (strncmp(text, mark, strlen(mark)) != 0) fail_msg("%s: no '%s'", path, mark);
    text[strcspn(text, "\n")] = '\0';
    text += strlen(mark);
    if (sscanf(text, "%u:%u: %n", &expected.line, &expected.column, &end) != 2 || !end)
        fail_msg("%s: write '%sLINE:COLUMN: words'", path, mark);
    expected.words = text + end;
    return expected;
}

/* The line that is quoted and the mark beneath: every message with a place has both. */
static void check_quote(const char *path, const char *message, unsigned line)
{
    char number[32];
    snprintf(number, sizeof number, "\n %5u | ", line);
    const char *quote = strstr(message, number);
    const char *mark = quote ? strstr(quote + 1, "\n       | ") : NULL;
    if (!mark || !strchr(mark, '^'))
        fail_msg("%s: no source line with a caret:\n%s", path, message);
}

static void check_bad_file(const char *path)
{
    struct diag diag = {0};
    struct arena arena = {0};
    struct machine *machine = NULL;
    struct expectation expected = read_expectation(&arena, path);
    ws_status status = machine_load(&diag, GOOD, path, &machine);
    if (status != WS_ERR_MACHINE)
        fail_msg("%s: status %d: %s", path, (int)status, diag.text ? diag.text : "accepted");
    assert_null(machine);
    const char *place =
        arena_format(&arena, "%s:%u:%u: error: ", path, expected.line, expected.column);
    if (strncmp(diag.text, place, strlen(place)) != 0)
        fail_msg("%s: not at %u:%u:\n%s", path, expected.line, expected.column, diag.text);
    const char *first_line = arena_copy_n(&arena, diag.text, strcspn(diag.text, "\n"));
    if (!strstr(first_line, expected.words))
        fail_msg("%s: does not say \"%s\":\n%s", path, expected.words, diag.text);
    if (strcmp(expected.words, "the file is empty") != 0)
        check_quote(path, diag.text, expected.line);
    arena_clear(&arena);
    diag_clear(&diag);
}

static void test_bad_files(void **state)
{
    (void)state;
    DIR *folder = opendir(BAD);
    assert_non_null(folder);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!strstr(entry->d_name, ".yaml")) continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", BAD, entry->d_name);
        check_bad_file(path);
        count++;
    }
    closedir(folder);
    assert_true(count >= 60); /* the folder was really read */
}

/* Loads what must fail; the message lives in *diag. */
static void expect_failure(struct diag *diag, const char *dir, const char *name, ws_status wanted,
                           const char *words)
{
    struct machine *machine;
    ws_status status = machine_load(diag, dir, name, &machine);
    assert_null(machine);
    if (status != wanted) fail_msg("%s: status %d: %s", name, (int)status, diag->text);
    if (!strstr(diag->text, words))
        fail_msg("%s: does not say \"%s\":\n%s", name, words, diag->text);
}

static void test_alias_of_two_files(void **state)
{
    (void)state;
    struct diag diag = {0};
    expect_failure(&diag, CONFLICT, "second", WS_ERR_MACHINE,
                   CONFLICT
                   "/second.yaml:5:5: error: alias 'shared-name' is already used by first.yaml");
    expect_failure(&diag, CONFLICT, "first", WS_ERR_MACHINE,
                   CONFLICT
                   "/first.yaml:3:11: error: alias 'shared-name' is already used by second.yaml");
    expect_failure(&diag, CONFLICT, "shared-name", WS_ERR_MACHINE, "is already used by");
    /* An alias must not be another file's name either. */
    expect_failure(&diag, CONFLICT, "third", WS_ERR_MACHINE,
                   CONFLICT "/third.yaml:3:11: error: alias 'first' is already used by first.yaml");
    diag_clear(&diag);
}

static void test_unknown_machine(void **state)
{
    (void)state;
    struct diag diag = {0};
    expect_failure(&diag, SOURCE_DIR "/data/machines", "v10", WS_ERR_ARGUMENT, "'v100'");
    expect_failure(&diag, SOURCE_DIR "/data/machines", "gtx208", WS_ERR_ARGUMENT, "'gtx280'");
    expect_failure(&diag, SOURCE_DIR "/data/machines", "SOURCES", WS_ERR_ARGUMENT,
                   "unknown machine");
    expect_failure(&diag, SOURCE_DIR "/data/machines", "../machines/v100", WS_ERR_ARGUMENT,
                   "unknown machine");
    expect_failure(&diag, SOURCE_DIR "/data/machines", "", WS_ERR_ARGUMENT, "gtx280, gtx285, ");
    expect_failure(&diag, GOOD, "./nowhere.yaml", WS_ERR_IO, "./nowhere.yaml");
    expect_failure(&diag, GOOD "/none", "v100", WS_ERR_IO, GOOD "/none");
    /* A file that cannot be parsed harms nobody but who asks for it. */
    expect_failure(&diag, CONFLICT, "broken", WS_ERR_MACHINE, "invalid YAML");
    diag_clear(&diag);
}

static void test_sources_need_title_and_place(void **state)
{
    (void)state;
    struct diag diag = {0};
    expect_failure(&diag, TESTS_DIR "/machines/bad_sources", "first", WS_ERR_MACHINE,
                   "SOURCES.yaml:1:1: error: source BOOK has no where");
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_alias_of_two_files),
        cmocka_unit_test(test_unknown_machine),
        cmocka_unit_test(test_sources_need_title_and_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
