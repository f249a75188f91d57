// SPDX-License-Identifier: Apache-2.0
/* A model with a section, a table and a finding of its own in one file: every warp instruction takes two
 * cycles, and every load one more. tests/toy/run.py looks for them in the outputs. */
#include "model/core/estimate.h"

struct toy_row {
    unsigned line;
    double loads;
};

struct toy {
    double loads_per_instruction;
    size_t row_count;
    struct toy_row rows[2];
};

#define FIGURE_LIST                                                                                \
    RECORD(toy_row, struct toy_row, MODELLED, "a line of the toy")                                 \
    COUNT(toy_row, toy_line, "", ALWAYS, at->line, "number of the toy's line")                     \
    NUMBER(toy_row, toy_loads, "1", ALWAYS, at->loads, "loads of the toy's line")                  \
    END(toy_row)                                                                                   \
    RECORD(toy, struct toy, MODELLED, "what the toy counts")                                       \
    NUMBER(toy, toy_density, "1", ALWAYS, at->loads_per_instruction, "loads per instruction")      \
    TABLE(toy, toy_lines, toy_row, ALWAYS, at->rows, at->row_count, "loads by line")               \
    END(toy)
#include "base/figure_tables.h"

static const struct advice_info findings[] = {
    {"T901", "load less, says the toy", "The toy counts loads.\nFix: load less.\n"}};

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    (void)diag;
    double instructions = profile_get(input->profile, COUNTER_INST_WARP);
    double loads = profile_get(input->profile, COUNTER_MEM_GLOBAL_LOAD_REQUESTS);
    struct toy *toy = ARENA_ARRAY(input->arena, struct toy, 1);
    *toy = (struct toy){loads / instructions, 2, {{1, loads}, {2, 0}}};
    out->cycles = 2 * instructions + loads;
    out->time_seconds = out->cycles / machine_get(input->machine, MACHINE_CLOCK_CORE, 1e9);
    out->details = toy;
    estimate_find(out, &(struct finding){findings, "", "2 cycles an instruction", 1.5});
    return WS_OK;
}

const struct model model_toy = {
    .name = "toy",
    .reference = "none",
    .about = "A model for a test.",
    .needs_machine = (const enum machine_key[]){MACHINE_CLOCK_CORE, MACHINE_KEY_COUNT},
    .needs_counters = (const enum counter[]){COUNTER_INST_WARP, COUNTER_COUNT},
    .details = &record_toy,
    .findings = findings,
    .finding_count = 1,
    .predict = predict,
};
