// SPDX-License-Identifier: Apache-2.0
/* What of the GPU works at the same time, in virtual time: kernels, as far as their blocks are resident together, and a copy
 * engine for each direction. */
#ifndef RUNTIME_GPU_ENGINES_H
#define RUNTIME_GPU_ENGINES_H

enum gpu_engine { ENGINE_KERNELS, ENGINE_TO_DEVICE, ENGINE_FROM_DEVICE, ENGINES };

/* When work begins that may begin at `ready` and takes so long. share: of the places for blocks, of a kernel; else 1.
 * Copies begin in the order in which they were asked for. */
double engine_begin(enum gpu_engine engine, double ready, double seconds, double share);
/* It has that engine from `begin` to `end`. */
void engine_take(enum gpu_engine engine, double begin, double end, double share);

#endif
