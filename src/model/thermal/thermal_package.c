// SPDX-License-Identifier: Apache-2.0
/* What lies on the die: spreader, heat sink, air. The machine's figures; where a user asks for it, gaps
 * are filled with those of HotSpot's example (Skadron et al., ISCA 2003). */
#include <math.h>

#include "base/quantity.h"
#include "model/thermal/thermal_network.h"

/* Constants of the example configuration of HotSpot 7 (SOURCES.yaml: HOTSPOT), unless it says guess. */
static const struct {
    enum machine_key key;
    double value;
    const char *text;
} defaults[] = {
    {MACHINE_THERMAL_AMBIENT, 45, "HotSpot's example"},
    {MACHINE_THERMAL_DIE_THICKNESS, 0.775e-3, "assumed: a 300 mm wafer, not thinned"},
    {MACHINE_THERMAL_DIE_CONDUCTIVITY, 130, "HotSpot's example"},
    {MACHINE_THERMAL_DIE_CAPACITY, 1630300, "HotSpot's example"},
    {MACHINE_THERMAL_INTERFACE, 20e-6 / 4, "HotSpot's example: 20 um of 4 W/(m K)"},
    {MACHINE_THERMAL_SPREADER_THICKNESS, 1e-3, "HotSpot's example"},
    {MACHINE_THERMAL_SPREADER_CONDUCTIVITY, 400, "HotSpot's example"},
    {MACHINE_THERMAL_SPREADER_CAPACITY, 3.55e6, "HotSpot's example"},
    {MACHINE_THERMAL_BOND, 20e-6 / 4, "as between die and spreader"},
    {MACHINE_THERMAL_SINK_THICKNESS, 6.9e-3, "HotSpot's example"},
    {MACHINE_THERMAL_SINK_CONDUCTIVITY, 400, "HotSpot's example"},
    {MACHINE_THERMAL_SINK_CAPACITY, 3.55e6, "HotSpot's example"},
    {MACHINE_THERMAL_SINK_RESISTANCE, 0.1, "HotSpot's example"},
    {MACHINE_THERMAL_SINK_FINS, 140.4, "HotSpot's example"},
};
enum { DEFAULTS = sizeof defaults / sizeof defaults[0] };

struct package_reading {
    struct diag *diag;
    struct arena *arena;
    const struct machine *machine;
    bool assume;
    const char **assumptions;
    size_t count;
};

static void note(struct package_reading *from, const char *text)
{
    if (from->count < THERMAL_ASSUMPTIONS) from->assumptions[from->count++] = text;
}

static void note_value(struct package_reading *from, enum machine_key key, double value,
                       const char *why)
{
    const struct machine_key_info *info = &machine_key_infos[key];
    note(from,
         arena_format(from->arena, "%s = %s: %s", info->path,
                      quantity_exact(value, dimension_unit((enum dimension)info->dimension)).text,
                      why));
}

/* The machine's figure, else `otherwise` if gaps are to be filled. */
static ws_status get(struct package_reading *from, enum machine_key key, double otherwise,
                     const char *why, double *out)
{
    const struct machine *machine = from->machine;
    *out = machine_get(machine, key, otherwise);
    if (machine_has(machine, key)) {
        if (machine->values[key].assumed)
            note(from,
                 arena_format(
                     from->arena, "%s = %s (machine file)", machine_key_infos[key].path,
                     quantity_exact(
                         *out, dimension_unit((enum dimension)machine_key_infos[key].dimension))
                         .text));
        return WS_OK;
    }
    if (from->assume) {
        note_value(from, key, otherwise, why);
        return WS_OK;
    }
    return diag_error(from->diag, WS_ERR_NO_MODEL,
                      "%s does not define %s: add it to the machine file, use --set machine.%s=V, "
                      "or --floorplan grid to assume a typical package",
                      machine->id, machine_key_infos[key].path, machine_key_infos[key].path);
}

static ws_status get_default(struct package_reading *from, enum machine_key key, double *out)
{
    for (size_t i = 0; i < DEFAULTS; i++)
        if (defaults[i].key == key) return get(from, key, defaults[i].value, defaults[i].text, out);
    return diag_error(from->diag, WS_ERR_INTERNAL, "%s has no default",
                      machine_key_infos[key].path);
}

/* A layer must carry the one above it: heat has nowhere to go from what sticks out. */
static ws_status check_cover(struct package_reading *from, const struct thermal_package *package,
                             enum thermal_layer_id id)
{
    static const char *const names[LAYERS] = {"die", "spreader", "heat sink"};
    const struct thermal_layer *upper = &package->layers[id - 1], *lower = &package->layers[id];
    if (lower->width_metres >= upper->width_metres * (1 - 1e-9) &&
        lower->height_metres >= upper->height_metres * (1 - 1e-9))
        return WS_OK;
    return diag_error(from->diag, WS_ERR_ARGUMENT,
                      "%s: the %s, %.4g mm x %.4g mm, does not cover the %s, %.4g mm x %.4g mm",
                      from->machine->id, names[id], 1e3 * lower->width_metres,
                      1e3 * lower->height_metres, names[id - 1], 1e3 * upper->width_metres,
                      1e3 * upper->height_metres);
}

