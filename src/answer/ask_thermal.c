// SPDX-License-Identifier: Apache-2.0
/* The question `thermal`: how warm the chip gets by the SMs that work, which SMs to choose, and how long it
 * takes. Of one machine, with the heat of a kernel or with given watts. */
#include <math.h>
#include <string.h>

#include "answer/kernel_heat.h"
#include "answer/question.h"
#include "answer/thermal_kernel.h"
#include "base/text.h"
#include "model/thermal/thermal.h"

struct thermal_block {
    const struct floorplan_block *block;
    bool is_active; /* an SM that works, or the shared part of its TPC */
    struct thermal_heat heat;
};

struct thermal_cell {
    double x_metres, y_metres, celsius;
};

struct thermal_curve {
    const char *start;
    struct thermal_point *points;
    size_t count;
};

struct thermal_answer {
    const struct machine *machine;
    const struct floorplan *plan;
    struct thermal *thermal; /* while it is asked */
    struct thermal_kernel kernel;
    struct thermal_load load; /* complete */
    const uint64_t *active_sms;
    struct measured *block_watts;
    size_t block_watts_count;
    struct thermal_state state;
    struct thermal_choice choice;
    bool is_chosen, sm_watts_are_given;
    struct thermal_curve curve;
    struct thermal_block *blocks;
    struct thermal_cell *cells; /* of the die, row by row from the top */
    unsigned columns;
    const char **assumptions;
    size_t assumption_count;
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool has_power(const struct thermal_answer *at)
{
    return !at->kernel.watts_are_given;
}

static bool has_tpc(const struct thermal_block *at)
{
    return at->block->kind == FLOORPLAN_SM || at->block->kind == FLOORPLAN_TPC;
}

static const char *peak_block(const struct thermal_answer *at)
{
    double x = at->state.peak_x_metres, y = at->state.peak_y_metres;
    for (size_t i = 0; i < at->plan->block_count; i++) {
        const struct floorplan_block *b = &at->plan->blocks[i];
        if (x >= b->x_metres && x <= b->x_metres + b->width_metres && y >= b->y_metres &&
            y <= b->y_metres + b->height_metres)
            return b->name;
    }
    return NULL;
}

/* Of the heat beyond that at rest, what neither SMs nor TPCs draw. */
static double further_watts(const struct thermal_answer *at)
{
    return at->state.dynamic_watts - at->load.watts_per_sm * (double)at->load.active_count -
           at->load.watts_per_tpc * at->state.active_tpcs;
}

#define FIGURE_FILE "answer/figures/thermal.def"
#include "base/figure_tables.h"

/* ---- inputs ---------------------------------------------------------------------------------- */

static const struct input_info inputs[] = {
    PREDICT_INPUTS,
    {"active_sms", INPUT_COUNT, "SM",
     "active SM, repeatable; default without best: the first SMs that hold the blocks of the "
     "kernel, or none"},
    {"best", INPUT_COUNT, "SM",
     "find this many SMs with minimal power and, among those, the lowest peak temperature"},
    {"watts_per_sm", INPUT_NUMBER, "W", "heat per active SM; default: from the machine file"},
    {"watts_per_tpc", INPUT_NUMBER, "W",
     "heat per active TPC, in addition to its SMs; default: from the machine file"},
    {"watts_idle", INPUT_NUMBER, "W", "heat of the idle chip; default: from the machine file"},
    {"block", INPUT_WORD, "", "floorplan block with extra heat, repeatable"},
    {"block_watts", INPUT_NUMBER, "W", "extra heat of the block; in the order of the blocks"},
    {"transient_seconds", INPUT_NUMBER, "s",
     "length of the curve, from when the SMs become active"},
    {"step_seconds", INPUT_NUMBER, "s", "time step of the curve; default: a hundredth of it"},
    {"cold", INPUT_FLAG, "",
     "start the curve at ambient temperature instead of the idle steady state"},
    {"grid_floorplan", INPUT_FLAG, "",
     "use a synthetic floorplan and a typical package where the machine file has none"},
    {"cells", INPUT_COUNT, "", "thermal grid cells in each direction; default 64"},
};

static ws_status add_block_watts(const struct asked *asked, const struct floorplan *plan,
                                 const char *name, double more, double *watts)
{
    struct arena *arena = &asked->answer->arena;
    const char **names = ARENA_ARRAY(arena, const char *, plan->block_count + 1);
    for (size_t i = 0; i < plan->block_count; i++) {
        names[i] = plan->blocks[i].name;
        if (strcmp(names[i], name) != 0) continue;
        watts[i] += more;
        return WS_OK;
    }
    const char *near = text_hint(arena, name, names, plan->block_count);
    return diag_error(asked->diag, WS_ERR_ARGUMENT, "unknown block '%s' in the floorplan%s", name,
                      near);
}

/* Beside the heat that the kernel has all over the die. */
static ws_status read_block_watts(const struct asked *asked, const struct floorplan *plan,
                                  struct thermal_load *load)
{
    size_t given, used = 0;
    const double *numbers = asked_numbers(asked, "block_watts", &given);
    if (!given && !asked_has(asked, "block")) return WS_OK;
    double *watts = ARENA_ARRAY(&asked->answer->arena, double, plan->block_count + 1);
    if (load->block_watts) memcpy(watts, load->block_watts, plan->block_count * sizeof *watts);
    for (size_t i = 0; i < asked->input_count; i++) {
        if (strcmp(asked->inputs[i].name, "block") != 0) continue;
        if (used < given)
            TRY(add_block_watts(asked, plan, asked->inputs[i].word, numbers[used], watts));
        used++;
    }
    load->block_watts = watts;
    if (used == given) return WS_OK;
    return diag_error(asked->diag, WS_ERR_ARGUMENT,
                      "got %zu values of 'block' but %zu of 'block_watts': expected one "
                      "'block_watts' per 'block'",
                      used, given);
}

/* ---- load ------------------------------------------------------------------------------------ */

static ws_status read_sms(const struct asked *asked, unsigned *out, size_t *out_count)
{
    const double *sms = asked_numbers(asked, "active_sms", out_count);
    for (size_t i = 0; i < *out_count; i++) {
        if (!(sms[i] >= 0 && sms[i] < UINT32_MAX) || floor(sms[i]) != sms[i])
            return diag_error(asked->diag, WS_ERR_ARGUMENT,
                              "invalid SM index %g in 'active_sms': expected a whole number from 0",
                              sms[i]);
        out[i] = (unsigned)sms[i];
    }
    return WS_OK;
}

/* The SMs that are named, that are chosen, or the first of them for the blocks of the kernel. */
static ws_status find_sms(const struct asked *asked, struct thermal_answer *answer)
{
    struct arena *arena = &asked->answer->arena;
    struct thermal_load *load = &answer->load;
    uint64_t best;
    TRY(asked_count(asked, "best", 1, UINT32_MAX, 0, &best));
    if (best && asked_has(asked, "active_sms"))
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "'active_sms' and 'best' are mutually exclusive: use one of them");
    unsigned *sms = ARENA_ARRAY(arena, unsigned, answer->plan->sm_count + asked->input_count + 1);
    load->active_sms = sms;
    if (best) {
        TRY(thermal_best(asked->diag, answer->thermal, load, (unsigned)best, &answer->choice, sms));
        answer->is_chosen = true;
        load->active_count = (size_t)best;
        return WS_OK;
    }
    TRY(read_sms(asked, sms, &load->active_count));
    if (load->active_count || !answer->kernel.name) return WS_OK;
    load->active_count = (size_t)answer->kernel.point.active_sms;
    for (unsigned i = 0; i < load->active_count; i++)
        sms[i] = i;
    return WS_OK;
}

