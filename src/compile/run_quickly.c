// SPDX-License-Identifier: Apache-2.0
/* Compiled to use general registers only, and calls nothing that uses others. */
#include "compile/run_accesses.h"

uint32_t body_tell_quickly(struct exec *x, const struct body_segment *segment,
                           struct body_frame *frame)
{
    const struct access_base *bases[GROUPS_AT_ONCE];
    if (frame->told > segment->begin) return 0;
    if (x->observe) {
        segment_bases(segment, 0, segment->group_count, frame, bases);
        if (!x->observe->groups_quickly(x->observer_worker, &x->warp->ref, segment->groups, bases,
                                        segment->group_count, x->mask))
            return 0;
    }
    frame->told = segment->end;
    return 1;
}
