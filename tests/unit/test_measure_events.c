// SPDX-License-Identifier: Apache-2.0
/* The counting observer against a plain second implementation: random programs, random events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/history.h"
#include "measure/isa_view.h"
#include "support/event_program.h"

/* ---- comparison ------------------------------------------------------------------------------ */

static void assert_count(const char *what, unsigned index, int counter, double got, uint64_t want)
{
    if (got == (double)want) return;
    fail_msg("%s %u, %s: %.17g, expected %llu", what, index, counter_infos[counter].id, got,
             (unsigned long long)want);
}

static void assert_close(const char *what, double got, long double want)
{
    if (fabsl((long double)got - want) <= 1e-14L * (want + 1)) return;
    fail_msg("%s: %.17g, expected %.17Lg", what, got, want);
}

static void compare_launch(const struct profile *profile, struct reference *r)
{
    r->launch[COUNTER_WARPS_EXECUTED] = 10 * WARPS;
    r->launch[COUNTER_BLOCKS_EXECUTED] = 10;
    r->launch[COUNTER_MEM_GLOBAL_READ_FOOTPRINT] = distinct_sectors(r, 0);
    r->launch[COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT] = distinct_sectors(r, 1);
    r->launch[COUNTER_MEM_LOADS] = r->loads;
    r->launch[COUNTER_MEM_GROUPS] = r->groups;
    r->launch[COUNTER_MEM_INDEPENDENT] = r->loads - r->groups;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        if (isa_view_has((enum counter)i)) continue;
        assert_int_equal(profile->counters[i].origin, ORIGIN_EMULATED);
        if (i == COUNTER_DEP_DISTANCE || i == COUNTER_DEP_ILP || i == COUNTER_MEM_MSTR) continue;
        assert_count("launch", 0, i, profile_get(profile, (enum counter)i), r->launch[i]);
    }
    assert_close("dep.distance", profile_get(profile, COUNTER_DEP_DISTANCE),
                 (long double)r->distance / (long double)r->consumers);
    assert_close("dep.ilp", profile_get(profile, COUNTER_DEP_ILP),
                 (long double)r->block_insns / (long double)r->paths);
    assert_close("mem.mstr", profile_get(profile, COUNTER_MEM_MSTR),
                 (long double)r->loads / (long double)r->groups);
}

static void compare_instructions(const struct profile *profile, struct reference *r)
{
    for (uint32_t pc = 0; pc < profile->instruction_count; pc++) {
        const struct instruction_profile *insn = &profile->instructions[pc];
        assert_int_equal(insn->pc, pc);
        assert_int_equal(insn->line, pc + 1);
        for (uint32_t i = 0; i < insn->counter_count; i++) {
            assert_true(insn->values[i] != 0);
            assert_count("instruction", pc, insn->counters[i], insn->values[i],
                         r->insns[pc][insn->counters[i]]);
            r->insns[pc][insn->counters[i]] = 0;
        }
        for (int i = 0; i < COUNTER_COUNT; i++)
            assert_count("missing", pc, i, 0, r->insns[pc][i]);
    }
}

static void compare_stages(const struct profile *profile, const struct reference *r)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < STAGES_MAX; i++)
        found += r->stage_blocks[i] > 0;
    assert_int_equal(profile->stage_count, found);
    for (uint32_t s = 0; s < profile->stage_count; s++) {
        const struct stage_profile *stage = &profile->stages[s];
        uint32_t at = stage->index;
        for (int i = 0; i < COUNTER_COUNT; i++)
            if (counter_infos[i].staged)
                assert_count("stage", at, i, stage->counters[i], r->stages[at][i]);
        long double blocks = (long double)r->stage_blocks[at];
        assert_close("warps_working", stage->warps_working, r->warps_working[at] / blocks);
        assert_close("threads_working", stage->threads_working, r->threads_working[at] / blocks);
        blocks = fmaxl(1, (long double)r->shared_blocks[at]);
        assert_close("shared_warps_working", stage->shared_warps_working,
                     r->shared_warps_working[at] / blocks);
    }
}

static void random_programs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        struct program *program = make_program(seed);
        struct reference *reference = calloc(1, sizeof *reference);
        struct profile *profile = play(program, seed, 1, 150, false, RULES_ALL, reference);
        assert_true(reference->groups > 0 && reference->consumers > 0);
        compare_launch(profile, reference);
        compare_instructions(profile, reference);
        compare_stages(profile, reference);
        profile_destroy(profile);
        free(reference);
        free(program);
    }
}

