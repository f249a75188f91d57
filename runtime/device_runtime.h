// SPDX-License-Identifier: Apache-2.0
/* Launches by kernels (CUDA C++ Programming Guide, dynamic parallelism): what kernels ask of the device runtime.
 *
 * What a grid asks for is kept and done when its blocks have ended: CUDA promises no earlier time. It is done one after
 * the other in the order in which it was asked for, each with all that it launches itself; tail launches come last. That
 * order fits all streams and events. In virtual time each begins when the grid has ended and what is before it in its
 * stream is done, with all that it launched; without an order between them they overlap. The grid that launched them is done
 * when they are. */
#ifndef RUNTIME_DEVICE_RUNTIME_H
#define RUNTIME_DEVICE_RUNTIME_H

#include "runtime.h"

/* A ws_device_call_fn. */
uint64_t device_runtime_call(void *user, const ws_device_call *call);
/* Around the execution of a kernel: what it asks for is that grid's. is_good: it has ended well. */
cudaError_t device_runtime_begin(struct kernel *kernel);
void device_runtime_end(const ws_launch *launch, bool is_good);
/* Does what is asked for, until nothing is left. Called by itself, through launch_run: does nothing. */
void device_runtime_run(void);
/* The kernel that a call names, by its argument; NULL: there is none. While a kernel calls. */
struct kernel *device_runtime_kernel(uint64_t index);
/* The kernel that launched the one that runs; NULL: the host did. */
const struct kernel *device_runtime_parent(void);

#endif
