// SPDX-License-Identifier: Apache-2.0
/* The closed forms of appendix A: energy efficiency. */
#include <math.h>
#include <stdio.h>

#include "model/closed_form/closed_form.h"
#include "model/closed_form/energy_form.h"

static const struct input_row energy_eff_rows[] = {
    {"t0", NAN, NULL}, {"tn", NAN, NULL}, {"p0", NAN, NULL}, {"pn", NAN, NULL}, {0}};

static ws_status run_energy_eff(struct evaluation *e)
{
    TRY(EVALUATION_POSITIVE(e, "t0", "tn", "p0", "pn"));
    double t0 = evaluation_get(e, "t0"), tn = evaluation_get(e, "tn");
    double p0 = evaluation_get(e, "p0"), pn = evaluation_get(e, "pn");
    struct energy_result result = energy_compare(t0, p0, tn, pn);
    evaluation_put(e, "speedup", result.speedup);
    evaluation_put(e, "energy_efficiency", result.efficiency);
    evaluation_put(e, "e0", p0 * t0);
    evaluation_put(e, "en", pn * tn);
    return WS_OK;
}

/* The inputs of a device are "o.D", "cpu.phi" and so on, as in appendix A. */
#define DEVICE(name)                                                                               \
    {name ".D", NAN, NULL}, {name ".phi", 1, NULL}, {name ".C", NAN, NULL},                        \
        {name ".zeta", 1, NULL}, {name ".F", NAN, NULL},                                           \
    {                                                                                              \
        name ".lam", NAN, NULL                                                                     \
    }

static double of_device(const struct evaluation *e, const char *device, const char *key)
{
    char name[32];
    snprintf(name, sizeof name, "%s.%s", device, key);
    return evaluation_get(e, name);
}

static ws_status read_device(struct evaluation *e, const char *name, struct energy_device *out)
{
    *out = (struct energy_device){
        .data = of_device(e, name, "D"),
        .phi = of_device(e, name, "phi"),
        .cores = of_device(e, name, "C"),
        .zeta = of_device(e, name, "zeta"),
        .frequency = of_device(e, name, "F"),
        .lambda = of_device(e, name, "lam"),
    };
    return energy_check_device(e->diag, name, out);
}

static ws_status check_idle(struct evaluation *e, double watts)
{
    if (watts >= 0) return WS_OK;
    return diag_error(e->diag, WS_ERR_ARGUMENT, "energy: idle power must be at least 0 (got %g)",
                      watts);
}

/* Something must run, and draw power, both before and after. */
static ws_status put_result(struct evaluation *e, const struct energy_result *result)
{
    if (!(result->seconds > 0) || !(result->speedup > 0) || !(result->watts > 0) ||
        !(result->power_ratio > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "energy: zero time or power before or after: assign data to a device and "
                          "set a power weight or idle power");
    evaluation_put(e, "speedup", result->speedup);
    evaluation_put(e, "power_ratio", result->power_ratio);
    evaluation_put(e, "energy_efficiency", result->efficiency);
    evaluation_put(e, "tn", result->seconds);
    evaluation_put(e, "pn", result->watts);
    return WS_OK;
}

static const struct input_row single_rows[] = {
    DEVICE("o"), {"o.B", 0, NULL}, DEVICE("n"), {"n.B", 0, NULL}, {0}};

static ws_status run_single(struct evaluation *e)
{
    struct energy_device before, after;
    TRY(read_device(e, "o", &before));
    TRY(read_device(e, "n", &after));
    TRY(check_idle(e, evaluation_get(e, "o.B")));
    TRY(check_idle(e, evaluation_get(e, "n.B")));
    struct energy_result result =
        energy_single(&before, evaluation_get(e, "o.B"), &after, evaluation_get(e, "n.B"));
    return put_result(e, &result);
}

static const char *const idle_device_words[] = {"on", "off", NULL};

static const struct input_row both_rows[] = {
    DEVICE("cpu"),         DEVICE("gpu"),
    DEVICE("o"),           {"B0", 0, NULL},
    {"combined", 1, NULL}, {"idle_device", 0, idle_device_words},
    {"transfer", 0, NULL}, {0},
};

static ws_status run_both(struct evaluation *e)
{
    struct energy_device base, cpu, gpu;
    struct energy_readings readings = {
        .combined = evaluation_get(e, "combined"),
        .idle_device_off = evaluation_get(e, "idle_device") > 0,
        .transfer = evaluation_get(e, "transfer"),
    };
    TRY(read_device(e, "o", &base));
    TRY(read_device(e, "cpu", &cpu));
    TRY(read_device(e, "gpu", &gpu));
    TRY(check_idle(e, evaluation_get(e, "B0")));
    if (!(readings.combined >= 0 && readings.combined <= 1))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "energy: combined is %g: expected 0 to 1, the share of the smaller "
                          "dynamic power that adds up",
                          readings.combined);
    if (!(readings.transfer >= 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT, "energy: transfer must be at least 0 (got %g)",
                          readings.transfer);
    struct energy_result result =
        energy_both(&base, &cpu, &gpu, evaluation_get(e, "B0"), &readings);
    return put_result(e, &result);
}

const struct closed_form forms_energy[] = {
    {"energy_eff", energy_eff_rows, run_energy_eff},
    {"appA_eff", single_rows, run_single},
    {"appA_hetero", both_rows, run_both},
    {0},
};
