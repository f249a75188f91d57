// SPDX-License-Identifier: Apache-2.0
/* The network behind thermal.h. Private to model.
 *
 *     (G - S) T = P + g_air T_air - S T_rest        steady state
 *     C dT/dt   = P + g_air T_air - S T_rest - (G - S) T
 *
 * G: conductances in W/K; C: heat capacities in J/K, diagonal; S: how static power grows, in W/K, on the
 * die's diagonal; P: heat put in. G is symmetric and positive definite, G - S as long as the chip
 * does not run away. */
#ifndef MODEL_THERMAL_NETWORK_H
#define MODEL_THERMAL_NETWORK_H

#include <suitesparse/cs.h>

#include "model/thermal/thermal.h"

enum thermal_layer_id { LAYER_DIE, LAYER_SPREADER, LAYER_SINK, LAYERS };

struct thermal_layer {
    double width_metres, height_metres, thickness_metres;
    double conductivity; /* W/(m K) */
    double capacity;     /* J/(m3 K) */
};

struct thermal_package {
    struct thermal_layer layers[LAYERS];
    double contact[LAYERS]; /* beneath each layer, m2 K/W; of the sink: to the air, over its area */
    double fins_capacity;   /* J/K */
    double ambient_celsius;
    double static_watts_per_kelvin; /* of the die */
};

/* The machine's package. */
ws_status thermal_package_read(struct diag *diag, struct arena *arena,
                               const struct machine *machine, const struct floorplan *plan,
                               bool assume, struct thermal_package *out, const char **assumptions,
                               size_t *out_count);
enum { THERMAL_ASSUMPTIONS = 32 };

struct thermal_factor {
    cs_dis *symbolic;
    cs_din *numeric;
};

struct thermal {
    struct arena arena;
    const struct machine *machine;
    const struct floorplan *plan;
    size_t *sm_block;  /* of each SM */
    double *tpc_share; /* what part of its TPC's heat each block has */
    struct thermal_package package;
    const char *assumptions[THERMAL_ASSUMPTIONS];
    size_t assumption_count;
    unsigned cells;     /* of a layer in one direction */
    size_t layer_nodes; /* cells * cells */
    size_t nodes;       /* of all layers */
    cs_di *matrix;      /* G - S */
    struct thermal_factor factor;
    double *air;           /* conductance to the air by node */
    double *capacity;      /* heat capacity by node */
    double *static_growth; /* S by node */
    double *work;          /* of a solution */
    double *rest;          /* temperatures at rest, `rest_watts`; NULL: not computed yet */
    double rest_watts;
};

/* cs_chol of the matrix; false: it is not positive definite. */
bool thermal_factorise(const cs_di *matrix, struct thermal_factor *out);
void thermal_factor_clear(struct thermal_factor *factor);
/* For guards (base/memory.h): of a cs_di, of a struct thermal_factor. */
void thermal_free_matrix(void *matrix);
void thermal_free_factor(void *factor);
/* x = A^-1 b; may be the same array. */
void thermal_solve(const struct thermal_factor *factor, size_t nodes, double *work, const double *b,
                   double *x);
/* Fills matrix, air, capacity, static_growth. */
void thermal_build(struct thermal *thermal);

/* Adds `watts` of a rectangle, by area, to the die's nodes. */
void thermal_add_heat(const struct thermal *thermal, const struct floorplan_block *block,
                      double watts, double *heat);
/* Share of the cell (x, y) of the die that lies in the block. */
double thermal_share(const struct thermal *thermal, const struct floorplan_block *block, unsigned x,
                     unsigned y);
/* The cells that a block may touch: [x0, x1) x [y0, y1). */
struct cell_range {
    unsigned x0, x1, y0, y1;
};
struct cell_range thermal_range(const struct thermal *thermal, const struct floorplan_block *block);
/* Heat of the load beyond that at rest, by node of the die. Zeroes what is there. */
void thermal_load_heat(const struct thermal *thermal, const struct thermal_load *load,
                       double *heat);
/* Heat by node of one working SM: the SM itself and nothing of its TPC. */
void thermal_sm_heat(const struct thermal *thermal, unsigned sm, double watts, double *heat);
/* Heat by node of what a TPC draws as soon as one of its SMs works. */
void thermal_tpc_heat(const struct thermal *thermal, unsigned tpc, double watts, double *heat);
unsigned thermal_tpc_of(const struct thermal *thermal, unsigned sm);
/* Temperatures of all nodes at rest. */
void thermal_find_rest(struct thermal *thermal, double idle_watts);

#endif
