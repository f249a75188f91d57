// SPDX-License-Identifier: Apache-2.0
/* How the steps of a warp are kept: two byte streams. A number is a varint: 7 bits a byte, lowest
 * first, the highest bit says that more follow. zigzag: 0 -1 1 -2 ... as 0 1 2 3 ...
 *
 * runs: instructions that follow each other
 *     zigzag(first - end of the last run) * 2 + (other active lanes?)   count   [lanes: 4 bytes]
 * data: of each instruction in turn
 *     guarded:  GUARD_ALL | GUARD_NONE | GUARD_LAST (as the last said) | GUARD_SAID lanes: 4 bytes
 *     has site: ACCESS_* bits  [pattern number]  [zigzag(delta of the base)]   once an access
 *               What is not said is as the last time of this site in this warp.
 */
#ifndef MEASURE_TRACE_WRITER_H
#define MEASURE_TRACE_WRITER_H

#include "measure/trace_patterns.h"

enum { GUARD_ALL, GUARD_NONE, GUARD_LAST, GUARD_SAID };
enum { ACCESS_PRESENT = 1, ACCESS_MORE = 2, ACCESS_NEW_PATTERN = 4, ACCESS_NEW_DELTA = 8 };

struct byte_stream {
    uint8_t *bytes;
    uint64_t size, capacity;
};

struct warp_writer {
    struct byte_stream runs, data;
    uint32_t first, count, active; /* of the run that may still grow; count 0: none */
    uint32_t end, last_active;     /* of the last run in the stream */
    uint32_t guard;
    uint32_t threads;
    uint64_t steps;
    struct trace_site_state *sites;
    uint32_t site_count;
};

/* One block; independent of others, so that several threads may write one each. */
struct block_writer {
    uint64_t index;
    uint64_t work; /* of trace_block */
    uint32_t warp_count;
    struct warp_writer *warps;
    struct pattern_set patterns;
};

void block_writer_init(struct block_writer *writer, uint64_t index, uint32_t warp_count);
void block_writer_clear(struct block_writer *writer);
/* Bytes in use; only grows. */
uint64_t block_writer_bytes(const struct block_writer *writer);

/* `count` instructions from `first` on; then for each, in order, what it needs of: */
void warp_writer_run(struct warp_writer *warp, uint32_t first, uint32_t count, uint32_t active);
void warp_writer_guard(struct warp_writer *warp, uint32_t active, uint32_t on);
/* `accesses` have the block's own pattern numbers. */
void warp_writer_accesses(struct warp_writer *warp, uint32_t site,
                          const struct trace_access *accesses, unsigned count);

/* After the last step, before block_writer_bytes is the size. */
void warp_writer_end(struct warp_writer *warp);

/* Moves the block into the builder, which has the instructions; clears the writer. */
void trace_builder_take_block(struct trace_builder *builder, struct block_writer *writer);
/* The launch, if it was unknown at creation; texts are copied. */
void trace_builder_name(struct trace_builder *builder, const struct trace_head *head);

#endif
