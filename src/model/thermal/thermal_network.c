// SPDX-License-Identifier: Apache-2.0
/* Conductances and capacities of three layers of cells, and the factor of their matrix. Every layer has
 * its own grid over its own extent, all of them centred; cells that lie over each other exchange heat
 * by the area they share, so that no heat is lost between grids. */
#include "model/thermal/thermal_network.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- building -------------------------------------------------------------------------------- */

struct building {
    struct thermal *thermal;
    cs_di *entries; /* triplets */
};

static size_t node_of(const struct thermal *thermal, enum thermal_layer_id id, unsigned x,
                      unsigned y)
{
    return id * thermal->layer_nodes + (size_t)y * thermal->cells + x;
}

static void put(struct building *to, size_t row, size_t column, double value)
{
    if (!cs_di_entry(to->entries, (int)row, (int)column, value)) mem_raise(0);
}

static void join(struct building *to, size_t a, size_t b, double conductance)
{
    put(to, a, a, conductance);
    put(to, b, b, conductance);
    put(to, a, b, -conductance);
    put(to, b, a, -conductance);
}

/* Fourier's law between the middles of neighbours: k t dy / dx. */
static void join_layer(struct building *to, enum thermal_layer_id id)
{
    const struct thermal *thermal = to->thermal;
    const struct thermal_layer *layer = &thermal->package.layers[id];
    double aspect = layer->height_metres / layer->width_metres;
    double sheet = layer->conductivity * layer->thickness_metres;
    for (unsigned y = 0; y < thermal->cells; y++)
        for (unsigned x = 0; x < thermal->cells; x++) {
            size_t node = node_of(thermal, id, x, y);
            if (x + 1 < thermal->cells) join(to, node, node + 1, sheet * aspect);
            if (y + 1 < thermal->cells) join(to, node, node + thermal->cells, sheet / aspect);
        }
}

/* Resistance of an area from a layer's node to its lower face. The die's node is its upper face, where the
 * transistors are, that of the others their middle. */
static double half_resistance(const struct thermal_layer *layer, enum thermal_layer_id id)
{
    double whole = layer->thickness_metres / layer->conductivity;
    return id == LAYER_DIE ? whole : whole / 2;
}

/* Cells of the lower layer that the span [from, from + size) touches, measured from the middle. */
static void span_cells(double from, double size, double extent, unsigned cells, unsigned *first,
                       unsigned *end)
{
    double cell = extent / cells;
    double low = (from + extent / 2) / cell, high = (from + size + extent / 2) / cell;
    *first = (unsigned)fmax(0, floor(low));
    *end = (unsigned)fmin(cells, ceil(high));
}

static double overlap(double a, double a_size, double b, double b_size)
{
    double length = fmin(a + a_size, b + b_size) - fmax(a, b);
    return length > 1e-9 * fmin(a_size, b_size) ? length : 0; /* edges that only touch */
}

/* Cell `index` of a layer: where it begins, from the middle. */
static double cell_at(double extent, unsigned cells, unsigned index)
{
    return extent * ((double)index / cells - 0.5);
}

static void join_cell_below(struct building *to, enum thermal_layer_id id, unsigned x, unsigned y,
                            double by_area)
{
    const struct thermal *thermal = to->thermal;
    const struct thermal_layer *upper = &thermal->package.layers[id];
    const struct thermal_layer *lower = &thermal->package.layers[id + 1];
    unsigned n = thermal->cells, x0, x1, y0, y1;
    double width = upper->width_metres / n, height = upper->height_metres / n;
    double at_x = cell_at(upper->width_metres, n, x), at_y = cell_at(upper->height_metres, n, y);
    span_cells(at_x, width, lower->width_metres, n, &x0, &x1);
    span_cells(at_y, height, lower->height_metres, n, &y0, &y1);
    for (unsigned v = y0; v < y1; v++)
        for (unsigned u = x0; u < x1; u++) {
            double w =
                overlap(at_x, width, cell_at(lower->width_metres, n, u), lower->width_metres / n);
            double h = overlap(at_y, height, cell_at(lower->height_metres, n, v),
                               lower->height_metres / n);
            if (w > 0 && h > 0)
                join(to, node_of(thermal, id, x, y),
                     node_of(thermal, (enum thermal_layer_id)(id + 1), u, v), w * h * by_area);
        }
}

static void join_below(struct building *to, enum thermal_layer_id id)
{
    const struct thermal_package *package = &to->thermal->package;
    const struct thermal_layer *lower = &package->layers[id + 1];
    double resistance = half_resistance(&package->layers[id], id) + package->contact[id] +
                        lower->thickness_metres / (2 * lower->conductivity);
    for (unsigned y = 0; y < to->thermal->cells; y++)
        for (unsigned x = 0; x < to->thermal->cells; x++)
            join_cell_below(to, id, x, y, 1 / resistance);
}

static void add_air(struct building *to)
{
    struct thermal *thermal = to->thermal;
    const struct thermal_layer *sink = &thermal->package.layers[LAYER_SINK];
    double area = sink->width_metres * sink->height_metres / (double)thermal->layer_nodes;
    double resistance = half_resistance(sink, LAYER_SINK) + thermal->package.contact[LAYER_SINK];
    for (size_t i = 0; i < thermal->layer_nodes; i++) {
        size_t node = LAYER_SINK * thermal->layer_nodes + i;
        thermal->air[node] = area / resistance;
        put(to, node, node, thermal->air[node]);
    }
}

