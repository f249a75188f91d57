// SPDX-License-Identifier: Apache-2.0
/* What the processes of a CUDA program left in the folder of a session (runtime/session.c has its form). A
 * process may have been killed while it wrote, and the folder may be anyone's: rows that cannot be read are
 * left out, and a note says so. */
#ifndef ANSWER_RUN_SESSION_H
#define ANSWER_RUN_SESSION_H

#include <stdint.h>

#include "answer/run_timeline.h"
#include "base/arena.h"
#include "base/diag.h"

/* Launches, by how their counts came about. */
struct run_counts {
    uint64_t launches, counted, reused, scaled, uncounted, failed;
};

/* Launches that have a time. */
uint64_t run_timed(const struct run_counts *counts);

/* What all launches of a kernel came to, in all processes. */
struct run_kernel {
    const char *name, *bottleneck;
    const char *profile; /* path of the heaviest launch's profile; NULL: none */
    struct run_counts counts;
    uint64_t warp_instructions; /* of all launches, counted or not */
    uint64_t by_kernels;        /* launches that kernels made */
    const char *parent;         /* the first of these kernels; "": there was none */
    double host_seconds;        /* that these took to execute */
    double total_seconds, least_seconds, most_seconds, heaviest_seconds;
    size_t report;              /* its place in the report of the heaviest, from 1; 0: none */
    const char *no_report;      /* why it has none; NULL: it has */
    double share;               /* of the time of all kernels */
    uint64_t grid[3], block[3]; /* of the heaviest */
};

struct run_missing {
    const char *name;
    uint64_t calls;
};

/* One launch, if a folder of reports was asked for. */
struct run_launch {
    uint64_t ordinal;         /* of all launches, from 1 */
    const char *kernel, *how; /* counted, reused or scaled */
    const char *report;       /* of the launch whose counts these are; "": none */
    const char *parent;       /* the kernel that made it; "": the host did */
    uint64_t grid[3], block[3];
    uint64_t dynamic_shared_bytes, warp_instructions;
    double seconds;
    double
        l2_found; /* share of the sectors that it read, with the L2 kept between launches; else 0 */
};

/* The report of a counted launch. */
struct run_report {
    const char *file, *profile; /* name; path */
    uint64_t number;            /* of the launch, in its process */
};

struct run_session {
    struct run_kernel *kernels; /* heaviest first */
    struct run_missing *missing;
    const char **notes;
    struct run_launch *launches;
    struct run_report *reports;
    size_t kernel_count, missing_count, note_count, launch_count, report_count;
    size_t processes; /* that called CUDA */
    struct run_counts totals;
    double total_seconds;
    struct run_timeline timeline; /* if it was asked for */
};

/* Reads the tables; with `report_prefix` also each launch, whose report gets a name that begins so, and with
 * `wants_timeline` the timeline. In the arena. WS_ERR_IO: the folder or a file of it cannot be read. */
ws_status run_session_read(struct diag *diag, struct arena *arena, const char *folder,
                           const char *report_prefix, bool wants_timeline, struct run_session *out);

/* Paths of the folder's files whose names end so, by process; ends with NULL. In the arena. */
ws_status run_session_files(struct diag *diag, struct arena *arena, const char *folder,
                            const char *suffix, const char ***out);

#endif