static ws_status find_load(const struct asked *asked, struct thermal_answer *answer)
{
    struct arena *arena = &asked->answer->arena;
    struct thermal_load *load = &answer->load, full;
    load->watts_per_sm = asked_number(asked, "watts_per_sm", NAN);
    load->watts_per_tpc = asked_number(asked, "watts_per_tpc", NAN);
    if (answer->kernel.name && has_power(answer))
        heat_load(answer->machine, answer->plan, &answer->kernel.point, arena, load);
    load->idle_watts = asked_number(asked, "watts_idle", NAN);
    TRY(read_block_watts(asked, answer->plan, load));
    TRY(find_sms(asked, answer));
    TRY(thermal_check_load(asked->diag, answer->thermal, load, &full));
    *load = full;
    uint64_t *sms = ARENA_ARRAY(arena, uint64_t, load->active_count + 1);
    for (size_t i = 0; i < load->active_count; i++)
        sms[i] = load->active_sms[i];
    answer->active_sms = sms;
    answer->block_watts = ARENA_ARRAY(arena, struct measured, answer->plan->block_count + 1);
    for (size_t i = 0; load->block_watts && i < answer->plan->block_count; i++)
        if (load->block_watts[i] != 0)
            answer->block_watts[answer->block_watts_count++] =
                (struct measured){.id = answer->plan->blocks[i].name,
                                  .value = load->block_watts[i],
                                  .low = load->block_watts[i],
                                  .high = load->block_watts[i],
                                  .unit = "W",
                                  .text = "extra heat of this block",
                                  .origin = ORIGIN_MODELLED};
    return WS_OK;
}

/* ---- temperatures ---------------------------------------------------------------------------- */

static bool is_sm_of_tpc(const struct thermal_answer *answer, unsigned sm, unsigned tpc)
{
    for (size_t i = 0; i < answer->plan->block_count; i++) {
        const struct floorplan_block *block = &answer->plan->blocks[i];
        if (block->kind == FLOORPLAN_SM && block->sm == sm) return block->tpc == tpc;
    }
    return false;
}

static bool is_active(const struct thermal_answer *answer, const struct floorplan_block *block)
{
    for (size_t i = 0; i < answer->load.active_count; i++) {
        unsigned sm = answer->load.active_sms[i];
        if (block->kind == FLOORPLAN_SM && block->sm == sm) return true;
        if (block->kind == FLOORPLAN_TPC && is_sm_of_tpc(answer, sm, block->tpc)) return true;
    }
    return false;
}

