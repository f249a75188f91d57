// SPDX-License-Identifier: Apache-2.0
/* published.json of papers/hong2009 and papers/zhang2011 against golden.json: no published case of
 * chapter II of the thesis and of section 4 of the paper is missing, and none has other inputs,
 * another number, a wider tolerance or stronger evidence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

static json_t *golden, *published; /* of both folders */

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The row that judges `term` of a case; of two, the one whose number is the published one. */
static const json_t *find_row(const char *name, const char *term, double value)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(published, "rows"), i, row)
    {
        const json_t *ours = json_object_get(row, "ours");
        if (!strcmp(text(ours, "case"), name) && !strcmp(text(ours, "term"), term) &&
            number(row, "published") == value)
            return row;
    }
    return NULL;
}

static void check_case(const json_t *one)
{
    const char *id = text(one, "id"), *basis = text(one, "basis"), *term;
    const json_t *form = json_object_get(json_object_get(published, "cases"), id);
    const json_t *tolerance = json_object_get(one, "tolerance");
    json_t *value;
    if (!form) fail_msg("published.json lacks the case %s", id);
    assert_string_equal(text(form, "function"), text(one, "model"));
    if (!json_equal(json_object_get(form, "inputs"), json_object_get(one, "inputs")))
        fail_msg("%s has other inputs", id);
    json_object_foreach(json_object_get(one, "expected"), term, value)
    {
        const json_t *row = find_row(id, term, json_number_value(value));
        if (!row) fail_msg("no row for %s of %s", term, id);
        const json_t *own = json_object_get(row, "tolerance");
        assert_true(number(own, "abs") <= number(tolerance, "abs"));
        assert_true(number(own, "rel") <= number(tolerance, "rel"));
        /* Of the two fitted cases of the n-body table only the CPI was fitted (M_Factor). */
        if (!strcmp(basis, "fitted") && (!strcmp(term, "cpi") || !strcmp(term, "npw")))
            assert_string_equal(text(row, "evidence"), "fitted");
        else if (strcmp(basis, "fitted") != 0 && strcmp(text(row, "evidence"), "definition") != 0)
            assert_string_equal(text(row, "evidence"), basis);
    }
}

/* Closed forms whose published cases are rows; paper 001 (TEG) has no folder. */
static bool is_compared(const json_t *one)
{
    const char *model = text(one, "model");
    static const char *const models[] = {"mwp_cwp",   "npw",       "mwp_peak_bw", "mem_params",
                                         "inst_peak", "smem_peak", "gmem_peak",   "zo_throughput"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (!strcmp(model, models[i])) return strncmp(text(one, "source"), "001", 3) != 0;
    return false;
}

static void every_published_case_has_its_rows(void **state)
{
    (void)state;
    size_t i, checked = 0;
    json_t *one;
    json_array_foreach(golden, i, one)
    {
        if (strcmp(text(one, "kind"), "published") != 0) continue;
        if (!is_compared(one)) continue;
        check_case(one);
        checked++;
    }
    /* 11 of the n-body table, 2 + 2 + 2 of chapters II and III, 4 peaks and 3 points of figure 2. */
    assert_int_equal(checked, 24);
}

static void ids_are_unique(void **state)
{
    (void)state;
    size_t i;
    json_t *row, *seen = json_object();
    json_array_foreach(json_object_get(published, "rows"), i, row)
    {
        if (json_object_get(seen, text(row, "id"))) fail_msg("%s is there twice", text(row, "id"));
        json_object_set(seen, text(row, "id"), row);
    }
    json_decref(seen);
}

static void evidence_has_a_tolerance_or_a_statement(void **state)
{
    (void)state;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(published, "rows"), i, row)
    {
        const char *evidence = text(row, "evidence");
        bool is_number = json_is_number(json_object_get(row, "published"));
        bool is_evidence = !strcmp(evidence, "printed") || !strcmp(evidence, "inferred");
        if (is_evidence && is_number && !json_object_get(json_object_get(row, "tolerance"), "abs"))
            fail_msg("%s: a number without tolerance", text(row, "id"));
        if (is_evidence && !json_is_object(json_object_get(row, "ours")))
            fail_msg("%s: judged, but nothing of ours", text(row, "id"));
        if (!strcmp(evidence, "none") && !*text(row, "note"))
            fail_msg("%s: not judged without a reason", text(row, "id"));
    }
}

static int load(void **state)
{
    (void)state;
    golden = json_load_file(TESTS_DIR "/golden/golden.json", 0, NULL);
    published =
        json_load_file(SOURCE_DIR "/papers/hong2009/published.json", JSON_REJECT_DUPLICATES, NULL);
    json_t *zhang =
        json_load_file(SOURCE_DIR "/papers/zhang2011/published.json", JSON_REJECT_DUPLICATES, NULL);
    if (!golden || !published || !zhang) return -1;
    json_array_extend(json_object_get(published, "rows"), json_object_get(zhang, "rows"));
    json_object_update(json_object_get(published, "cases"), json_object_get(zhang, "cases"));
    json_decref(zhang);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    json_decref(golden);
    json_decref(published);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_published_case_has_its_rows),
        cmocka_unit_test(ids_are_unique),
        cmocka_unit_test(evidence_has_a_tolerance_or_a_statement),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
