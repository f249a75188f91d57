// SPDX-License-Identifier: Apache-2.0
/* From handles to launches and predictions. */
#ifndef API_PIPELINE_H
#define API_PIPELINE_H

#include "api/handles.h"
#include "base/strbuf.h"
#include "measure/profile.h"

/* Checks what a caller wants counted, and completes what is 0 by the default. */
ws_status pipeline_rules(struct diag *diag, struct counting_rules *rules);

/* Records warp traces as ws_launch.trace_blocks and trace_bytes ask for. */
void pipeline_record(struct measure *measure, uint32_t blocks, uint64_t bytes);

/* How a launch is executed, beside what the caller gives. */
struct execution {
    const struct launch_clocks *clocks;
    struct undo *undo;
    struct strbuf *printed; /* takes what the kernel prints; NULL: the context's function does */
    /* The profile of an execution that was taken back: what its launch found in the L2 is what this one finds. */
    const struct profile *again;
};
/* Without counters, and with them: *out is then a profile. */
ws_status pipeline_execute(ws_device *device, const ws_module *module, const ws_launch *launch,
                           const struct execution *how, struct observer *observer,
                           struct launch_result *result);
ws_status pipeline_count(ws_device *device, const ws_module *module, const ws_launch *launch,
                         const struct counting_rules *rules, enum isa_view view,
                         const struct execution *how, struct launch_result *result,
                         ws_profile **out);

/* repeatable.c: a launch that was counted, before its measure ends. */
bool launch_is_repeatable(const ws_device *device, const ws_module *module, const ws_launch *launch,
                          const struct measure *measure, const struct launch_result *result);

/* clocked_launch.c: a launch with `clock`. */
ws_status clocked_launch(ws_device *device, const ws_module *module, ws_launch *launch,
                         const struct counting_rules *rules, enum isa_view view,
                         struct launch_result *result, ws_profile **out);

#endif
