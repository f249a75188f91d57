// SPDX-License-Identifier: Apache-2.0
/* What the programs share: checked CUDA calls, and a last line PASSED or FAILED. */
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t check_error = (call);                                                          \
        if (check_error != cudaSuccess) {                                                          \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(check_error));            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

inline int verdict(bool ok)
{
    puts(ok ? "PASSED" : "FAILED");
    return ok ? 0 : 1;
}

/* The same numbers on every host. */
inline unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
