// SPDX-License-Identifier: Apache-2.0
/* From handles to launches and predictions. */
#ifndef API_PIPELINE_H
#define API_PIPELINE_H

#include "api/handles.h"

/* Checks what a caller wants counted, and completes what is 0 by the default. */
ws_status pipeline_rules(struct diag *diag, struct counting_rules *rules);

/* Records warp traces as ws_launch.trace_blocks and trace_bytes ask for. */
void pipeline_record(struct measure *measure, uint32_t blocks, uint64_t bytes);

#endif
