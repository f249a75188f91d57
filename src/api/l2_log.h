// SPDX-License-Identifier: Apache-2.0
/* What launches and copies on a device leave in an L2 (measure/l2_history.h). */
#ifndef API_L2_LOG_H
#define API_L2_LOG_H

#include "api/handles.h"

struct l2_log;
struct l2_log *l2_log_create(void);
void l2_log_destroy(struct l2_log *log);
/* Bytes that passed the L2 outside launches. */
void l2_log_bytes(ws_device *device, uint64_t address, uint64_t bytes);
/* A launch that was counted: before its measure ends, what it touched; then notes in its profile what it found.
 * NULL if the device keeps no log. */
struct l2_touched;
struct l2_touched *l2_log_measured(ws_device *device, const ws_module *module,
                                   const ws_launch *launch, const struct measure *measure);
void l2_log_note(ws_device *device, const ws_launch *launch, struct l2_touched *touched,
                 struct profile *profile);
/* One that was not. */
void l2_log_like(ws_device *device, const ws_module *module, const ws_launch *launch);

#endif
