// SPDX-License-Identifier: Apache-2.0
/* Virtual time: runtime.now. Launches, copies within the device and the program's sleeping take it. */
#ifndef RUNTIME_VIRTUAL_TIME_H
#define RUNTIME_VIRTUAL_TIME_H

#include "power_log.h"

/* A launch took so long. */
void spend_launch(const struct launch_power *power, double seconds);
/* The device was idle. */
void spend_idle(double seconds);
/* The clock of this host, seconds. */
double host_now(void);
/* What a timer reports now: virtual time, or the host's with --clock host. With --clock-jitter each interval between two
 * calls is off. */
double timer_read(void);

#endif
