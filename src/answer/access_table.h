// SPDX-License-Identifier: Apache-2.0
/* What the memory table and the hot lines of a report show, worked out of a profile. */
#ifndef ANSWER_ACCESS_TABLE_H
#define ANSWER_ACCESS_TABLE_H

#include "measure/profile.h"
#include "model/core/estimate.h"

/* How a machine serves global memory and shared memory: which counters apply to it. */
struct access_rule {
    enum coalescing_rule global;
    bool is_half_warp; /* a pass through the banks serves a half-warp */
};

/* The copies of one access that unrolling made (same source line, same operation) are one row. */
struct access_row {
    const struct instruction_profile *insn; /* the first; NULL: totals of a whole launch */
    unsigned copies;
    const char *name; /* "ld.global.f32" or "global load" */
    bool is_shared;
    double requests;
    double bytes_per_request;
    double served;    /* sectors, transactions or wavefronts; negative: not counted */
    double ideal;     /* the fewest that these requests could need; negative: unknown */
    double conflicts; /* wavefronts beyond; shared memory only */
};

/* Rows sorted by what they cost beyond and in all; malloc'ed. */
struct access_row *access_table(const struct profile *profile, const struct access_rule *rule,
                                size_t *out_count);

/* What an instruction asks of the memories: global and local in 32-byte sectors, shared with 32 banks. */
struct access_sums {
    double requests, sectors, shared_requests, wavefronts;
};
void access_sums_add(struct access_sums *sums, const struct instruction_profile *insn);

struct hot_line {
    const struct instruction_profile *insn;   /* the first one of this line */
    double instructions, sectors, wavefronts; /* shares of the launch, 0 to 1 */
};

/* Lines sorted by their largest share; malloc'ed. */
struct hot_line *hot_lines(const struct profile *profile, size_t *out_count);

#endif
