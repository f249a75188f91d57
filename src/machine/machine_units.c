// SPDX-License-Identifier: Apache-2.0
/* Units: their dimension and factor to SI; and what values a key may have. */
#include "machine/machine_units.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf.h"

static const struct {
    const char *name;
    enum dimension dimension;
    double factor;
} units[] = {
    {"B", DIM_BYTES, 1},
    {"kB", DIM_BYTES, 1e3},
    {"MB", DIM_BYTES, 1e6},
    {"GB", DIM_BYTES, 1e9},
    {"TB", DIM_BYTES, 1e12},
    {"KiB", DIM_BYTES, 0x1p10},
    {"MiB", DIM_BYTES, 0x1p20},
    {"GiB", DIM_BYTES, 0x1p30},
    {"TiB", DIM_BYTES, 0x1p40},
    {"bit", DIM_BIT, 1},
    {"cycle", DIM_CYCLE, 1},
    {"Hz", DIM_HERTZ, 1},
    {"kHz", DIM_HERTZ, 1e3},
    {"MHz", DIM_HERTZ, 1e6},
    {"GHz", DIM_HERTZ, 1e9},
    {"B/s", DIM_BYTES_PER_SECOND, 1},
    {"kB/s", DIM_BYTES_PER_SECOND, 1e3},
    {"MB/s", DIM_BYTES_PER_SECOND, 1e6},
    {"GB/s", DIM_BYTES_PER_SECOND, 1e9},
    {"TB/s", DIM_BYTES_PER_SECOND, 1e12},
    {"KiB/s", DIM_BYTES_PER_SECOND, 0x1p10},
    {"MiB/s", DIM_BYTES_PER_SECOND, 0x1p20},
    {"GiB/s", DIM_BYTES_PER_SECOND, 0x1p30},
    {"TiB/s", DIM_BYTES_PER_SECOND, 0x1p40},
    {"B/cycle", DIM_BYTES_PER_CYCLE, 1},
    {"thread/cycle", DIM_THREAD_PER_CYCLE, 1},
    {"inst/s", DIM_INSTRUCTION_PER_SECOND, 1},
    {"Ginst/s", DIM_INSTRUCTION_PER_SECOND, 1e9},
    {"mW", DIM_WATT, 1e-3},
    {"W", DIM_WATT, 1},
    {"kW", DIM_WATT, 1e3},
    {"mV", DIM_VOLT, 1e-3},
    {"V", DIM_VOLT, 1},
    {"pJ", DIM_JOULE, 1e-12},
    {"nJ", DIM_JOULE, 1e-9},
    {"J", DIM_JOULE, 1},
    {"pJ/B", DIM_JOULE_PER_BYTE, 1e-12},
    {"J/B", DIM_JOULE_PER_BYTE, 1},
    {"nm", DIM_METRE, 1e-9},
    {"um", DIM_METRE, 1e-6},
    {"mm", DIM_METRE, 1e-3},
    {"m", DIM_METRE, 1},
    {"ns", DIM_SECOND, 1e-9},
    {"us", DIM_SECOND, 1e-6},
    {"ms", DIM_SECOND, 1e-3},
    {"s", DIM_SECOND, 1},
    {"degC", DIM_CELSIUS, 1},
    {"K", DIM_KELVIN, 1},
    {"K/W", DIM_KELVIN_PER_WATT, 1},
    {"W/K", DIM_WATT_PER_KELVIN, 1},
    {"mm2", DIM_AREA, 1e-6},
    {"m2", DIM_AREA, 1},
    {"W/(m K)", DIM_CONDUCTIVITY, 1},
    {"J/K", DIM_HEAT_CAPACITY, 1},
    {"J/(m3 K)", DIM_VOLUME_HEAT_CAPACITY, 1},
    {"MJ/(m3 K)", DIM_VOLUME_HEAT_CAPACITY, 1e6},
    {"mm2 K/W", DIM_AREA_RESISTANCE, 1e-6},
    {"m2 K/W", DIM_AREA_RESISTANCE, 1},
};
enum { UNIT_ROWS = sizeof units / sizeof units[0] };

static const struct {
    const char *unit, *words;
} dimensions[DIMENSION_COUNT] = {
    [DIM_COUNT] = {"", "a count"},
    [DIM_NUMBER] = {"", "a number"},
    [DIM_BYTES] = {"B", "a size"},
    [DIM_BIT] = {"bit", "a width"},
    [DIM_CYCLE] = {"cycle", "a number of core cycles"},
    [DIM_HERTZ] = {"Hz", "a clock rate"},
    [DIM_BYTES_PER_SECOND] = {"B/s", "a bandwidth per second"},
    [DIM_BYTES_PER_CYCLE] = {"B/cycle", "a bandwidth per cycle"},
    [DIM_THREAD_PER_CYCLE] = {"thread/cycle", "a throughput in threads"},
    [DIM_INSTRUCTION_PER_SECOND] = {"inst/s", "a throughput in warp instructions"},
    [DIM_WATT] = {"W", "a power"},
    [DIM_VOLT] = {"V", "a voltage"},
    [DIM_JOULE] = {"J", "an energy"},
    [DIM_JOULE_PER_BYTE] = {"J/B", "an energy per byte"},
    [DIM_METRE] = {"m", "a length"},
    [DIM_SECOND] = {"s", "a time"},
    [DIM_CELSIUS] = {"degC", "a temperature"},
    [DIM_KELVIN] = {"K", "a difference of temperatures"},
    [DIM_KELVIN_PER_WATT] = {"K/W", "a rise of temperature by power"},
    [DIM_WATT_PER_KELVIN] = {"W/K", "a rise of power by temperature"},
    [DIM_AREA] = {"m2", "an area"},
    [DIM_CONDUCTIVITY] = {"W/(m K)", "a heat conductivity"},
    [DIM_HEAT_CAPACITY] = {"J/K", "a heat capacity"},
    [DIM_VOLUME_HEAT_CAPACITY] = {"J/(m3 K)", "a heat capacity by volume"},
    [DIM_AREA_RESISTANCE] = {"m2 K/W", "a heat resistance of an area"},
};