/* Stages from ordinal 1024 on are one: a block of barriers that goes round 1500 times or so. */
static void many_stages(void **state)
{
    (void)state;
    struct program *program = make_program(3);
    struct reference *reference = calloc(1, sizeof *reference);
    for (uint32_t i = 0; i < BLOCKS; i++) { /* every code block ends with a barrier */
        struct insn *last =
            &program->insns[program->code_blocks[i].first + program->code_blocks[i].count - 1];
        *last = last_insn(1, 0);
        last->line = (uint32_t)(last - program->insns) + 1;
        last->class_id = (uint8_t)insn_classify(last);
        last->units = insn_units(last);
    }
    struct profile *profile = play(program, 3, 1, 4500, false, RULES_ALL, reference);
    assert_int_equal(profile->stage_count, 1025);
    assert_int_equal(profile->stages[1024].index, 1024);
    compare_launch(profile, reference);
    compare_stages(profile, reference);
    profile_destroy(profile);
    free(reference);
    free(program);
}

/* The profile must not depend on who executed which block, or in which order. */
static void any_number_of_workers(void **state)
{
    (void)state;
    struct program *program = make_program(7);
    struct profile *one = play(program, 7, 1, 200, false, RULES_ALL, NULL);
    char *expected = profile_to_json(one);
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct profile *many = play(program, 7, workers, 200, workers % 2 == 1, RULES_ALL, NULL);
        char *text = profile_to_json(many);
        assert_string_equal(text, expected);
        mem_free(text);
        profile_destroy(many);
    }
    mem_free(expected);
    profile_destroy(one);
    free(program);
}

/* More costs than have numbers: the rest is added up at once, and nothing is lost. */
static void more_costs_than_numbers(void **state)
{
    (void)state;
    struct program *program = make_program(11);
    struct reference *reference = calloc(1, sizeof *reference);
    struct profile *profile = play(program, 11, 2, 9000, false, RULES_ALL, reference);
    compare_launch(profile, reference);
    compare_instructions(profile, reference);
    compare_stages(profile, reference);
    profile_destroy(profile);
    free(reference);
    free(program);
}

static void rules_are_null_unless_requested(void **state)
{
    (void)state;
    struct program *program = make_program(5);
    struct profile *profile = play(program, 5, 1, 50, false, RULE_CC12, NULL);
    const struct counter_value *value = &profile->counters[COUNTER_MEM_GLOBAL_LOAD_BYTES_CC10];
    assert_int_equal(value->origin, ORIGIN_NONE);
    assert_string_equal(value->reason, "rule not requested");
    assert_false(profile_has(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS16));
    assert_true(profile_has(profile, COUNTER_MEM_GLOBAL_LOAD_BYTES_CC12));
    assert_true(profile_has(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS32));
    profile_destroy(profile);
    free(program);
}

/* A sample of the grid: counts are scaled, means are not, and the number that ran is the truth. */
static void sampled_blocks(void **state)
{
    (void)state;
    struct program *program = make_program(9);
    struct reference *reference = calloc(1, sizeof *reference);
    struct measure *measure = measure_begin(counting_rules_of(0));
    struct observer *observer = measure_observer(measure);
    observer->ops->launch_begin(observer->self, &program->launch);
    struct listener l = {
        program, observer->ops, observer->ops->worker_begin(observer->self), reference, {0}};
    for (uint64_t i = 0; i < 4; i++)
        play_thread_block(&l, 9, i, 40);
    observer->ops->worker_end(observer->self, l.worker);
    struct profile *profile = measure_end(measure, 0.4);
    assert_int_equal(profile->counters[COUNTER_INST_WARP].origin, ORIGIN_SAMPLED);
    double want = nearbyint((double)reference->launch[COUNTER_INST_WARP] * 10.0 / 4.0);
    assert_true(profile_get(profile, COUNTER_INST_WARP) == want);
    assert_true(profile_get(profile, COUNTER_WARPS_EXECUTED) == 30);
    assert_true(profile_get(profile, COUNTER_BLOCKS_EXECUTED) == 4);
    assert_close("dep.distance", profile_get(profile, COUNTER_DEP_DISTANCE),
                 (long double)reference->distance / (long double)reference->consumers);
    assert_true(profile->sampled_fraction == 0.4);
    assert_false(profile_has(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT));
    assert_non_null(profile->counters[COUNTER_MEM_GLOBAL_READ_FOOTPRINT].reason);
    distinct_sectors(reference, 0);
    distinct_sectors(reference, 1);
    profile_destroy(profile);
    free(reference);
    free(program);
}

