// SPDX-License-Identifier: Apache-2.0
/* Measured curves: what they are called, and their values between the points. */
#include <math.h>
#include <string.h>

#include "machine/machine.h"

#define AXES_WARPS                                                                                 \
    {                                                                                              \
        "warps"                                                                                    \
    }
#define AXES_LAUNCH                                                                                \
    {                                                                                              \
        "blocks", "threads", "transactions"                                                        \
    }
const struct machine_curve_info machine_curve_infos[CURVE_COUNT] = {
#define CURVE(name, path, axes, dimension, gpu_dimension, scale, text)                             \
    [CURVE_##name] = {path, text, AXES_##axes, DIM_##dimension, DIM_##gpu_dimension, scale},
#include "machine/machine_curves.def"
#undef CURVE
};

int machine_curve_find(const char *path)
{
    for (int i = 0; i < CURVE_COUNT; i++)
        if (!strcmp(machine_curve_infos[i].path, path)) return i;
    return -1;
}

const char *machine_curve_unit(enum machine_curve_id id)
{
    const struct machine_curve_info *info = &machine_curve_infos[id];
    return dimension_unit(
        (enum dimension)(info->scale > 0 ? info->dimension : info->gpu_dimension));
}

double machine_curve_value(const struct machine *machine, enum machine_curve_id id, size_t i)
{
    const struct machine_curve *curve = &machine->curves[id];
    double value = curve->values[i] * (curve->factor > 0 ? curve->factor : 1);
    if (machine_curve_infos[id].scale > 0) return value;
    return value * machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0);
}

void machine_curve_point(const struct machine_curve *curve, size_t i, double out[CURVE_AXES])
{
    for (unsigned axis = CURVE_AXES; axis-- > 0;) {
        out[axis] = curve->axes[axis] ? curve->axes[axis][i % curve->axis_counts[axis]] : 0;
        i /= curve->axis_counts[axis];
    }
}

double machine_curve_at(const struct machine_curve *curve, double warps)
{
    const double *axis = curve->axes[0];
    double from_warps = 0, from_value = 0, factor = curve->factor > 0 ? curve->factor : 1;
    for (size_t i = 0; i < curve->count; i++) {
        double width = axis[i] - from_warps, height = curve->values[i] - from_value;
        if (warps <= axis[i]) return factor * (from_value + height * (warps - from_warps) / width);
        from_warps = axis[i];
        from_value = curve->values[i];
    }
    return factor * from_value;
}

/* ---- three axes ------------------------------------------------------------------------------ */

/* Where a number stands on an axis: between two points, as a weight of the upper one, and by how
 * much it falls short of the first point. */
struct place {
    size_t lower, upper;
    double weight, shortfall;
};

/* Blocks as far as the busiest cluster matters: whole rounds of one block a cluster. */
static double whole_rounds(double blocks, double clusters)
{
    return clusters > 1 ? clusters * ceil(blocks / clusters) : blocks;
}

/* Times are linear in the reciprocal of an axis: time per byte = 1 / peak + latency / bytes. */
static double reciprocal_weight(double x, double lower, double upper)
{
    return (1 / lower - 1 / x) / (1 / lower - 1 / upper);
}

static struct place find_place(const double *axis, size_t count, double x, double clusters)
{
    size_t upper = 0;
    while (upper < count && axis[upper] < x)
        upper++;
    if (upper == count) return (struct place){count - 1, count - 1, 0, 1};
    if (axis[upper] == x) return (struct place){upper, upper, 0, 1};
    double first = whole_rounds(axis[0], clusters), round = whole_rounds(x, clusters);
    if (!upper) return (struct place){0, 0, 0, first / round};
    double low = whole_rounds(axis[upper - 1], clusters),
           high = whole_rounds(axis[upper], clusters);
    double weight = high > low ? reciprocal_weight(round, low, high)
                               : reciprocal_weight(x, axis[upper - 1], axis[upper]);
    return (struct place){upper - 1, upper, weight, 1};
}

/* Time per byte at a point, without what idle clusters cost there. */
static double point_time(const struct machine_curve *curve, const size_t at[CURVE_AXES])
{
    size_t i = 0;
    for (unsigned axis = 0; axis < CURVE_AXES; axis++)
        i = i * curve->axis_counts[axis] + at[axis];
    return machine_curve_sawtooth(curve->axes[0][at[0]], curve->clusters) / curve->values[i];
}

double machine_curve_sawtooth(double blocks, double clusters)
{
    return clusters > 1 && blocks > 0 ? blocks / whole_rounds(blocks, clusters) : 1;
}

double machine_curve_envelope(const struct machine_curve *curve, const double launch[CURVE_AXES],
                              double clusters)
{
    struct place places[CURVE_AXES];
    double time = 0, shortfall = 1;
    for (unsigned axis = 0; axis < CURVE_AXES; axis++) {
        places[axis] = find_place(curve->axes[axis], curve->axis_counts[axis], launch[axis],
                                  axis == 0 ? clusters : 1);
        shortfall *= places[axis].shortfall;
    }
    for (unsigned corner = 0; corner < 1u << CURVE_AXES; corner++) {
        size_t at[CURVE_AXES];
        double weight = 1;
        for (unsigned axis = 0; axis < CURVE_AXES; axis++) {
            bool up = corner >> axis & 1;
            at[axis] = up ? places[axis].upper : places[axis].lower;
            weight *= up ? places[axis].weight : 1 - places[axis].weight;
        }
        if (weight > 0) time += weight * point_time(curve, at);
    }
    return 1 / (time * shortfall);
}
