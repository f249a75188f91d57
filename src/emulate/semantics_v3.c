// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "emulate/semantics.h"

const struct semantics semantics_v3 = SEMANTICS("x86-64-v3", 1);
#else
typedef int no_semantics_here; /* this level exists on x86-64 only */
#endif