/* Statements and source lines of instructions, as the PTX text has them. */
static void statements(void **state)
{
    (void)state;
    static const char ptx[] = "// head\n"
                              "L1: { add.f32 %f1,\t%f2; @!%p1 bra L1; }\n"
                              "  call.uni (r),\n   f,\n   (a);\n"
                              "ret";
    static const struct {
        uint32_t line, column;
        const char *text;
    } places[] = {{2, 7, "add.f32 %f1, %f2"},
                  {2, 33, "@!%p1 bra L1"},
                  {3, 3, "call.uni (r), f, (a)"},
                  {6, 1, "ret"},
                  {7, 1, NULL},
                  {0, 0, NULL}};
    static const char *const files[] = {"", "k.cu"};
    struct program *program = make_program(4);
    program->module.ptx = ptx;
    program->module.ptx_size = sizeof ptx - 1;
    program->module.files = files;
    program->module.file_count = 2;
    for (int i = 0; i < 6; i++) {
        program->insns[i].line = places[i].line;
        program->insns[i].column = places[i].column;
        program->insns[i].source_file = i == 1;
        program->insns[i].source_line = i == 1 ? 12 : 0;
    }
    struct profile *profile = play(program, 4, 1, 1, false, 0, NULL);
    for (int i = 0; i < 6; i++) {
        if (places[i].text)
            assert_string_equal(profile->instructions[i].text, places[i].text);
        else
            assert_null(profile->instructions[i].text);
    }
    assert_string_equal(profile->instructions[1].file, "k.cu");
    assert_int_equal(profile->instructions[1].source_line, 12);
    assert_null(profile->instructions[0].file);
    assert_string_equal(profile->isa, "ptx 0.0 sm_80");
    assert_int_equal(profile->registers[0].value, 10 + 11);
    assert_int_equal(profile->registers[0].target, 80);
    assert_int_equal(profile->local_bytes_per_thread, 16);
    profile_destroy(profile);
    free(program);
}

/* Indices of instructions are kept small; distances must not notice. */
static void long_runs_of_a_warp(void **state)
{
    (void)state;
    struct program *program = make_program(2);
    struct dep_plan plan;
    struct dep_warp warps[2];
    struct dep_sums sums[2] = {{0, 0}, {0, 0}};
    dep_plan_init(&plan, &program->launch);
    for (uint32_t i = 0; i < 2; i++) {
        warps[i] = (struct dep_warp){1, calloc(plan.slot_count, sizeof(uint32_t))};
        for (uint32_t k = 0; k < BLOCKS; k++)
            dep_run(&plan, &plan.blocks[k], &warps[i], &sums[i]);
    }
    uint32_t shift = UINT32_MAX / 2 - 500 - warps[1].now; /* the second has come a long way */
    warps[1].now += shift;
    for (uint32_t i = 0; i < plan.slot_count; i++)
        if (warps[1].last[i]) warps[1].last[i] += shift;
    for (uint32_t step = 0; step < 1000; step++) {
        uint32_t block = next_random(BLOCKS);
        for (uint32_t i = 0; i < 2; i++)
            dep_run(&plan, &plan.blocks[block], &warps[i], &sums[i]);
        assert_int_equal(sums[0].distance, sums[1].distance);
        assert_int_equal(sums[0].consumers, sums[1].consumers);
    }
    assert_true(warps[1].now < UINT32_MAX / 4); /* it was rebased on the way */
    for (uint32_t i = 0; i < 2; i++)
        free(warps[i].last);
    dep_plan_clear(&plan);
    free(program);
}

/* One warp whose histories are numbered, and beside it its own distances and loads, block by block. */
struct twin {
    struct warp_history numbered, plain;
    struct history_sums sums, plain_sums;
};

