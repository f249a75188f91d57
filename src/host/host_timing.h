// SPDX-License-Identifier: Apache-2.0
/* What the cores of this computer do in a short time, all of them at once. */
#ifndef HOST_HOST_TIMING_H
#define HOST_HOST_TIMING_H

#include <hwloc.h>

#include "base/diag.h"
#include "host/host_loops.h"

/* Of several samples. Other work on the computer only slows: `best` is what it can do. */
struct host_sample {
    double best, median, worst;
};
struct host_timing {
    const struct host_loops *loops;
    struct host_sample clock_hz;              /* of a core while all compute */
    struct host_sample vector_rate;           /* vector instructions a second of a core */
    struct host_sample chain_seconds;         /* a multiply-add, from the one before */
    struct host_sample read_bytes_per_second; /* of all cores together */
    struct host_sample load_seconds;          /* of a load from memory, nothing else under way */
    unsigned threads;                         /* that measured, one a core */
    size_t buffer_bytes;                      /* that memory was measured with */
    bool is_bound;                            /* threads stayed on their cores */
};

/* `cores` logical processors, one a core, of `topology`; `cache_bytes`: of the last caches. */
ws_status host_time(struct diag *diag, hwloc_topology_t topology, const hwloc_cpuset_t *cores,
                    unsigned count, size_t cache_bytes, struct host_timing *out);

#endif
