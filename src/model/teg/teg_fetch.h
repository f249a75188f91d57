// SPDX-License-Identifier: Apache-2.0
/* Where instructions and constants come from, from cc 7.0 on: a small cache (L0) a part of the SM, one of the
 * SM (L1) behind it, then L2 and DRAM, line by line. All are empty when the kernel starts. A miss in a part's
 * cache also asks for the lines that follow: they wait in a stream buffer (Jouppi, ISCA 1990) until a warp
 * comes to them, and then the buffer asks for the next.
 *
 * Lines are counted from the kernel's first instruction. Times are of teg_machine.h. */
#ifndef MODEL_TEG_FETCH_H
#define MODEL_TEG_FETCH_H

#include "model/teg/teg_machine.h"

enum { FETCH_LINE_BYTES = 128, FETCH_INSN_BYTES = 16, FETCH_STREAM_LINES = 16 };
enum { FETCH_LINE_INSNS = FETCH_LINE_BYTES / FETCH_INSN_BYTES };

/* What of the constant bank 0 a kernel needs. */
enum teg_constants {
    TEG_CONSTANTS_LAUNCH, /* stack pointer and dimensions: of each kernel's first instruction */
    TEG_CONSTANTS_PARAMETERS,
    TEG_CONSTANTS_COUNT
};

struct teg_fetch_place {    /* of a line in a cache */
    teg_time arrives;       /* TEG_NEVER: it is not there, nor under way */
    uint32_t before, after; /* in the order of last use */
    bool was_there;         /* once */
};

struct teg_fetch_cache {
    struct teg_fetch_place *places; /* [lines + 1]; the last one begins and ends the order of use */
    uint32_t used, capacity;
};

/* The lines from `first` on that a part's cache has asked for ahead. */
struct teg_fetch_stream {
    uint32_t first, count;
    teg_time arrives[FETCH_STREAM_LINES]; /* by line modulo their number */
};

/* Of one SM. */
struct teg_fetch {
    uint32_t lines; /* of the kernel */
    unsigned parts;
    teg_time hop;                     /* from L0 to L1, or back */
    teg_time first, next;             /* from the L1 on: of what is in DRAM, of what the L2 has */
    struct teg_fetch_cache l1, *l0;   /* [parts] */
    struct teg_fetch_stream *streams; /* [parts] */
    teg_time constants[TEG_CONSTANTS_COUNT];
    teg_time *part_constants; /* [parts][TEG_CONSTANTS_COUNT] */
};

/* instructions: of the kernel's native code; has_l2_code: the L2 holds it from a launch before.
 * teg_fetch_clear it. */
void teg_fetch_init(struct teg_fetch *fetch, const struct teg_machine *machine,
                    uint32_t instructions, bool has_l2_code);
void teg_fetch_clear(struct teg_fetch *fetch);
/* Has the part's cache, from which no line ever goes, had the line since before `now`? */
static inline bool teg_fetch_has(const struct teg_fetch *fetch, unsigned part, uint32_t line,
                                 teg_time now)
{
    const struct teg_fetch_cache *l0 = &fetch->l0[part];
    return fetch->lines <= l0->capacity && l0->places[line].arrives <= now;
}
/* When a line is there for a warp of a part that comes to it at `now`. */
teg_time teg_fetch_line(struct teg_fetch *fetch, unsigned part, uint32_t line, teg_time now);
/* The same of constants. */
teg_time teg_fetch_constants(struct teg_fetch *fetch, unsigned part, enum teg_constants which,
                             teg_time now);

#endif
