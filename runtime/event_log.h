// SPDX-License-Identifier: Apache-2.0
/* The timeline of a run: API calls, launches, copies and fills at their virtual times, for `warpsage run -f html`.
 * Bounded: where a list is full, events that share name, stream and a step of time become one, and the step
 * doubles. src/answer/run_timeline.c reads it. */
#ifndef RUNTIME_EVENT_LOG_H
#define RUNTIME_EVENT_LOG_H

#include <stdint.h>

#include "runtime.h"

enum event_kind { EVENT_CALL, EVENT_KERNEL, EVENT_COPY, EVENT_FILL };

/* What took the virtual time from `begin` to now, in the stream of event_log_stream. The name is copied. */
void event_log_work(enum event_kind kind, const char *name, double begin, uint64_t bytes);
/* The stream whose work is done from now on; returns the one before. */
unsigned long long event_log_stream(unsigned long long stream);

#endif
