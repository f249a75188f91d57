// SPDX-License-Identifier: Apache-2.0
/* Records the warp traces of some blocks of a launch, beside the counting: the counting
 * observer hands its events on for the blocks that are recorded. The same trace for any number of
 * threads. */
#ifndef MEASURE_TRACE_RECORD_H
#define MEASURE_TRACE_RECORD_H

#include "measure/trace.h"

struct trace_recorder;
struct block_record; /* one block; its events come in order, other blocks may be under way */

/* At launch_begin: `blocks` of them in clusters over the whole grid (block_sample.h), as far as their
 * traces fit in max_bytes together: clusters from the first one on that would not are left out, and the
 * clusters are taken in an order that leaves the others spread. A recording of a GPU may have only the
 * first blocks of a grid: then those are taken. with_first: the first of the
 * grid in any case. */
struct trace_recorder *trace_recorder_create(const struct launch_view *launch, enum isa_view view,
                                             uint32_t blocks, uint64_t max_bytes, bool with_first);
void trace_recorder_destroy(struct trace_recorder *recorder);
/* NULL: this one is not recorded. */
struct block_record *trace_recorder_block(struct trace_recorder *recorder, uint64_t index);

/* As in observer.h. A guard that is said after its warp has gone on elsewhere (of a .sync operation
 * whose lanes came from several places) is not noted: it counts as true. */
void block_record_run(struct block_record *block, uint32_t warp, uint32_t threads,
                      uint32_t code_block, uint32_t active);
void block_record_guard(struct block_record *block, uint32_t insn, uint32_t on);
void block_record_access(struct block_record *block, uint32_t insn, const struct access *access);
/* The same of a copy in bulk: its access to global memory, of neighbouring pieces. */
void block_record_bulk(struct block_record *block, uint32_t insn, const struct access *access);
void block_record_phase(struct block_record *block, uint32_t insn, const struct phase_event *event);
void block_record_end(struct block_record *block, uint64_t work);

/* Makes the trace, with the identity of the profile and what each part of the grid executes, and
 * destroys the recorder. NULL if not even the first block fits: then *out_reason, in the profile's arena,
 * says so. */
struct trace *trace_recorder_finish(struct trace_recorder *recorder, const struct grid_work *work,
                                    struct profile *profile, const char **out_reason);

#endif
