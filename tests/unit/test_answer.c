// SPDX-License-Identifier: Apache-2.0
/* Walking an answer through the public header: kinds, paths, tables, references. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <warpsage/warpsage.h>

#include <cmocka.h>

/* V100 (cc 7.0), 256 threads, 40 registers: 40 * 32 = 1280 a warp; 16384 / 1280 = 12 warps in each of four
 * parts, 48 / 8 = 6 blocks. */
static ws_answer *ask(ws_context *context, ws_status *out_status)
{
    ws_machine *machine;
    ws_answer *answer;
    static const ws_input inputs[] = {{.name = "block_x", .value = 256},
                                      {.name = "registers_per_thread", .value = 40},
                                      {.name = "curve", .word = "registers_per_thread"}};
    assert_int_equal(ws_machine_load(context, "v100", &machine), WS_OK);
    const ws_machine *machines[] = {machine};
    const ws_question question = {.size = sizeof question,
                                  .name = "occupancy",
                                  .machines = machines,
                                  .machine_count = 1,
                                  .inputs = inputs,
                                  .input_count = 3};
    *out_status = ws_ask(context, &question, &answer);
    ws_machine_destroy(machine);
    return answer;
}

static ws_context *context_of_tests(void)
{
    ws_context *context;
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_context_set_machine_dir(context, SOURCE_DIR "/data/machines"), WS_OK);
    return context;
}

static void test_numbers_have_an_order(void **state)
{
    (void)state;
    ws_context *context = context_of_tests();
    ws_machine *machines[2];
    ws_answer *answer;
    assert_int_equal(ws_machine_load(context, "gtx280", &machines[0]), WS_OK);
    assert_int_equal(ws_machine_load(context, "gtx285", &machines[1]), WS_OK);
    const ws_machine *const asked[] = {machines[0], machines[1]};
    const ws_question question = {
        .size = sizeof question, .name = "machine_diff", .machines = asked, .machine_count = 2};
    assert_int_equal(ws_ask(context, &question, &answer), WS_OK);
    ws_node idle = ws_node_find(ws_answer_root(answer), "values/power.idle/values");
    assert_int_equal(ws_node_kind(idle), WS_NUMBERS);
    assert_int_equal(ws_node_count(idle), 2);
    assert_true(ws_node_number(idle, 0) == 83);
    assert_true(isnan(ws_node_number(idle, 1)));
    assert_true(isnan(ws_node_number(idle, 2)));
    ws_answer_destroy(answer);
    ws_machine_destroy(machines[0]);
    ws_machine_destroy(machines[1]);
    ws_context_destroy(context);
}

/* The machine and the context are gone when it is read. */
static void test_an_answer_outlives_what_it_was_asked_with(void **state)
{
    (void)state;
    ws_context *context = context_of_tests();
    ws_status status;
    ws_answer *answer = ask(context, &status);
    assert_int_equal(status, WS_OK);
    ws_context_destroy(context);
    assert_true(ws_answer_number(answer, "machines/v100/occupancy/blocks_per_sm") == 6);
    assert_true(ws_answer_number(answer, "machines/0/occupancy/fraction") == 0.75);
    assert_string_equal(ws_answer_word(answer, "machines/v100/compute_capability"), "7.0");
    assert_true(isnan(ws_answer_number(answer, "machines/a100/occupancy/fraction")));
    assert_null(ws_answer_word(answer, "machines/v100/reason"));
    ws_answer *same = ws_answer_keep(answer);
    ws_answer_destroy(answer);
    assert_true(ws_answer_number(same, "launch/threads_per_block") == 256);
    ws_answer_destroy(same);
}

static void test_nodes_say_what_they_are(void **state)
{
    (void)state;
    ws_context *context = context_of_tests();
    ws_status status;
    ws_answer *answer = ask(context, &status);
    ws_node root = ws_answer_root(answer), occupancy;
    ws_value value = {.size = sizeof value};
    assert_int_equal(ws_node_kind(root), WS_SECTION);
    assert_int_equal(ws_node_kind(ws_node_find(root, "machines")), WS_LIST);
    assert_int_equal(ws_node_kind(ws_node_find(root, "nothing/at/all")), WS_ABSENT);
    occupancy = ws_node_find(root, "machines/v100/occupancy");
    assert_true(ws_node_value(ws_node_find(occupancy, "warps_per_sm"), &value));
    assert_int_equal(value.kind, WS_COUNT);
    assert_int_equal(value.count, 48);
    assert_int_equal(value.origin, WS_MODELLED);
    assert_string_equal(value.unit, "warp");
    assert_true(ws_node_value(ws_node_find(occupancy, "block_limit_barriers"), &value));
    assert_false(value.is_known);
    assert_string_equal(ws_node_word(ws_node_find(occupancy, "limiters"), 0), "registers");
    assert_null(ws_node_word(ws_node_find(occupancy, "limiters"), 1));
    ws_answer_destroy(answer);
    ws_context_destroy(context);
}

static void test_tables_are_columns(void **state)
{
    (void)state;
    ws_context *context = context_of_tests();
    ws_status status;
    ws_answer *answer = ask(context, &status);
    ws_node table = ws_node_find(ws_answer_root(answer), "machines/v100/curve/points");
    const char *id, *unit;
    ws_kind kind;
    double first[64], last[64];
    size_t rows = ws_node_count(table);
    assert_int_equal(ws_node_kind(table), WS_TABLE);
    assert_true(rows > 1 && rows <= 64);
    assert_true(ws_table_column(table, 1, &id, &unit, &kind));
    assert_string_equal(id, "last");
    assert_int_equal(ws_table_numbers(table, 0, 0, first, 64), rows);
    assert_int_equal(ws_table_numbers(table, 1, 0, last, 64), rows);
    for (size_t i = 1; i < rows; i++)
        assert_true(first[i] == last[i - 1] + 1);
    assert_int_equal(ws_table_numbers(table, 0, rows, first, 64), 0);
    ws_answer_destroy(answer);
    ws_context_destroy(context);
}

