// SPDX-License-Identifier: Apache-2.0
#include "base/float_state.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

void float_state_set_standard(void)
{
    fesetenv(FE_DFL_ENV);
#if defined(__SSE2__)
    /* Exceptions masked, the rest 0: C libraries differ in what their default does to subnormals. */
    _mm_setcsr(0x1f80);
#endif
}

void float_state_save(struct float_state *saved)
{
    fegetenv(&saved->environment);
    float_state_set_standard();
}

void float_state_restore(const struct float_state *saved)
{
    fesetenv(&saved->environment);
}