static void twin_begin(struct twin *twin, const struct dep_plan *dep, const struct load_plan *loads)
{
    struct warp_history *both[] = {&twin->numbered, &twin->plain};
    *twin = (struct twin){.plain = {.dep = {.now = 1}}};
    for (int i = 0; i < 2; i++) {
        both[i]->dep.last = calloc(dep->slot_count + 1, sizeof(uint32_t));
        both[i]->load.results = calloc(loads->word_count + 1, sizeof(uint64_t));
    }
}

static void twin_end(struct twin *twin)
{
    free(twin->numbered.dep.last);
    free(twin->numbered.load.results);
    free(twin->plain.dep.last);
    free(twin->plain.load.results);
}

static void twin_pass(struct twin *twin, struct history_table *table,
                      const struct history_route *route, uint64_t times)
{
    struct dep_sums dep = {0};
    history_pass(table, &twin->numbered, route, times, &twin->sums);
    for (uint64_t i = 0; i < times * route->count; i++) {
        uint32_t block = route->steps[i % route->count].code_block;
        dep_run(table->dep, &table->dep->blocks[block], &twin->plain.dep, &dep);
        twin->plain_sums.groups +=
            load_run(table->loads, &table->loads->blocks[block], &twin->plain.load);
    }
    if (route->ends_loads) twin->plain.load.open = false;
    twin->plain_sums.distance += dep.distance;
    twin->plain_sums.consumers += dep.consumers;
}

/* Walks over more histories than there are numbers. */
static void numbered_histories(void **state)
{
    (void)state;
    enum { ROUTES = 20, WALKS = 40, PASSES = 4000 };
    struct program *program = make_program(5);
    struct dep_plan dep;
    struct load_plan loads;
    struct history_table table;
    struct path_step steps[ROUTES][4] = {{{0}}};
    struct history_route routes[ROUTES + 1] = {[ROUTES] = {NULL, 0, UINT32_MAX, true}};
    dep_plan_init(&dep, &program->launch);
    load_plan_init(&loads, &program->launch);
    history_table_init(&table, &dep, &loads);
    for (uint32_t i = 0; i < ROUTES; i++) {
        routes[i] = (struct history_route){steps[i], 1 + next_random(4), i, false};
        for (uint32_t k = 0; k < routes[i].count; k++)
            steps[i][k].code_block = next_random(BLOCKS);
    }
    uint32_t own = 0;
    for (uint32_t walk = 0; walk < WALKS; walk++) {
        struct twin twin;
        twin_begin(&twin, &dep, &loads);
        for (uint32_t i = 0; i < PASSES; i++) {
            uint64_t times = next_random(8) ? 1 : next_random(100);
            const struct history_route *route = &routes[next_random(ROUTES + 1)];
            twin_pass(&twin, &table, route, route->count ? times : 1);
            assert_memory_equal(&twin.sums, &twin.plain_sums, sizeof twin.sums);
        }
        own += twin.numbered.number == HISTORY_OWN;
        twin_end(&twin);
    }
    assert_in_range(own, 1, WALKS - 1);
    history_table_clear(&table);
    load_plan_clear(&loads);
    dep_plan_clear(&dep);
    free(program);
}

/* The two tables of one counter must agree, and every id must be found again. */
static void counter_table(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        assert_int_equal(counter_find(counter_infos[i].id), i);
        assert_true(strlen(counter_infos[i].text) > 10);
    }
    assert_int_equal(counter_find("inst.wrap"), -1);
    assert_string_equal(counter_infos[COUNTER_INST_WARP_FIRST + CLASS_FP32_FMA].id,
                        "inst.warp.fp32.fma");
    assert_string_equal(counter_infos[COUNTER_INST_WARP_FIRST + CLASS_FP32_FMA].text,
                        "Warp instructions of class fp32.fma.");
    assert_string_equal(counter_infos[COUNTER_INST_UNIT_FIRST + UNIT_LOCAL].id, "inst.unit.local");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(many_stages),
        cmocka_unit_test(any_number_of_workers),
        cmocka_unit_test(more_costs_than_numbers),
        cmocka_unit_test(rules_are_null_unless_requested),
        cmocka_unit_test(sampled_blocks),
        cmocka_unit_test(long_runs_of_a_warp),
        cmocka_unit_test(numbered_histories),
        cmocka_unit_test(statements),
        cmocka_unit_test(counter_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
