// SPDX-License-Identifier: Apache-2.0
/* How cool a set could be at most. For the chosen units u, x_u = 1, else 0, and for weights w_u >= 0
 *
 *     peak * sum w_u x_u >= sum w_u x_u T_u(x),   T_u(x) = base_u + sum_v rise_v,u x_v
 *
 * as no chosen unit is warmer than the peak. So the peak is above any theta for which
 * q(x) = sum w_u x_u (T_u(x) - theta) is positive for every choice of that many units. With x_u^2 = x_u the
 * quadratic form may be shifted by its least eigenvalue l, x'(Q - l I)x + l sum x_u: equal for every
 * choice, and convex, so that its minimum over 0 <= x_u <= 1, sum x_u = count, is below all of them. That minimum is
 * bounded from below by the duality gap of Frank and Wolfe's method (Jaggi, ICML 2013, section 2), whatever
 * it has converged to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/thermal/thermal_search.h"

enum { EIGENVALUE_STEPS = 40, WOLFE_STEPS = 1500, THETA_STEPS = 24, WEIGHT_ROUNDS = 30 };

struct bound {
    const struct thermal_units *units;
    size_t n, chosen;
    double *weights;
    double *q;      /* n * n, symmetric, shifted */
    double *linear; /* without theta */
    double shift;   /* l */
    double *x, *gradient, *scratch, *order;
};

bool dense_cholesky(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double sum = a[j * n + j];
        for (size_t k = 0; k < j; k++)
            sum -= a[j * n + k] * a[j * n + k];
        if (!(sum > 0)) return false;
        double pivot = a[j * n + j] = sqrt(sum);
        for (size_t i = j + 1; i < n; i++) {
            sum = a[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = sum / pivot;
        }
    }
    return true;
}

static bool is_convex(const struct bound *bound, double shift)
{
    size_t n = bound->n;
    memcpy(bound->scratch, bound->q, n * n * sizeof *bound->scratch);
    for (size_t i = 0; i < n; i++)
        bound->scratch[i * n + i] -= shift;
    return dense_cholesky(bound->scratch, n);
}

