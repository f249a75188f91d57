// SPDX-License-Identifier: Apache-2.0
/* The timeline of a run: what the processes of a program did, in virtual time (runtime/event_log.c). */
#ifndef ANSWER_RUN_TIMELINE_H
#define ANSWER_RUN_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Calls, launches, copies or fills that share name, stream and a step of time; most often one. */
struct run_event {
    uint64_t process; /* from 1 */
    const char *kind; /* call, kernel, copy or fill */
    const char *name;
    uint64_t stream, count, bytes;
    double begin, end;
    double busy; /* of end - begin */
};

/* All of one name. */
struct run_sum {
    const char *kind, *name;
    uint64_t count, bytes;
    double busy;
};

struct run_timeline {
    struct run_event *calls, *work;
    struct run_sum *sums; /* by kind, then busiest first */
    size_t call_count, work_count, sum_count;
    size_t call_room, work_room; /* while they grow */
    double end;                  /* the latest of all */
    double step;                 /* the coarsest; 0: each event is its own */
    uint64_t left_out;
    uint64_t calls_made, launches, copies, fills, copied_bytes, filled_bytes;
};

/* A line of such a file; false: it cannot be read. The texts are copied into the arena. */
bool run_timeline_read(struct run_timeline *timeline, struct arena *arena, uint64_t process,
                       char *line);
/* After the last line: moves the lists into the arena, and sums up. */
void run_timeline_end(struct run_timeline *timeline, struct arena *arena);

#endif
