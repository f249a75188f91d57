// SPDX-License-Identifier: Apache-2.0
/* The central check of what a model needs, so that no model checks for itself. */
#ifndef MODEL_NEEDS_H
#define MODEL_NEEDS_H

#include "model/core/estimate.h"

/* NULL if the model can be asked; else what is missing and where, in the input's arena. A NULL
 * `no_occupancy` says that the occupancy is known, else it is the reason why it is not. */
const char *needs_check(const struct model *model, const struct model_input *input,
                        const char *no_occupancy);
/* WS_ERR_COMPARE if the profile's transactions of cc 1.2 were counted with other segments than the
 * machine's, or its passes of half-warps with other banks: no model must take them for its. */
ws_status needs_check_segments(struct diag *diag, const struct profile *profile,
                               const struct machine *machine);
/* Every key must be an option of some model and every value one of its values. */
ws_status needs_check_options(struct diag *diag, struct arena *arena, size_t count,
                              const struct model_option *options);

#endif
