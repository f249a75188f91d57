// SPDX-License-Identifier: Apache-2.0
/* From estimates to advice: what limits, why, at which line, and what each repair would gain. */
#ifndef RECOMMEND_ADVICE_H
#define RECOMMEND_ADVICE_H

#include "model/core/estimate.h"

/* advice.def */
enum advice_code {
#define ADVICE(code, title, text) ADVICE_##code,
#include "recommend/advice.def"
#undef ADVICE
    ADVICE_COUNT
};
extern const struct advice_info advice_infos[ADVICE_COUNT];

struct advice {
    enum advice_code code; /* ADVICE_COUNT: a finding of a model */
    const struct advice_info *info;
    const char *title; /* "coalesce the loads of A" */
    const char *where; /* "sgemm.cu:17", "" if nowhere in particular */
    /* An instruction there, of the profile; NULL: nowhere in particular. */
    const struct instruction_profile *instruction;
    const char *evidence; /* "32 sectors/request, ideal 4" */
    double gain;          /* time / time after, >= 1; NaN: no model that answers knows it */
    double time_seconds;  /* after; NaN likewise */
};

struct diagnosis {
    struct arena arena;
    const char *limit; /* LIMIT line: component and share */
    const char *why;   /* WHY line: cause with source line */
    const char *why_where;
    size_t advice_count;
    struct advice advice[16]; /* ranked by gain, those of unknown gain last; alternatives: they do
                               * not add up */
};

ws_status recommend_derive(struct diag *diag, const struct prediction *prediction,
                           struct diagnosis **out);
void diagnosis_destroy(struct diagnosis *diagnosis);

#endif
