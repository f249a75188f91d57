// SPDX-License-Identifier: Apache-2.0
#include "launch_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kernels whose scalars change with each launch fill no more memory than this. */
enum { CLASSES_MAX = 256 };
/* Counted launches that a class remembers. */
enum { POINTS_MAX = 32 };
/* A time told within this part is told well; a number of instructions within it is a known one. */
static const double few_percent = 0.03;

struct launch_class {
    struct launch_class *next;
    uint32_t grid[3], block[3], cluster[3];
    uint64_t shared, scalars; /* scalars: a hash of the arguments that are no pointers */
    bool any_scalars;         /* of those that found no place of their own */
    bool varies;              /* launches may do different work */
    unsigned gap;             /* launches without counters between two with them */
    bool is_always;           /* in a model's virtual time each is counted */
    unsigned uncounted;       /* since the last counted one */
    unsigned counted;
    struct class_point points[POINTS_MAX]; /* by instructions */
    unsigned point_count;
};

/* ---- which class ----------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return hash;
}

/* Native code does not tell which parameters are pointers: those of 8 bytes that hold an address of
 * device memory are taken for pointers. */
static bool is_pointer(const struct kernel *kernel, const ws_parameter *parameter,
                       const ws_launch *launch)
{
    uint64_t value;
    ws_device_range range;
    if (parameter->is_pointer || parameter->size != sizeof value) return parameter->is_pointer;
    if (!ws_module_is_native(kernel->binary->module)) return false;
    memcpy(&value, (const unsigned char *)launch->parameters + parameter->offset, sizeof value);
    return ws_device_find(runtime.device, value, &range);
}

static uint64_t hash_scalars(const struct kernel *kernel, const ws_launch *launch)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const ws_parameter *one = &kernel->parameters[i];
        if (!is_pointer(kernel, one, launch))
            hash = hash_bytes(hash, (const unsigned char *)launch->parameters + one->offset,
                              one->size);
    }
    return hash;
}

static bool same_shape(const struct launch_class *one, const ws_launch *launch)
{
    return !memcmp(one->grid, launch->grid, sizeof one->grid) &&
           !memcmp(one->block, launch->block, sizeof one->block) &&
           !memcmp(one->cluster, launch->cluster, sizeof one->cluster) &&
           one->shared == launch->dynamic_shared_bytes;
}

/* Where a class with these scalars is, if there is one; of any scalars: 0. */
static struct launch_class **bucket(struct launch_classes *classes, const ws_launch *launch,
                                    uint64_t scalars)
{
    uint64_t hash = scalars + launch->dynamic_shared_bytes;
    for (unsigned k = 0; k < 3; k++)
        hash = (hash * 31 + launch->grid[k]) * 31 + launch->block[k];
    return &classes->buckets[(hash ^ hash >> 32) % CLASS_BUCKETS];
}

static struct launch_class *find(struct launch_classes *classes, const ws_launch *launch,
                                 uint64_t scalars, bool any_scalars)
{
    for (struct launch_class *one = *bucket(classes, launch, scalars); one; one = one->next)
        if (one->scalars == scalars && one->any_scalars == any_scalars && same_shape(one, launch))
            return one;
    return NULL;
}

struct launch_class *launch_class_find(struct launch_classes *classes, const struct kernel *kernel,
                                       const ws_launch *launch)
{
    bool full = classes->count >= CLASSES_MAX;
    uint64_t scalars = hash_scalars(kernel, launch);
    struct launch_class *one = find(classes, launch, scalars, false);
    if (one) return one;
    if (full) scalars = 0;
    if (full) one = find(classes, launch, scalars, true);
    if (one) return one;
    if (classes->count >= 2 * CLASSES_MAX) return classes->any;
    one = calloc(1, sizeof *one);
    if (!one) out_of_memory(sizeof *one);
    struct launch_class **place = bucket(classes, launch, scalars);
    *one = (struct launch_class){.next = *place,
                                 .shared = launch->dynamic_shared_bytes,
                                 .scalars = scalars,
                                 .any_scalars = full,
                                 .varies = full || kernel->info.follows_data,
                                 .is_always =
                                     full || kernel->info.follows_data || kernel->info.reads_clock};
    memcpy(one->grid, launch->grid, sizeof one->grid);
    memcpy(one->block, launch->block, sizeof one->block);
    memcpy(one->cluster, launch->cluster, sizeof one->cluster);
    *place = one;
    if (full && !classes->any) classes->any = one;
    classes->count++;
    return one;
}

/* ---- what it knows --------------------------------------------------------------------------- */

static double distance(uint64_t a, uint64_t b)
{
    return fabs((double)a - (double)b) / (b ? (double)b : 1.0);
}

