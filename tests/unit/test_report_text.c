// SPDX-License-Identifier: Apache-2.0
/* The text report keeps its bounds whatever a kernel and its models bring along. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>

#include "answer/analyze.h"
#include "base/quantity.h"
#include "render/page.h"
#include "render/render.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static void test_quantities(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit, *text;
    } rows[] = {
        {447.2e-6, "s", "447 us"},   {0.9996e-3, "s", "1.00 ms"},
        {12.345, "s", "12.3 s"},     {3600, "s", "3600 s"},
        {0, "s", "0.00 s"},          {4.8e12, "B/s", "4.80 TB/s"},
        {1.98e9, "Hz", "1.98 GHz"},  {4096, "1", "4,096"},
        {1048576, "1", "1,048,576"}, {16777216, "1", "16.8 M"},
        {0.5, "1", "0.50"},          {12, "B", "12.0 B"},
        {5.5e-10, "s", "550 ps"},    {123456, "cycle", "123456 cycle"},
        {-2.5, "1", "-2.50"},        {65e-9, "m", "65.0 nm"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(quantity_format(rows[i].value, rows[i].unit).text, rows[i].text);
    assert_string_equal(quantity_exact(141.7e9, "B/s").text, "141.7 GB/s");
    assert_string_equal(quantity_exact(16384, "B").text, "16384 B");
    assert_string_equal(quantity_exact(0.25, "1").text, "0.25");
}

static void test_exact_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0.1, "0.1"},
        {-0.0, "0"},
        {1e15, "1000000000000000"},
        {1.5e300, "1.5e+300"},
        {1.0 / 3, "0.3333333333333333"},
        {9007199254740991.0, "9007199254740991"},
    };
    char text[NUMBER_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        number_exact(text, rows[i].value);
        assert_string_equal(text, rows[i].text);
    }
    for (double value = 1e-30; value < 1e30; value *= 1.7) {
        number_exact(text, value);
        assert_true(strtod(text, NULL) == value);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void test_lines_are_clipped(void **state)
{
    (void)state;
    struct strbuf text = {0};
    struct page page = {.out = &text, .width = 20, .clips = true};
    page_line(&page, "%s", "twenty columns fit 1");
    page_line(&page, "%s", "twenty-one columns no");
    page_line(&page, "%s", "\u2588\u2588\u2588 columns, not bytes");
    page_line(&page, "a\nb\tc   ");
    page_wrap(&page, "- ", "words are kept whole where they can be", 2);
    assert_string_equal(text.data, "twenty columns fit 1\n"
                                   "twenty-one columns..\n"
                                   "\u2588\u2588\u2588 columns, not b..\n"
                                   "a b c\n"
                                   "- words are kept\n"
                                   "  whole where they\n"
                                   "  can be\n");
    assert_int_equal(page.lines, 7);
    strbuf_clear(&text);
}

/* ---- a kernel that has too much of everything ------------------------------------------------ */

static char *repeat(struct arena *arena, const char *word, size_t times)
{
    char *text = arena_alloc(arena, strlen(word) * times + 1);
    for (size_t i = 0; i < times; i++)
        strcat(text, word);
    return text;
}

