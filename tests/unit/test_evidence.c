// SPDX-License-Identifier: Apache-2.0
/* data/evidence.yaml and files that are wrong in one way each. Expected figures are worked out by hand. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/text.h"
#include "model/core/estimate.h"

#define ROW                                                                                        \
    "rows:\n  - model: teg\n    compute_capability: [\"7.0\", \"7.5\"]\n    set: five\n"           \
    "    predicted_by: warpsage\n    source: a text\n"

static ws_status read(struct diag *diag, const char *text, struct evidence **out)
{
    return evidence_read(diag, "e.yaml", text, strlen(text), out);
}

/* Ratios 0.5 0.8 1 1.1 2: errors 0 0.1 0.2 0.5 1; factors 1 1.1 1.25 2 2, of which the fourth is the
 * least that two thirds of five (3.33) do not exceed. */
static void figures_follow_from_ratios(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct evidence *evidence;
    assert_int_equal(read(&diag, ROW "    ratios: [2, 0.5, 1, 1.1, 0.8]\n", &evidence), WS_OK);
    const struct evidence_row *row = &evidence->rows[0];
    assert_int_equal(evidence->count, 1);
    assert_int_equal(row->cc_first, 70);
    assert_int_equal(row->cc_last, 75);
    assert_int_equal(row->kernels, 5);
    assert_true(fabs(row->median_error - 0.2) < 1e-12);
    assert_true(fabs(row->mean_error - 1.8 / 5) < 1e-12);
    assert_true(fabs(row->p90_error - 1) < 1e-12);
    assert_true(fabs(row->two_thirds_factor - 2) < 1e-12);
    evidence_destroy(evidence);
}

/* Two sets of one model and range: choices rest on 0.5 and 1.1, errors 0.5 and 0.1; the band on 0.8, 1 and
 * 1.5, factors 1.25, 1 and 1.5, of which the second is the least that two of three do not exceed. The
 * row of another range stays apart. */
static void held_out_kernels_make_the_band_and_sets_are_pooled(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct evidence *evidence;
    assert_int_equal(
        read(&diag,
             ROW "    ratios: [0.5]\n    held_out: [1.5]\n"
                 "  - {model: teg, compute_capability: [\"7.0\", \"7.2\"], set: a, predicted_by: "
                 "warpsage, source: a, ratios: [3]}\n"
                 "  - {model: teg, compute_capability: [\"7.0\", \"7.5\"], set: six, "
                 "predicted_by: warpsage, source: b, ratios: [1.1], held_out: [1, 0.8]}\n",
             &evidence),
        WS_OK);
    const struct evidence_row *row = &evidence->rows[0];
    assert_int_equal(evidence->count, 2);
    assert_int_equal(row->kernels, 2);
    assert_int_equal(row->held_out, 3);
    assert_string_equal(row->set, "five, six");
    assert_string_equal(row->source, "a text; b");
    assert_true(fabs(row->median_error - 0.3) < 1e-12);
    assert_true(fabs(row->held_out_median_error - 0.2) < 1e-12);
    assert_true(fabs(row->two_thirds_factor - 1.25) < 1e-12);
    assert_int_equal(evidence->rows[1].kernels, 1);
    assert_true(fabs(evidence->rows[1].two_thirds_factor - 3) < 1e-12);
    evidence_destroy(evidence);
}

