// SPDX-License-Identifier: Apache-2.0
/* What a sweep computes (doc/sweep.md): launches x values x GPUs x figures of the GPUs, numbered from 0
 * in this order, the last fastest.
 * The same file gives the same numbers in every process and on every computer. */
#ifndef CLI_SWEEP_DESIGN_H
#define CLI_SWEEP_DESIGN_H

#include <stdint.h>

#include "cli/options/request.h"
#include "cli/sweep/expression.h"

/* One name and the texts that it takes. */
struct design_axis {
    const char *name, *place;
    const char **texts;
    size_t count;
};

struct design_axes {
    struct design_axis *items;
    size_t count;
};

/* One launch: an entry under `launches` and a value of each axis of `vary`. */
struct design_launch {
    size_t entry;
    const char **texts;     /* by axis */
    uint64_t sample_blocks; /* so many are executed; 0: as many as the launch says, else all */
    double threads;         /* by which long launches are known before they run */
};

struct design {
    const char *path;          /* of the file */
    const char *text;          /* its contents */
    struct design_axes vary;   /* values of the launches */
    struct design_axes gpus;   /* one axis, `gpu` */
    struct design_axes fields; /* figures of the GPUs, as `whatif --set machine.KEY=` names them */
    const char **where, **where_places;
    size_t where_count;
    const char **defines;      /* what is written before a source as #define ... */
    const char **define_texts; /* ... and as what; NULL: the axis of this name */
    size_t define_count;
    size_t entry_count;
    struct design_launch *launches; /* those that `where` lets be */
    size_t launch_count;
    uint64_t machine_count;                 /* GPUs x values of their figures: points of a launch */
    const char *problem_size;               /* for other tuners; NULL */
    const char *model_options, *model, *l2; /* as of `analyze`; NULL: the default */
    char digest[17];                        /* of the file and of all that it names */
};

/* EXIT_INPUT with file, line and column for what is no design. */
int design_read(struct cli *cli, const char *path, struct design *out);
/* The request of a launch; a source with defines is written to `folder`. */
int design_request(struct cli *cli, const struct design *design, size_t launch, const char *folder,
                   struct request *out);
/* Texts of the GPU and of its figures at a point of a launch: 1 + fields.count. */
void design_machine(const struct design *design, uint64_t point, const char **out);
/* Points of the whole sweep. */
uint64_t design_point_count(const struct design *design);

#endif
