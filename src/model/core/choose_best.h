// SPDX-License-Identifier: Apache-2.0
/* Which estimate is the headline, and how far from it a measurement may lie. */
#ifndef MODEL_CHOOSE_BEST_H
#define MODEL_CHOOSE_BEST_H

#include "model/core/estimate.h"

/* Fills best, best_reason, evidence, band and spread of `out`, whose estimates are known. */
void choose_best(struct prediction *out);

#endif
