// SPDX-License-Identifier: Apache-2.0
/* The question `papers` through the public header: rows are judged, rows about rows and about curves are
 * found, and inputs that belong nowhere are refused; and the question `closed_form`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <warpsage/warpsage.h>

#include <cmocka.h>

enum { INPUTS_MAX = 128 };

static ws_context *context;
static ws_input inputs[INPUTS_MAX];
static size_t input_count;

static void word(const char *name, const char *text)
{
    assert_true(input_count < INPUTS_MAX);
    inputs[input_count++] = (ws_input){.name = name, .word = text};
}

static void number(const char *name, double value)
{
    assert_true(input_count < INPUTS_MAX);
    inputs[input_count++] = (ws_input){.name = name, .value = value};
}

/* Agrees within 0.5 or 1 %. */
static void row(const char *id, const char *evidence, double published, double ours)
{
    word("row", id);
    word("of_paper", "p");
    word("section", "1");
    word("item", id);
    word("unit", "1");
    word("evidence", evidence);
    number("published", published);
    if (!isnan(ours)) number("ours", ours);
    number("tolerance_abs", 0.5);
    number("tolerance_rel", 0.01);
}

static ws_status ask_of(const char *name, ws_answer **out)
{
    const ws_question question = {
        .size = sizeof question, .name = name, .inputs = inputs, .input_count = input_count};
    return ws_ask(context, &question, out);
}

static ws_status ask(ws_answer **out)
{
    return ask_of("papers", out);
}

static ws_answer *answer_of_inputs(void)
{
    ws_answer *answer;
    assert_int_equal(ask(&answer), WS_OK);
    return answer;
}

static void refused(const char *why)
{
    ws_answer *answer;
    assert_int_equal(ask(&answer), WS_ERR_ARGUMENT);
    assert_null(answer);
    if (!strstr(ws_context_error(context), why))
        fail_msg("%s, not %s", ws_context_error(context), why);
}

static void test_rows_are_judged(void **state)
{
    (void)state;
    row("near", "printed", 10, 10.4);
    row("far", "inferred", 10, 10.6);
    row("large", "printed", 1000, 1009); /* 0.01 * 1000 */
    row("fitted", "fitted", 10, 10);
    row("nothing", "printed", 10, INFINITY);
    row("above", "printed", 10, 10);
    number("least", 10);
    row("unknown", "none", 10, NAN);
    ws_answer *answer = answer_of_inputs();
    assert_true(ws_answer_number(answer, "rows/near/agrees") == 1);
    assert_true(ws_answer_number(answer, "rows/far/agrees") == 0);
    assert_true(ws_answer_number(answer, "rows/large/agrees") == 1);
    assert_true(isnan(ws_answer_number(answer, "rows/fitted/agrees")));
    assert_true(isnan(ws_answer_number(answer, "rows/nothing/ours")));
    assert_true(ws_answer_number(answer, "rows/nothing/agrees") == 0);
    assert_true(ws_answer_number(answer, "rows/above/agrees") == 0);
    assert_true(ws_answer_number(answer, "summary/rows") == 7);
    assert_true(ws_answer_number(answer, "summary/agree") == 2);
    assert_true(ws_answer_number(answer, "summary/differ") == 3);
    assert_true(ws_answer_number(answer, "summary/fitted") == 1);
    assert_true(ws_answer_number(answer, "summary/without_inputs") == 1);
    ws_answer_destroy(answer);
}

static void about(const char *kind, const char *first, const char *second)
{
    word("about", kind);
    word("about_row", first);
    number("group", 0);
    word("about_row", second);
    number("group", 1);
}

/* 10 against 11 and 20 against 30: 10 % and 50 %. */
static void test_rows_about_rows(void **state)
{
    (void)state;
    row("a", "printed", 10, 11);
    number("hidden", 1);
    row("b", "printed", 20, 30);
    row("error", "none", 5, NAN);
    about("mean_error", "a", "b");
    row("rank", "none", 1, NAN);
    about("rank", "a", "b");
    row("order", "printed", 1, NAN);
    about("order", "b", "a");
    ws_answer *answer = answer_of_inputs();
    assert_true(fabs(ws_answer_number(answer, "rows/error/ours") - 30) < 1e-12);
    assert_true(ws_answer_number(answer, "rows/rank/ours") == 1);
    assert_string_equal(ws_answer_word(answer, "rows/order/ours"),
                        "fails at 1 of 1 pairs, first b not below a");
    assert_true(ws_answer_number(answer, "rows/order/agrees") == 0);
    assert_true(isnan(ws_answer_number(answer, "rows/a/ours")));
    assert_true(ws_answer_number(answer, "summary/rows") == 4);
    ws_answer_destroy(answer);
}

