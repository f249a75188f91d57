// SPDX-License-Identifier: Apache-2.0
/* What can be wrong with a kernel, each with its evidence, its line and its gain. */
#ifndef RECOMMEND_CAUSES_H
#define RECOMMEND_CAUSES_H

#include "recommend/advice.h"

/* Appends one advice for each cause that shows in the profile, unranked. */
void causes_find(const struct prediction *prediction, struct diagnosis *diagnosis);
/* Sets why and why_where: the cause behind the bottleneck of the best estimate. */
void causes_explain(const struct prediction *prediction, struct diagnosis *diagnosis);

/* The same of a CPU (cpu_causes.c). */
void causes_find_on_cpu(const struct prediction *prediction, struct diagnosis *diagnosis);
void causes_explain_on_cpu(const struct prediction *prediction, struct diagnosis *diagnosis);

#endif
