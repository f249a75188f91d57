// SPDX-License-Identifier: Apache-2.0
/* The loops that are timed, compiled for several instruction sets; one table each. */
#ifndef HOST_HOST_LOOPS_H
#define HOST_HOST_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_loops {
    const char *name;      /* "x86-64-v3" */
    unsigned vector_bytes; /* of a register */
    bool fma;              /* a multiply-add is one instruction */
    /* Each runs `rounds` rounds; the result only keeps the compiler from dropping the work. */
    float (*vector)(uint64_t rounds); /* HOST_CHAINS independent vector multiply-adds a round */
    float (*chain)(uint64_t rounds);  /* one multiply-add that needs the one before */
    float (*read)(const float *values, size_t count); /* adds up; count a multiple of 128 */
};
enum {
    HOST_CHAINS = 12
}; /* latency x units of known CPUs is 8 to 10: more are too many registers */

extern const struct host_loops host_loops_base;
#if defined(__x86_64__)
extern const struct host_loops host_loops_v3, host_loops_v4;
#endif

/* One addition a cycle, each of which needs the one before: cycles, that is, of any CPU on which adding
 * takes one. HOST_ADDS a round. */
uint64_t host_add_chain(uint64_t rounds);
enum { HOST_ADDS = 64 };
/* `steps` loads, each from where the one before says. */
const void *host_chase(const void *start, uint64_t steps);

#endif
