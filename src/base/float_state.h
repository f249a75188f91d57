// SPDX-License-Identifier: Apache-2.0
/* The floating-point state of the thread that calls the library. Programs linked with -ffast-math
 * turn subnormals into zeros, others round another way or trap exceptions: none of that may reach a
 * result, and it must be as before when a call returns, the exception flags included. */
#ifndef BASE_FLOAT_STATE_H
#define BASE_FLOAT_STATE_H

#include <fenv.h>
#include <stdbool.h>

struct float_state {
    bool is_usual;  /* it was the standard one but for what `mxcsr` holds: nothing else is kept */
    unsigned mxcsr; /* of the SSE unit */
    fenv_t environment; /* unless is_usual */
};

/* To nearest, subnormals kept, nothing trapped. */
void float_state_set_standard(void);
/* The same, and what it was before. */
void float_state_save(struct float_state *saved);
void float_state_restore(const struct float_state *saved);

/* The first line of a public function that computes: the standard state until it returns. */
#define STANDARD_FLOATS                                                                            \
    struct float_state callers_floats __attribute__((cleanup(float_state_restore)));               \
    float_state_save(&callers_floats)

#endif
