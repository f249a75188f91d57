// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define HOST_LEVEL host_loops_v3
#define HOST_NAME "x86-64-v3"
#define HOST_BYTES 32
#define HOST_FMA true
#include "host/host_loops.inc"
#else
typedef int no_host_loops_v3; /* this level exists on x86-64 only */
#endif
