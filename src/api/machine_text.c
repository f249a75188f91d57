// SPDX-License-Identifier: Apache-2.0
/* A machine file in words, JSON and CSV: every figure with unit and source. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/handles.h"
#include "api/machine_text.h"
#include "base/float_state.h"
#include "base/strbuf.h"
#include "render/json_out.h"

const char *machine_key_unit(size_t key)
{
    return dimension_unit((enum dimension)machine_key_infos[key].dimension);
}

struct quantity machine_quantity(size_t key, double value)
{
    static const struct {
        double bytes;
        const char *name;
    } sizes[] = {{0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};
    struct quantity out;
    if (machine_key_infos[key].dimension == DIM_BYTES)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            if (value >= sizes[i].bytes && fmod(value, sizes[i].bytes) == 0) {
                snprintf(out.text, sizeof out.text, "%.0f %s", value / sizes[i].bytes,
                         sizes[i].name);
                return out;
            }
    return quantity_exact(value, machine_key_unit(key));
}

static const char *value_source(const struct machine_value *value)
{
    return value->assumed ? "assumed" : value->source ? value->source : "what-if";
}

/* ---- curves ---------------------------------------------------------------------------------- */

static const char *curve_source(const struct machine_curve *curve)
{
    return curve->assumed ? "assumed" : curve->source;
}

/* "870 at 6, 1112 at 16": all points of a curve by warps, of one by more axes the least and greatest,
 * with the unit. */
static void curve_points(const struct machine *machine, enum machine_curve_id id,
                         struct strbuf *out)
{
    const struct machine_curve *curve = &machine->curves[id];
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < curve->count; i++) {
        double value = machine_curve_value(machine, id, i);
        least = fmin(least, value);
        most = fmax(most, value);
        if (!curve->axes[1])
            strbuf_printf(out, "%s%.4g at %.9g", i ? ", " : "", value, curve->axes[0][i]);
    }
    if (curve->axes[1])
        strbuf_printf(out, "%zu from %s to %s", curve->count,
                      quantity_format(least, machine_curve_unit(id)).text,
                      quantity_format(most, machine_curve_unit(id)).text);
    else
        strbuf_printf(out, " %s", machine_curve_unit(id));
}

static void curve_text(const struct machine *machine, size_t i, struct strbuf *out)
{
    enum machine_curve_id id = (enum machine_curve_id)i;
    const struct machine_curve_info *info = &machine_curve_infos[id];
    const struct machine_curve *curve = &machine->curves[id];
    if (!curve->count) return;
    strbuf_printf(out, "%-40s ", info->path);
    curve_points(machine, id, out);
    strbuf_printf(out, "%s, by ", info->scale > 0 ? " per SM" : "");
    for (unsigned axis = 0; axis < CURVE_AXES && info->axes[axis]; axis++)
        strbuf_printf(out, "%s%s", axis ? ", " : "", info->axes[axis]);
    strbuf_printf(out, "  %s\n", curve_source(curve));
}

static void json_numbers(struct json_out *json, const char *key, const double *numbers,
                         size_t count)
{
    json_out_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_out_number(json, NULL, numbers[i]);
    json_out_close(json, ']');
}

static void curve_json(struct json_out *json, const struct machine *machine, size_t i)
{
    enum machine_curve_id id = (enum machine_curve_id)i;
    const struct machine_curve_info *info = &machine_curve_infos[id];
    const struct machine_curve *curve = &machine->curves[id];
    json_out_open(json, info->path, '{');
    for (unsigned axis = 0; axis < CURVE_AXES && info->axes[axis]; axis++)
        json_numbers(json, info->axes[axis], curve->axes[axis],
                     curve->count ? curve->axis_counts[axis] : 0);
    json_out_open(json, "value", '[');
    for (size_t k = 0; k < curve->count; k++)
        json_out_number(json, NULL, machine_curve_value(machine, id, k));
    json_out_close(json, ']');
    json_out_string(json, "unit", machine_curve_unit(id));
    if (curve->count)
        json_out_string(json, "source", curve_source(curve));
    else
        json_out_string(json, "reason", "not in the machine file");
    json_out_close(json, '}');
}

static void curve_csv(const struct machine *machine, size_t i, struct strbuf *out)
{
    enum machine_curve_id id = (enum machine_curve_id)i;
    const struct machine_curve *curve = &machine->curves[id];
    for (size_t k = 0; k < curve->count; k++) {
        char number[NUMBER_TEXT];
        double point[CURVE_AXES];
        number_exact(number, machine_curve_value(machine, id, k));
        machine_curve_point(curve, k, point);
        strbuf_printf(out, "%s,%s", machine->id, machine_curve_infos[id].path);
        for (unsigned axis = 0; axis < CURVE_AXES && curve->axes[axis]; axis++)
            strbuf_printf(out, ".%.10g", point[axis]);
        strbuf_printf(out, ",%s,%s,%s\n", number, machine_curve_unit(id), curve_source(curve));
    }
}

/* ---- the machine ----------------------------------------------------------------------------- */

void machine_title(const struct machine *machine, struct strbuf *out)
{
    strbuf_printf(out, "%s  %s  ", machine->id, machine->name);
    if (machine->kind == MACHINE_IS_CPU)
        strbuf_puts(out, "CPU\n");
    else
        strbuf_printf(out, "compute capability %u.%u\n", machine->cc_major, machine->cc_minor);
}