static void a_wrong_file_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *what;
    } files[] = {
        {"rows: 3\n", "e.yaml:1:7", "a list 'rows'"},
        {"row: []\n", "e.yaml:1:1", "unknown key 'row'"},
        {"{}\n", "e.yaml:1:1", "a list 'rows', not none"},
        {"rows: [teg]\n", "e.yaml:1:8", "must be a mapping"},
        {"rows:\n  - {model: tegg}\n", "e.yaml:2:13", "unknown model 'tegg' (did you mean 'teg'"},
        {"rows:\n  - {model: hotspot}\n", "e.yaml:2:13", "unknown model 'hotspot'"},
        {"rows:\n  - {model: teg, kernel: 3}\n", "e.yaml:2:18", "unknown key 'kernel'"},
        {"rows:\n  - {model: teg}\n", "e.yaml:2:5", "no 'compute_capability'"},
        {"rows:\n  - {model: teg, compute_capability: \"7.0\"}\n", "e.yaml:2:38", "[\"FIRST\""},
        {"rows:\n  - {model: teg, compute_capability: [\"7\", \"8.0\"]}\n", "e.yaml:2:39",
         "(got 7)"},
        {"rows:\n  - {model: teg, compute_capability: [\"8.0\", \"7.0\"]}\n", "e.yaml:2:46",
         "is descending"},
        {ROW, "e.yaml:2:5", "requires 'ratios' or 'kernels'"},
        {ROW "    ratios: []\n", "e.yaml:7:13", "list of predicted / measured"},
        {ROW "    ratios: [1, x]\n", "e.yaml:7:17", "must be a number, not x"},
        {ROW "    ratios: [0]\n", "e.yaml:7:14", "out of range"},
        {ROW "    ratios: [1]\n    median_error: 0.1\n", "e.yaml:8:19", "computed from 'ratios'"},
        {ROW "    kernels: 2\n    mean_error: 0.1\n    held_out: [1]\n", "e.yaml:9:15",
         "requires 'ratios'"},
        {ROW "    ratios: [1]\n    held_out: 1\n", "e.yaml:8:15", "list of predicted / measured"},
        {ROW "    kernels: 2.5\n", "e.yaml:7:14", "whole number"},
        {ROW "    kernels: 3\n", "e.yaml:2:5", "requires 'ratios', 'median_error' or 'mean_error'"},
        {ROW "    kernels: 3\n    mean_error: -1\n", "e.yaml:8:17", "out of range"},
        {ROW "    kernels: 3\n    mean_error: 0.2\n", "e.yaml:2:5", "'reason' are both missing"},
        {ROW "    kernels: 3\n    median_error: 0.2\n    p90_error: 0.1\n", "e.yaml:9:16",
         "below 'median_error'"},
        {ROW "    set: again\n    kernels: 3\n", "e.yaml:7:5", "set"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct diag diag = {0};
        struct evidence *evidence;
        ws_status status = read(&diag, files[i].text, &evidence);
        if (status != WS_ERR_MACHINE || evidence || !strstr(diag.text, files[i].place) ||
            !strstr(diag.text, files[i].what))
            fail_msg("%s: status %d, %s", files[i].text, (int)status, diag_text(&diag));
        diag_clear(&diag);
    }
}

/* The nearest range, then this program's predictions, then the most kernels. */
static void the_row_that_says_most_is_found(void **state)
{
    (void)state;
    static struct evidence_row rows[] = {
        {.model = "teg", .cc_first = 70, .cc_last = 70, .kernels = 9, .median_error = 0.3},
        {.model = "teg", .cc_first = 10, .cc_last = 13, .kernels = 50, .by_authors = true},
        {.model = "teg", .cc_first = 13, .cc_last = 13, .kernels = 5, .median_error = 0.1},
        {.model = "teg", .cc_first = 13, .cc_last = 13, .kernels = 6, .median_error = 0.2},
    };
    const struct evidence evidence = {.count = 4, .rows = rows};
    unsigned distance;
    assert_ptr_equal(evidence_find(&evidence, "teg", 70, &distance), &rows[0]);
    assert_int_equal(distance, 0);
    assert_ptr_equal(evidence_find(&evidence, "teg", 90, &distance), &rows[0]);
    assert_int_equal(distance, 20);
    assert_ptr_equal(evidence_find(&evidence, "teg", 13, &distance), &rows[3]);
    assert_ptr_equal(evidence_find(&evidence, "teg", 11, &distance), &rows[1]);
    assert_int_equal(distance, 0);
    assert_ptr_equal(evidence_find(&evidence, "teg", 20, &distance), &rows[3]);
    assert_null(evidence_find(&evidence, "throughput", 70, &distance));
    assert_null(evidence_find(NULL, "teg", 70, &distance));
}

/* The file that is installed: every model of time has a row for cc 7.0, and those of the cells of Lai
 * and Seznec are what `warpsage papers` prints: 7 % for teg, 79 % for mwp-cwp on average. */
static void the_file_of_the_tree_is_sound(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct evidence *evidence;
    unsigned distance;
    if (evidence_load(&diag, SOURCE_DIR "/data/evidence.yaml", &evidence) != WS_OK || !evidence)
        fail_msg("%s", diag_text(&diag));
    for (unsigned i = 0; i < MODEL_COUNT; i++)
        if (models[i]->predict) {
            assert_non_null(evidence_find(evidence, models[i]->name, 70, &distance));
            assert_int_equal(distance, 0);
        }
    assert_true(fabs(evidence_find(evidence, "teg", 13, &distance)->mean_error - 0.0702) < 0.0005);
    assert_true(fabs(evidence_find(evidence, "mwp-cwp", 13, &distance)->mean_error - 0.792) <
                0.001);
    assert_true(evidence_find(evidence, "mwp-cwp", 10, &distance)->by_authors);
    evidence_destroy(evidence);
    assert_int_equal(evidence_load(&diag, SOURCE_DIR "/data/no.yaml", &evidence), WS_OK);
    assert_null(evidence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_follow_from_ratios),
        cmocka_unit_test(held_out_kernels_make_the_band_and_sets_are_pooled),
        cmocka_unit_test(a_wrong_file_is_refused_with_its_place),
        cmocka_unit_test(the_row_that_says_most_is_found),
        cmocka_unit_test(the_file_of_the_tree_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
