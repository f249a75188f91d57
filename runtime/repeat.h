// SPDX-License-Identifier: Apache-2.0
/* Launches that repeat the one before: the same kernel, geometry and arguments, and nothing has touched memory in between.
 * If the first left memory as it would find it (ws_launch_result.is_repeatable), they need not execute. */
#ifndef RUNTIME_REPEAT_H
#define RUNTIME_REPEAT_H

#include "launch_class.h"

/* Is it such a launch? Then it has been accounted for. */
bool repeat_try(const struct kernel_work *work, const ws_launch *launch);
/* A launch was executed. */
void repeat_learn(const struct kernel_work *work, const ws_launch *launch,
                  const struct launch_class *one, const ws_launch_result *result);

#endif
