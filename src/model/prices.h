// SPDX-License-Identifier: Apache-2.0
/* What the warp instructions of a profile cost on a machine: issue slots, classes, divergence. */
#ifndef MODEL_PRICES_H
#define MODEL_PRICES_H

#include "model/estimate.h"

enum { WARP_LANES = 32 };

/* Share of the lanes of the active mask that work: Σ lanes / (32 Σ warp instructions), in (0,1]. */
double price_lane_share(const struct profile *profile);
/* Cycles between two warp instructions that an SM issues, all schedulers together. */
double price_issue_cycles(const struct machine *machine);
/* Name of a class in messages: "fp32.fma". */
const char *price_class_name(enum insn_class id);
/* SMs that have a block at all: ASM of the papers. */
double price_active_sms(const struct model_input *input);

#endif