static void curve(void)
{
    word("curve", "c");
    word("title", "t");
    word("figure", "1");
    word("x_name", "n");
    word("column", "time");
    word("column_unit", "s");
    word("series", "k");
    word("machine", "m");
    for (int x = 1; x <= 3; x++) {
        number("x", x);
        number("value", x == 3 ? INFINITY : 4.0 / x); /* 4, 2, none */
    }
}

static void statement(const char *id, const char *kind)
{
    row(id, "printed", 0.25, NAN);
    word("check", kind);
    word("check_curve", "c");
    word("check_column", "time");
}

static void test_statements_about_curves(void **state)
{
    (void)state;
    statement("falls", "falls");
    statement("rises", "rises");
    statement("value", "value");
    number("check_x", 2);
    number("check_scale", 0.125);
    curve();
    ws_answer *answer = answer_of_inputs();
    assert_string_equal(ws_answer_word(answer, "rows/falls/ours"), "holds at 2 of 2");
    assert_string_equal(ws_answer_word(answer, "rows/rises/ours"),
                        "fails at 2 of 2: k on m at n 2: 2 after 4");
    assert_true(ws_answer_number(answer, "rows/value/ours") == 0.25);
    assert_true(ws_answer_number(answer, "rows/value/agrees") == 1);
    assert_null(ws_node_find(ws_answer_root(answer), "curves").at);
    ws_answer_destroy(answer);
}

static void test_curves_alone(void **state)
{
    (void)state;
    curve();
    number("x", 4);
    number("value", 8);
    ws_answer *answer = answer_of_inputs();
    ws_node points = ws_node_find(ws_answer_root(answer), "curves/c/series/k@m/points");
    assert_int_equal(ws_node_count(points), 4);
    assert_true(isnan(ws_node_number(ws_node_find(points, "3/values"), 0)));
    assert_true(ws_node_number(ws_node_find(points, "4/values"), 0) == 8);
    ws_answer_destroy(answer);
}

static void test_wrong_inputs_are_refused(void **state)
{
    (void)state;
    word("section", "1");
    refused("input 'section' of 'papers' does not belong to a preceding input");
    input_count = 0;
    word("row", "r");
    word("of_paper", "p");
    refused("'papers' requires the input 'section' of the row 'r'");
    input_count = 0;
    row("r", "guessed", 1, 1);
    refused("the row 'r' has the evidence 'guessed'");
    input_count = 0;
    row("r", "printed", 1, NAN);
    about("rank", "a", "b");
    refused("the row 'r' refers to 'a', which has no number");
    input_count = 0;
    statement("s", "wobbles");
    curve();
    refused("the check of the row 's' is of no kind: 'wobbles'");
    input_count = 0;
    curve();
    number("value", 1);
    refused("a point of the curve 'c' has 2 values for 1 columns");
}

static void test_closed_forms(void **state)
{
    (void)state;
    ws_answer *answer;
    number("number", 1);
    assert_int_equal(ask_of("closed_form", &answer), WS_ERR_ARGUMENT);
    input_count = 0;
    word("function", "npw");
    word("input", "n");
    number("number", 4);
    assert_int_equal(ask_of("closed_form", &answer), WS_ERR_ARGUMENT); /* mem_req */
    word("input", "mem_req");
    number("number", 2);
    word("input", "ind_mem_req");
    number("number", 1);
    word("input", "npw");
    word("word", "printed");
    assert_int_equal(ask_of("closed_form", &answer), WS_OK);
    assert_true(ws_answer_number(answer, "terms/npw") == 4);
    ws_answer_destroy(answer);
}

static int begin(void **state)
{
    (void)state;
    input_count = 0;
    return ws_context_create(&context) == WS_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    ws_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_are_judged, begin, end),
        cmocka_unit_test_setup_teardown(test_rows_about_rows, begin, end),
        cmocka_unit_test_setup_teardown(test_statements_about_curves, begin, end),
        cmocka_unit_test_setup_teardown(test_curves_alone, begin, end),
        cmocka_unit_test_setup_teardown(test_closed_forms, begin, end),
        cmocka_unit_test_setup_teardown(test_wrong_inputs_are_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
