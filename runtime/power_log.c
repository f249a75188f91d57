// SPDX-License-Identifier: Apache-2.0
#include "power_log.h"

#include <math.h>
#include <stdio.h>

#include "tally.h"

struct figure {
    const char *key;
    double *place;
};

static bool read_figures(const struct figure *figures, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++)
        all &= ws_machine_get(runtime.machine, figures[i].key, figures[i].place) == WS_OK;
    return all;
}

/* A file with coefficients has these; how many more a kernel needs, the model says. */
static bool read_power(struct chip *chip)
{
    double unused;
    const struct figure figures[] = {
        {"power.idle", &chip->idle_watts}, {"power.max.int", &unused},
        {"power.max.fp", &unused},         {"power.max.sfu", &unused},
        {"power.max.reg", &unused},        {"power.max.fds", &unused},
        {"power.max.shared", &unused},     {"power.max.const", &unused},
        {"power.max.global", &unused},     {"power.const_sm", &unused},
        {"power.activation", &unused},     {"power.log_scaling", &unused},
    };
    return read_figures(figures, sizeof figures / sizeof *figures);
}

static bool read_temperature(struct chip *chip)
{
    const struct figure figures[] = {
        {"temperature.idle", &chip->idle_celsius},
        {"temperature.per_watt", &chip->per_watt},
        {"temperature.offset", &chip->offset_kelvin},
        {"temperature.by_intensity", &chip->by_intensity_kelvin},
        {"temperature.rc_rise", &chip->rc_rise_seconds},
        {"temperature.rc_decay", &chip->rc_decay_seconds},
        {"power.static_per_kelvin", &chip->static_per_kelvin},
    };
    return read_figures(figures, sizeof figures / sizeof *figures) &&
           chip->per_watt * chip->static_per_kelvin < 1; /* else thermal runaway */
}

static struct gpu_history *history(void)
{
    static struct gpu_history all;
    if (all.phases) return &all;
    struct chip chip = {0};
    chip.has_power = read_power(&chip);
    chip.has_temperature = chip.has_power && read_temperature(&chip);
    if (!chip.has_temperature) chip.static_per_kelvin = 0;
    if (!gpu_history_init(&all, &chip)) out_of_memory(sizeof *all.phases);
    return &all;
}

static bool is_used, some_unknown;

void power_log_use(void)
{
    is_used = true;
}

/* ---- launches -------------------------------------------------------------------------------- */

static struct launch_power power_of(const ws_answer *answer)
{
#define TERM(id)                                                                                   \
    (answer ? ws_answer_number(answer, "kernels/0/machines/0/power/terms/" id) : (double)NAN)
    return (struct launch_power){TERM("runtime_w"), TERM("memaccess_intensity")};
#undef TERM
}

/* At a time of the launch. Traces tell the hits in caches; the time of the report's table knows none (tally.c). */
static struct launch_power predict_power(const ws_profile *profile, const char *l2, double seconds)
{
    char time[48];
    snprintf(time, sizeof time, "power_time_s=%.17g", seconds);
    const ws_input inputs[] = {{.name = "times_only", .value = 1},
                               {.name = "l2", .word = l2},
                               {.name = "model_options", .word = time},
                               {.name = "without_traces", .value = 1}};
    bool has_traces = runtime.options.clock == CLOCK_MODEL;
    size_t count = sizeof inputs / sizeof *inputs - has_traces;
    ws_answer *answer = NULL;
    bool is_known = seconds > 0 && tally_ask(profile, inputs, count, &answer) == WS_OK;
    struct launch_power power = power_of(is_known ? answer : NULL);
    ws_answer_destroy(answer);
    return power;
}

struct class_power class_power_of(const ws_profile *profile, double l2_found,
                                  const ws_answer *answer, const struct class_seconds *seconds)
{
    const char *l2 = runtime.options.l2 ? runtime.options.l2 : "cold";
    struct class_power power = {.l2_found = l2_found, .own = power_of(answer)};
    bool is_wanted = is_used && history()->chip.has_power;
    if (is_wanted && runtime.options.clock == CLOCK_MODEL)
        power.own = predict_power(profile, l2, seconds->own);
    power.cold = power.warm = power.own;
    if (is_wanted && seconds->cold != seconds->own)
        power.cold = predict_power(profile, "cold", seconds->cold);
    if (is_wanted && seconds->warm != seconds->own)
        power.warm = predict_power(profile, "100%", seconds->warm);
    return power;
}

/* On the lines from nothing found in the L2 to what the counted launch found, and on to all. */
struct launch_power class_power_with(const struct class_power *power, double l2_found)
{
    if (!power) return (struct launch_power){NAN, NAN};
    struct launch_power out = power->own;
    double own = out.runtime_watts, counted = power->l2_found;
    double cold = power->cold.runtime_watts, warm = power->warm.runtime_watts;
    if (l2_found < counted) out.runtime_watts = cold + l2_found / counted * (own - cold);
    if (l2_found > counted)
        out.runtime_watts = own + (l2_found - counted) / (1 - counted) * (warm - own);
    return out;
}

void power_log_ran(const struct launch_power *power, double begin, double end)
{
    some_unknown |= !isfinite(power->runtime_watts) && end > begin;
    struct gpu_history *all = history();
    if (!gpu_history_ran(all, power, begin, end)) out_of_memory(sizeof *all->phases);
}

const struct gpu_history *power_log(void)
{
    struct gpu_history *all = history();
    if (all->chip.has_power && some_unknown)
        note("The model ipp-power has no power for some launches: in NVML's readings they draw "
             "idle power.");
    return all;
}