/* (107): a core draws 20 W over 80 W idle; four take 160 W and a quarter of the time: 100 / 160 * 4 = 2.5. */
static void test_questions_without_machines(void **state)
{
    static const ws_input inputs[] = {
        {"o.C", 1, NULL},       {"o.F", 1, NULL},   {"o.lam", 20, NULL}, {"o.B", 80, NULL},
        {"o.D", 100, NULL},     {"n.C", 1, NULL},   {"n.F", 1, NULL},    {"n.lam", 20, NULL},
        {"n.B", 80, NULL},      {"n.D", 100, NULL}, {"sweep", 0, "n.C"}, {"sweep_first", 1, NULL},
        {"sweep_last", 4, NULL}};
    ws_question question = {.size = sizeof question,
                            .name = "energy",
                            .inputs = inputs,
                            .input_count = sizeof inputs / sizeof *inputs};
    ws_context *context = context_of_tests();
    ws_answer *answer;
    (void)state;
    assert_int_equal(ws_ask(context, &question, &answer), WS_OK);
    assert_int_equal(ws_node_count(ws_node_find(ws_answer_root(answer), "curves/0/points")), 4);
    assert_true(ws_answer_number(answer, "curves/0/best/swept") == 4);
    assert_true(ws_answer_number(answer, "curves/0/best/energy_efficiency") == 2.5);
    assert_true(ws_answer_number(answer, "curves/0/quadrants/faster_less_energy") == 3);
    ws_answer_destroy(answer);
    question.input_count = 4; /* no o.D */
    assert_int_equal(ws_ask(context, &question, &answer), WS_ERR_ARGUMENT);
    assert_null(answer);
    ws_context_destroy(context);
}

static bool count_lines(void *user, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *(size_t *)user += bytes[i] == '\n';
    return true;
}

/* Two processes; 31 counted launches 1 to 3, 108 launch 1. */
static void test_a_run_is_read_from_its_session(void **state)
{
    char program[] = "./app";
    ws_input inputs[] = {{.name = "session", .word = SOURCE_DIR "/tests/cli/data/session"},
                         {.name = "program", .word = program},
                         {.name = "report_prefix", .word = "2-"}};
    ws_context *context = context_of_tests();
    ws_machine *machine;
    ws_answer *answer;
    ws_report_options style = {.size = sizeof style, .format = WS_FORMAT_JSON, .table = "launches"};
    size_t lines = 0;
    (void)state;
    assert_int_equal(ws_machine_load(context, "v100", &machine), WS_OK);
    const ws_machine *machines[] = {machine};
    const ws_question question = {.size = sizeof question,
                                  .name = "run",
                                  .machines = machines,
                                  .machine_count = 1,
                                  .inputs = inputs,
                                  .input_count = sizeof inputs / sizeof *inputs};
    assert_int_equal(ws_ask(context, &question, &answer), WS_OK);
    program[2] = 'x'; /* the answer has a copy */
    ws_node root = ws_answer_root(answer);
    assert_string_equal(ws_node_word(ws_node_find(root, "program"), 0), "./app");
    assert_true(ws_answer_number(answer, "kernels/zero/launches") == 3);
    assert_true(ws_answer_number(answer, "kernels/zero/least_s") == 7e-7);
    assert_true(ws_answer_number(answer, "totals/scaled") == 2);
    assert_int_equal(ws_node_kind(ws_node_find(root, "heaviest/kernels")), WS_ABSENT);
    ws_node reports = ws_node_find(root, "reports");
    assert_int_equal(ws_node_count(reports), 4);
    assert_string_equal(ws_table_word(reports, ws_table_find(reports, "report"), 2),
                        "2-000005-zero.json");
    assert_int_equal(ws_answer_write(context, answer, &style, count_lines, &lines), WS_OK);
    assert_int_equal(lines, 8);
    style.table = "kernels"; /* a list */
    assert_int_equal(ws_answer_write(context, answer, &style, count_lines, &lines),
                     WS_ERR_ARGUMENT);
    ws_answer_destroy(answer);
    inputs[0].word = SOURCE_DIR "/nothere";
    assert_int_equal(ws_ask(context, &question, &answer), WS_ERR_IO);
    assert_null(answer);
    ws_machine_destroy(machine);
    ws_context_destroy(context);
}

static void test_wrong_questions_are_refused(void **state)
{
    (void)state;
    ws_context *context = context_of_tests();
    ws_answer *answer = (ws_answer *)context;
    ws_question question = {.size = sizeof question, .name = "ocupancy"};
    assert_int_equal(ws_ask(context, &question, &answer), WS_ERR_ARGUMENT);
    assert_null(answer);
    assert_non_null(strstr(ws_context_error(context), "did you mean 'occupancy'"));
    const ws_input input = {.name = "blockx", .value = 1};
    question = (ws_question){
        .size = sizeof question, .name = "occupancy", .inputs = &input, .input_count = 1};
    assert_int_equal(ws_ask(context, &question, &answer), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_context_error(context), "block_x"));
    ws_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer_outlives_what_it_was_asked_with),
        cmocka_unit_test(test_nodes_say_what_they_are),
        cmocka_unit_test(test_tables_are_columns),
        cmocka_unit_test(test_numbers_have_an_order),
        cmocka_unit_test(test_questions_without_machines),
        cmocka_unit_test(test_a_run_is_read_from_its_session),
        cmocka_unit_test(test_wrong_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
