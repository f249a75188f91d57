// SPDX-License-Identifier: Apache-2.0
/* Power, energy and temperature of the models ipp-power and temperature in virtual time, as coarse as hardware
 * tells them: whole watts, of a tenth of a second, whole degrees. Clocks are those of the machine file. */
#include <math.h>

#include "nvml_device.h"
#include "power_log.h"

/* What readings are means over. */
static const double window_seconds = 0.1;

/* Host time knows nothing of the GPU's: kernels take as long as this computer takes. */
static bool is_virtual(void)
{
    return runtime.options.clock != CLOCK_HOST;
}

static bool knows_power(void)
{
    return is_virtual() && power_log()->chip.has_power;
}

/* ---- power and energy ------------------------------------------------------------------------ */

static unsigned whole_watts(double watts)
{
    return 1000 * (unsigned)floor(watts + 0.5);
}

static nvml_result put_power(unsigned *out, double window)
{
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    if (!knows_power()) return NVML_ERROR_NOT_SUPPORTED;
    *out = whole_watts(window > 0 ? gpu_history_mean_watts(power_log(), runtime.now, window)
                                  : gpu_history_watts(power_log(), runtime.now));
    return NVML_SUCCESS;
}

static nvml_result put_energy(unsigned long long *out)
{
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    if (!knows_power()) return NVML_ERROR_NOT_SUPPORTED;
    *out = (unsigned long long)(1e3 * gpu_history_at(power_log(), runtime.now).joules);
    return NVML_SUCCESS;
}

static nvml_result put_limit(unsigned *out)
{
    double watts;
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    if (ws_machine_get(runtime.machine, "power.tdp", &watts) != WS_OK)
        return NVML_ERROR_NOT_SUPPORTED;
    *out = (unsigned)(1e3 * watts + 0.5);
    return NVML_SUCCESS;
}

static nvml_result put_limits(unsigned *least, unsigned *most)
{
    nvml_result result = put_limit(least);
    return result ? result : put_limit(most);
}

NVML_OF(nvmlDeviceGetPowerUsage, (nvmlDevice_t device, unsigned *out),
        put_power(out, window_seconds))
NVML_OF(nvmlDeviceGetTotalEnergyConsumption, (nvmlDevice_t device, unsigned long long *out),
        put_energy(out))
NVML_OF(nvmlDeviceGetPowerManagementLimit, (nvmlDevice_t device, unsigned *out), put_limit(out))
NVML_OF(nvmlDeviceGetPowerManagementDefaultLimit, (nvmlDevice_t device, unsigned *out),
        put_limit(out))
NVML_OF(nvmlDeviceGetEnforcedPowerLimit, (nvmlDevice_t device, unsigned *out), put_limit(out))
NVML_OF(nvmlDeviceGetPowerManagementLimitConstraints,
        (nvmlDevice_t device, unsigned *least, unsigned *most), put_limits(least, most))

/* One mean for each window that has passed and whose end is after `seen`; the count alone without `out`. */
static nvml_result put_samples(int kind, unsigned long long seen, int *type, unsigned *count,
                               nvmlSample_t *out)
{
    if (!type || !count || kind < 0 || kind >= NVML_SAMPLING_TYPES)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (kind != NVML_TOTAL_POWER_SAMPLES || !knows_power()) return NVML_ERROR_NOT_SUPPORTED;
    double last = floor(runtime.now / window_seconds);
    double first = fmax(1, last + 2 - floor(GPU_HISTORY_SECONDS / window_seconds));
    first = fmax(first, floor((double)seen * 1e-6 / window_seconds + 1e-6) + 1);
    if (first > last) return NVML_ERROR_NOT_FOUND;
    *type = NVML_VALUE_TYPE_UNSIGNED_INT;
    unsigned available = (unsigned)(last - first) + 1;
    if (!out) *count = available;
    if (!out) return NVML_SUCCESS;
    if (*count < available) first += available - *count; /* the newest */
    if (*count > available) *count = available;
    for (unsigned i = 0; i < *count; i++) {
        double end = (first + i) * window_seconds;
        out[i].timeStamp = (unsigned long long)(1e6 * end + 0.5);
        out[i].sampleValue.ullVal = 0;
        out[i].sampleValue.uiVal =
            whole_watts(gpu_history_mean_watts(power_log(), end, window_seconds));
    }
    return NVML_SUCCESS;
}

