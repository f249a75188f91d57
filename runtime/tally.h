// SPDX-License-Identifier: Apache-2.0
/* What ran: launches are gathered by kernel in the table, and by class (launch_class.h) so that not each
 * is counted. A launch that runs without counters takes over counts and time of a counted one with as many
 * warp instructions (`reused`), or has a time estimated from those nearest in instructions (`scaled`). */
#ifndef RUNTIME_TALLY_H
#define RUNTIME_TALLY_H

#include "launch_class.h"

/* The class of a launch; NULL: it is not counted (--only, --skip, --count). */
struct launch_class *tally_class(struct kernel *kernel, const ws_launch *launch);
/* A launch has run well; profile: of a counted one, else NULL. It takes its virtual time. */
void tally_add(struct kernel *kernel, struct launch_class *one, const ws_launch *launch,
               const ws_launch_result *result, ws_profile *profile);
/* Would the next launch be of that class, and only reuse its time? If so it is counted among the launches. */
bool tally_repeats(struct kernel *kernel, const ws_launch *launch, const struct launch_class *one);
/* Such a launch, which is not executed. It takes *time if is_settled, else what it finds in the L2 says so. */
void tally_repeat(struct kernel *kernel, const ws_launch *launch, uint64_t instructions,
                  bool is_settled, struct class_estimate *time);
void tally_failed(struct kernel *kernel);
/* The question `analyze` about a launch on the GPU; *out is NULL if there is no answer. */
WS_CHECKED ws_status tally_ask(const ws_profile *profile, const ws_input *inputs, size_t count,
                               ws_answer **out);
/* It begins, and it has ended (NULL): what was running is told if the process is killed. */
void tally_running(struct kernel *kernel);

#endif
