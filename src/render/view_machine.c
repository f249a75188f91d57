// SPDX-License-Identifier: Apache-2.0
/* Machine files: all figures with their sources, what models find in one, and the list. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/views.h"

static bool is_estimate(const struct node *floorplan)
{
    return !strcmp(node_word(floorplan, "source"), origin_infos[ORIGIN_ASSUMED].id);
}

static void put_title(struct page *page, const struct node *machine)
{
    const char *capability = node_word(machine, "compute_capability");
    page_line(page, "%s  %s  %s%s", node_word(machine, "machine"), node_word(machine, "name"),
              capability ? "compute capability " : "CPU", capability ? capability : "");
}

/* ---- one machine ----------------------------------------------------------------------------- */

static void compose_head(struct page *page, const struct node *machine)
{
    const struct node *aliases = node_child(machine, "aliases"),
                      *notes = node_child(machine, "notes");
    const char *const *words = aliases->value.items;
    const char *inherits = node_word(machine, "inherits"), *chip = node_word(machine, "chip");
    struct strbuf line = {0};
    put_title(page, machine);
    if (inherits) page_line(page, "inherits  %s", inherits);
    for (size_t i = 0; i < aliases->value.item_count; i++)
        strbuf_printf(&line, "%s%s", i ? " " : "aliases   ", words[i]);
    if (line.length) page_line(page, "%s", line.data);
    strbuf_clear(&line);
    if (chip) page_line(page, "chip      %s", chip);
    words = notes->value.items;
    for (size_t i = 0; i < notes->value.item_count; i++)
        page_line(page, "note      %s", words[i]);
    page_blank(page);
}

static void compose_values(struct page *page, const struct node *values)
{
    page_line(page, "%-40s %-22s %s", "key", "value", "source");
    for (size_t i = 0; i < values->child_count; i++) {
        const struct node *value = &values->children[i];
        if (!node_is_known(value)) continue;
        page_line(page, "machine.%-32s %-22s %s", value->id,
                  quantity_binary(node_value(value), node_unit(value)).text,
                  value->measured->source);
    }
}

struct machine_axes {
    const struct node *nodes[3];
    size_t count;
};

/* Where value `i` of a curve lies on an axis; the last axis is the fastest. */
static double axis_value(const struct machine_axes *axes, size_t axis, size_t i)
{
    for (size_t k = axes->count; --k > axis;)
        i /= axes->nodes[k]->value.item_count;
    const struct node *node = axes->nodes[axis];
    return ((const double *)node->value.items)[i % node->value.item_count];
}

static struct machine_axes axes_of(const struct node *curve)
{
    static const char *const ids[] = {"warps", "blocks", "threads", "transactions"};
    struct machine_axes axes = {0};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const struct node *axis = node_child(curve, ids[i]);
        if (axis) axes.nodes[axes.count++] = axis;
    }
    return axes;
}

/* "870 at 6, 1112 at 16": all points of a curve by warps, of one by more axes the least and greatest,
 * with the unit. */
static void put_points(struct strbuf *line, const struct node *curve,
                       const struct machine_axes *axes)
{
    const struct node *values = node_child(curve, "value");
    const double *numbers = values->value.items;
    const char *unit = node_word(curve, "unit");
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < values->value.item_count; i++) {
        least = fmin(least, numbers[i]);
        most = fmax(most, numbers[i]);
        if (axes->count == 1)
            strbuf_printf(line, "%s%.4g at %.9g", i ? ", " : "", numbers[i],
                          axis_value(axes, 0, i));
    }
    if (axes->count == 1)
        strbuf_printf(line, " %s", unit);
    else
        strbuf_printf(line, "%zu from %s to %s", values->value.item_count,
                      quantity_format(least, unit).text, quantity_format(most, unit).text);
}

static void compose_curves(struct page *page, const struct node *curves)
{
    for (size_t i = 0; i < curves->child_count; i++) {
        const struct node *curve = &curves->children[i];
        const struct machine_axes axes = axes_of(curve);
        struct strbuf line = {0};
        if (!node_child(curve, "value")->value.item_count) continue;
        strbuf_printf(&line, "%-40s ", curve->id);
        put_points(&line, curve, &axes);
        strbuf_printf(&line, "%s, by ", node_flag(curve, "is_per_sm") ? " per SM" : "");
        for (size_t axis = 0; axis < axes.count; axis++)
            strbuf_printf(&line, "%s%s", axis ? ", " : "", axes.nodes[axis]->id);
        page_line(page, "%s  %s", line.data, node_word(curve, "source"));
        strbuf_clear(&line);
    }
}

static void put_number(char out[16], const struct node *block, const char *id)
{
    const struct node *number = node_child(block, id);
    snprintf(out, 16, "-");
    if (number) snprintf(out, 16, "%llu", (unsigned long long)number->value.count);
}