NVML_OF(nvmlDeviceGetSamples,
        (nvmlDevice_t device, int kind, unsigned long long seen, int *type, unsigned *count,
         nvmlSample_t *out),
        put_samples(kind, seen, type, count, out))

static nvml_result put_field(nvmlFieldValue_t *out)
{
    out->timestamp = (long long)(1e6 * runtime.now);
    out->latencyUsec = 0;
    out->value.ullVal = 0;
    out->valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
    switch (out->fieldId) {
    case NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION:
    case NVML_FI_DEV_ENERGY:
        out->valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
        return put_energy(&out->value.ullVal);
    case NVML_FI_DEV_POWER_AVERAGE:
        return put_power(&out->value.uiVal, 1);
    case NVML_FI_DEV_POWER_INSTANT:
        return put_power(&out->value.uiVal, 0);
    case NVML_FI_DEV_POWER_MIN_LIMIT:
    case NVML_FI_DEV_POWER_MAX_LIMIT:
    case NVML_FI_DEV_POWER_DEFAULT_LIMIT:
    case NVML_FI_DEV_POWER_CURRENT_LIMIT:
    case NVML_FI_DEV_POWER_REQUESTED_LIMIT:
        return put_limit(&out->value.uiVal);
    default:
        return NVML_ERROR_NOT_SUPPORTED;
    }
}

static nvml_result put_fields(int count, nvmlFieldValue_t *out)
{
    if (count < 1 || !out) return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < count; i++)
        out[i].nvmlReturn = put_field(&out[i]);
    return NVML_SUCCESS;
}

NVML_OF(nvmlDeviceGetFieldValues, (nvmlDevice_t device, int count, nvmlFieldValue_t *out),
        put_fields(count, out))

/* ---- temperature ----------------------------------------------------------------------------- */

static nvml_result put_celsius(int sensor, int *out)
{
    if (!out || sensor < NVML_TEMPERATURE_GPU || sensor > NVML_TEMPERATURE_GPU_MAX)
        return NVML_ERROR_INVALID_ARGUMENT;
    const struct gpu_history *log = power_log();
    if (sensor != NVML_TEMPERATURE_GPU || !knows_power() || !log->chip.has_temperature)
        return NVML_ERROR_NOT_SUPPORTED;
    double celsius = log->chip.idle_celsius + gpu_history_at(log, runtime.now).rise;
    *out = (int)floor(celsius + 0.5);
    return NVML_SUCCESS;
}

static nvml_result put_temperature(int sensor, unsigned *out)
{
    int celsius;
    nvml_result result = out ? put_celsius(sensor, &celsius) : NVML_ERROR_INVALID_ARGUMENT;
    if (!result) *out = celsius > 0 ? (unsigned)celsius : 0;
    return result;
}

static nvml_result put_versioned(nvmlTemperature_t *out)
{
    enum { VERSION = sizeof *out | 1 << 24 };
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    if (out->version != VERSION) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return put_celsius(out->sensorType, &out->temperature);
}

NVML_OF(nvmlDeviceGetTemperature, (nvmlDevice_t device, int sensor, unsigned *out),
        put_temperature(sensor, out))
NVML_OF(nvmlDeviceGetTemperatureV, (nvmlDevice_t device, nvmlTemperature_t *out),
        put_versioned(out))
NVML_OF(nvmlDeviceGetFanSpeed, (nvmlDevice_t device, unsigned *out),
        ((void)out, NVML_ERROR_NOT_SUPPORTED))

/* ---- clocks ---------------------------------------------------------------------------------- */

static nvml_result put_mhz(const char *key, unsigned *out)
{
    double hertz;
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    if (ws_machine_get(runtime.machine, key, &hertz) != WS_OK) return NVML_ERROR_NOT_SUPPORTED;
    *out = (unsigned)(1e-6 * hertz + 0.5);
    return NVML_SUCCESS;
}

static nvml_result put_clock(int kind, unsigned *out)
{
    switch (kind) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM:
        return put_mhz("clock.core", out);
    case NVML_CLOCK_MEM:
        return put_mhz("dram.clock", out);
    case NVML_CLOCK_VIDEO:
        return NVML_ERROR_NOT_SUPPORTED;
    default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
}

