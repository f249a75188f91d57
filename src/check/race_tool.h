// SPDX-License-Identifier: Apache-2.0
/* The tool race, for the collector of findings. */
#ifndef CHECK_RACE_TOOL_H
#define CHECK_RACE_TOOL_H

#include "emulate/checker.h"

struct findings;
struct race;

/* Their `self` is the race. */
extern const struct order_ops race_ops;
struct race *race_create(struct findings *findings);
void race_destroy(struct race *race);
void race_launch_begin(struct race *race, const struct launch_view *view);
void race_launch_end(struct race *race);

#endif
