// SPDX-License-Identifier: Apache-2.0
/* The closed forms through the public interface: every case of golden.json that has one, and what
 * it says of wrong inputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>
#include <warpsage/warpsage.h>

enum { INPUTS = 40, TERMS = 40 };

static const char *const functions[] = {
    "mwp_cwp",   "mem_params", "mwp_peak_bw", "npw",           "gflops_peak",
    "inst_peak", "smem_peak",  "gmem_peak",   "zo_throughput", "spmv_ell_bytes"};

static bool has_function(const char *model)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!strcmp(functions[i], model)) return true;
    return false;
}

static void check_term(const json_t *one, const char *key, double want, const ws_term *terms,
                       size_t count)
{
    const json_t *tolerance = json_object_get(one, "tolerance");
    double absolute = json_number_value(json_object_get(tolerance, "abs"));
    double relative = json_number_value(json_object_get(tolerance, "rel"));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(terms[i].name, key)) continue;
        if (!(fabs(terms[i].value - want) <= fmax(absolute, relative * fabs(want))))
            fail_msg("%s: %s is %.12g, expected %.12g",
                     json_string_value(json_object_get(one, "id")), key, terms[i].value, want);
        return;
    }
    fail_msg("%s: no term %s", json_string_value(json_object_get(one, "id")), key);
}

static void check_case(ws_context *context, const json_t *one)
{
    ws_input inputs[INPUTS];
    ws_term terms[TERMS];
    size_t input_count = 0, count;
    const char *key, *model = json_string_value(json_object_get(one, "model"));
    json_t *value;
    json_object_foreach(json_object_get(one, "inputs"), key, value)
    {
        assert_true(input_count < INPUTS);
        inputs[input_count++] = (ws_input){key, json_number_value(value), json_string_value(value)};
    }
    ws_status status = ws_model_evaluate(context, model, inputs, input_count, terms, TERMS, &count);
    if (status != WS_OK) fail_msg("%s", ws_context_error(context));
    assert_true(count <= TERMS);
    json_object_foreach(json_object_get(one, "expected"), key, value)
        check_term(one, key, json_number_value(value), terms, count);
}

static void golden_cases_come_out(void **state)
{
    (void)state;
    ws_context *context;
    size_t i, checked = 0;
    json_t *one, *golden = json_load_file(TESTS_DIR "/golden/golden.json", 0, NULL);
    assert_non_null(golden);
    assert_int_equal(ws_context_create(&context), WS_OK);
    json_array_foreach(golden, i, one)
    {
        const json_t *inputs = json_object_get(one, "inputs");
        if (!has_function(json_string_value(json_object_get(one, "model")))) continue;
        if (json_object_get(inputs, "mix")) continue; /* test_golden.c turns mixes into M_Factor */
        check_case(context, one);
        checked++;
    }
    /* 43 mwp_cwp, one of them with a mix of classes, 2 mem_params, 2 mwp_peak_bw, 4 npw, 2
     * gflops_peak, 7 inst_peak, 1 smem_peak, 2 gmem_peak, 4 zo_throughput, 4 spmv_ell_bytes. */
    assert_int_equal(checked, 70);
    ws_context_destroy(context);
    json_decref(golden);
}

static void refuse(const char *function, const ws_input *inputs, size_t count, const char *says)
{
    ws_context *context;
    ws_term terms[TERMS];
    size_t term_count;
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_model_evaluate(context, function, inputs, count, terms, TERMS, &term_count),
                     WS_ERR_ARGUMENT);
    assert_int_equal(term_count, 0);
    if (!strstr(ws_context_error(context), says))
        fail_msg("'%s' does not say '%s'", ws_context_error(context), says);
    ws_context_destroy(context);
}

static void wrong_inputs_are_named(void **state)
{
    (void)state;
    const ws_input misspelt = {"mem_reqs", 2, NULL};
    const ws_input npw[] = {{"n", 4, NULL}, {"mem_req", 2, NULL}, {"npw", 0, "printd"}};
    const ws_input no_word[] = {{"n", 4, NULL}, {"npw", 1, NULL}};
    const ws_input word = {"n", 0, "four"};
    const ws_input no_memory[] = {
        {"mem_ld", 420, NULL}, {"dep_uncoal", 10, NULL}, {"dep_coal", 4, NULL}};
    refuse("mwp_cpw", NULL, 0, "mwp_cwp");
    refuse("npw", NULL, 0, "npw requires the input n");
    refuse("npw", &misspelt, 1, "did you mean 'mem_req'");
    refuse("npw", npw, 3, "did you mean 'printed'");
    refuse("npw", no_word, 2, "must be a word");
    refuse("npw", &word, 1, "a number, not a word");
    refuse("mem_params", no_memory, 3, "no memory instruction");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_cases_come_out),
        cmocka_unit_test(wrong_inputs_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
