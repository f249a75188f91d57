// SPDX-License-Identifier: Apache-2.0
/* Programs that are run: what they say, and those that do not end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "decode/tool.h"

static bool run(const char *script, unsigned seconds, char **out)
{
    const char *const arguments[] = {"/bin/sh", "-c", script, NULL};
    return tool_run(arguments, "/bin:/usr/bin", seconds, out);
}

static void test_answers(void **state)
{
    (void)state;
    char *said;
    assert_true(run("echo yes; echo no >&2", 60, &said));
    assert_string_equal(said, "yes\nno\n");
    mem_free(said);
    assert_false(run("echo why; exit 3", 60, &said));
    assert_string_equal(said, "why\n");
    mem_free(said);
    const char *const nothing[] = {"/nonexistent/tool", NULL};
    assert_false(tool_run(nothing, NULL, 60, &said));
    mem_free(said);
}

/* Neither gone nor a zombie that nobody has waited for yet. */
static bool lives(long pid)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool is_there = fgets(line, sizeof line, file) && !strstr(line, ") Z");
    fclose(file);
    return is_there;
}

/* Its child would keep the pipe open, and go on: it is stopped, too. The shell tells its number. */
static void test_no_end(void **state)
{
    (void)state;
    char *said;
    long child = 0;
    assert_false(run("sleep 1000 & echo $!; wait", 1, &said));
    assert_non_null(strstr(said, "'/bin/sh' timed out after 1 s"));
    assert_int_equal(sscanf(said, "%ld", &child), 1);
    mem_free(said);
    for (unsigned i = 0; i < 1000 && lives(child); i++)
        usleep(10000); /* a signal takes its time */
    assert_false(lives(child));
}

/* Output closed, and no end. */
static void test_silent(void **state)
{
    (void)state;
    char *said;
    assert_false(run("exec >&- 2>&-; sleep 1000", 1, &said));
    assert_non_null(strstr(said, "timed out after 1 s"));
    mem_free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_no_end),
        cmocka_unit_test(test_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
