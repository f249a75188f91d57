// SPDX-License-Identifier: Apache-2.0
/* This computer as a machine of kind cpu: topology by hwloc; clock, floating-point throughput and
 * latency, memory bandwidth and latency measured. Takes about a second and every core. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "machine/machine.h"

/* Id "host"; the notes tell the spread of what was measured. WS_ERR_DEVICE if the topology cannot be
 * read or no memory or threads are to be had. */
ws_status host_measure(struct diag *diag, struct machine **out);

#endif
