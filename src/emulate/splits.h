// SPDX-License-Identifier: Apache-2.0
/* A warp is a small table of splits {code block, lanes, reconvergence node}; warp.c runs them.
 *
 * A divergent branch whose lanes meet again at block R makes a node {R, lanes}; both sides run below
 * it. A split that reaches R waits at the node; when all lanes of the node have come (or left), one
 * split goes on from R. So the default order is that of immediate post-dominators. */
#ifndef EMULATE_SPLITS_H
#define EMULATE_SPLITS_H

#include "emulate/exec.h"

struct frame *frame_alloc(struct warp *warp);
void frame_release(struct warp *warp, struct frame *frame);

/* Index of the new split, which holds the frame. */
uint32_t split_add(struct warp *warp, uint32_t block, uint32_t mask, int32_t node,
                   struct frame *frame);
void split_drop(struct warp *warp, uint32_t at);
/* A ready split that has reached its node's block waits there. True if it was consumed. */
bool split_arrive(struct warp *warp, uint32_t at);
/* Puts the lanes of split `from` into split `into`, which stands at the same place. */
void split_merge(struct warp *warp, uint32_t into, uint32_t from);
/* Ready splits of one node that stand where split `at` does join it; its new index. */
uint32_t split_merge_ready(struct warp *warp, uint32_t at);

/* Lanes `live` will meet again at `block` of `frame`. */
int32_t node_add(struct warp *warp, uint32_t block, uint32_t live, int32_t parent,
                 struct frame *frame);
/* Lanes have left the code below these nodes. Ends before node `until` (-1: the root). */
void nodes_leave(struct warp *warp, int32_t at, uint32_t lanes, int32_t until);

/* call.c: lanes with true guard call; all meet again after the call. True if the split was
 * replaced. A fault may have been recorded. */
bool split_call(struct exec *x, struct warp *warp, uint32_t at, const struct code *code,
                uint32_t lanes);
/* Lanes `lanes` of a split in a called function go back to the caller. True if the split is gone. */
bool split_return(struct exec *x, struct warp *warp, uint32_t at, uint32_t lanes);
void frame_zero_registers(unsigned char *registers, const struct program_function *function);

#endif
