// SPDX-License-Identifier: Apache-2.0
/* Sine and cosine of an f32, in double: a polynomial of what is left of the angle behind whole quarters of a turn. The
 * rounding to f32 is that of glibc's sin and cos in double for every float below the limit (all were compared), with the same
 * bits at each level. */
#ifndef EMULATE_ANGLES_H
#define EMULATE_ANGLES_H

#include "emulate/powers.h"

/* (sin(x) / x - 1) / x^2 and (cos(x) - 1 + x^2 / 2) / x^4 by x^2, on [-pi/4, pi/4]: polynomials of least error in
 * Chebyshev's points, within 2^-66 and 2^-70. */
#define SINE_COEFFICIENTS                                                                          \
    -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019936p-13, 0x1.71de3a54604fep-19,    \
        -0x1.ae6454124c34fp-26, 0x1.61217eab7b761p-33, -0x1.ab179b6cecc84p-41
#define COSINE_COEFFICIENTS                                                                        \
    0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d09p-16, -0x1.27e4fb7712b74p-22,   \
        0x1.1eed8deb61c47p-29, -0x1.9394b9b76cd60p-37, 0x1.ab7828a8a66aap-45
enum { ANGLE_DEGREE = 6 };
/* pi / 2, in 53 bits and what they leave; of a float below the limit, what the first product leaves is exact. */
#define QUARTER_TURN 0x1.921fb54442d18p+0
#define QUARTER_TURN_REST 0x1.1a62633145c07p-54
#define QUARTERS_PER_RADIAN 0x1.45f306dc9c883p-1
#define ANGLE_LIMIT 0x1p31f

/* The sine `quarters` quarters of a turn on: 1 for the cosine. */
static inline double sine_of_float(double v, uint64_t quarters)
{
    static const double sines[] = {SINE_COEFFICIENTS}, cosines[] = {COSINE_COEFFICIENTS};
    const double shifted = v * QUARTERS_PER_RADIAN + ROUNDING_SHIFT;
    const double whole = shifted - ROUNDING_SHIFT, near = fma(-whole, QUARTER_TURN, v);
    const double x = fma(-whole, QUARTER_TURN_REST, near), square = x * x;
    const uint64_t quarter = bits_of_double(shifted) + quarters, is_odd = -(quarter & 1);
    double sine = sines[ANGLE_DEGREE], cosine = cosines[ANGLE_DEGREE];
    POWERS_UNROLLED
    for (unsigned k = ANGLE_DEGREE; k-- > 0;)
        sine = fma(sine, square, sines[k]);
    POWERS_UNROLLED
    for (unsigned k = ANGLE_DEGREE; k-- > 0;)
        cosine = fma(cosine, square, cosines[k]);
    sine = x * fma(sine, square, 1.0);
    cosine = fma(square * square, cosine, fma(square, -0.5, 1.0));
    const uint64_t bits = (bits_of_double(cosine) & is_odd) | (bits_of_double(sine) & ~is_odd);
    return double_of_bits(bits ^ (quarter & 2) << 62);
}

#endif