static ws_status read_spreader(struct package_reading *from, struct thermal_package *out)
{
    struct thermal_layer *layer = &out->layers[LAYER_SPREADER];
    const struct thermal_layer *die = &out->layers[LAYER_DIE];
    TRY(get(from, MACHINE_THERMAL_SPREADER_WIDTH, fmax(0.03, 1.5 * die->width_metres),
            "HotSpot's example, or 1.5 times the die", &layer->width_metres));
    TRY(get(from, MACHINE_THERMAL_SPREADER_HEIGHT, fmax(0.03, 1.5 * die->height_metres),
            "HotSpot's example, or 1.5 times the die", &layer->height_metres));
    TRY(get_default(from, MACHINE_THERMAL_SPREADER_THICKNESS, &layer->thickness_metres));
    TRY(get_default(from, MACHINE_THERMAL_SPREADER_CONDUCTIVITY, &layer->conductivity));
    TRY(get_default(from, MACHINE_THERMAL_SPREADER_CAPACITY, &layer->capacity));
    TRY(get_default(from, MACHINE_THERMAL_BOND, &out->contact[LAYER_SPREADER]));
    return check_cover(from, out, LAYER_SPREADER);
}

static ws_status read_sink(struct package_reading *from, struct thermal_package *out)
{
    struct thermal_layer *layer = &out->layers[LAYER_SINK];
    const struct thermal_layer *spreader = &out->layers[LAYER_SPREADER];
    double resistance;
    TRY(get(from, MACHINE_THERMAL_SINK_WIDTH, fmax(0.06, 2 * spreader->width_metres),
            "HotSpot's example, or twice the spreader", &layer->width_metres));
    TRY(get(from, MACHINE_THERMAL_SINK_HEIGHT, fmax(0.06, 2 * spreader->height_metres),
            "HotSpot's example, or twice the spreader", &layer->height_metres));
    TRY(get_default(from, MACHINE_THERMAL_SINK_THICKNESS, &layer->thickness_metres));
    TRY(get_default(from, MACHINE_THERMAL_SINK_CONDUCTIVITY, &layer->conductivity));
    TRY(get_default(from, MACHINE_THERMAL_SINK_CAPACITY, &layer->capacity));
    TRY(get_default(from, MACHINE_THERMAL_SINK_RESISTANCE, &resistance));
    TRY(get_default(from, MACHINE_THERMAL_SINK_FINS, &out->fins_capacity));
    out->contact[LAYER_SINK] = resistance * layer->width_metres * layer->height_metres;
    return check_cover(from, out, LAYER_SINK);
}

ws_status thermal_package_read(struct diag *diag, struct arena *arena,
                               const struct machine *machine, const struct floorplan *plan,
                               bool assume, struct thermal_package *out, const char **assumptions,
                               size_t *out_count)
{
    struct package_reading from = {diag, arena, machine, assume, assumptions, 0};
    struct thermal_layer *die = &out->layers[LAYER_DIE];
    *out = (struct thermal_package){0};
    if (plan->assumed) note(&from, "the floorplan is assumed");
    die->width_metres = plan->width_metres;
    die->height_metres = plan->height_metres;
    TRY(get_default(&from, MACHINE_THERMAL_DIE_THICKNESS, &die->thickness_metres));
    TRY(get_default(&from, MACHINE_THERMAL_DIE_CONDUCTIVITY, &die->conductivity));
    TRY(get_default(&from, MACHINE_THERMAL_DIE_CAPACITY, &die->capacity));
    TRY(get_default(&from, MACHINE_THERMAL_INTERFACE, &out->contact[LAYER_DIE]));
    TRY(read_spreader(&from, out));
    TRY(read_sink(&from, out));
    TRY(get_default(&from, MACHINE_THERMAL_AMBIENT, &out->ambient_celsius));
    out->static_watts_per_kelvin = machine_get(machine, MACHINE_POWER_STATIC_PER_KELVIN, 0);
    if (!machine_has(machine, MACHINE_POWER_STATIC_PER_KELVIN))
        note(&from,
             "power.static_per_kelvin unknown: static power assumed independent of temperature");
    else if (machine->values[MACHINE_POWER_STATIC_PER_KELVIN].assumed)
        note_value(&from, MACHINE_POWER_STATIC_PER_KELVIN, out->static_watts_per_kelvin,
                   "assumed in the machine file");
    *out_count = from.count;
    return WS_OK;
}
