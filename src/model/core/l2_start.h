// SPDX-License-Identifier: Apache-2.0
/* What a launch finds in the L2: part of the question, not of a model. */
#ifndef MODEL_L2_START_H
#define MODEL_L2_START_H

#include "base/diag.h"
#include "machine/machine.h"
#include "measure/profile.h"

enum l2_kind {
    L2_COLD,  /* nothing: flushed */
    L2_WARM,  /* what a launch like it left */
    L2_KEPT,  /* what the launches and copies before it left, by the profile (l2_reuse.h) */
    L2_SHARE, /* a given share */
};
extern const char *const l2_kind_words[]; /* by enum l2_kind: "cold" ..., then NULL */

struct l2_start {
    enum l2_kind kind;
    double share;  /* 0 to 1, of the distinct sectors that it reads: found at their first read */
    bool has_code; /* and the kernel's code and constants */
};

/* "cold", "warm", "kept" or "62%". WS_ERR_ARGUMENT: none of these. */
ws_status l2_start_parse(struct diag *diag, const char *word, struct l2_start *out);
/* Works out the share. WS_ERR_ARGUMENT: kept, but the profile does not say what was. */
ws_status l2_start_find(struct diag *diag, const struct profile *profile,
                        const struct machine *machine, struct l2_start *start);

#endif
