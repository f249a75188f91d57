// SPDX-License-Identifier: Apache-2.0
/* The answer to `doctor`: what warpsage finds on this computer. */
#ifndef ANSWER_DOCTOR_ANSWER_H
#define ANSWER_DOCTOR_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct doctor_check {
    const char *id, *group, *state, *needed_for;
    const char *version, *where, *problem, *install; /* NULL: none */
    double is_core;                                  /* NAN: no */
};

struct doctor_summary {
    uint64_t found, missing, broken, core_failed;
};

struct doctor_answer {
    struct doctor_check *checks;
    size_t check_count;
    struct doctor_summary summary;
};

#endif
