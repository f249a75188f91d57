// SPDX-License-Identifier: Apache-2.0
/* Every case of tests/golden/golden.json whose model exists is one test case;
 * tests/golden/models.csv says for each model who checks it. Published cases whose basis is
 * "fitted" or "definition" are no evidence and are counted apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>
#include <warpsage/warpsage.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "model/closed_form/closed_form.h"
#include "model/core/estimate.h"
#include "model/mwp_cwp.h"
#include "model/quantitative.h"

#ifndef TESTS_DIR
#define TESTS_DIR "tests"
#endif

/* ---- inputs ---------------------------------------------------------------------------------- */

static double number(const json_t *inputs, const char *key, double otherwise)
{
    const json_t *value = json_object_get(inputs, key);
    return value ? json_number_value(value) : otherwise;
}

static bool says(const json_t *inputs, const char *key, const char *word)
{
    const char *text = json_string_value(json_object_get(inputs, key));
    return text && !strcmp(text, word);
}

/* Table 6 of the thesis, measured column: issue slots of an operation. */
static double mean_m_factor(const json_t *mix, double total)
{
    static const struct {
        const char *name;
        double m;
    } table[] = {{"fpmad", 1}, {"intmod", 35}, {"intmul", 4.3}, {"fpdiv", 4.2}, {"ld", 1}};
    double slots = 0;
    size_t known = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        slots += table[i].m * number(mix, table[i].name, 0);
        known += json_object_get(mix, table[i].name) != NULL;
    }
    assert_int_equal(known, json_object_size(mix));
    return slots / total;
}

