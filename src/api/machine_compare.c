// SPDX-License-Identifier: Apache-2.0
/* A machine file against the models, against another machine, and against a word. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "api/handles.h"
#include "api/machine_text.h"
#include "base/float_state.h"
#include "base/strbuf.h"
#include "render/json_out.h"

/* ---- what models find in it -------------------------------------------------------------------- */

static void add_model(const struct machine *machine, const struct model *model,
                      const char *no_occupancy, struct strbuf *out)
{
    unsigned missing = 0;
    strbuf_printf(out, "  %-16s ", model->name);
    const enum machine_key *key = model->needs_machine;
    for (; key && *key != MACHINE_KEY_COUNT; key++) {
        if (machine_has(machine, *key)) continue;
        strbuf_printf(out, "%s%s", missing++ ? ", " : "lacks ", machine_key_infos[*key].path);
    }
    if (model->needs_occupancy && no_occupancy)
        strbuf_printf(out, "%sthe occupancy", missing++ ? ", " : "lacks ");
    strbuf_puts(out, missing ? "\n" : "has what it needs\n");
}

/* With every resource asked for, so that each figure of the occupancy must be there. */
static ws_status try_occupancy(struct diag *diag, const struct machine *machine)
{
    struct occupancy_query query = {
        .threads_per_block = 32, .registers_per_thread = 8, .shared_bytes = 4};
    struct occupancy occupancy;
    return machine_occupancy(diag, machine, &query, &occupancy);
}

ws_status ws_machine_assess(const ws_machine *handle, char **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(handle->context, out)
    const struct machine *machine = handle->machine;
    struct strbuf text = {0};
    struct diag silent = {0};
    unsigned known = 0, assumed = 0;
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        known += machine->values[key].known;
        assumed += machine->values[key].known && machine->values[key].assumed;
    }
    machine_title(machine, &text);
    strbuf_printf(&text, "  %-16s %u, %u of them assumed\n", "figures", known, assumed);
    bool is_cpu = machine->kind == MACHINE_IS_CPU;
    bool has_occupancy = !is_cpu && try_occupancy(&silent, machine) == WS_OK;
    if (!is_cpu)
        strbuf_printf(&text, "  %-16s %s\n", "occupancy",
                      has_occupancy ? "has what it needs" : diag_text(&silent));
    if (!is_cpu) machine_floorplan_assess(machine, &text);
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        const struct model *model = model_for(i, machine->kind);
        if (model)
            add_model(machine, model, has_occupancy ? NULL : diag_text(&silent), &text);
        else
            strbuf_printf(&text, "  %-16s a model of GPUs\n", models[i]->name);
    }
    diag_clear(&silent);
    *out = strbuf_take(&text);
    return WS_OK;
}

/* ---- a word ----------------------------------------------------------------------------------- */

bool ws_machine_matches(const ws_machine *handle, const char *word)
{
    const struct machine *machine = handle->machine;
    char target[32] = "cpu";
    if (machine->kind == MACHINE_IS_GPU)
        snprintf(target, sizeof target, "gpu cc %u.%u sm_%u%u", machine->cc_major,
                 machine->cc_minor, machine->cc_major, machine->cc_minor);
    if (strcasestr(machine->id, word) || strcasestr(machine->name, word)) return true;
    if (strcasestr(target, word)) return true;
    if (machine->chip && strcasestr(machine->chip, word)) return true;
    for (size_t i = 0; i < machine->alias_count; i++)
        if (strcasestr(machine->aliases[i], word)) return true;
    return false;
}

/* ---- two machines ------------------------------------------------------------------------------ */

struct pair {
    const struct machine *a, *b;
};

static bool differs(const struct pair *pair, size_t key)
{
    const struct machine_value *a = &pair->a->values[key], *b = &pair->b->values[key];
    return a->known != b->known || (a->known && a->value != b->value);
}

/* b over a; 0: there is none. */
static double ratio_of(const struct pair *pair, size_t key)
{
    const struct machine_value *a = &pair->a->values[key], *b = &pair->b->values[key];
    return a->known && b->known && a->value > 0 ? b->value / a->value : 0;
}

static void put_value(struct strbuf *out, const struct machine_value *value, size_t key)
{
    struct quantity shown = {{0}};
    if (value->known) shown = machine_quantity(key, value->value);
    strbuf_printf(out, " %-18s", value->known ? shown.text : "not known");
}

static bool same_capability(const struct pair *pair)
{
    return pair->a->cc_major == pair->b->cc_major && pair->a->cc_minor == pair->b->cc_minor;
}

/* The value at exactly this point. */
static const char *curve_point(char text[64], const struct machine *machine,
                               enum machine_curve_id id, const double wanted[CURVE_AXES])
{
    const struct machine_curve *curve = &machine->curves[id];
    double point[CURVE_AXES];
    snprintf(text, 64, "not known");
    for (size_t i = 0; i < curve->count; i++) {
        machine_curve_point(curve, i, point);
        if (!memcmp(point, wanted, sizeof point))
            snprintf(text, 64, "%.6g", machine_curve_value(machine, id, i));
    }
    return text;
}

/* "curve.shared at 6 warps", "curve.global at 10, 64, 4". */
static void point_name(char name[64], const struct machine_curve_info *info,
                       const double point[CURVE_AXES])
{
    if (!info->axes[1])
        snprintf(name, 64, "%s at %.9g %s", info->path, point[0], info->axes[0]);
    else
        snprintf(name, 64, "%s at %.9g, %.9g, %.9g", info->path, point[0], point[1], point[2]);
}

