// SPDX-License-Identifier: Apache-2.0
/* Findings of the host in numbers that no report can show: memory stays bounded, and errors have room behind notes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <warpsage/warpsage.h>

enum { PLACES = 10500, KEPT = 10000 };

static void report(ws_check *check, const char *code, unsigned line)
{
    char host[64];
    snprintf(host, sizeof host, "call at app.cu:%u\n", line);
    const ws_check_finding finding = {.size = sizeof finding, .code = code, .host = host};
    assert_int_equal(ws_check_report(check, &finding), WS_OK);
}

static ws_answer *ask_saved(ws_context *context, ws_check *check)
{
    char path[] = "warpsage-findings-XXXXXX";
    ws_answer *answer;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(ws_check_save(check, path), WS_OK);
    const ws_input input = {.name = "findings", .word = path};
    const ws_question question = {
        .size = sizeof question, .name = "check", .inputs = &input, .input_count = 1};
    assert_int_equal(ws_ask(context, &question, &answer), WS_OK);
    unlink(path);
    return answer;
}

static void test_errors_behind_notes(void **state)
{
    (void)state;
    ws_context *context;
    ws_check *check;
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_check_create(context, NULL, &check), WS_OK);
    for (unsigned times = 0; times < 2; times++)
        for (unsigned line = 1; line <= PLACES; line++)
            report(check, "M29", line);
    report(check, "M20", 1);
    assert_int_equal(ws_check_changes(check), 2 * PLACES + 1);
    assert_int_equal(ws_check_count(check), KEPT + 1);
    ws_answer *answer = ask_saved(context, check);
    assert_true(ws_answer_number(answer, "failed") == 1);
    assert_true(ws_answer_number(answer, "total/errors") == 1);
    assert_true(ws_answer_number(answer, "total/notes") == KEPT);
    assert_true(ws_answer_number(answer, "left_out") == PLACES - KEPT);
    ws_answer_destroy(answer);
    ws_check_forget(check);
    report(check, "M29", 1);
    assert_int_equal(ws_check_count(check), 1);
    ws_check_destroy(check);
    ws_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors_behind_notes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
