// SPDX-License-Identifier: Apache-2.0
#include "host/host_vector_loops.h"

const struct host_loops host_loops_base = HOST_LOOPS("baseline");

/* Of a register, not of a constant: some CPUs fold additions of constants before they execute them. */
uint64_t host_add_chain(uint64_t rounds)
{
    uint64_t x = 0, one = 1;
    __asm__ volatile("" : "+r"(one));
    for (uint64_t round = 0; round < rounds; round++) {
#pragma GCC unroll 64
        for (unsigned i = 0; i < HOST_ADDS; i++) {
            x += one;
            __asm__ volatile("" : "+r"(x)); /* keeps additions apart and in order */
        }
    }
    return x;
}

const void *host_chase(const void *start, uint64_t steps)
{
    const void *at = start;
    while (steps--)
        at = *(const void *const *)at;
    return at;
}