/* Points of a that b has otherwise or not at all; `of_b`: those that only b has. */
static void diff_curve(const struct pair *pair, enum machine_curve_id id, bool of_b,
                       struct strbuf *out)
{
    const struct machine_curve *of = of_b ? &pair->b->curves[id] : &pair->a->curves[id];
    for (size_t i = 0; i < of->count; i++) {
        char first[64], second[64], name[64];
        double point[CURVE_AXES];
        machine_curve_point(of, i, point);
        curve_point(first, pair->a, id, point);
        curve_point(second, pair->b, id, point);
        if (!strcmp(first, second) || (of_b && strcmp(first, "not known") != 0)) continue;
        point_name(name, &machine_curve_infos[id], point);
        strbuf_printf(out, "%-36s %-18s %-18s %s\n", name, first, second, machine_curve_unit(id));
    }
}

static void diff_text(const struct pair *pair, struct strbuf *out)
{
    size_t head = out->length;
    strbuf_printf(out, "%-36s %-18s %-18s %s\n", "figure", pair->a->id, pair->b->id, "ratio");
    size_t start = out->length;
    if (pair->a->kind != pair->b->kind)
        strbuf_printf(out, "%-36s %-18s %s\n", "kind", machine_kind_words[pair->a->kind],
                      machine_kind_words[pair->b->kind]);
    else if (!same_capability(pair))
        strbuf_printf(out, "%-36s %u.%-16u %u.%u\n", "compute capability", pair->a->cc_major,
                      pair->a->cc_minor, pair->b->cc_major, pair->b->cc_minor);
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        double ratio = ratio_of(pair, key);
        if (!differs(pair, key)) continue;
        strbuf_printf(out, "machine.%-28s", machine_key_infos[key].path);
        put_value(out, &pair->a->values[key], key);
        put_value(out, &pair->b->values[key], key);
        if (ratio >= 1)
            strbuf_printf(out, " %s\n", quantity_format(ratio, "1").text);
        else if (ratio > 0)
            strbuf_printf(out, " %.3g\n", ratio);
        else
            strbuf_puts(out, " -\n");
    }
    for (unsigned id = 0; id < CURVE_COUNT; id++) {
        diff_curve(pair, (enum machine_curve_id)id, false, out);
        diff_curve(pair, (enum machine_curve_id)id, true, out);
    }
    machine_floorplan_diff_text(pair->a, pair->b, out);
    if (out->length > start) return;
    out->length = head;
    strbuf_puts(out, "no figure differs\n");
}

static void diff_json(const struct pair *pair, struct strbuf *out)
{
    struct json_out json = {.out = out};
    json_out_open(&json, NULL, '{');
    json_out_string(&json, "schema", "warpsage.machine_diff/1");
    json_out_open(&json, "machines", '[');
    json_out_string(&json, NULL, pair->a->id);
    json_out_string(&json, NULL, pair->b->id);
    json_out_close(&json, ']');
    json_out_open(&json, "values", '{');
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        const struct machine_value *values[] = {&pair->a->values[key], &pair->b->values[key]};
        double ratio = ratio_of(pair, key);
        if (!differs(pair, key)) continue;
        json_out_open(&json, machine_key_infos[key].path, '{');
        json_out_open(&json, "values", '[');
        for (size_t i = 0; i < 2; i++) {
            if (values[i]->known)
                json_out_number(&json, NULL, values[i]->value);
            else
                json_out_null(&json, NULL);
        }
        json_out_close(&json, ']');
        json_out_string(&json, "unit", machine_key_unit(key));
        if (ratio > 0)
            json_out_number(&json, "ratio", ratio);
        else
            json_out_null(&json, "ratio");
        json_out_close(&json, '}');
    }
    json_out_close(&json, '}');
    json_out_bool(&json, "floorplan_differs", machine_floorplan_differs(pair->a, pair->b));
    json_out_close(&json, '}');
    strbuf_putc(out, '\n');
}

static void diff_csv(const struct pair *pair, struct strbuf *out)
{
    strbuf_printf(out, "key,%s,%s,unit,ratio\n", pair->a->id, pair->b->id);
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        const struct machine_value *a = &pair->a->values[key], *b = &pair->b->values[key];
        double ratio = ratio_of(pair, key);
        char first[NUMBER_TEXT] = "", second[NUMBER_TEXT] = "", third[NUMBER_TEXT] = "";
        if (!differs(pair, key)) continue;
        if (a->known) number_exact(first, a->value);
        if (b->known) number_exact(second, b->value);
        if (ratio > 0) number_exact(third, ratio);
        strbuf_printf(out, "%s,%s,%s,%s,%s\n", machine_key_infos[key].path, first, second,
                      machine_key_unit(key), third);
    }
}

ws_status ws_machine_diff(const ws_machine *a, const ws_machine *b, ws_format format, char **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(a->context, out)
    struct pair pair = {a->machine, b->machine};
    struct strbuf text = {0};
    if (format == WS_FORMAT_JSON)
        diff_json(&pair, &text);
    else if (format == WS_FORMAT_CSV)
        diff_csv(&pair, &text);
    else
        diff_text(&pair, &text);
    *out = strbuf_take(&text);
    return WS_OK;
}