/* Index of the first point with at least so many instructions. */
static unsigned first_from(const struct launch_class *one, uint64_t instructions)
{
    unsigned at = 0;
    while (at < one->point_count && one->points[at].instructions < instructions)
        at++;
    return at;
}

static unsigned nearest(const struct launch_class *one, uint64_t instructions)
{
    unsigned at = first_from(one, instructions);
    if (at == one->point_count) return at - 1;
    bool below = at && instructions - one->points[at - 1].instructions <
                           one->points[at].instructions - instructions;
    return below ? at - 1 : at;
}

/* On the lines from nothing found in the L2 to what this launch found, and on to all. */
static double seconds_of(const struct class_seconds *seconds, double own, double l2_found)
{
    if (l2_found < own) return seconds->cold + l2_found / own * (seconds->own - seconds->cold);
    if (l2_found > own)
        return seconds->own + (l2_found - own) / (1 - own) * (seconds->warm - seconds->own);
    return seconds->own;
}

static struct class_estimate estimate_of(const struct class_point *point, double l2_found)
{
    return (struct class_estimate){.table = seconds_of(&point->table, point->l2_found, l2_found),
                                   .clock = seconds_of(&point->clock, point->l2_found, l2_found)};
}

/* Between two points on the line that joins them, beyond them in proportion to the instructions. */
static struct class_estimate interpolate(const struct launch_class *one, uint64_t instructions,
                                         double l2_found)
{
    unsigned at = first_from(one, instructions);
    const struct class_point *high = &one->points[at], *low = high - 1;
    if (at < one->point_count && high->instructions == instructions)
        return estimate_of(high, l2_found);
    if (at == 0 || at == one->point_count) {
        const struct class_point *end = at ? low : high;
        double times = (double)instructions / (end->instructions ? (double)end->instructions : 1.0);
        struct class_estimate out = estimate_of(end, l2_found);
        return (struct class_estimate){.table = out.table * times, .clock = out.clock * times};
    }
    double part = (double)(instructions - low->instructions) /
                  (double)(high->instructions - low->instructions);
    struct class_estimate least = estimate_of(low, l2_found), most = estimate_of(high, l2_found);
    return (struct class_estimate){.table = least.table + part * (most.table - least.table),
                                   .clock = least.clock + part * (most.clock - least.clock)};
}

bool launch_class_is_always(const struct launch_class *one)
{
    return one->is_always;
}

bool launch_class_wants_counters(const struct launch_class *one)
{
    if (!one) return false;
    if (runtime.options.every_launch || !one->point_count) return true;
    if (runtime.options.clock == CLOCK_MODEL && (one->is_always || one->counted < 2)) return true;
    return one->varies && one->uncounted >= one->gap;
}

/* One that is nearly as another takes its place; so does any if there is no more room. */
static void insert(struct launch_class *one, const struct class_point *point)
{
    if (one->point_count) {
        unsigned near = nearest(one, point->instructions);
        if (one->point_count == POINTS_MAX ||
            distance(point->instructions, one->points[near].instructions) < few_percent / 3) {
            one->points[near] = *point;
            return;
        }
    }
    unsigned at = first_from(one, point->instructions);
    memmove(&one->points[at + 1], &one->points[at],
            (one->point_count - at) * sizeof one->points[0]);
    one->points[at] = *point;
    one->point_count++;
}

void launch_class_learn(struct launch_class *one, const struct class_point *point)
{
    enum { GAP_MAX = 256 };
    one->uncounted = 0;
    one->counted++;
    if (one->point_count) {
        double told = interpolate(one, point->instructions, point->l2_found).table;
        bool well = fabs(told - point->table.own) <= few_percent * point->table.own;
        bool same =
            one->points[nearest(one, point->instructions)].instructions == point->instructions;
        one->gap = !well ? 0 : same ? 4 * one->gap + 4 : 2 * one->gap + 1;
        if (one->gap > GAP_MAX) one->gap = GAP_MAX;
    }
    insert(one, point);
}

struct class_estimate launch_class_estimate(struct launch_class *one, uint64_t instructions,
                                            double l2_found)
{
    const struct class_point *near = &one->points[nearest(one, instructions)];
    struct class_estimate out = interpolate(one, instructions, l2_found);
    out.busy = near->busy;
    out.is_same = near->instructions == instructions;
    out.number = near->number;
    one->uncounted++;
    if (!out.is_same) one->varies = true;
    if (distance(instructions, near->instructions) > few_percent) one->gap = 0;
    return out;
}

struct launch_power launch_class_power(const struct launch_class *one, uint64_t instructions,
                                       double l2_found)
{
    bool is_known = one && one->point_count;
    return class_power_with(is_known ? &one->points[nearest(one, instructions)].power : NULL,
                            l2_found);
}
