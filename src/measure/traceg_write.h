// SPDX-License-Identifier: Apache-2.0
/* Warp traces in Accel-Sim's format (doc/traces.md), for its users. */
#ifndef MEASURE_TRACEG_WRITE_H
#define MEASURE_TRACEG_WRITE_H

#include "measure/trace.h"

/* Does the name ask for that format: kernelslist.g, *.traceg, *.traceg.xz, *.traceg.zst? */
bool traceg_is_name(const char *path);
/* The trace of the profile; kernelslist.g goes with a kernel-1.traceg beside it. WS_ERR_UNSUPPORTED for
 * views of instructions, whose operands in shared memory have no place in the format. */
ws_status traceg_write(struct diag *diag, const struct profile *profile, const char *path);

#endif
