// SPDX-License-Identifier: Apache-2.0
/* What both readings of a trace share: replay_learn.c finds its code, replay_play.c its events. */
#ifndef REPLAY_REPLAY_STATE_H
#define REPLAY_REPLAY_STATE_H

#include "replay/sass_code.h"

struct replay {
    struct arena arena;
    const char *path;
    struct replay_options options;
    struct replay_header header;
    uint32_t warps_per_block;
    struct sass_code code;
    uint64_t blocks, instructions;
    double told; /* progress */
};

/* The instruction before, in the same warp. */
struct last_insn {
    uint32_t insn, mask; /* CODE_OUTSIDE at the start of a warp */
    bool is_copy_open;   /* an LDGSTS whose second line may follow */
};

#define WARP_START ((struct last_insn){CODE_OUTSIDE, 0, false})

/* Tracers write LDGSTS twice, once with each address; newer post-processing keeps one line. */
static inline bool is_second_line(const struct last_insn *last, uint32_t insn, uint32_t mask)
{
    return last->is_copy_open && last->insn == insn && last->mask == mask;
}

static inline uint32_t guess_next(const struct sass_code *code, const struct last_insn *last)
{
    if (last->insn >= code->count) return CODE_NONE;
    uint32_t next = code->insns[last->insn].next;
    return next < code->count ? next : last->insn + 1;
}

/* Once a block: progress and cancellation. */
ws_status replay_watch(struct diag *diag, struct replay *replay, const struct traceg *traceg,
                       const char *what);

#endif