static struct mwp_cwp_input read_inputs(const json_t *in)
{
    double coalesced = number(in, "coal_mem_insts", 0);
    double uncoalesced = number(in, "uncoal_mem_insts", 0);
    double total = number(in, "total_insts", number(in, "comp_insts", 0) + coalesced + uncoalesced);
    const json_t *mix = json_object_get(in, "mix");
    return (struct mwp_cwp_input){
        .freq_hz = number(in, "freq_ghz", NAN) * 1e9,
        .mem_bandwidth = number(in, "mem_bw_gbs", NAN) * 1e9,
        .active_sms = number(in, "active_sms", NAN),
        .mem_ld = number(in, "mem_ld", NAN),
        .dep_uncoal = number(in, "dep_uncoal", NAN),
        .dep_coal = number(in, "dep_coal", NAN),
        .uncoal_per_mw = number(in, "uncoal_per_mw", NAN),
        .load_bytes_per_warp = number(in, "load_bytes_per_warp", NAN),
        .warp_size = 32,
        .threads_per_block = number(in, "threads_per_block", NAN),
        .blocks = number(in, "blocks", NAN),
        .active_blocks_per_sm = number(in, "active_blocks_per_sm", NAN),
        .issue_cycles = 4,
        .m_factor = mix ? mean_m_factor(mix, total) : number(in, "m_factor", 1),
        .total_insts = total,
        .coal_mem_insts = coalesced,
        .uncoal_mem_insts = uncoalesced,
        .synch_insts = number(in, "synch_insts", 0),
        .mem_req = coalesced + uncoalesced,
        .ind_mem_req = number(in, "ind_mem_req", 0),
        .readings = {.mem_l_coal =
                         says(in, "mem_l_coal", "slides") ? MWP_MEM_L_SLIDES : MWP_MEM_L_THESIS,
                     .case_policy =
                         says(in, "case_policy", "printed") ? MWP_CASE_PRINTED : MWP_CASE_FIGURE8,
                     .npw = says(in, "npw", "printed") ? MWP_NPW_PRINTED : MWP_NPW_RATIO,
                     .rep = says(in, "rep", "ceil") ? MWP_REP_CEIL : MWP_REP_FRACTION},
    };
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* What a function found; each fills its own part. */
struct answer {
    struct mwp_cwp_terms terms;
    struct occupancy occupancy;
    double peak, ginst_s, smem_gbs;
    struct zo_program program;
    struct zo_stage stages[8];
    size_t stage_count; /* 0: one bottleneck for the whole program */
    struct zo_ell_bytes ell;
    unsigned tpcs;
};

static double answer_of(const struct answer *answer, const char *key)
{
    const struct mwp_cwp_terms *terms = &answer->terms;
    if (!strcmp(key, "case")) return terms->case_number;
    if (!strcmp(key, "tpcs")) return answer->tpcs;
    if (!strcmp(key, "blocks")) return answer->occupancy.blocks_per_sm;
    if (!strcmp(key, "warps")) return answer->occupancy.warps_per_sm;
    if (!strcmp(key, "blocks_reg")) return answer->occupancy.limit_registers;
    if (!strcmp(key, "blocks_smem")) return answer->occupancy.limit_shared;
    if (!strcmp(key, "gbs") || !strcmp(key, "gflops")) return answer->peak;
    if (!strcmp(key, "ginst_s")) return answer->ginst_s;
    if (!strcmp(key, "smem_gbs")) return answer->smem_gbs;
    if (!strcmp(key, "t_inst")) return answer->program.components.seconds[ZO_INSTRUCTION];
    if (!strcmp(key, "t_smem")) return answer->program.components.seconds[ZO_SHARED];
    if (!strcmp(key, "t_gmem")) return answer->program.components.seconds[ZO_GLOBAL];
    if (!strcmp(key, "index")) return answer->ell.index;
    if (!strcmp(key, "vector")) return answer->ell.vector;
    if (!strcmp(key, "total"))
        return answer->program.seconds > 0 ? answer->program.seconds : answer->ell.total;
#define TERM(name)                                                                                 \
    if (!strcmp(key, #name)) return terms->name
    TERM(mem_l);
    TERM(departure_delay);
    TERM(mwp_without_bw_full);
    TERM(mwp_peak_bw);
    TERM(mwp);
    TERM(npw);
    TERM(cwp_full);
    TERM(cwp);
    TERM(comp_cycles);
    TERM(mem_cycles);
    TERM(rep);
    TERM(exec_cycles);
    TERM(synch_cost);
    TERM(exec_cycles_synch);
    TERM(cpi);
#undef TERM
    fail_msg("golden.json expects '%s', which this test cannot read", key);
    return NAN;
}

static const char *const zo_words[] = {"inst", "smem", "gmem", ""};

static const char *word_of(const struct answer *answer, const char *key)
{
    const struct zo_stage *program = &answer->program.components;
    if (!strcmp(key, "bottleneck")) return zo_words[program->bottleneck];
    if (!strcmp(key, "next")) return zo_words[program->next];
    fail_msg("golden.json expects the word '%s', which this test cannot read", key);
    return NULL;
}

static void check_bottlenecks(const struct answer *answer, const json_t *expected)
{
    const struct zo_stage *program = &answer->program.components;
    size_t count = answer->stage_count ? answer->stage_count : 1;
    assert_int_equal(json_array_size(expected), count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(
            zo_words[answer->stage_count ? answer->stages[i].bottleneck : program->bottleneck],
            json_string_value(json_array_get(expected, i)));
}

static void run_mwp_cwp(const json_t *inputs, struct answer *out)
{
    struct diag diag = {0};
    struct mwp_cwp_input in = read_inputs(inputs);
    assert_int_equal(mwp_cwp_predict(&diag, &in, &out->terms), WS_OK);
    diag_clear(&diag);
}

static void run_memory(const json_t *inputs, struct answer *out)
{
    struct mwp_cwp_input in = read_inputs(inputs);
    mwp_cwp_memory(&in, &out->terms);
}

static void run_peak_bw(const json_t *inputs, struct answer *out)
{
    struct mwp_cwp_input in = read_inputs(inputs);
    out->terms.mwp_peak_bw = mwp_cwp_peak_bw(&in, number(inputs, "mem_l", NAN));
}

static void run_npw(const json_t *inputs, struct answer *out)
{
    enum mwp_npw reading = says(inputs, "npw", "printed") ? MWP_NPW_PRINTED : MWP_NPW_RATIO;
    out->terms.npw = mwp_cwp_npw(reading, number(inputs, "n", NAN), number(inputs, "mem_req", NAN),
                                 number(inputs, "ind_mem_req", NAN));
}

/* Table 2 of Zhang & Owens divides without allocation units; GTX 285. */
static void run_occupancy(const json_t *inputs, struct answer *out)
{
    struct diag diag = {0};
    struct machine *machine;
    const struct occupancy_query query = {
        .threads_per_block = (unsigned)number(inputs, "threads_per_block", 0),
        .registers_per_thread = (unsigned)number(inputs, "regs_per_thread", 0),
        .shared_bytes = (uint64_t)number(inputs, "smem_per_block", 0),
        .no_granularity = true,
    };
    assert_int_equal(machine_load(&diag, SOURCE_DIR "/data/machines", "gtx285", &machine), WS_OK);
    if (json_object_get(inputs, "max_blocks"))
        machine->values[MACHINE_SM_MAX_BLOCKS].value = number(inputs, "max_blocks", NAN);
    assert_int_equal(machine_occupancy(&diag, machine, &query, &out->occupancy), WS_OK);
    machine_destroy(machine);
    diag_clear(&diag);
}

/* ---- Zhang & Owens --------------------------------------------------------------------------- */

static void run_instruction_peak(const json_t *inputs, struct answer *out)
{
    out->ginst_s =
        zo_instruction_peak(number(inputs, "units", NAN), number(inputs, "freq_ghz", NAN),
                            number(inputs, "num_sm", NAN));
}

static void run_shared_peak(const json_t *inputs, struct answer *out)
{
    out->peak = zo_shared_peak(number(inputs, "sp_per_sm", NAN), number(inputs, "freq_ghz", NAN),
                               number(inputs, "num_sm", NAN));
}

static void run_global_peak(const json_t *inputs, struct answer *out)
{
    out->peak =
        zo_global_peak(number(inputs, "mem_freq_ghz", NAN), number(inputs, "bus_bits", NAN));
}

static void run_throughput(const json_t *inputs, struct answer *out)
{
    out->ginst_s = zo_paper_instructions(number(inputs, "warps", NAN)) / 1e9;
    out->smem_gbs = zo_paper_shared(number(inputs, "warps", NAN)) / 1e9;
}

static struct zo_stage read_stage(const json_t *inputs)
{
    const json_t *counts = json_object_get(inputs, "counts");
    const struct zo_counts stage = {
        .instructions = {number(counts, "I", 0), number(counts, "II", 0), number(counts, "III", 0),
                         number(counts, "IV", 0)},
        .shared_transactions = number(inputs, "smem_trans", 0),
        .global_bytes = number(inputs, "gmem_bytes", 0),
        .warps = number(inputs, "warps", NAN),
    };
    return zo_paper_stage(&stage, ZO_TABLE_ZHANG_OWENS, ZO_CURVE_SAME);
}

static void run_times(const json_t *inputs, struct answer *out)
{
    struct zo_stage stage = read_stage(inputs);
    out->program = zo_combine(&stage, 1, 0);
}

static void run_program(const json_t *inputs, struct answer *out)
{
    const json_t *stages = json_object_get(inputs, "stages");
    bool serial = number(inputs, "blocks_per_sm", NAN) < 2;
    size_t count = json_array_size(stages);
    assert_true(count <= sizeof out->stages / sizeof out->stages[0]);
    for (size_t i = 0; i < count; i++)
        out->stages[i] = read_stage(json_array_get(stages, i));
    out->program = zo_combine(out->stages, count, serial);
    if (serial) out->stage_count = count;
}

/* Which SMs share a TPC is what the floorplan of the 8800 GT says. */
static void run_tpc_count(const json_t *inputs, struct answer *out)
{
    const json_t *cores = json_object_get(inputs, "cores");
    ws_input sms[16] = {0};
    size_t count = json_array_size(cores);
    ws_context *context;
    ws_machine *machine;
    ws_answer *answer;
    assert_true(count <= 16);
    for (size_t i = 0; i < count; i++)
        sms[i] = (ws_input){.name = "active_sms",
                            .value = (double)json_integer_value(json_array_get(cores, i))};
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_machine_load(context, "8800gt", &machine), WS_OK);
    const ws_machine *machines[] = {machine};
    const ws_question question = {.size = sizeof question,
                                  .name = "thermal",
                                  .machines = machines,
                                  .machine_count = 1,
                                  .inputs = sms,
                                  .input_count = count};
    assert_int_equal(ws_ask(context, &question, &answer), WS_OK);
    out->tpcs = (unsigned)ws_answer_number(answer, "state/active_tpcs");
    ws_answer_destroy(answer);
    ws_machine_destroy(machine);
    ws_context_destroy(context);
}

static void run_ell(const json_t *inputs, struct answer *out)
{
    out->ell = zo_ell_bytes(number(inputs, "block", NAN), number(inputs, "vector_bytes", NAN));
}

static const struct {
    const char *model;
    void (*run)(const json_t *inputs, struct answer *out);
} functions[] = {{"mwp_cwp", run_mwp_cwp},          {"mem_params", run_memory},
                 {"mwp_peak_bw", run_peak_bw},      {"npw", run_npw},
                 {"occupancy_000", run_occupancy},  {"inst_peak", run_instruction_peak},
                 {"smem_peak", run_shared_peak},    {"gmem_peak", run_global_peak},
                 {"zo_throughput", run_throughput}, {"zo_times", run_times},
                 {"zo_program", run_program},       {"spmv_ell_bytes", run_ell},
                 {"tpc_count", run_tpc_count}};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

/* ---- closed forms by name -------------------------------------------------------------------- */

enum { GIVEN_MAX = 64 };

/* A list is the inputs "manual.0", "manual.1" ... */
static size_t flatten_list(struct arena *arena, const char *name, const json_t *list, ws_input *out)
{
    size_t count = json_array_size(list);
    assert_true(count < GIVEN_MAX / 4);
    for (size_t i = 0; i < count; i++)
        out[i] = (ws_input){.name = arena_format(arena, "%s.%zu", name, i),
                            .value = json_number_value(json_array_get(list, i))};
    return count;
}

/* Names and values as ws_model_evaluate takes them; {"rates": {"fp": 1}} is the input "rates.fp". */
static size_t flatten(struct arena *arena, const char *prefix, const json_t *inputs, ws_input *out)
{
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)inputs, key, value)
    {
        const char *name = *prefix ? arena_format(arena, "%s.%s", prefix, key) : key;
        assert_true(count < GIVEN_MAX / 2);
        if (json_is_object(value))
            count += flatten(arena, name, value, out + count);
        else if (json_is_array(value))
            count += flatten_list(arena, name, value, out + count);
        else
            out[count++] = (ws_input){.name = name,
                                      .value = json_is_boolean(value) ? json_is_true(value)
                                                                      : json_number_value(value),
                                      .word = json_string_value(value)};
    }
    return count;
}

static void check_number(const json_t *one, const char *key, double want, double got)
{
    const json_t *tolerance = json_object_get(one, "tolerance");
    double allowed = fmax(number(tolerance, "abs", 0), number(tolerance, "rel", 0) * fabs(want));
    if (!(fabs(got - want) <= allowed))
        fail_msg("%s: %s is %.12g, expected %.12g +- %.3g",
                 json_string_value(json_object_get(one, "model")), key, got, want, allowed);
}

/* The function may have another name than the model of golden.json. */
static void check_evaluation(const json_t *one, const char *function)
{
    struct diag diag = {0};
    struct arena arena = {0};
    ws_input given[GIVEN_MAX];
    ws_term terms[GIVEN_MAX];
    size_t found, checked = 0;
    size_t count = flatten(&arena, "", json_object_get(one, "inputs"), given);
    if (model_evaluate(&diag, function, given, count, terms, GIVEN_MAX, &found) != WS_OK)
        fail_msg("%s: %s", function, diag.text);
    assert_true(found <= GIVEN_MAX);
    const char *key;
    json_t *expected;
    json_object_foreach(json_object_get(one, "expected"), key, expected)
    {
        size_t i = 0;
        while (i < found && strcmp(terms[i].name, key))
            i++;
        if (i == found) fail_msg("%s does not give %s", function, key);
        assert_true(json_is_number(expected));
        check_number(one, key, json_number_value(expected), terms[i].value);
        checked++;
    }
    assert_true(checked > 0);
    arena_clear(&arena);
    diag_clear(&diag);
}

/* ---- one case -------------------------------------------------------------------------------- */

static const char *evaluated_by(const char *model);

static void check_case(void **state)
{
    const json_t *one = *state;
    const char *model = json_string_value(json_object_get(one, "model"));
    struct answer answer = {0};
    size_t run = 0, checked = 0;
    if (evaluated_by(model)) {
        check_evaluation(one, evaluated_by(model));
        return;
    }
    for (; run < FUNCTION_COUNT && strcmp(functions[run].model, model); run++)
        ;
    assert_true(run < FUNCTION_COUNT);
    functions[run].run(json_object_get(one, "inputs"), &answer);
    const char *key;
    json_t *expected;
    json_object_foreach(json_object_get(one, "expected"), key, expected)
    {
        checked++;
        if (json_is_string(expected)) {
            assert_string_equal(word_of(&answer, key), json_string_value(expected));
            continue;
        }
        if (json_is_array(expected)) {
            check_bottlenecks(&answer, expected);
            continue;
        }
        check_number(one, key, json_number_value(expected), answer_of(&answer, key));
    }
    assert_true(checked > 0);
}

/* ---- who checks what ------------------------------------------------------------------------- */

struct row {
    char model[64], state[16], reason[64];
    size_t cases;
};
enum { ROWS_MAX = 128 };
static struct row rows[ROWS_MAX]; /* models.csv */
static size_t row_count;
static json_t *golden;

static void read_rows(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        struct row row;
        if (*line == '#' || !strncmp(line, "model,", 6)) continue;
        if (sscanf(line, "%63[^,],%15[^,],%63[^,],%zu", row.model, row.state, row.reason,
                   &row.cases) != 4) {
            fprintf(stderr, "models.csv: bad line: %.*s\n", (int)strcspn(line, "\n"), line);
            exit(1);
        }
        if (row_count < ROWS_MAX) rows[row_count++] = row;
    }
}

