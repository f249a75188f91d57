// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_curve.h"

#ifdef WITH_CMINPACK
#include <cminpack.h>
#include <math.h>

struct problem {
    formula_fn *formula;
    void *user;
};

static int evaluate(void *user, int points, int count, const double *parameters, double *out,
                    int flag)
{
    struct problem *problem = user;
    (void)points;
    (void)count;
    (void)flag;
    return problem->formula(problem->user, parameters, out) ? 0 : -1;
}

/* From the covariance of the Jacobian at the end, by the scatter that is left. */
static void find_halves(double *jacobian, const int *order, const double *left, unsigned count,
                        unsigned points, double *half)
{
    static const double STUDENT = 2.5; /* of a few degrees of freedom, 95 % */
    double work[FORMULA_PARAMETERS], sum = 0;
    for (unsigned i = 0; i < points; i++)
        sum += left[i] * left[i];
    covar((int)count, jacobian, (int)points, order, 1e-14, work);
    for (unsigned i = 0; i < count; i++) {
        double variance = points > count ? jacobian[i + i * points] * sum / (points - count) : 0;
        half[i] = variance > 0 ? STUDENT * sqrt(variance) : 0;
    }
}

bool formula_fit(formula_fn *formula, void *user, double *parameters, double *half, unsigned count,
                 unsigned points, const char **why)
{
    static double jacobian[FORMULA_POINTS * FORMULA_PARAMETERS];
    double left[FORMULA_POINTS], more[FORMULA_POINTS], work[5][FORMULA_PARAMETERS];
    int order[FORMULA_PARAMETERS], calls;
    struct problem problem = {formula, user};
    *why = "no least squares were found";
    if (points < count || points > FORMULA_POINTS || count > FORMULA_PARAMETERS) return false;
    int info = lmdif(evaluate, &problem, (int)points, (int)count, parameters, left, 1e-14, 1e-14, 0,
                     1000, 1e-10, work[0], 1, 1, 0, &calls, jacobian, (int)points, order, work[1],
                     work[2], work[3], work[4], more);
    if (info < 1) return false;
    find_halves(jacobian, order, left, count, points, half);
    return true;
}

#else

bool formula_fit(formula_fn *formula, void *user, double *parameters, double *half, unsigned count,
                 unsigned points, const char **why)
{
    (void)formula;
    (void)user;
    (void)parameters;
    (void)half;
    (void)count;
    (void)points;
    *why = "this program was built without cminpack";
    return false;
}

#endif