const char *dimension_unit(enum dimension dimension)
{
    return dimensions[dimension].unit;
}

const char *dimension_words(enum dimension dimension)
{
    return dimensions[dimension].words;
}

bool dimension_is_bare(enum dimension dimension)
{
    return dimension == DIM_COUNT || dimension == DIM_NUMBER;
}

bool unit_find(const char *text, enum dimension *dimension, double *factor)
{
    for (size_t i = 0; i < UNIT_ROWS; i++) {
        if (strcmp(units[i].name, text) != 0) continue;
        *dimension = units[i].dimension;
        *factor = units[i].factor;
        return true;
    }
    return false;
}

const char *unit_names(struct arena *arena, enum dimension dimension)
{
    struct strbuf text = {0};
    for (size_t i = 0; i < UNIT_ROWS; i++)
        if (units[i].dimension == dimension)
            strbuf_printf(&text, "%s%s", text.length ? ", " : "", units[i].name);
    char *copy = arena_copy_n(arena, text.data ? text.data : "", text.length);
    strbuf_clear(&text);
    return copy;
}

/* 0 says "does not exist" where a GPU can do without: a class, a cache, a reserve. */
static bool may_be_zero(enum machine_key key)
{
    if (key >= MACHINE_THROUGHPUT_FIRST) return true;
    if (key >= MACHINE_POWER_MAX_INT && key <= MACHINE_TEMPERATURE_BY_INTENSITY) return true;
    switch (key) {
    case MACHINE_SM_REGISTER_PER_BLOCK:
    case MACHINE_SM_EARLY_RELEASE:
    case MACHINE_SHARED_PER_SM:
    case MACHINE_SHARED_PER_BLOCK:
    case MACHINE_SHARED_RESERVED:
    case MACHINE_SHARED_LATENCY:
    case MACHINE_L1_SIZE:
    case MACHINE_L1_LINE:
    case MACHINE_L1_LATENCY:
    case MACHINE_L1_BANDWIDTH:
    case MACHINE_L2_SIZE:
    case MACHINE_L2_LATENCY:
    case MACHINE_L2_BANDWIDTH:
    case MACHINE_DEPARTURE_COALESCED:
    case MACHINE_DEPARTURE_UNCOALESCED:
    case MACHINE_CPU_FMA:
    case MACHINE_CPU_L1_SIZE:
    case MACHINE_CPU_L2_SIZE:
    case MACHINE_CPU_L3_SIZE:
    case MACHINE_POWER_IDLE:
    case MACHINE_POWER_ACTIVE_SM:
    case MACHINE_POWER_ACTIVE_TPC:
    case MACHINE_THERMAL_AMBIENT:
    case MACHINE_THERMAL_INTERFACE:
    case MACHINE_THERMAL_BOND:
    case MACHINE_THERMAL_SINK_FINS:
        return true;
    default:
        return false;
    }
}

/* No access and no instruction of a GPU takes a thousandth of a second; a guess. */
static const double CYCLES_MOST = 1e6;

const char *figure_fault(enum machine_key key, double value)
{
    enum dimension dimension = machine_key_infos[key].dimension;
    bool whole = dimension == DIM_COUNT || dimension == DIM_BYTES || dimension == DIM_BIT;
    if (!isfinite(value)) return "must be a finite number";
    if (value < 0) return "cannot be negative";
    if (value == 0 && !may_be_zero(key)) return "cannot be 0";
    if (whole && value != floor(value)) return "must be a whole number";
    /* 2^53: beyond it a double does not hold every whole number. */
    if (whole && value > 0x1p53) return "is too large";
    /* Counts are kept in 32 bits; simulated time has 63 for all that a launch waits. */
    if (dimension == DIM_COUNT && value > UINT32_MAX) return "is too large: at most 4294967295";
    if (dimension == DIM_CYCLE && value > CYCLES_MOST) return "is too large: at most 1000000";
    bool is_rate = dimension == DIM_HERTZ || dimension == DIM_BYTES_PER_SECOND ||
                   dimension == DIM_INSTRUCTION_PER_SECOND;
    /* What is divided by it must stay finite. */
    if (is_rate && value > 0 && value < 1) return "is too small: at least 1 per second";
    if (key == MACHINE_GLOBAL_RULE && value != 10 && value != 12 && value != 32)
        return "must be 10, 12 or 32";
    if (key == MACHINE_ISSUE_SCOREBOARD && value > 3) return "must be 1, 2 or 3";
    bool is_flag = key == MACHINE_SM_REGISTER_PER_BLOCK || key == MACHINE_SM_EARLY_RELEASE ||
                   key == MACHINE_POWER_LOG_SCALING || key == MACHINE_CPU_FMA ||
                   (key >= MACHINE_POWER_SPEC_LINEAR_INT && key <= MACHINE_POWER_SPEC_LINEAR_L2);
    if (is_flag && value > 1) return "must be 0 or 1";
    if (key == MACHINE_POWER_LOG_BETA && value >= 10) return "must be less than 10";
    return NULL;
}
