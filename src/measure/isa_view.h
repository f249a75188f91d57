// SPDX-License-Identifier: Apache-2.0
/* What native code would make of a launch's PTX instructions: which of them take no issue slot, and
 * which take several. Found once a launch, from the code alone. */
#ifndef MEASURE_ISA_VIEW_H
#define MEASURE_ISA_VIEW_H

#include "emulate/observer.h"
#include "measure/profile.h"

enum view_fold {
    VIEW_PLAIN,
    VIEW_SHARED_LOAD,
    VIEW_ADDRESS,
    VIEW_NEGATION,
    VIEW_MERGED, /* an access that is part of another one */
    VIEW_GUARD   /* a branch: what it jumps over is guarded */
};               /* but the first: folded */

enum { VIEW_PARTS = 8 };
struct view_part {
    uint8_t count, class_id;
};

struct insn_view {
    uint8_t fold;      /* enum view_fold: no issue slot */
    bool reads_shared; /* one operand comes from shared memory */
    bool is_texture;   /* a texture fetch: mem.texture.load */
    bool is_sequence;  /* `parts` instead of one instruction */
    uint8_t every;     /* 2 to VIEW_UNROLL: issued once in so many executions, the end of a loop */
    /* An access of so many bytes instead, which begins so many before its own; 0: of its own. The accesses that
     * became part of it: the number of the first + 1, and of those the next; 0: no more. */
    uint8_t merged_bytes, merged_offset;
    uint32_t merged_next;
    /* The code block + 1 with which it is issued, even where no lane gets to its own; 0: its own. The branch + 1 that is
     * its guard then; 0: all lanes of that block execute it. */
    uint32_t issued_with, guard_branch;
    const struct view_part *parts; /* VIEW_PARTS of them */
};

/* By launch instruction; to be freed. NULL for ISA_VIEW_NONE. */
struct insn_view *isa_view_plan(enum isa_view view, const struct launch_view *launch);
/* Is this load from global memory a texture fetch there? */
bool isa_view_is_texture(enum isa_view view, const struct insn *insn);
/* Instructions that are issued for one of PTX; `view` NULL: 1. */
unsigned isa_view_issued(const struct insn_view *view);
/* The counter "inst.warp.CLASS.smem" of a class that has one, else COUNTER_COUNT. */
enum counter isa_view_shared_counter(unsigned class_id);
/* Is the counter about a view? Without one it is not counted. */
bool isa_view_has(enum counter counter);

#endif
