// SPDX-License-Identifier: Apache-2.0
/* What ran: launches are gathered by kernel in the table, and by class to count each once.
 *
 * Launches of one kernel with the same geometry and the same scalar arguments are a class. The first of
 * a class is counted. A later one runs without counters; if it executed as many warp instructions as the
 * counted one, its counts and its time are taken to be the same (`reused`). If not, its time is that of
 * the counted one by the ratio of instructions (`scaled`), and the next of the class is counted anew. */
#ifndef RUNTIME_TALLY_H
#define RUNTIME_TALLY_H

#include "runtime.h"

struct launch_class;

/* The class of a launch; NULL: nobody wants it counted (--only, --skip, --count). */
struct launch_class *tally_class(struct kernel *kernel, const ws_launch *launch);
/* Must this launch of the class be counted? */
bool tally_wants_counters(const struct launch_class *one);
/* A launch has run well; profile: of a counted one, else NULL. Returns its predicted seconds. */
double tally_add(struct kernel *kernel, struct launch_class *one, const ws_launch *launch,
                 const ws_launch_result *result, ws_profile *profile);
void tally_failed(struct kernel *kernel);

#endif
