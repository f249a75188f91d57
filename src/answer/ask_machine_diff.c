// SPDX-License-Identifier: Apache-2.0
/* machine_diff: the figures in which two machine files differ. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/question.h"
#include "answer/words.h"

struct difference {
    const char *name, *unit;
    double values[2]; /* NAN: not known */
};

struct moved {
    const struct floorplan_block *blocks[2]; /* NULL: it has none of this name */
};

struct machine_diff {
    const struct machine *machines[2];
    const char *ids[2], *kinds[2], *capabilities[2];
    struct difference *values, *points;
    struct moved *moved;
    size_t value_count, point_count, moved_count;
};

/* ---- figures --------------------------------------------------------------------------------- */

/* NAN: there is none. */
static double ratio_of(const struct difference *at)
{
    double ratio = at->values[0] > 0 ? at->values[1] / at->values[0] : NAN;
    return ratio > 0 ? ratio : NAN;
}

static const struct floorplan_block *block_of(const struct moved *at)
{
    return at->blocks[0] ? at->blocks[0] : at->blocks[1];
}

extern const struct record record_machine_block;
#define FIGURE_FILE "answer/figures/machine_diff.def"
#include "base/figure_tables.h"

/* ---- figures of the files -------------------------------------------------------------------- */

static void compare_values(struct arena *arena, struct machine_diff *diff)
{
    diff->values = ARENA_ARRAY(arena, struct difference, MACHINE_KEY_COUNT);
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        struct difference *out = &diff->values[diff->value_count];
        const struct machine_key_info *info = &machine_key_infos[key];
        const struct machine_value *a = &diff->machines[0]->values[key],
                                   *b = &diff->machines[1]->values[key];
        if (a->known == b->known && (!a->known || a->value == b->value)) continue;
        *out = (struct difference){info->path,
                                   dimension_unit((enum dimension)info->dimension),
                                   {a->known ? a->value : NAN, b->known ? b->value : NAN}};
        diff->value_count++;
    }
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* The value at exactly this point; NAN: not known. */
static double value_at(const struct machine *machine, enum machine_curve_id id,
                       const double wanted[CURVE_AXES])
{
    const struct machine_curve *curve = &machine->curves[id];
    for (size_t i = 0; i < curve->count; i++) {
        double point[CURVE_AXES];
        machine_curve_point(curve, i, point);
        if (!memcmp(point, wanted, sizeof point)) return machine_curve_value(machine, id, i);
    }
    return NAN;
}

static bool same_digits(const double values[2])
{
    char text[2][32];
    for (size_t i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i], "%.6g", values[i]);
    return !strcmp(text[0], text[1]);
}

/* "curve.shared at 6 warps", "curve.global at 10, 64, 4". */
static const char *point_name(struct arena *arena, const struct machine_curve_info *info,
                              const double point[CURVE_AXES])
{
    if (!info->axes[1])
        return arena_format(arena, "%s at %.9g %s", info->path, point[0], info->axes[0]);
    return arena_format(arena, "%s at %.9g, %.9g, %.9g", info->path, point[0], point[1], point[2]);
}

/* Points of machine `of` that the other has otherwise or not at all; of the second those that only it
 * has. */
static void compare_curve(struct arena *arena, enum machine_curve_id id, size_t of,
                          struct machine_diff *diff)
{
    const struct machine_curve *curve = &diff->machines[of]->curves[id];
    for (size_t i = 0; i < curve->count; i++) {
        struct difference *out = &diff->points[diff->point_count];
        double point[CURVE_AXES];
        machine_curve_point(curve, i, point);
        for (size_t k = 0; k < 2; k++)
            out->values[k] = value_at(diff->machines[k], id, point);
        if (same_digits(out->values) || (of == 1 && !isnan(out->values[0]))) continue;
        out->name = point_name(arena, &machine_curve_infos[id], point);
        out->unit = machine_curve_unit(id);
        diff->point_count++;
    }
}

static void compare_curves(struct arena *arena, struct machine_diff *diff)
{
    size_t capacity = 1;
    for (size_t id = 0; id < CURVE_COUNT; id++)
        capacity += diff->machines[0]->curves[id].count + diff->machines[1]->curves[id].count;
    diff->points = ARENA_ARRAY(arena, struct difference, capacity);
    for (unsigned id = 0; id < CURVE_COUNT; id++)
        for (size_t of = 0; of < 2; of++)
            compare_curve(arena, (enum machine_curve_id)id, of, diff);
}

/* ---- floorplans ------------------------------------------------------------------------------ */

static const struct floorplan_block *find_block(const struct floorplan *plan, const char *name)
{
    for (size_t i = 0; plan && i < plan->block_count; i++)
        if (!strcmp(plan->blocks[i].name, name)) return &plan->blocks[i];
    return NULL;
}

static bool is_same_block(const struct floorplan_block *a, const struct floorplan_block *b)
{
    return a && b && a->kind == b->kind && a->sm == b->sm && a->tpc == b->tpc &&
           a->x_metres == b->x_metres && a->y_metres == b->y_metres &&
           a->width_metres == b->width_metres && a->height_metres == b->height_metres;
}

static void compare_floorplans(struct arena *arena, struct machine_diff *diff)
{
    size_t capacity = 1;
    const struct floorplan *plans[2];
    for (size_t of = 0; of < 2; of++) {
        plans[of] = diff->machines[of]->floorplan;
        capacity += plans[of] ? plans[of]->block_count : 0;
    }
    diff->moved = ARENA_ARRAY(arena, struct moved, capacity);
    for (size_t of = 0; of < 2; of++)
        for (size_t i = 0; plans[of] && i < plans[of]->block_count; i++) {
            const char *name = plans[of]->blocks[i].name;
            const struct moved moved = {{find_block(plans[0], name), find_block(plans[1], name)}};
            if (is_same_block(moved.blocks[0], moved.blocks[1]) || (of == 1 && moved.blocks[0]))
                continue;
            diff->moved[diff->moved_count++] = moved;
        }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct machine_diff *diff = ARENA_ARRAY(arena, struct machine_diff, 1);
    if (asked->machine_count != 2)
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "the question 'machine_diff' takes two machines (got %zu)",
                          asked->machine_count);
    for (size_t i = 0; i < 2; i++) {
        const struct machine *machine = diff->machines[i] = asked->machines[i];
        diff->ids[i] = machine->id;
        diff->kinds[i] = machine_kind_words[machine->kind];
        diff->capabilities[i] = capability_word(machine, arena);
    }
    compare_values(arena, diff);
    compare_curves(arena, diff);
    compare_floorplans(arena, diff);
    *out = diff;
    return WS_OK;
}

const struct question question_machine_diff = {
    .name = "machine_diff",
    .schema = "warpsage.machine_diff/1",
    .text = "How do two machines differ?",
    .record = &record_machine_diff,
    .ask = ask,
};
