// SPDX-License-Identifier: Apache-2.0
#ifndef MODEL_CORE_SAMPLE_TIME_H
#define MODEL_CORE_SAMPLE_TIME_H

#include "model/core/estimate.h"

/* Sets the intervals of the times of a prediction whose profile is of a sample of the blocks: what
 * each model says with all counters at the lower and at the upper end of theirs, and its time as the
 * instructions may be fewer or more, whichever is further. */
void sample_time_intervals(struct prediction *prediction);

#endif
