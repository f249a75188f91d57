// SPDX-License-Identifier: Apache-2.0
/* One function an equation of appendix A. */
#include <math.h>

#include "model/closed_form/energy_form.h"

double energy_time(const struct energy_device *device)
{
    return device->data * device->phi / (device->cores * device->zeta * device->frequency);
}

double energy_dynamic_power(const struct energy_device *device)
{
    double f = device->frequency;
    return device->cores * f * f * f * device->lambda;
}

ws_status energy_check_device(struct diag *diag, const char *name,
                              const struct energy_device *device)
{
    const struct {
        const char *what;
        double value;
        bool may_be_zero;
    } parts[] = {
        {"C (cores)", device->cores, false},
        {"zeta", device->zeta, false},
        {"F (frequency)", device->frequency, false},
        {"phi", device->phi, false},
        {"D (data)", device->data, true},
        {"lam (power weight)", device->lambda, true},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].value > 0 || (parts[i].may_be_zero && parts[i].value == 0)) continue;
        return diag_error(diag, WS_ERR_ARGUMENT, "energy: %s of %s is %g, but must be %s",
                          parts[i].what, name, parts[i].value,
                          parts[i].may_be_zero ? "at least 0" : "above 0");
    }
    return WS_OK;
}

struct energy_result energy_compare(double base_seconds, double base_watts, double seconds,
                                    double watts)
{
    double speedup = base_seconds / seconds, ratio = base_watts / watts;
    return (struct energy_result){seconds, watts, speedup, ratio, ratio * speedup};
}

struct energy_result energy_single(const struct energy_device *base, double base_idle,
                                   const struct energy_device *device, double idle)
{
    return energy_compare(energy_time(base), energy_dynamic_power(base) + base_idle,
                          energy_time(device), energy_dynamic_power(device) + idle);
}

struct energy_result energy_both(const struct energy_device *base, const struct energy_device *cpu,
                                 const struct energy_device *gpu, double idle,
                                 const struct energy_readings *readings)
{
    double cpu_watts = energy_dynamic_power(cpu), gpu_watts = energy_dynamic_power(gpu);
    double gpu_seconds = energy_time(gpu);
    if (gpu->data > 0) gpu_seconds += readings->transfer;
    if (readings->idle_device_off && !(cpu->data > 0)) cpu_watts = 0;
    if (readings->idle_device_off && !(gpu->data > 0)) gpu_watts = 0;
    double dynamic = fmax(cpu_watts, gpu_watts) + readings->combined * fmin(cpu_watts, gpu_watts);
    return energy_compare(energy_time(base), energy_dynamic_power(base) + idle,
                          fmax(energy_time(cpu), gpu_seconds), dynamic + idle);
}

double energy_curvature(const double *speedups, const double *efficiencies, size_t count)
{
    double most = 0;
    if (count < 3) return 0;
    double range = speedups[count - 1] - speedups[0], least = efficiencies[0], top = least;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, efficiencies[i]);
        top = fmax(top, efficiencies[i]);
    }
    if (!(top > least) || !(range > 0)) return 0;
    for (size_t i = 2; i < count; i++) {
        double before = speedups[i - 1] - speedups[i - 2], after = speedups[i] - speedups[i - 1];
        if (!(before > 0) || !(after > 0)) continue;
        double second = ((efficiencies[i] - efficiencies[i - 1]) / after -
                         (efficiencies[i - 1] - efficiencies[i - 2]) / before) /
                        (0.5 * (before + after));
        most = fmax(most, fabs(second));
    }
    return most * range * range / (top - least);
}
