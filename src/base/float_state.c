// SPDX-License-Identifier: Apache-2.0
/* fesetenv loads the whole state of the x87 unit, which takes many times as long as a look at it, and a launch calls
 * several public functions: it is left out where the x87 unit is as it usually is. */
#include "base/float_state.h"

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

/* Exceptions masked, the rest 0: C libraries differ in what their default does to subnormals. */
enum { STANDARD_MXCSR = 0x1f80 };
/* The x87 unit as a program finds it: to nearest, 64 bits, exceptions masked; of its status word the flags. */
enum { STANDARD_X87_CONTROL = 0x037f, X87_FLAGS = 0xff };

static uint16_t x87_control(void)
{
    uint16_t word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static bool x87_has_flags(void)
{
    uint16_t word;
    __asm__ volatile("fnstsw %0" : "=a"(word));
    return word & X87_FLAGS;
}

/* Loading the register is slow, too. */
static void set_mxcsr(unsigned wanted)
{
    if (_mm_getcsr() != wanted) _mm_setcsr(wanted);
}

void float_state_set_standard(void)
{
    if (x87_control() != STANDARD_X87_CONTROL || x87_has_flags()) fesetenv(FE_DFL_ENV);
    set_mxcsr(STANDARD_MXCSR);
}

void float_state_save(struct float_state *saved)
{
    saved->mxcsr = _mm_getcsr();
    saved->is_usual = x87_control() == STANDARD_X87_CONTROL && !x87_has_flags();
    if (!saved->is_usual) fegetenv(&saved->environment);
    float_state_set_standard();
}

void float_state_restore(const struct float_state *saved)
{
    if (!saved->is_usual)
        fesetenv(&saved->environment);
    else if (x87_has_flags())
        __asm__ volatile("fnclex");
    set_mxcsr(saved->mxcsr);
}
#else
void float_state_set_standard(void)
{
    fesetenv(FE_DFL_ENV);
}

void float_state_save(struct float_state *saved)
{
    saved->is_usual = false;
    fegetenv(&saved->environment);
    float_state_set_standard();
}

void float_state_restore(const struct float_state *saved)
{
    fesetenv(&saved->environment);
}
#endif