/* A number just below the least eigenvalue of q. */
static double least_eigenvalue(const struct bound *bound)
{
    size_t n = bound->n;
    double high = INFINITY, low = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double others = 0, own = bound->q[i * n + i];
        for (size_t j = 0; j < n; j++)
            others += j == i ? 0 : fabs(bound->q[i * n + j]);
        high = fmin(high, own); /* never above an entry of the diagonal */
        low = fmin(low, own - others);
    }
    low -= 1e-12 * (fabs(low) + fabs(high));
    for (unsigned step = 0; step < EIGENVALUE_STEPS; step++) {
        double middle = (low + high) / 2;
        if (is_convex(bound, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void set_weights(struct bound *bound)
{
    const struct thermal_units *units = bound->units;
    size_t n = bound->n;
    for (size_t u = 0; u < n; u++) {
        bound->linear[u] = bound->weights[u] * units->base[u];
        for (size_t v = 0; v < n; v++)
            bound->q[u * n + v] = (bound->weights[u] * units->rise[v * units->place_capacity + u] +
                                   bound->weights[v] * units->rise[u * units->place_capacity + v]) /
                                  2;
    }
    bound->shift = least_eigenvalue(bound);
    for (size_t u = 0; u < n; u++)
        bound->q[u * n + u] -= bound->shift;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The vertex with the least gradient: its value, and the vertex as limit: units below it are in; of
 * units at the limit the first ones, *out_rest of them. */
static double find_vertex(struct bound *bound, double *out_limit, size_t *out_rest)
{
    double sum = 0;
    size_t below = 0;
    memcpy(bound->order, bound->gradient, bound->n * sizeof *bound->order);
    qsort(bound->order, bound->n, sizeof *bound->order, compare);
    for (size_t i = 0; i < bound->chosen; i++)
        sum += bound->order[i];
    *out_limit = bound->order[bound->chosen - 1];
    while (below < bound->chosen && bound->order[below] < *out_limit)
        below++;
    *out_rest = bound->chosen - below;
    return sum;
}

static void find_gradient(struct bound *bound, double theta)
{
    size_t n = bound->n;
    for (size_t u = 0; u < n; u++) {
        double sum = 0;
        for (size_t v = 0; v < n; v++)
            sum += bound->q[u * n + v] * bound->x[v];
        bound->gradient[u] = 2 * sum + bound->linear[u] - theta * bound->weights[u];
    }
}

/* Below the minimum of q(x) over all choices; positive or not is all that matters. */
static double least_value(struct bound *bound, double theta)
{
    size_t n = bound->n;
    double best = -INFINITY;
    double *direction = bound->scratch;
    for (size_t u = 0; u < n; u++)
        bound->x[u] = (double)bound->chosen / (double)n;
    for (unsigned step = 0; step < WOLFE_STEPS && best <= 0; step++) {
        double limit, value = 0, along = 0, slope = 0, curvature = 0;
        size_t rest;
        find_gradient(bound, theta);
        for (size_t u = 0; u < n; u++) {
            double line = bound->linear[u] - theta * bound->weights[u];
            value += bound->x[u] * (bound->gradient[u] + line) / 2;
            along += bound->x[u] * bound->gradient[u];
        }
        value += bound->shift * (double)bound->chosen;
        double vertex = find_vertex(bound, &limit, &rest);
        best = fmax(best, value + vertex - along);
        if (value <= 0) break; /* the relaxation itself is not positive */
        for (size_t u = 0; u < n; u++) {
            bool in = bound->gradient[u] < limit || (bound->gradient[u] == limit && rest > 0);
            if (in && bound->gradient[u] == limit) rest--;
            direction[u] = (in ? 1 : 0) - bound->x[u];
        }
        for (size_t u = 0; u < n; u++) {
            double sum = 0;
            for (size_t v = 0; v < n; v++)
                sum += bound->q[u * n + v] * direction[v];
            slope += bound->gradient[u] * direction[u];
            curvature += 2 * sum * direction[u];
        }
        if (slope >= 0) break;
        double length = curvature > 0 ? fmin(1, -slope / curvature) : 1;
        for (size_t u = 0; u < n; u++)
            bound->x[u] += length * direction[u];
    }
    return best;
}

/* The largest theta that is proven with these weights, if it is above `low`. */
static double prove(struct bound *bound, double low, double high)
{
    set_weights(bound);
    if (least_value(bound, low) <= 0) return low;
    for (unsigned step = 0; step < THETA_STEPS; step++) {
        double middle = (low + high) / 2;
        if (least_value(bound, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double units_bound(const struct thermal_units *units, size_t chosen)
{
    size_t n = units->count;
    double low = -INFINITY, high = -INFINITY;
    /* Nothing at work at all: the hottest place is never cooler. */
    for (size_t p = 0; p < units->place_count; p++) {
        double all = units->base[p];
        for (size_t u = 0; u < n; u++)
            all += units->rise[u * units->place_capacity + p];
        low = fmax(low, units->base[p]);
        high = fmax(high, all);
    }
    if (!chosen) return low;
    double *memory = mem_zalloc(2 * n * n + 5 * n, sizeof *memory);
    struct bound bound = {.units = units,
                          .n = n,
                          .chosen = chosen,
                          .q = memory,
                          .scratch = memory + n * n,
                          .weights = memory + 2 * n * n,
                          .linear = memory + 2 * n * n + n,
                          .x = memory + 2 * n * n + 2 * n,
                          .gradient = memory + 2 * n * n + 3 * n,
                          .order = memory + 2 * n * n + 4 * n};
    for (size_t u = 0; u < n; u++)
        bound.weights[u] = 1;
    low = prove(&bound, low, high);
    mem_free(memory);
    return low;
}
