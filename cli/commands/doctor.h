// SPDX-License-Identifier: Apache-2.0
/* warpsage doctor: what is looked for, by topic. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli/options/asking.h"

struct doctor {
    struct cli *cli;
    struct asking asking;
    const char *group; /* heading of what is looked for now */
};

struct doctor_row {
    const char *id, *needed_for;
    const char *version, *where, *problem, *install; /* NULL: none */
    bool is_found, is_core; /* not found with a problem and a place: broken */
};

void doctor_add(struct doctor *doctor, const struct doctor_row *row);
/* The context's last message. */
const char *doctor_problem(struct doctor *doctor);

void doctor_core(struct doctor *doctor);  /* doctor_core.c */
void doctor_tools(struct doctor *doctor); /* doctor_tools.c */
void doctor_gpu(struct doctor *doctor);   /* doctor_gpu.c */

#endif