static const struct row *find_row(const char *model)
{
    for (size_t i = 0; i < row_count; i++)
        if (!strcmp(rows[i].model, model)) return &rows[i];
    return NULL;
}

/* The closed form that checks the cases of a model; NULL: none does. */
static const char *evaluated_by(const char *model)
{
    const struct row *row = find_row(model);
    return row && !strcmp(row->state, "form") ? row->reason : NULL;
}

static bool is_checked_here(const struct row *row)
{
    return row && (!strcmp(row->state, "here") || !strcmp(row->state, "form"));
}

static size_t count_cases(const char *model)
{
    size_t i, count = 0;
    json_t *one;
    json_array_foreach(golden, i, one)
    {
        count += !strcmp(json_string_value(json_object_get(one, "model")), model);
    }
    return count;
}

/* A model in neither list, a row without cases, or a wrong count: a case would be skipped silently.
 */
static void every_case_has_its_row(void **state)
{
    (void)state;
    size_t i, total = 0;
    json_t *one;
    json_array_foreach(golden, i, one)
    {
        const char *model = json_string_value(json_object_get(one, "model"));
        if (!find_row(model)) fail_msg("model '%s' of golden.json has no row in models.csv", model);
    }
    for (i = 0; i < row_count; i++) {
        assert_int_equal(count_cases(rows[i].model), rows[i].cases);
        total += rows[i].cases;
    }
    assert_int_equal(total, json_array_size(golden));
}

