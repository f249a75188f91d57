// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define SEMANTICS_TABLE semantics_v3
#define SEMANTICS_LEVEL 1
#define SEMANTICS_NAME "x86-64-v3"
#include "emulate/semantics.inc"
#else
typedef int no_semantics_here; /* this level exists on x86-64 only */
#endif
