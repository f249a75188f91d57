// SPDX-License-Identifier: Apache-2.0
/* Machines and profiles written by hand, for the tests of models and recommendations. */
#ifndef MODEL_FIXTURE_H
#define MODEL_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/core/accesses.h"
#include "model/core/estimate.h"

#define UNUSED_FIXTURE __attribute__((unused)) static

/* ---- machines -----------------------------------------------------------------------------------
 */

UNUSED_FIXTURE void set_figure(struct machine *machine, enum machine_key key, double value)
{
    machine->values[key] =
        (struct machine_value){.value = value, .known = true, .source = "a test"};
}

UNUSED_FIXTURE void forget_figure(struct machine *machine, enum machine_key key)
{
    machine->values[key] = (struct machine_value){.known = false};
}

struct given_figure {
    enum machine_key key;
    double value;
};

UNUSED_FIXTURE void set_figures(struct machine *machine, const struct given_figure *figures,
                                double float_lanes, double special_lanes)
{
    static const enum insn_class full_rate[] = {
        CLASS_FP32_ADD, CLASS_FP32_MUL, CLASS_FP32_FMA, CLASS_INT_ADD, CLASS_LOGIC,
        CLASS_SHIFT,    CLASS_CMP,      CLASS_SELECT,   CLASS_MOVE,    CLASS_CONVERT};
    for (; figures->key != MACHINE_KEY_COUNT; figures++)
        set_figure(machine, figures->key, figures->value);
    for (size_t i = 0; i < sizeof full_rate / sizeof full_rate[0]; i++)
        set_figure(machine, (enum machine_key)(MACHINE_THROUGHPUT_FIRST + full_rate[i]),
                   float_lanes);
    set_figure(machine, MACHINE_THROUGHPUT_SFU_RCP, special_lanes);
}

/* GTX 280: Hong's tables 2, 5, 6; limits of cc 1.3. */
UNUSED_FIXTURE void make_gtx280(struct machine *machine)
{
    static const struct given_figure figures[] = {{MACHINE_SM_COUNT, 30},
                                                  {MACHINE_SM_WARP_SIZE, 32},
                                                  {MACHINE_SM_MAX_THREADS, 1024},
                                                  {MACHINE_SM_MAX_WARPS, 32},
                                                  {MACHINE_SM_MAX_BLOCKS, 8},
                                                  {MACHINE_SM_REGISTERS, 16384},
                                                  {MACHINE_SM_REGISTER_UNIT, 512},
                                                  {MACHINE_SM_REGISTER_PER_BLOCK, 1},
                                                  {MACHINE_SM_WARP_UNIT, 2},
                                                  {MACHINE_SM_MAX_REGISTERS_PER_THREAD, 124},
                                                  {MACHINE_SM_MAX_REGISTERS_PER_BLOCK, 16384},
                                                  {MACHINE_SM_SUBPARTITIONS, 1},
                                                  {MACHINE_BLOCK_MAX_THREADS, 512},
                                                  {MACHINE_SHARED_PER_SM, 16384},
                                                  {MACHINE_SHARED_PER_BLOCK, 16384},
                                                  {MACHINE_SHARED_UNIT, 512},
                                                  {MACHINE_SHARED_RESERVED, 0},
                                                  {MACHINE_SHARED_BANKS, 16},
                                                  {MACHINE_SHARED_BANK_WIDTH, 4},
                                                  {MACHINE_CLOCK_CORE, 1.3e9},
                                                  {MACHINE_ISSUE_SCHEDULERS, 1},
                                                  {MACHINE_ISSUE_CYCLES, 4},
                                                  {MACHINE_ISSUE_WIDTH, 1},
                                                  {MACHINE_DRAM_BANDWIDTH, 141.7e9},
                                                  {MACHINE_DRAM_LATENCY, 450},
                                                  {MACHINE_GLOBAL_RULE, 12},
                                                  {MACHINE_GLOBAL_LOAD_STORE_LANES, 8},
                                                  {MACHINE_DEPARTURE_COALESCED, 4},
                                                  {MACHINE_DEPARTURE_UNCOALESCED, 40},
                                                  {MACHINE_KEY_COUNT, 0}};
    memset(machine, 0, sizeof *machine);
    machine->id = "gtx280";
    machine->name = "GeForce GTX 280";
    machine->path = "machines/gtx280.yaml";
    machine->cc_major = 1;
    machine->cc_minor = 3;
    set_figures(machine, figures, 8, 2);
}

