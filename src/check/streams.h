// SPDX-License-Identifier: Apache-2.0
/* The tool race between operations of streams: launches, copies and fills that nothing orders, and the bytes of global
 * memory that they touch, by the byte. Who makes the operations tells their order (ws_check_begin). */
#ifndef CHECK_STREAMS_H
#define CHECK_STREAMS_H

#include "emulate/checker.h"

struct findings;
struct streams;

struct stream_order {
    uint32_t timeline;
    uint64_t index;
    const uint64_t *seen; /* earlier operations up to seen[timeline] are ordered before this one */
    size_t seen_count;
    const uint64_t *done; /* the same before all that are still to come */
    size_t done_count;
    const char *what; /* "copy"; NULL: a launch */
};

struct streams *streams_create(struct findings *findings);
void streams_destroy(struct streams *streams);
/* What follows is of this operation. */
void streams_begin(struct streams *streams, const struct stream_order *order);
/* Is there an operation? Else all launches are in order. */
bool streams_is_on(const struct streams *streams);
void streams_launch_begin(struct streams *streams, const struct launch_view *view);
/* A weak access of a kernel; block: its index. Lanes of `quiet` change nothing. */
void streams_kernel_access(struct streams *streams, const struct check_access *told, uint64_t block,
                           uint32_t quiet);
/* A copy's or fill's. */
void streams_host_access(struct streams *streams, uint64_t address, uint64_t bytes, bool is_write);
/* Memory was allocated or freed. */
void streams_forget(struct streams *streams, uint64_t address, uint64_t bytes);

#endif
