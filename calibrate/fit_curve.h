// SPDX-License-Identifier: Apache-2.0
/* Parameters of a formula by nonlinear least squares: MINPACK's Levenberg-Marquardt (cminpack, where the build found
 * it). */
#ifndef CALIBRATE_FIT_CURVE_H
#define CALIBRATE_FIT_CURVE_H

#include <stdbool.h>

enum { FORMULA_PARAMETERS = 8, FORMULA_POINTS = 256 };

/* The formula at `parameters`, relative to what was measured: out[i] is 0 where they agree. false: it does not apply. */
typedef bool formula_fn(void *user, const double *parameters, double *out);

/* Refines `parameters`; half[i] is half of the interval that holds with 95 %, 0 if there are no more points than parameters.
 * false: no cminpack (`why` says so), or no least squares. */
bool formula_fit(formula_fn *formula, void *user, double *parameters, double *half, unsigned count,
                 unsigned points, const char **why);

#endif