static void every_row_has_its_function(void **state)
{
    (void)state;
    for (size_t i = 0; i < row_count; i++) {
        size_t k = 0;
        for (; k < FUNCTION_COUNT && strcmp(functions[k].model, rows[i].model); k++)
            ;
        assert_int_equal(k < FUNCTION_COUNT, !strcmp(rows[i].state, "here"));
        assert_true(is_checked_here(&rows[i]) || !strcmp(rows[i].state, "elsewhere") ||
                    !strcmp(rows[i].state, "pending"));
    }
}

static bool is_basis(const json_t *one, const char *word)
{
    const char *basis = json_string_value(json_object_get(one, "basis"));
    return basis && !strcmp(basis, word);
}

static void print_summary(void)
{
    size_t i, evidence = 0, fitted = 0, derived = 0, pending = 0, elsewhere = 0;
    json_t *one;
    json_array_foreach(golden, i, one)
    {
        const struct row *row = find_row(json_string_value(json_object_get(one, "model")));
        if (!is_checked_here(row)) continue;
        if (is_basis(one, "printed") || is_basis(one, "inferred"))
            evidence++;
        else if (is_basis(one, "fitted") || is_basis(one, "definition"))
            fitted++;
        else
            derived++;
    }
    for (i = 0; i < row_count; i++) {
        bool is_pending = !strcmp(rows[i].state, "pending");
        if (is_pending)
            print_message("pending: %-20s %3zu cases (%s)\n", rows[i].model, rows[i].cases,
                          rows[i].reason);
        pending += is_pending ? rows[i].cases : 0;
        elsewhere += !strcmp(rows[i].state, "elsewhere") ? rows[i].cases : 0;
    }
    print_message("golden: %zu published as evidence, %zu fitted or by definition (pins only), "
                  "%zu derived; %zu checked by other tests; %zu pending\n",
                  evidence, fitted, derived, elsewhere, pending);
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (json_is_array(root)) return root;
    fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    exit(1);
}

int main(void)
{
    struct arena arena = {0};
    struct diag diag = {0};
    char *csv;
    size_t i, size, count = 0;
    json_t *one;
    if (text_read_file(&diag, &arena, TESTS_DIR "/golden/models.csv", &csv, &size) != WS_OK) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    golden = load(TESTS_DIR "/golden/golden.json");
    read_rows(csv);
    struct CMUnitTest *tests = mem_zalloc(json_array_size(golden) + 2, sizeof *tests);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(every_case_has_its_row);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(every_row_has_its_function);
    json_array_foreach(golden, i, one)
    {
        const struct row *row = find_row(json_string_value(json_object_get(one, "model")));
        if (!is_checked_here(row)) continue;
        tests[count++] = (struct CMUnitTest){.name = json_string_value(json_object_get(one, "id")),
                                             .test_func = check_case,
                                             .initial_state = one};
    }
    int failed = _cmocka_run_group_tests("golden", tests, count, NULL, NULL);
    print_summary();
    mem_free(tests);
    json_decref(golden);
    arena_clear(&arena);
    return failed;
}
