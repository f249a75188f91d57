// SPDX-License-Identifier: Apache-2.0
/* A timeline (model/timeline.h) in the Trace Event Format, which Perfetto and chrome://tracing read
 * (doc/timeline.md). One core cycle is one microsecond of the axis. */
#ifndef RENDER_TIMELINE_JSON_H
#define RENDER_TIMELINE_JSON_H

#include "model/teg/timeline.h"

struct timeline_view {
    const struct timeline *timeline; /* finished */
    const struct profile *profile;   /* whose trace it is */
    const struct machine *machine;
    teg_time end; /* of the execution */
};

/* The window that is written: to the cut, or the end. */
teg_time timeline_last(const struct timeline_view *view);
/* "" if nothing was left out. */
const char *timeline_cut_note(struct arena *arena, const struct timeline_view *view);

/* WS_ERR_IO if `write` refuses. *out_events: how many, descriptions of tracks not counted. */
ws_status timeline_write_json(struct diag *diag, const struct timeline_view *view,
                              ws_write_fn *write, void *user, uint64_t *out_events);

#endif