static nvml_result put_most_clock(int kind, unsigned *out)
{
    if ((kind == NVML_CLOCK_GRAPHICS || kind == NVML_CLOCK_SM) &&
        put_mhz("clock.most", out) == NVML_SUCCESS)
        return NVML_SUCCESS;
    return put_clock(kind, out);
}

static nvml_result put_clock_by_id(int kind, int id, unsigned *out)
{
    if (id < NVML_CLOCK_ID_CURRENT || id > NVML_CLOCK_ID_CUSTOMER_BOOST_MAX)
        return NVML_ERROR_INVALID_ARGUMENT;
    return id == NVML_CLOCK_ID_CUSTOMER_BOOST_MAX ? put_most_clock(kind, out)
                                                  : put_clock(kind, out);
}

/* The clock does not change, so the one that it has is the only one. */
static nvml_result put_only_clock(int kind, unsigned *count, unsigned *out)
{
    unsigned mhz;
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned room = *count;
    nvml_result result = put_clock(kind, &mhz);
    if (result) return result;
    *count = 1;
    if (!out || !room) return NVML_ERROR_INSUFFICIENT_SIZE;
    *out = mhz;
    return NVML_SUCCESS;
}

static nvml_result put_graphics_clocks(unsigned memory_mhz, unsigned *count, unsigned *out)
{
    unsigned mhz;
    nvml_result result = put_clock(NVML_CLOCK_MEM, &mhz);
    if (!result && mhz != memory_mhz) return NVML_ERROR_NOT_FOUND;
    return result ? result : put_only_clock(NVML_CLOCK_GRAPHICS, count, out);
}

NVML_OF(nvmlDeviceGetClockInfo, (nvmlDevice_t device, int kind, unsigned *out),
        put_clock(kind, out))
NVML_OF(nvmlDeviceGetMaxClockInfo, (nvmlDevice_t device, int kind, unsigned *out),
        put_most_clock(kind, out))
NVML_OF(nvmlDeviceGetApplicationsClock, (nvmlDevice_t device, int kind, unsigned *out),
        put_clock(kind, out))
NVML_OF(nvmlDeviceGetClock, (nvmlDevice_t device, int kind, int id, unsigned *out),
        put_clock_by_id(kind, id, out))
NVML_OF(nvmlDeviceGetSupportedMemoryClocks, (nvmlDevice_t device, unsigned *count, unsigned *out),
        put_only_clock(NVML_CLOCK_MEM, count, out))
NVML_OF(nvmlDeviceGetSupportedGraphicsClocks,
        (nvmlDevice_t device, unsigned memory_mhz, unsigned *count, unsigned *out),
        put_graphics_clocks(memory_mhz, count, out))

/* ---- utilization ----------------------------------------------------------------------------- */

static nvml_result find_shares(double *out_kernel, double *out_memory)
{
    if (!is_virtual()) return NVML_ERROR_NOT_SUPPORTED;
    struct gpu_totals now = gpu_history_at(power_log(), runtime.now);
    struct gpu_totals then = gpu_history_at(power_log(), runtime.now - window_seconds);
    *out_kernel = (now.kernel_seconds - then.kernel_seconds) / window_seconds;
    *out_memory = (now.memory_seconds - then.memory_seconds) / window_seconds;
    return NVML_SUCCESS;
}

static nvml_result put_utilization(nvmlUtilization_t *out)
{
    double kernel, memory;
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    nvml_result result = find_shares(&kernel, &memory);
    if (!result)
        *out = (nvmlUtilization_t){(unsigned)(100 * kernel + 0.5), (unsigned)(100 * memory + 0.5)};
    return result;
}

/* Idle, or nothing: the model never throttles. */
static nvml_result put_reasons(unsigned long long *out)
{
    double kernel, memory;
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    nvml_result result = find_shares(&kernel, &memory);
    if (!result) *out = kernel > 0 ? NVML_CLOCKS_REASON_NONE : NVML_CLOCKS_REASON_GPU_IDLE;
    return result;
}

NVML_OF(nvmlDeviceGetUtilizationRates, (nvmlDevice_t device, nvmlUtilization_t *out),
        put_utilization(out))
NVML_OF(nvmlDeviceGetCurrentClocksThrottleReasons, (nvmlDevice_t device, unsigned long long *out),
        put_reasons(out))
NVML_OF(nvmlDeviceGetCurrentClocksEventReasons, (nvmlDevice_t device, unsigned long long *out),
        put_reasons(out))
