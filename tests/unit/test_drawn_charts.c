// SPDX-License-Identifier: Apache-2.0
/* Charts as they are drawn: numbers as people read them, and marks that would hide or cut one another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "render/chart/chart_parts.h"

static void test_values_have_the_number_of_their_noun(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit, *text;
    } rows[] = {{21, "kernel", "21 kernels"},
                {1, "block", "1 block"},
                {51634.4, "cycle", "51,634 cycles"},
                {1, "cycle", "1 cycle"},
                {24.94, "warp", "24.9 warps"},
                {2, "warp instruction", "2 warp instructions"},
                {0, "launch", "0 launches"},
                {3, "copy", "3 copies"},
                {1.5, "thread/cycle", "1.50 thread/cycle"},
                {70.8, "degC", "70.8 degC"},
                {0, "s", "0 s"},
                {0, "B", "0 B"},
                {0, "%", "0 %"},
                {0, "1", "0"},
                {0, NULL, "0"},
                {0.5, "%", "50 %"},
                {1.2e-5, "s", "12.0 us"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(chart_value(rows[i].value, rows[i].unit).text, rows[i].text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* Two levels of memory with the same traffic: the first dot is a ring around the second. */
static void test_dots_in_one_place_are_both_seen(void **state)
{
    (void)state;
    static const double one[] = {1}, four[] = {4}, here[] = {2}, line_x[] = {0, 4},
                        line_y[] = {2, 2};
    const struct chart_series series[] = {
        {.name = "L1", .mark = CHART_POINTS, .colour = 3, .count = 1, .x = one, .y = here},
        {.name = "L2", .mark = CHART_POINTS, .colour = 2, .count = 1, .x = one, .y = here},
        {.name = "DRAM", .mark = CHART_POINTS, .colour = 1, .count = 1, .x = four, .y = here},
        {.name = "roof", .mark = CHART_LINE, .colour = 4, .count = 2, .x = line_x, .y = line_y}};
    struct strbuf out = {0};
    assert_true(chart_draw_xy(&out,
                              &(struct chart_xy){.title = "points",
                                                 .text = "points",
                                                 .x = {.title = "x", .from_zero = true},
                                                 .y = {.title = "y", .from_zero = true},
                                                 .series = series,
                                                 .series_count = 4},
                              "c0"));
    assert_int_equal(count_of(out.data, "dot k3 under"), 1);
    assert_int_equal(count_of(out.data, " under\""), 1);
    strbuf_clear(&out);
}

/* A block of a die that is too narrow for its name has it upright; one too small has none. */
static void test_names_of_narrow_blocks_are_upright(void **state)
{
    (void)state;
    static const double values[100] = {1};
    static const struct chart_outline outlines[] = {
        {.label = "across", .x = 0, .y = 0, .width = 6, .height = 1},
        {.label = "sm22", .x = 6, .y = 0, .width = 0.5, .height = 4},
        {.label = "tiny", .x = 9, .y = 9, .width = 0.3, .height = 0.3}};
    struct strbuf out = {0};
    assert_true(chart_draw_heat(&out,
                                &(struct chart_heat){.title = "die",
                                                     .text = "die",
                                                     .columns = 10,
                                                     .rows = 10,
                                                     .values = values,
                                                     .outlines = outlines,
                                                     .outline_count = 3},
                                "c0"));
    assert_int_equal(count_of(out.data, "class=\"over\""), 2);
    assert_int_equal(count_of(out.data, "rotate(-90)"), 1);
    assert_non_null(strstr(strstr(out.data, "rotate(-90)"), ">sm22</text>"));
    strbuf_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_have_the_number_of_their_noun),
        cmocka_unit_test(test_dots_in_one_place_are_both_seen),
        cmocka_unit_test(test_names_of_narrow_blocks_are_upright),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
