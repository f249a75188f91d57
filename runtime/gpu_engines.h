// SPDX-License-Identifier: Apache-2.0
/* What of the GPU works at the same time, in virtual time: kernels, as far as the GPU has room for their blocks, and a copy
 * engine for each direction. */
#ifndef RUNTIME_GPU_ENGINES_H
#define RUNTIME_GPU_ENGINES_H

enum gpu_engine { ENGINE_KERNELS, ENGINE_TO_DEVICE, ENGINE_FROM_DEVICE, ENGINES };

/* What a kernel wants, whose time alone is known. */
struct grid_demand {
    double waves; /* blocks by those that are resident at once; below 1: all are */
    double
        busy; /* part of that time for which the unit with the most work has work, if it is shared by all */
};
/* Has the GPU for itself. */
#define WHOLE_GPU ((struct grid_demand){.waves = 1})

struct gpu_span {
    double begin, end;
};

/* Work that may begin at `ready` and takes so long alone has that engine from then to then. Copies begin in the order in which
 * they were asked for. Kernels that were asked for earlier keep their places: blocks of a later one begin, in whole waves
 * of it, where those leave room, so that the GPU is never idle in part while blocks wait that fit there. */
struct gpu_span engine_run(enum gpu_engine engine, double ready, double seconds,
                           struct grid_demand demand);
/* From when on work has the engine for itself, if none comes before it. */
double engine_free(enum gpu_engine engine, double ready);

#endif
