// SPDX-License-Identifier: Apache-2.0
/* From handles to launches and predictions. */
#ifndef API_PIPELINE_H
#define API_PIPELINE_H

#include "api/handles.h"

/* Checks what a caller wants counted, and completes what is 0 by the default. */
ws_status pipeline_rules(struct diag *diag, struct counting_rules *rules);

/* Records warp traces as ws_launch.trace_blocks and trace_bytes ask for. */
void pipeline_record(struct measure *measure, uint32_t blocks, uint64_t bytes);

/* Options as models take them, in the arena. */
ws_status pipeline_read_options(ws_context *context, const ws_predict_options *options,
                                struct arena *arena, struct predict_options *out);
/* Estimates of every model that can answer, and what each effect costs if that is wanted.
 * prediction_destroy it. */
ws_status pipeline_predict(ws_context *context, const ws_profile *profile,
                           const ws_machine *machine, const ws_predict_options *options,
                           bool with_gains, struct prediction **out);

#endif
