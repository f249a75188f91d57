// SPDX-License-Identifier: Apache-2.0
/* Independent pieces of work on all cores of the host. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/diag.h"

/* One piece. It shares with the others only what none of them writes. */
typedef ws_status parallel_fn(struct diag *diag, void *argument, size_t index);

/* Calls work(diag, argument, i) for each i below `count`, in no order, on this thread and others. Each
 * piece runs whatever becomes of the others; the error is that of the first, by index, that fails. */
ws_status parallel_each(struct diag *diag, size_t count, parallel_fn *work, void *argument);

#endif
