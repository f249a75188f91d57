// SPDX-License-Identifier: Apache-2.0
/* A .traceg as its parts: header, thread blocks, warps, instruction lines. Checks the form of what
 * it reads and names file and line of what is wrong. */
#ifndef REPLAY_TRACEG_H
#define REPLAY_TRACEG_H

#include "replay/line_source.h"
#include "replay/replay.h"

enum { WARPS_MAX = 32, LANES = 32 };

enum traceg_part {
    TRACEG_END,        /* of the file */
    TRACEG_BLOCK,      /* traceg.block */
    TRACEG_WARP,       /* traceg.warp */
    TRACEG_INSN,       /* traceg.insn */
    TRACEG_BLOCK_ENDS, /* after the last warp */
};

/* An instruction line up to the opcode's operands. */
struct traceg_insn {
    uint64_t pc;
    uint32_t mask, source_line;
    const char *rest; /* behind the mask: destinations, opcode, sources, width, addresses */
};

struct traceg {
    struct line_source source;
    struct arena arena;
    struct replay_header header;
    const char *line; /* the last one */
    size_t length;
    char mask_text[8]; /* of the last instruction, and its value: they repeat */
    uint32_t mask;
    bool begun; /* the header ended with #BEGIN_TB */
    bool in_block, has_index;
    uint64_t block; /* linear index, x fastest */
    uint32_t warps_per_block, warp, warps_seen;
    bool has_warp;
    uint64_t left; /* instruction lines of this warp still to come */
    struct traceg_insn insn;
};

/* Opens the file and reads its header. */
ws_status traceg_open(struct diag *diag, const char *path, struct traceg *out);
void traceg_close(struct traceg *traceg);
ws_status traceg_next(struct diag *diag, struct traceg *traceg, enum traceg_part *out);

/* "file:line:column: error: ..." with the line quoted; `at` is within it, or NULL. */
ws_status traceg_fail(struct diag *diag, const struct traceg *traceg, const char *at,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Numbers; *at moves behind the number and the blanks that follow. False: none. */
bool traceg_decimal(const char **at, uint64_t *out);
bool traceg_signed(const char **at, int64_t *out);
bool traceg_hex(const char **at, uint64_t *out); /* with or without 0x */
/* "(x,y,z)" or "x,y,z" */
bool traceg_triple(const char **at, uint32_t out[3]);

#endif
