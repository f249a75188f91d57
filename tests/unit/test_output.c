// SPDX-License-Identifier: Apache-2.0
/* Files that are written whole or not at all (ws_output). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

static ws_context *context;
static char folder[] = "/tmp/warpsage-output-XXXXXX";

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *path, const char *text)
{
    char got[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    (void)!fread(got, 1, sizeof got - 1, file);
    fclose(file);
    assert_string_equal(got, text);
}

/* What lies in the folder, apart from the file itself. */
static size_t count_others(void)
{
    char line[256];
    size_t count = 0;
    FILE *list = popen("ls -A | grep -vx -e old -e link", "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list))
        count++;
    pclose(list);
    return count;
}

static void old_file_stays_until_the_end(void **state)
{
    (void)state;
    ws_output *output;
    put("old", "before");
    assert_int_equal(ws_output_open(context, "old", &output), WS_OK);
    assert_true(ws_output_write(output, "after", 5));
    expect("old", "before");
    assert_int_equal(ws_output_close(output), WS_OK);
    expect("old", "after");
    assert_int_equal(count_others(), 0);
}

static void discarded_is_nothing(void **state)
{
    (void)state;
    ws_output *output;
    put("old", "before");
    assert_int_equal(ws_output_open(context, "old", &output), WS_OK);
    assert_true(ws_output_write(output, "after", 5));
    ws_output_discard(output);
    ws_output_discard(NULL);
    expect("old", "before");
    assert_int_equal(count_others(), 0);
}

static void links_and_permissions_stay(void **state)
{
    (void)state;
    ws_output *output;
    struct stat status;
    put("old", "before");
    assert_int_equal(chmod("old", 0640), 0);
    assert_int_equal(symlink("old", "link"), 0);
    assert_int_equal(ws_output_open(context, "link", &output), WS_OK);
    assert_true(ws_output_write(output, "after", 5));
    assert_int_equal(ws_output_close(output), WS_OK);
    expect("old", "after");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat("old", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(unlink("link"), 0);
}

static void errors_say_why(void **state)
{
    (void)state;
    ws_output *output;
    assert_int_equal(ws_output_open(context, "none/old", &output), WS_ERR_IO);
    assert_null(output);
    assert_non_null(strstr(ws_context_error(context), "none/old: cannot create: No such file"));
    assert_int_equal(ws_output_open(context, "", &output), WS_ERR_IO);
    assert_int_equal(ws_output_open(context, ".", &output), WS_ERR_IO);
    assert_int_equal(ws_output_open(context, "/dev/full", &output), WS_OK);
    (void)ws_output_write(output, "x", 1);
    assert_int_equal(ws_output_close(output), WS_ERR_IO);
    assert_non_null(strstr(ws_context_error(context), "/dev/full: cannot write: No space left"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_file_stays_until_the_end),
        cmocka_unit_test(discarded_is_nothing),
        cmocka_unit_test(links_and_permissions_stay),
        cmocka_unit_test(errors_say_why),
    };
    if (!mkdtemp(folder) || chdir(folder) != 0 || ws_context_create(&context) != WS_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ws_context_destroy(context);
    unlink("old");
    return chdir("/") != 0 || rmdir(folder) != 0 || failed;
}