static struct profile *monstrous_profile(void)
{
    enum { INSTRUCTIONS = 400 };
    struct profile *profile = profile_create();
    struct arena *arena = &profile->arena;
    static const uint16_t ids[] = {COUNTER_INST_WARP, COUNTER_MEM_GLOBAL_LOAD_REQUESTS,
                                   COUNTER_MEM_GLOBAL_LOAD_SECTORS32,
                                   COUNTER_MEM_GLOBAL_LOAD_BYTES_REQUESTED};
    profile->kernel = repeat(arena, "name<with, many, parameters>::", 30);
    profile->isa = repeat(arena, "ptx 9.0 sm_75 ", 10);
    for (int i = 0; i < 3; i++)
        profile->grid[i] = profile->block[i] = i == 2 ? 64 : 65535;
    for (int i = 0; i < COUNTER_COUNT; i++)
        profile_set(profile, (enum counter)i, 1e18, ORIGIN_EMULATED);
    profile->ordered = profile->unordered_by_user = true;
    profile->sampled_fraction = 0.01;
    profile->static_shared_bytes = 1 << 30;
    profile->instructions = ARENA_ARRAY(arena, struct instruction_profile, INSTRUCTIONS);
    profile->instruction_count = INSTRUCTIONS;
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        double *values = ARENA_ARRAY(arena, double, 4);
        for (int k = 0; k < 4; k++)
            values[k] = 1e12 * (i + 1) * (k + 1);
        profile->instructions[i] =
            (struct instruction_profile){.pc = i,
                                         .line = i + 1,
                                         .source_line = 1000 + i,
                                         .file = repeat(arena, "folder/long_file_name", 12),
                                         .op = repeat(arena, "ld.global", 12),
                                         .counter_count = 4,
                                         .counters = ids,
                                         .values = values};
    }
    return profile;
}

static void monstrous_estimate(struct arena *arena, struct estimate *out, bool is_bound)
{
    *out = (struct estimate){.model = is_bound ? "speed-of-light" : "a-model-with-a-very-long-name",
                             .time_seconds = 12345.678,
                             .cycles = 1e19,
                             .bottleneck = COMPONENT_PIPE_IMUL,
                             .next = COMPONENT_GLOBAL_BANDWIDTH};
    for (out->term_count = 0; out->term_count < TERMS_MAX; out->term_count++)
        out->terms[out->term_count] =
            (struct term){.id = arena_format(arena, "t_%zu", out->term_count),
                          .value = NAN,
                          .unit = "s",
                          .text = repeat(arena, "term ", 30)};
    for (size_t i = 0; i < TERMS_MAX; i += 2) {
        out->terms[i].value = 100.0 * (double)i;
        out->terms[i].component = COMPONENT_PIPE_FP32;
    }
    for (size_t i = 0; i < ASSUMPTIONS_MAX; i++)
        out->assumptions[out->assumption_count++] =
            arena_format(arena, "%zu %p %s", i, (void *)out, repeat(arena, "assumed ", 40));
    for (size_t i = 0; i < EFFECT_COUNT; i++)
        out->without[i] = (struct effect_gain){true, NAN, NAN};
}

struct monster {
    struct profile *profile;
    struct machine machine;
    struct prediction prediction;
    struct diagnosis diagnosis;
};

static void monster_init(struct monster *m)
{
    memset(m, 0, sizeof *m);
    m->profile = monstrous_profile();
    struct arena *arena = &m->profile->arena;
    m->machine.id = repeat(arena, "gpu-", 30);
    m->machine.name = repeat(arena, "GeForce ", 30);
    m->prediction.machine = &m->machine;
    m->prediction.profile = m->profile;
    m->prediction.registers_note = repeat(arena, "registers ", 40);
    m->prediction.best_reason = repeat(arena, "because ", 60);
    m->prediction.no_power = "no power coefficients for this GPU";
    m->prediction.occupancy =
        (struct occupancy){.blocks_per_sm = 1, .limiter = OCCUPANCY_REGISTERS};
    m->prediction.estimate_count = 6;
    for (size_t i = 0; i < 6; i++)
        monstrous_estimate(arena, &m->prediction.estimates[i], i == 0);
    m->prediction.best = 3;
    m->prediction.refusal_count = 16;
    for (size_t i = 0; i < 16; i++) {
        m->prediction.refusals[i].model = repeat(arena, "model-", 20);
        m->prediction.refusals[i].reason = repeat(arena, "needs something ", 30);
    }
    m->diagnosis.limit = repeat(arena, "limit ", 60);
    m->diagnosis.why = repeat(arena, "why\n", 60);
    m->diagnosis.why_where = repeat(arena, "where:1", 30);
    m->diagnosis.advice_count = 16;
    for (size_t i = 0; i < 16; i++)
        m->diagnosis.advice[i] = (struct advice){.code = ADVICE_G102,
                                                 .info = &advice_infos[ADVICE_G102],
                                                 .title = repeat(arena, "title ", 40),
                                                 .where = repeat(arena, "where ", 40),
                                                 .evidence = repeat(arena, "evidence ", 40),
                                                 .gain = i ? 1e9 : NAN,
                                                 .time_seconds = i ? 1e-9 : NAN};
}

