// SPDX-License-Identifier: Apache-2.0
/* The question `occupancy`: blocks and warps per SM, their limits, the nearest changes, a curve. */
#include <limits.h>
#include <stdlib.h>

#include "answer/occupancy_steps.h"
#include "answer/question.h"
#include "answer/words.h"

struct occupancy_change {
    struct occupancy_query query;
    struct occupancy occupancy;
};

enum { CHANGES = 4 };

struct occupancy_machine {
    const struct machine *machine;
    struct occupancy occupancy;
    const char *reason; /* why the launch does not fit; NULL: it does, or there is no block */
    struct occupancy_change changes[CHANGES];
    size_t change_count;
    struct occupancy_curve curve;
};

struct occupancy_answer {
    struct occupancy_query query;
    uint32_t block[3];
    size_t count;
    struct occupancy_machine *machines;
};

/* ---- figures --------------------------------------------------------------------------------- */

static size_t limiter_count(unsigned limiters)
{
    return (size_t)__builtin_popcount(limiters);
}

static const char *const *limiter_words(unsigned limiters, struct arena *arena)
{
    const char **out = ARENA_ARRAY(arena, const char *, limiter_count(limiters) + 1);
    size_t count = 0;
    for (size_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (limiters >> i & 1) out[count++] = occupancy_limit_ids[i];
    return out;
}

#define FIGURE_FILE "answer/figures/occupancy.def"
#include "base/figure_tables.h"

/* ---- asking ---------------------------------------------------------------------------------- */

static const struct input_info inputs[] = {
    {"block_x", INPUT_COUNT, "thread", "block dimension x; omitted: only a curve over block sizes"},
    {"block_y", INPUT_COUNT, "thread", "block dimension y; default 1"},
    {"block_z", INPUT_COUNT, "thread", "block dimension z; default 1"},
    {"registers_per_thread", INPUT_COUNT, "register",
     "registers per thread; omitted: no limit "
     "by registers"},
    {"shared_bytes", INPUT_COUNT, "B", "shared memory per block, static and dynamic"},
    {"barriers", INPUT_COUNT, "", "named barriers per block"},
    {"partitioned_caching", INPUT_FLAG, "",
     "partitioned global caching: a block is confined to "
     "half an SM (cc 5.2, 5.3, 6.1, 6.2)"},
    {"no_granularity", INPUT_FLAG, "",
     "plain division: no allocation granularity, nothing reserved"},
    {"curve", INPUT_WORD, "",
     "curve of the occupancy over threads_per_block, registers_per_thread or "
     "shared_bytes"},
};

static ws_status read_query(const struct asked *asked, struct occupancy_answer *out)
{
    uint64_t count;
    static const char *const axes[] = {"block_x", "block_y", "block_z"};
    struct occupancy_query *query = &out->query;
    bool has_block = asked_has(asked, axes[0]);
    for (size_t i = 0; i < 3; i++) {
        TRY(asked_count(asked, axes[i], 1, UINT32_MAX, 1, &count));
        out->block[i] = (uint32_t)count;
    }
    uint64_t plane = (uint64_t)out->block[0] * out->block[1];
    bool is_huge = plane > UINT32_MAX || plane * out->block[2] > UINT32_MAX;
    uint64_t threads = is_huge ? UINT32_MAX : plane * out->block[2];
    query->threads_per_block = has_block ? (unsigned)threads : 0;
    TRY(asked_count(asked, "registers_per_thread", 1, UINT32_MAX, 0, &count));
    query->registers_per_thread = (unsigned)count;
    TRY(asked_count(asked, "shared_bytes", 0, UINT64_C(1) << 53, 0, &query->shared_bytes));
    TRY(asked_count(asked, "barriers", 0, UINT32_MAX, 0, &count));
    query->barriers = (unsigned)count;
    query->partitioned_caching = asked_flag(asked, "partitioned_caching");
    query->no_granularity = asked_flag(asked, "no_granularity");
    return WS_OK;
}

/* Changes of one figure, and of registers and shared memory together if neither alone helps. */
static void find_changes(const struct occupancy_query *query, struct occupancy_machine *out)
{
    static const unsigned varied[] = {VARY_REGISTERS, VARY_SHARED, VARY_REGISTERS | VARY_SHARED,
                                      VARY_BLOCK};
    bool has_lower = false;
    for (size_t i = 0; i < CHANGES; i++) {
        struct occupancy_change *change = &out->changes[out->change_count];
        bool is_both = varied[i] == (VARY_REGISTERS | VARY_SHARED);
        if (is_both && has_lower) continue;
        if (!machine_occupancy_next(out->machine, query, varied[i], &change->query,
                                    &change->occupancy))
            continue;
        has_lower = true;
        out->change_count++;
    }
}

/* A GPU on which the launch does not fit is answered with the reason, and the others as well. */
static ws_status ask_machine(struct asked *asked, const struct occupancy_answer *answer,
                             enum occupancy_vary vary, struct occupancy_machine *out)
{
    static const uint32_t one_block[3] = {1, 1, 1};
    struct diag *diag = asked->diag;
    if (vary)
        TRY(occupancy_curve_find(diag, &asked->answer->arena, out->machine, &answer->query, vary,
                                 &out->curve));
    if (!answer->query.threads_per_block) return WS_OK;
    ws_status status = machine_check_launch(diag, out->machine, one_block, answer->block, 0);
    if (status == WS_OK)
        status = machine_occupancy(diag, out->machine, &answer->query, &out->occupancy);
    if (status != WS_OK) {
        out->occupancy = (struct occupancy){0};
        out->reason = arena_copy(&asked->answer->arena, diag_text(diag));
    }
    if (status == WS_OK || status == WS_ERR_LAUNCH) find_changes(&answer->query, out);
    return status;
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct occupancy_answer *answer = ARENA_ARRAY(arena, struct occupancy_answer, 1);
    ws_status all = WS_OK;
    int curve;
    TRY(read_query(asked, answer));
    TRY(asked_choice(asked, "curve", occupancy_curve_words, &curve));
    answer->count = asked->machine_count;
    answer->machines = ARENA_ARRAY(arena, struct occupancy_machine, answer->count + 1);
    for (size_t i = 0; i < answer->count; i++) {
        answer->machines[i].machine = asked->machines[i];
        enum occupancy_vary vary =
            curve < 0 ? (enum occupancy_vary)0 : occupancy_curve_varied[curve];
        ws_status status = ask_machine(asked, answer, vary, &answer->machines[i]);
        bool is_told = answer->machines[i].reason != NULL;
        if (status != WS_OK && !is_told) return status;
        if (all == WS_OK) all = status;
    }
    *out = answer;
    return all;
}

const struct question question_occupancy = {
    .name = "occupancy",
    .schema = "warpsage.occupancy/1",
    .text = "How many blocks and warps are resident per SM, and what limits them?",
    .record = &record_occupancy,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
};