/* V100: 4 schedulers, 64 float lanes, caches, no published departure delays. */
UNUSED_FIXTURE void make_v100(struct machine *machine)
{
    static const struct given_figure figures[] = {{MACHINE_SM_COUNT, 80},
                                                  {MACHINE_SM_WARP_SIZE, 32},
                                                  {MACHINE_SM_MAX_THREADS, 2048},
                                                  {MACHINE_SM_MAX_WARPS, 64},
                                                  {MACHINE_SM_MAX_BLOCKS, 32},
                                                  {MACHINE_SM_REGISTERS, 65536},
                                                  {MACHINE_SM_REGISTER_UNIT, 256},
                                                  {MACHINE_SM_REGISTER_PER_BLOCK, 0},
                                                  {MACHINE_SM_WARP_UNIT, 4},
                                                  {MACHINE_SM_MAX_REGISTERS_PER_THREAD, 255},
                                                  {MACHINE_SM_MAX_REGISTERS_PER_BLOCK, 65536},
                                                  {MACHINE_SM_SUBPARTITIONS, 4},
                                                  {MACHINE_BLOCK_MAX_THREADS, 1024},
                                                  {MACHINE_SHARED_PER_SM, 98304},
                                                  {MACHINE_SHARED_PER_BLOCK, 98304},
                                                  {MACHINE_SHARED_UNIT, 256},
                                                  {MACHINE_SHARED_RESERVED, 0},
                                                  {MACHINE_SHARED_BANKS, 32},
                                                  {MACHINE_SHARED_BANK_WIDTH, 4},
                                                  {MACHINE_CLOCK_CORE, 1.53e9},
                                                  {MACHINE_ISSUE_SCHEDULERS, 4},
                                                  {MACHINE_ISSUE_CYCLES, 1},
                                                  {MACHINE_ISSUE_WIDTH, 1},
                                                  {MACHINE_DRAM_BANDWIDTH, 898e9},
                                                  {MACHINE_DRAM_LATENCY, 434},
                                                  {MACHINE_GLOBAL_RULE, 32},
                                                  {MACHINE_L1_SIZE, 131072},
                                                  {MACHINE_L1_BANDWIDTH, 126},
                                                  {MACHINE_L2_SIZE, 6291456},
                                                  {MACHINE_L2_BANDWIDTH, 2430e9},
                                                  {MACHINE_KEY_COUNT, 0}};
    memset(machine, 0, sizeof *machine);
    machine->id = "v100";
    machine->name = "Tesla V100";
    machine->path = "machines/v100.yaml";
    machine->cc_major = 7;
    set_figures(machine, figures, 64, 16);
}

/* ---- profiles -----------------------------------------------------------------------------------
 */

/* Counts of one warp, as the papers give them. */
struct hand_kernel {
    uint32_t blocks, threads_per_block;
    unsigned registers;
    double comp, coalesced, uncoalesced, barriers;
    double transactions_per_uncoalesced, bytes_per_access;
};

UNUSED_FIXTURE double hand_warps(const struct hand_kernel *kernel)
{
    return (double)kernel->blocks * ((kernel->threads_per_block + 31) / 32);
}

UNUSED_FIXTURE void set_count(struct profile *profile, enum counter counter, double value)
{
    profile_set(profile, counter, value, ORIGIN_ASSUMED);
}