static void put_block(struct page *page, const struct node *block)
{
    char sm[16], tpc[16];
    put_number(sm, block, "sm");
    put_number(tpc, block, "tpc");
    page_line(page, "  %-16s %-18s %5s %5s %8.3f %8.3f %8.3f %8.3f", node_word(block, "name"),
              node_word(block, "kind"), sm, tpc, 1e3 * node_number(block, "x_metres"),
              1e3 * node_number(block, "y_metres"), 1e3 * node_number(block, "width_metres"),
              1e3 * node_number(block, "height_metres"));
}

static void compose_floorplan(struct page *page, const struct node *plan)
{
    const struct node *blocks = node_child(plan, "blocks");
    struct arena arena = {0};
    page_blank(page);
    page_line(page, "machine.floorplan  %.4g x %.4g mm, %zu blocks, %llu SMs in %llu TPCs  %s%s",
              1e3 * node_number(plan, "width_metres"), 1e3 * node_number(plan, "height_metres"),
              blocks->value.item_count, (unsigned long long)node_count(plan, "sm_count"),
              (unsigned long long)node_count(plan, "tpc_count"), node_word(plan, "source"),
              is_estimate(plan) ? ": an estimate" : "");
    page_line(page, "  %-16s %-18s %5s %5s %8s %8s %8s %8s", "block", "kind", "SM", "TPC", "x mm",
              "y mm", "width", "height");
    for (size_t i = 0; i < blocks->value.item_count; i++) {
        const struct node block = node_row(blocks, i, &arena);
        put_block(page, &block);
        arena_clear(&arena);
    }
}

static void compose_not_known(struct page *page, const struct node *keys)
{
    struct strbuf text = {0};
    const char *const *words = keys->value.items;
    for (size_t i = 0; i < keys->value.item_count; i++)
        strbuf_printf(&text, "%s%s", i ? " " : "", words[i]);
    struct page narrow = *page;
    narrow.width = 96;
    page_blank(page);
    page_wrap(&narrow, "unknown: ", text.length ? text.data : "", UINT_MAX);
    strbuf_clear(&text);
}

static const struct view_part machine_parts[] = {
    {"", compose_head},
    {"values", compose_values},
    {"curves", compose_curves},
    {"floorplan", compose_floorplan},
    {"not_known", compose_not_known},
};

/* ---- CSV of one machine ---------------------------------------------------------------------- */

static void put_field(struct strbuf *out, const char *id, const char *key, double value,
                      const char *unit, const char *source)
{
    strbuf_printf(out, "%s,", id);
    csv_put_text(out, key);
    strbuf_putc(out, ',');
    csv_put_number(out, value);
    strbuf_printf(out, ",%s,%s\n", unit, source);
}

static void put_curve(struct strbuf *out, const char *id, const struct node *curve)
{
    const struct node *values = node_child(curve, "value");
    const struct machine_axes axes = axes_of(curve);
    for (size_t i = 0; i < values->value.item_count; i++) {
        struct strbuf key = {0};
        strbuf_puts(&key, curve->id);
        for (size_t axis = 0; axis < axes.count; axis++)
            strbuf_printf(&key, ".%.10g", axis_value(&axes, axis, i));
        put_field(out, id, key.data, ((const double *)values->value.items)[i],
                  node_word(curve, "unit"), node_word(curve, "source"));
        strbuf_clear(&key);
    }
}

static void put_places(struct strbuf *out, const char *id, const struct node *plan)
{
    static const char *const sides[][2] = {{"x", "x_metres"},
                                           {"y", "y_metres"},
                                           {"width", "width_metres"},
                                           {"height", "height_metres"}};
    const struct node *blocks = node_child(plan, "blocks");
    for (size_t i = 0; blocks && i < blocks->value.item_count; i++) {
        struct arena arena = {0};
        const struct node block = node_row(blocks, i, &arena);
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
            put_field(
                out, id,
                arena_format(&arena, "floorplan.%s.%s", node_word(&block, "name"), sides[k][0]),
                node_number(&block, sides[k][1]), "m", node_word(plan, "source"));
        arena_clear(&arena);
    }
}

static void write_csv(struct strbuf *out, const struct node *machine)
{
    const char *id = node_word(machine, "machine");
    const struct node *values = node_child(machine, "values"),
                      *curves = node_child(machine, "curves");
    strbuf_puts(out, "machine,key,value,unit,source\n");
    for (size_t i = 0; i < values->child_count; i++) {
        const struct node *value = &values->children[i];
        if (node_is_known(value))
            put_field(out, id, value->id, node_value(value), node_unit(value),
                      value->measured->source);
    }
    for (size_t i = 0; i < curves->child_count; i++)
        put_curve(out, id, &curves->children[i]);
    put_places(out, id, node_child(machine, "floorplan"));
}

const struct view view_machine = {
    .question = "machine",
    .parts = machine_parts,
    .part_count = sizeof machine_parts / sizeof *machine_parts,
    .write_csv = write_csv,
};

/* ---- what models find in one ----------------------------------------------------------------- */

