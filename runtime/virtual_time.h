// SPDX-License-Identifier: Apache-2.0
/* Virtual time. The host is at runtime.now; the GPU's work begins when what it depends on is done and its engine is free
 * (stream_order.h), and the host waits for it where CUDA does. Launches, copies and the program's sleeping take it. */
#ifndef RUNTIME_VIRTUAL_TIME_H
#define RUNTIME_VIRTUAL_TIME_H

#include "gpu_engines.h"
#include "power_log.h"

/* A launch takes so long alone. Returns when it begins. */
double spend_launch(const struct launch_power *power, double seconds, struct grid_demand demand);
/* A copy; kind: of cudaMemcpyKind. is_pinned: the memory of the host. Returns when it begins. */
double spend_copy(int kind, double bytes, bool is_pinned);
/* A fill of device memory. */
double spend_fill(double bytes);
/* The host sleeps. */
void spend_idle(double seconds);
/* The clock of this host, seconds. */
double host_now(void);
/* What a timer reports at a virtual time: it, or the host's with --clock host. With --clock-jitter each interval between
 * two calls is off. */
double timer_read(double at);
/* Around each call of the API. With --virtual-time the host's clocks, as the program reads them, go on by what the call
 * takes in virtual time, and by their own time between calls. */
void time_enter(void);
void time_leave(void);

#endif