static void describe_text(const struct machine *machine, struct strbuf *out)
{
    machine_title(machine, out);
    if (machine->inherits) strbuf_printf(out, "inherits  %s\n", machine->inherits);
    for (size_t i = 0; i < machine->alias_count; i++)
        strbuf_printf(out, "%s%s%s", i ? " " : "aliases   ", machine->aliases[i],
                      i + 1 == machine->alias_count ? "\n" : "");
    if (machine->chip) strbuf_printf(out, "chip      %s\n", machine->chip);
    for (size_t i = 0; i < machine->note_count; i++)
        strbuf_printf(out, "note      %s\n", machine->notes[i]);
    strbuf_printf(out, "\n%-40s %-22s %s\n", "key", "value", "source");
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        const struct machine_value *value = &machine->values[key];
        if (!value->known) continue;
        struct quantity shown = machine_quantity(key, value->value);
        strbuf_printf(out, "machine.%-32s %-22s %s\n", machine_key_infos[key].path, shown.text,
                      value_source(value));
    }
    for (size_t id = 0; id < CURVE_COUNT; id++)
        curve_text(machine, id, out);
    machine_floorplan_text(machine, out);
    strbuf_puts(out, "\nnot known:");
    size_t column = 10;
    for (size_t key = 0; key < MACHINE_THROUGHPUT_FIRST; key++) {
        if (machine->values[key].known || !machine_key_is_for((enum machine_key)key, machine->kind))
            continue;
        size_t length = strlen(machine_key_infos[key].path) + 1;
        if (column + length > 96) {
            strbuf_puts(out, "\n          ");
            column = 10;
        }
        strbuf_printf(out, " %s", machine_key_infos[key].path);
        column += length;
    }
    strbuf_puts(out, "\n");
}

static void describe_json(const struct machine *machine, struct strbuf *out)
{
    struct json_out json = {.out = out};
    char capability[32];
    snprintf(capability, sizeof capability, "%u.%u", machine->cc_major, machine->cc_minor);
    json_out_open(&json, NULL, '{');
    json_out_string(&json, "schema", "warpsage.machine/1");
    json_out_string(&json, "machine", machine->id);
    json_out_string(&json, "name", machine->name);
    json_out_string(&json, "kind", machine_kind_words[machine->kind]);
    json_out_string(&json, "compute_capability",
                    machine->kind == MACHINE_IS_CPU ? NULL : capability);
    json_out_string(&json, "inherits", machine->inherits);
    json_out_open(&json, "aliases", '[');
    for (size_t i = 0; i < machine->alias_count; i++)
        json_out_string(&json, NULL, machine->aliases[i]);
    json_out_close(&json, ']');
    json_out_string(&json, "vendor", machine->vendor);
    json_out_string(&json, "chip", machine->chip);
    json_out_open(&json, "notes", '[');
    for (size_t i = 0; i < machine->note_count; i++)
        json_out_string(&json, NULL, machine->notes[i]);
    json_out_close(&json, ']');
    json_out_open(&json, "values", '{');
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        const struct machine_value *value = &machine->values[key];
        if (!machine_key_is_for((enum machine_key)key, machine->kind)) continue;
        json_out_open(&json, machine_key_infos[key].path, '{');
        if (value->known) {
            json_out_number(&json, "value", value->value);
            json_out_string(&json, "unit", machine_key_unit(key));
            json_out_string(&json, "source", value_source(value));
        } else {
            json_out_null(&json, "value");
            json_out_string(&json, "unit", machine_key_unit(key));
            json_out_string(&json, "reason", "not in the machine file");
        }
        json_out_close(&json, '}');
    }
    json_out_close(&json, '}');
    json_out_open(&json, "curves", '{');
    for (size_t id = 0; id < CURVE_COUNT; id++)
        curve_json(&json, machine, id);
    json_out_close(&json, '}');
    machine_floorplan_json(machine, &json);
    json_out_close(&json, '}');
    strbuf_putc(out, '\n');
}

static void describe_csv(const struct machine *machine, struct strbuf *out)
{
    strbuf_puts(out, "machine,key,value,unit,source\n");
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        const struct machine_value *value = &machine->values[key];
        if (!value->known) continue;
        char number[NUMBER_TEXT];
        number_exact(number, value->value);
        strbuf_printf(out, "%s,%s,%s,%s,%s\n", machine->id, machine_key_infos[key].path, number,
                      machine_key_unit(key), value_source(value));
    }
    for (size_t id = 0; id < CURVE_COUNT; id++)
        curve_csv(machine, id, out);
    machine_floorplan_csv(machine, out);
}

ws_status ws_machine_describe(const ws_machine *machine, ws_format format, char **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(machine->context, out)
    struct strbuf text = {0};
    switch (format) {
    case WS_FORMAT_JSON:
        describe_json(machine->machine, &text);
        break;
    case WS_FORMAT_CSV:
        describe_csv(machine->machine, &text);
        break;
    default:
        describe_text(machine->machine, &text);
    }
    *out = strbuf_take(&text);
    return WS_OK;
}