/* Global loads by every rule alike; coalesced ones take one transaction of 128 bytes. */
UNUSED_FIXTURE struct profile *make_profile(const struct hand_kernel *kernel)
{
    struct profile *profile = profile_create();
    double warps = hand_warps(kernel), coalesced = kernel->coalesced * warps;
    double uncoalesced = kernel->uncoalesced * warps, requests = coalesced + uncoalesced;
    double transactions = uncoalesced * kernel->transactions_per_uncoalesced;
    profile->kernel = arena_copy(&profile->arena, "by_hand");
    profile->grid[0] = kernel->blocks;
    profile->block[0] = kernel->threads_per_block;
    profile->grid[1] = profile->grid[2] = profile->block[1] = profile->block[2] = 1;
    if (kernel->registers) {
        profile->register_count = 1;
        profile->registers[0] = (struct register_count){.value = kernel->registers, .from = "user"};
    }
    set_count(profile, COUNTER_INST_WARP, kernel->comp * warps + requests);
    set_count(profile, COUNTER_INST_THREAD, 32 * (kernel->comp * warps + requests));
    set_count(profile, COUNTER_INST_THREAD_ACTIVE, 32 * (kernel->comp * warps + requests));
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, kernel->comp * warps);
    set_count(profile, COUNTER_INST_WARP_MEM_GLOBAL_LOAD, requests);
    set_count(profile, COUNTER_BARRIER_WARP, kernel->barriers * warps);
    for (unsigned rule = RULE_IS_CC10; rule <= RULE_IS_SECTOR; rule++) {
        enum access_op load = ACCESS_GLOBAL_LOAD;
        set_count(profile, access_counter(load, ACCESS_REQUESTS, rule), requests);
        set_count(profile, access_counter(load, ACCESS_BYTES_REQUESTED, rule),
                  requests * kernel->bytes_per_access);
        set_count(profile, access_counter(load, ACCESS_COALESCED, rule), coalesced);
        set_count(profile, access_counter(load, ACCESS_UNCOALESCED, rule), uncoalesced);
        set_count(profile, access_counter(load, ACCESS_UNCOALESCED_TRANSACTIONS, rule),
                  transactions);
        double all = rule == RULE_IS_SECTOR ? 4 * coalesced : coalesced;
        set_count(profile, access_counter(load, ACCESS_TRANSACTIONS, rule), all + transactions);
        if (rule != RULE_IS_SECTOR)
            set_count(profile, access_counter(load, ACCESS_BYTES_MOVED, rule),
                      128 * coalesced + 32 * transactions);
    }
    return profile;
}

UNUSED_FIXTURE struct prediction *predict(const struct profile *profile,
                                          const struct machine *machine)
{
    struct diag diag = {0};
    struct prediction *prediction = NULL;
    if (model_predict(&diag, profile, machine, NULL, &prediction) != WS_OK)
        fail_msg("model_predict: %s", diag.text);
    return prediction;
}

/* As if `model`, a static text, had the best evidence for every GPU: the headline is its answer, unless it is
 * below the bound. */
UNUSED_FIXTURE struct prediction *predict_headline(const struct profile *profile,
                                                   const struct machine *machine, const char *model)
{
    static struct evidence_row row;
    static const struct evidence evidence = {.count = 1, .rows = &row};
    const struct predict_options options = {.evidence = &evidence};
    struct diag diag = {0};
    struct prediction *prediction = NULL;
    row = (struct evidence_row){.model = model,
                                .set = "a set",
                                .source = "a source",
                                .cc_first = 10,
                                .cc_last = 120,
                                .kernels = 3,
                                .median_error = 0.1,
                                .p90_error = 0.3,
                                .mean_error = NAN,
                                .two_thirds_factor = 1.25};
    if (model_predict(&diag, profile, machine, &options, &prediction) != WS_OK)
        fail_msg("model_predict: %s", diag.text);
    return prediction;
}

/* What the papers print, contradictions and all: golden cases of theirs ask for it. */
UNUSED_FIXTURE struct prediction *
predict_printed(const struct profile *profile, const struct machine *machine, uint32_t effects_off)
{
    static const struct model_option printed[] = {{"bytes", "requested"},
                                                  {"cases", "printed"},
                                                  {"overlap", "n"},
                                                  {"tail_periods", "one"},
                                                  {"bound", "none"}};
    const struct predict_options options = {.option_count = sizeof printed / sizeof printed[0],
                                            .options = printed,
                                            .effects_off = effects_off};
    struct diag diag = {0};
    struct prediction *prediction = NULL;
    if (model_predict(&diag, profile, machine, &options, &prediction) != WS_OK)
        fail_msg("model_predict: %s", diag.text);
    return prediction;
}

UNUSED_FIXTURE double term(const struct estimate *estimate, const char *id)
{
    const struct term *found = estimate ? estimate_term(estimate, id) : NULL;
    if (!found) fail_msg("no term '%s'", id);
    return found->value;
}

UNUSED_FIXTURE void assert_close(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("got %.12g, expected %.12g within %g", got, want, relative);
}

UNUSED_FIXTURE void assert_contains(const char *text, const char *part)
{
    if (!text || !strstr(text, part)) fail_msg("'%s' does not contain '%s'", text, part);
}

UNUSED_FIXTURE bool assumes(const struct estimate *estimate, const char *part)
{
    for (size_t i = 0; i < estimate->assumption_count; i++)
        if (strstr(estimate->assumptions[i], part)) return true;
    return false;
}

/* A small generator, so that the sweep is the same everywhere (Vigna's splitmix64, public domain).
 */
UNUSED_FIXTURE double next_uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

#endif
