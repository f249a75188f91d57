// SPDX-License-Identifier: Apache-2.0
/* What the warp instructions of a profile cost on a machine: issue slots, SMs. */
#ifndef MODEL_PRICES_H
#define MODEL_PRICES_H

#include "model/core/estimate.h"

/* Cycles between two warp instructions that an SM issues, all schedulers together. */
double price_issue_cycles(const struct machine *machine);
/* Is the class priced by the throughput of its pipe? Memory, control and synchronisation take their
 * issue slot; what they wait for is priced apart. */
bool price_by_throughput(enum insn_class id);
/* SMs that have a block at all: ASM of the papers. */
double price_active_sms(const struct model_input *input);

#endif
