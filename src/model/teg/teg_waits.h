// SPDX-License-Identifier: Apache-2.0
#ifndef MODEL_TEG_WAITS_H
#define MODEL_TEG_WAITS_H

#include "model/teg/teg_engine.h"
#include "model/teg/warp_waits.h"

/* Shares of the warps' time by cause, by line and by instruction of the profile, of which there are pc_count;
 * in the arena. Without scaling. */
struct warp_waits *teg_waits(struct arena *arena, const struct trace *trace,
                             const struct teg_result *result, size_t pc_count);

#endif
