// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "host/host_vector_loops.h"

const struct host_loops host_loops_v4 = HOST_LOOPS("x86-64-v4");
#else
typedef int no_host_loops_v4; /* this level exists on x86-64 only */
#endif