static void assert_fits(const char *text, size_t max_lines, size_t max_columns)
{
    size_t lines = 0;
    for (const char *at = text; *at; lines++) {
        size_t length = strcspn(at, "\n");
        if (length > max_columns) fail_msg("%zu columns: %.*s", length, (int)length, at);
        at += length + (at[length] == '\n');
    }
    if (lines > max_lines) fail_msg("%zu lines:\n%s", lines, text);
}

/* The monster on `machines` machines, to be freed with strbuf_clear. */
static struct strbuf render(const struct monster *m, size_t machines, ws_format format,
                            const struct render_options *options)
{
    const struct prediction *prediction = &m->prediction;
    const struct diagnosis *diagnosis = &m->diagnosis;
    struct strbuf text = {0};
    struct diag diag = {0};
    struct answer *answer = analyze_describe(m->profile, &prediction, &diagnosis, machines);
    assert_int_equal(render_answer(&diag, answer, format, options, &text), WS_OK);
    answer_destroy(answer);
    return text;
}

static void test_any_kernel_fits(void **state)
{
    (void)state;
    struct monster m;
    const struct render_options options = {.details = WS_DETAILS_NORMAL, .width = 96};
    monster_init(&m);
    for (size_t machines = 0; machines < 2; machines++) {
        struct strbuf text = render(&m, machines, WS_FORMAT_TEXT, &options);
        assert_fits(text.data, 60, 96);
        assert_non_null(strstr(text.data, "counts, adjusted to native"));
        assert_non_null(strstr(text.data, "Notes"));
        strbuf_clear(&text);
    }
    profile_destroy(m.profile);
}

/* Five statements; what is long goes on in indented lines, at most three of the usual width. */
static void test_quiet_is_five_statements(void **state)
{
    size_t statements = 0;
    (void)state;
    struct monster m;
    const struct render_options options = {.details = WS_DETAILS_QUIET, .width = 80};
    monster_init(&m);
    struct strbuf text = render(&m, 1, WS_FORMAT_TEXT, &options);
    assert_fits(text.data, 5 * 4, 80);
    for (const char *at = text.data; *at; at = strchr(at, '\n') + 1)
        statements += *at != ' ';
    assert_int_equal(statements, 5);
    strbuf_clear(&text);
    profile_destroy(m.profile);
}

/* Every finite or missing figure is JSON: no bare NaN or infinity, whatever the models say. */
static void test_json_has_no_nan(void **state)
{
    (void)state;
    struct monster m;
    const struct render_options options = {.details = WS_DETAILS_NORMAL};
    monster_init(&m);
    m.diagnosis.advice[0].title = "quote \" backslash \\ newline \n byte \xff";
    struct strbuf text = render(&m, 1, WS_FORMAT_JSON, &options);
    assert_null(strstr(text.data, ": nan"));
    assert_null(strstr(text.data, ": inf"));
    assert_non_null(strstr(text.data, "quote \\\" backslash \\\\ newline \\n byte \\ufffd"));
    assert_non_null(strstr(text.data, "\"reason\": \"not finite\""));
    strbuf_clear(&text);
    profile_destroy(m.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_exact_numbers),
        cmocka_unit_test(test_lines_are_clipped),
        cmocka_unit_test(test_any_kernel_fits),
        cmocka_unit_test(test_quiet_is_five_statements),
        cmocka_unit_test(test_json_has_no_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
