// SPDX-License-Identifier: Apache-2.0
/* What compiled bodies know of their loads and stores while they run. Private to compile/. */
#ifndef COMPILE_RUN_ACCESSES_H
#define COMPILE_RUN_ACCESSES_H

#include "emulate/exec.h"

enum { SHAPES_MAX = 16, SLOW_JUMPS_MAX = 12, GUARDS_MAX = 16 };

/* Of 32 addresses, without the offset of an access (sem_memory.h, find_shape). */
struct body_shape {
    uint64_t low, high; /* least and greatest of the lanes that take part */
    uint64_t bits;      /* all that those lanes have */
    uint64_t unit;      /* the stride, if all lanes take part and have one */
    /* Of accesses to shared memory that were checked together: */
    uint64_t host, host2;  /* of lanes 0 and 16 */
    uint64_t checked_unit; /* the unit if all of them are good, else UNCHECKED */
    uint64_t unused;
    struct access_base at;
};
#define NO_UNIT INT64_MAX
#define UNCHECKED INT32_MIN /* no stride within shared memory */

/* The shape that was found last at one place of the code, when all lanes took part: what depends on the address of
 * lane 0 less that address. Zeros are right, too: all addresses are the same. */
struct shape_record {
    uint64_t low, high, base2;
    uint64_t bits; /* that any of the addresses had */
    uint64_t stride, kind, unit, unused;
    uint64_t relative[WARP_LANES];
};

/* What the observer is to be told of one operation of a body: its guard, its access, or both. */
struct body_access {
    const struct uop *uop;
    bool is_guarded, is_access;
    uint32_t guard; /* of the frame: the lanes whose guard holds */
    uint32_t shape; /* of the frame; SHAPES_MAX: its address is `offset` in every lane */
    uint8_t space;
    int64_t offset;
    const uint64_t *addresses; /* of a fixed one */
};

/* Accesses of a path that the observer is told of at one place. */
struct body_segment {
    const struct body_access *accesses;
    uint32_t begin, end;
    const struct access_group *groups; /* of accesses that have a shape in common */
    const uint32_t *shapes;            /* of the groups, as of an access */
    const uint32_t *others;            /* accesses and guards that are in no group */
    uint32_t group_count, other_count;
};

struct body_frame {
    uint64_t saved_rsp;
    uint64_t told;         /* accesses that the observer knows of */
    uint64_t host;         /* of address 0 in global memory */
    uint32_t mask;         /* lanes that take part in the access at hand */
    uint32_t outer, taken; /* lanes of a path whose lanes part, and those that take the branch */
    uint32_t unused[7];
    uint32_t guards[GUARDS_MAX]; /* lanes whose guard holds */
    uint64_t values[WARP_LANES]; /* what a store of bytes or halves takes, lane by lane */
    struct body_shape shapes[SHAPES_MAX];
};

/* Tells the observer of the accesses from frame->told to `end`. */
void body_tell(struct exec *x, const struct body_access *accesses, struct body_frame *frame,
               uint64_t end);
/* Of those of a segment, in groups if none was told yet. */
void body_tell_segment(struct exec *x, const struct body_segment *segment,
                       struct body_frame *frame);
/* The same if that takes no vector registers, which then keep their values (run_quickly.c): 1, else 0. Of segments with
 * few groups and nothing else. */
uint32_t body_tell_quickly(struct exec *x, const struct body_segment *segment,
                           struct body_frame *frame);

/* Where `count` groups of a segment, from `first` on, have their addresses. */
static inline void segment_bases(const struct body_segment *segment, uint32_t first, uint32_t count,
                                 const struct body_frame *frame,
                                 const struct access_base *bases[GROUPS_AT_ONCE])
{
    for (uint32_t i = 0; i < count; i++)
        bases[i] = &frame->shapes[segment->shapes[first + i]].at;
}

/* Lanes `lanes` take part from here on. */
void body_narrow(struct exec *x, uint32_t lanes, struct body_frame *frame);

#endif
