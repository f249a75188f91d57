// SPDX-License-Identifier: Apache-2.0
#ifndef MODEL_RUN_POWER_H
#define MODEL_RUN_POWER_H

#include "model/core/estimate.h"

/* Fills power or no_power of `out`, whose estimates and best one are known. */
ws_status run_power(struct diag *diag, const struct model_input *input, struct prediction *out);

#endif