static void add_capacities(struct thermal *thermal)
{
    for (unsigned id = 0; id < LAYERS; id++) {
        const struct thermal_layer *layer = &thermal->package.layers[id];
        double whole =
            layer->capacity * layer->width_metres * layer->height_metres * layer->thickness_metres;
        if (id == LAYER_SINK) whole += thermal->package.fins_capacity;
        for (size_t i = 0; i < thermal->layer_nodes; i++)
            thermal->capacity[id * thermal->layer_nodes + i] = whole / (double)thermal->layer_nodes;
    }
}

/* Static power grows alike everywhere on the die: Hong's thesis, (56), cell by cell. */
static void add_static_growth(struct building *to)
{
    struct thermal *thermal = to->thermal;
    double growth = thermal->package.static_watts_per_kelvin / (double)thermal->layer_nodes;
    for (size_t i = 0; i < thermal->layer_nodes; i++) {
        thermal->static_growth[i] = growth;
        if (growth > 0) put(to, i, i, -growth);
    }
}

void thermal_free_matrix(void *matrix)
{
    cs_di_spfree(matrix);
}

void thermal_build(struct thermal *thermal)
{
    size_t room = thermal->nodes * 26; /* 8 to the neighbours, 4 x 4 below, air, growth */
    struct building to = {thermal,
                          cs_di_spalloc((int)thermal->nodes, (int)thermal->nodes, (int)room, 1, 1)};
    struct mem_guard guard;
    if (!to.entries) mem_raise(0);
    mem_guard_begin(&guard, thermal_free_matrix, to.entries);
    for (unsigned id = 0; id < LAYERS; id++)
        join_layer(&to, (enum thermal_layer_id)id);
    join_below(&to, LAYER_DIE);
    join_below(&to, LAYER_SPREADER);
    add_air(&to);
    add_static_growth(&to);
    add_capacities(thermal);
    thermal->matrix = cs_di_compress(to.entries);
    mem_guard_end(&guard);
    cs_di_spfree(to.entries);
    if (!thermal->matrix || !cs_di_dupl(thermal->matrix)) mem_raise(0);
}

/* ---- factor ---------------------------------------------------------------------------------- */

bool thermal_factorise(const cs_di *matrix, struct thermal_factor *out)
{
    enum { MINIMUM_DEGREE = 1 }; /* of A + A' */
    out->symbolic = cs_di_schol(MINIMUM_DEGREE, matrix);
    if (!out->symbolic) mem_raise(0);
    /* Without memory it gives what it gives for a matrix that is not positive definite: nothing. */
    errno = 0;
    out->numeric = cs_di_chol(matrix, out->symbolic);
    if (!out->numeric) mem_check_errno();
    return out->numeric != NULL;
}

void thermal_factor_clear(struct thermal_factor *factor)
{
    cs_di_sfree(factor->symbolic);
    cs_di_nfree(factor->numeric);
    *factor = (struct thermal_factor){0};
}

void thermal_free_factor(void *factor)
{
    thermal_factor_clear(factor);
}

void thermal_solve(const struct thermal_factor *factor, size_t nodes, double *work, const double *b,
                   double *x)
{
    cs_di_ipvec(factor->symbolic->pinv, b, work, (int)nodes);
    cs_di_lsolve(factor->numeric->L, work);
    cs_di_ltsolve(factor->numeric->L, work);
    cs_di_pvec(factor->symbolic->pinv, work, x, (int)nodes);
}

/* ---- at rest --------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y = G x, where the matrix is G - S. */
static void apply_conductance(const struct thermal *thermal, const double *x, double *y)
{
    for (size_t i = 0; i < thermal->nodes; i++)
        y[i] = thermal->static_growth[i] * x[i];
    cs_di_gaxpy(thermal->matrix, x, y);
}

/* G (T - T_air) = P_rest. The factor is that of G - S, so that one serves all: conjugate gradients with it
 * before them, done after one step if S is 0. */
void thermal_find_rest(struct thermal *thermal, double idle_watts)
{
    size_t n = thermal->nodes;
    if (thermal->rest && thermal->rest_watts == idle_watts) return;
    double *all = mem_zalloc(4 * n, sizeof *all);
    if (!thermal->rest) thermal->rest = ARENA_ARRAY(&thermal->arena, double, n);
    double *residual = all, *solved = all + n, *direction = all + 2 * n, *image = all + 3 * n;
    double *rise = thermal->rest;
    memset(rise, 0, n * sizeof *rise);
    for (size_t i = 0; i < thermal->layer_nodes; i++)
        residual[i] = idle_watts / (double)thermal->layer_nodes;
    double wanted = 1e-28 * dot(residual, residual, n), rho = 0;
    for (unsigned step = 0; step < 60 && dot(residual, residual, n) > wanted; step++) {
        thermal_solve(&thermal->factor, n, thermal->work, residual, solved);
        double next = dot(residual, solved, n), beta = step ? next / rho : 0;
        for (size_t i = 0; i < n; i++)
            direction[i] = solved[i] + beta * direction[i];
        apply_conductance(thermal, direction, image);
        double alpha = next / dot(direction, image, n);
        for (size_t i = 0; i < n; i++) {
            rise[i] += alpha * direction[i];
            residual[i] -= alpha * image[i];
        }
        rho = next;
    }
    for (size_t i = 0; i < n; i++)
        rise[i] += thermal->package.ambient_celsius;
    thermal->rest_watts = idle_watts;
    mem_free(all);
}
