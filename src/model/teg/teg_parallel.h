// SPDX-License-Identifier: Apache-2.0
/* Several executions at a time: each has its own engine, so that the results are those of one after the
 * other whatever the number of threads. */
#ifndef MODEL_TEG_PARALLEL_H
#define MODEL_TEG_PARALLEL_H

#include "model/teg/teg_engine.h"

/* Runs `setups` on all cores of the host; out[i] is that of setups[i]. No observer sees two of them. The error is that
 * of the first that fails; then no result is left. teg_result_clear each. */
ws_status teg_run_all(struct diag *diag, const struct teg_setup *setups, size_t count,
                      struct teg_result *out);

#endif