static ws_status find_steady(const struct asked *asked, struct thermal_answer *answer)
{
    struct arena *arena = &asked->answer->arena;
    const struct floorplan *plan = answer->plan;
    size_t n = answer->columns, count = plan->block_count;
    double *celsius = ARENA_ARRAY(arena, double, n *n);
    struct thermal_heat *heat = ARENA_ARRAY(arena, struct thermal_heat, count);
    TRY(thermal_steady(asked->diag, answer->thermal, &answer->load, &answer->state, celsius, heat));
    answer->cells = ARENA_ARRAY(arena, struct thermal_cell, n * n);
    for (size_t i = 0; i < n * n; i++)
        answer->cells[i] = (struct thermal_cell){
            ((double)(i % n) + 0.5) * plan->width_metres / (double)n,
            ((double)(i / n) + 0.5) * plan->height_metres / (double)n, celsius[i]};
    answer->blocks = ARENA_ARRAY(arena, struct thermal_block, count);
    for (size_t i = 0; i < count; i++)
        answer->blocks[i] =
            (struct thermal_block){&plan->blocks[i], is_active(answer, &plan->blocks[i]), heat[i]};
    return WS_OK;
}

static ws_status find_curve(const struct asked *asked, struct thermal_answer *answer)
{
    const struct thermal_run run = {asked_number(asked, "transient_seconds", 0),
                                    asked_number(asked, "step_seconds", 0),
                                    asked_flag(asked, "cold")};
    struct thermal_curve *curve = &answer->curve;
    if (!asked_has(asked, "transient_seconds")) return WS_OK;
    TRY(thermal_transient(asked->diag, answer->thermal, &answer->load, &run, NULL, 0,
                          &curve->count));
    curve->points = ARENA_ARRAY(&asked->answer->arena, struct thermal_point, curve->count + 1);
    curve->start = run.cold ? "cold" : "rest";
    return thermal_transient(asked->diag, answer->thermal, &answer->load, &run, curve->points,
                             curve->count, &curve->count);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void release_thermal(void *what)
{
    thermal_destroy(what);
}

static ws_status open_plan(const struct asked *asked, struct thermal_answer *answer)
{
    struct arena *arena = &asked->answer->arena;
    const struct machine *machine = answer->machine;
    bool is_grid = asked_flag(asked, "grid_floorplan");
    uint64_t cells;
    TRY(asked_count(asked, "cells", THERMAL_LEAST_CELLS, THERMAL_MOST_CELLS, THERMAL_CELLS,
                    &cells));
    answer->plan = machine->floorplan;
    answer->columns = (unsigned)cells;
    if (is_grid) TRY(machine_floorplan_grid(asked->diag, arena, machine, &answer->plan));
    if (!answer->plan)
        return diag_error(
            asked->diag, WS_ERR_NO_MODEL,
            "%s has no floorplan: add one to the machine file, or use --floorplan grid (synthetic)",
            machine->id);
    return thermal_create(asked->diag, machine, answer->plan, answer->columns, is_grid,
                          &answer->thermal);
}

static void list_assumptions(struct arena *arena, struct thermal_answer *answer)
{
    size_t count = 0;
    while (thermal_assumption(answer->thermal, count))
        count++;
    answer->assumptions = ARENA_ARRAY(arena, const char *, count + 1);
    answer->assumption_count = count;
    for (size_t i = 0; i < count; i++)
        answer->assumptions[i] = arena_copy(arena, thermal_assumption(answer->thermal, i));
}

static ws_status find_all(const struct asked *asked, struct thermal_answer *answer)
{
    TRY(find_load(asked, answer));
    TRY(find_steady(asked, answer));
    TRY(find_curve(asked, answer));
    list_assumptions(&asked->answer->arena, answer);
    return WS_OK;
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct mem_guard guard;
    struct thermal_answer *answer = ARENA_ARRAY(&asked->answer->arena, struct thermal_answer, 1);
    if (asked->machine_count != 1)
        return diag_error(asked->diag, WS_ERR_ARGUMENT, "thermal takes one GPU");
    answer->machine = asked->machines[0];
    answer->sm_watts_are_given = asked_has(asked, "watts_per_sm");
    if (asked->profile_count) TRY(thermal_kernel_find(asked, &answer->kernel));
    TRY(open_plan(asked, answer));
    mem_guard_begin(&guard, release_thermal, answer->thermal);
    ws_status status = find_all(asked, answer);
    mem_guard_end(&guard);
    thermal_destroy(answer->thermal);
    answer->thermal = NULL;
    if (status == WS_OK) *out = answer;
    return status;
}

const struct question question_thermal = {
    .name = "thermal",
    .schema = "warpsage.thermal/1",
    .text = "How hot does the chip get with a set of active SMs, and where should the work go?",
    .record = &record_thermal,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
};
