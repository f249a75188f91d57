// SPDX-License-Identifier: Apache-2.0
#ifndef ANSWER_ANALYZE_H
#define ANSWER_ANALYZE_H

#include "answer/question.h"
#include "recommend/advice.h"

extern const struct question question_analyze;
extern const struct question_points analyze_points; /* analyze_points.c */
/* The input `model`: its own name, or NULL. */
ws_status asked_model(const struct asked *asked, const char **out);

/* The answer of `analyze` from predictions that are there, and stay as long as the answer. */
struct answer *analyze_describe(const struct profile *profile,
                                const struct prediction *const *predictions,
                                const struct diagnosis *const *diagnoses, size_t count);

#endif