static void put_model(struct page *page, const struct node *model)
{
    const struct node *lacks = node_child(model, "lacks");
    const char *const *words = lacks->value.items;
    struct strbuf list = {0};
    for (size_t i = 0; i < lacks->value.item_count; i++)
        strbuf_printf(&list, "%s%s%s", i ? ", " : "lacks ",
                      strcmp(words[i], "occupancy") ? "" : "the ", words[i]);
    page_line(page, "  %-16s %s", model->id,
              !node_flag(model, "is_for") ? "GPUs only"
              : list.length               ? list.data
                                          : "supported");
    strbuf_clear(&list);
}

static void put_parts(struct page *page, const struct node *check)
{
    const struct node *plan = node_child(check, "floorplan");
    const char *reason = node_word(check, "occupancy_reason");
    page_line(page, "  %-16s %s", "occupancy", reason ? reason : "supported");
    if (!node_is_known(plan))
        page_line(page, "  %-16s none", "floorplan");
    else
        page_line(page, "  %-16s %zu blocks, %llu SMs in %llu TPCs, %s", "floorplan",
                  node_child(plan, "blocks")->value.item_count,
                  (unsigned long long)node_count(plan, "sm_count"),
                  (unsigned long long)node_count(plan, "tpc_count"),
                  is_estimate(plan) ? "an estimate" : node_word(plan, "source"));
}

static void compose_check(struct page *page, const struct node *check)
{
    const struct node *found = node_child(check, "models");
    put_title(page, check);
    page_line(page, "  %-16s %llu, %llu of them assumed", "figures",
              (unsigned long long)node_count(check, "figures"),
              (unsigned long long)node_count(check, "assumed"));
    if (node_word(check, "compute_capability")) put_parts(page, check);
    for (size_t i = 0; i < found->child_count; i++)
        put_model(page, &found->children[i]);
}

static void write_check_csv(struct strbuf *out, const struct node *check)
{
    const struct node *found = node_child(check, "models");
    strbuf_puts(out, "machine,model,is_for,lacks\n");
    for (size_t i = 0; i < found->child_count; i++) {
        const struct node *model = &found->children[i], *lacks = node_child(model, "lacks");
        const char *const *words = lacks->value.items;
        csv_put_text(out, node_word(check, "machine"));
        strbuf_printf(out, ",%s,%d,", model->id, node_flag(model, "is_for"));
        for (size_t k = 0; k < lacks->value.item_count; k++)
            strbuf_printf(out, "%s%s", k ? "+" : "", words[k]);
        strbuf_putc(out, '\n');
    }
}

static const struct view_part check_parts[] = {{"", compose_check}};

const struct view view_machine_check = {
    .question = "machine_check",
    .parts = check_parts,
    .part_count = sizeof check_parts / sizeof *check_parts,
    .write_csv = write_check_csv,
};

/* ---- the list -------------------------------------------------------------------------------- */

/* A figure in `unit`, right-aligned; blanks where the file does not know it. */
static void put_figure(struct strbuf *line, const struct node *machine, const char *id, double unit,
                       int width, int digits, const char *text)
{
    double value = node_number(machine, id);
    if (isnan(value))
        strbuf_printf(line, "  %*s", width + 1 + (int)strlen(text), "");
    else
        strbuf_printf(line, "  %*.*f %s", width, digits, value / unit, text);
}

static int widest(const struct node *machines, const char *id)
{
    size_t width = 0;
    for (size_t i = 0; i < machines->child_count; i++) {
        size_t length = strlen(node_word(&machines->children[i], id));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void compose_list(struct page *page, const struct node *machines)
{
    int id = widest(machines, "machine"), name = widest(machines, "name");
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *machine = &machines->children[i];
        const char *capability = node_word(machine, "compute_capability");
        struct strbuf line = {0};
        strbuf_printf(&line, "%-*s  %-*s  ", id, node_word(machine, "machine"), name,
                      node_word(machine, "name"));
        if (capability) {
            strbuf_printf(&line, "cc %4s", capability);
            put_figure(&line, machine, "sms", 1, 4, 0, "SMs");
        } else {
            strbuf_printf(&line, "%-7s", "CPU");
            put_figure(&line, machine, "cores", 1, 2, 0, "cores");
        }
        put_figure(&line, machine, "clock_hz", 1e9, 5, 3, "GHz");
        put_figure(&line, machine, "bandwidth_b_s", 1e9, 6, 1, "GB/s");
        page_line(page, "%s", line.data);
        strbuf_clear(&line);
    }
}

static const struct view_part list_parts[] = {{"machines", compose_list}};

static const struct csv_column list_columns[] = {
    {"machine", "machine"},   {"name", "name"},
    {"kind", "kind"},         {"compute_capability", "compute_capability"},
    {"sms", "sms"},           {"cores", "cores"},
    {"clock_hz", "clock_hz"}, {"bandwidth_b_s", "bandwidth_b_s"},
};
static const struct csv_table list_csv[] = {
    {NULL, "machines", list_columns, sizeof list_columns / sizeof *list_columns, NULL}};

const struct view view_machines = {
    .question = "machines",
    .parts = list_parts,
    .part_count = sizeof list_parts / sizeof *list_parts,
    .csv = list_csv,
    .csv_count = 1,
};
