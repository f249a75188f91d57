// SPDX-License-Identifier: Apache-2.0
/* Names, numbers and layouts of NVML as programs use them (NVIDIA's nvml.h, versions 11 to 13). */
#ifndef RUNTIME_NVML_ABI_H
#define RUNTIME_NVML_ABI_H

typedef enum nvml_result {
#define NVML_RESULT(name, number, words) name = number,
#include "nvml_results.def"
#undef NVML_RESULT
} nvml_result;

typedef struct nvml_device *nvmlDevice_t;

typedef struct nvmlPciInfo {
    char busIdLegacy[16];
    unsigned domain, bus, device;
    unsigned pciDeviceId; /* device, and in the lower half the vendor */
    unsigned pciSubSystemId;
    char busId[32];
} nvmlPciInfo_t;

typedef struct nvmlMemory {
    unsigned long long total, free, used;
} nvmlMemory_t;

typedef struct nvmlMemory_v2 {
    unsigned version; /* sizeof, and the version in the upper eight bits */
    unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;
_Static_assert(sizeof(nvmlMemory_v2_t) == 40, "nvmlMemory_v2_t");

typedef struct nvmlUtilization {
    unsigned gpu, memory; /* percent of the time */
} nvmlUtilization_t;

typedef struct nvmlProcessInfo_v1 {
    unsigned pid;
    unsigned long long usedGpuMemory;
} nvmlProcessInfo_v1_t;

typedef struct nvmlProcessInfo {
    unsigned pid;
    unsigned long long usedGpuMemory;
    unsigned gpuInstanceId, computeInstanceId; /* UINT_MAX without MIG */
} nvmlProcessInfo_t;

typedef struct nvmlTemperature_v1 {
    unsigned version;
    int sensorType; /* enum nvml_sensor */
    int temperature;
} nvmlTemperature_t;

enum nvml_sensor { NVML_TEMPERATURE_GPU = 0, NVML_TEMPERATURE_GPU_MAX = 1 };

enum nvml_clock {
    NVML_CLOCK_GRAPHICS = 0,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEM = 2,
    NVML_CLOCK_VIDEO = 3,
};
enum nvml_clock_id {
    NVML_CLOCK_ID_CURRENT = 0,
    NVML_CLOCK_ID_APP_CLOCK_TARGET = 1,
    NVML_CLOCK_ID_APP_CLOCK_DEFAULT = 2,
    NVML_CLOCK_ID_CUSTOMER_BOOST_MAX = 3,
};

/* Why the clock is as it is: a bit each. */
#define NVML_CLOCKS_REASON_NONE 0ULL
#define NVML_CLOCKS_REASON_GPU_IDLE 1ULL

enum nvml_value_type {
    NVML_VALUE_TYPE_DOUBLE = 0,
    NVML_VALUE_TYPE_UNSIGNED_INT = 1,
    NVML_VALUE_TYPE_UNSIGNED_LONG_LONG = 3,
};
typedef union nvmlValue {
    double dVal;
    unsigned uiVal;
    unsigned long long ullVal;
} nvmlValue_t;

enum nvml_sampling { NVML_TOTAL_POWER_SAMPLES = 0, NVML_SAMPLING_TYPES = 10 };
typedef struct nvmlSample {
    unsigned long long timeStamp; /* us */
    nvmlValue_t sampleValue;
} nvmlSample_t;

enum nvml_field {
    NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION = 83,
    NVML_FI_DEV_POWER_AVERAGE = 185, /* over a second */
    NVML_FI_DEV_POWER_INSTANT = 186,
    NVML_FI_DEV_POWER_MIN_LIMIT = 187,
    NVML_FI_DEV_POWER_MAX_LIMIT = 188,
    NVML_FI_DEV_POWER_DEFAULT_LIMIT = 189,
    NVML_FI_DEV_POWER_CURRENT_LIMIT = 190,
    NVML_FI_DEV_ENERGY = 191,
    NVML_FI_DEV_POWER_REQUESTED_LIMIT = 192,
};
typedef struct nvmlFieldValue {
    unsigned fieldId, scopeId;
    long long timestamp, latencyUsec; /* us */
    int valueType;                    /* enum nvml_value_type */
    nvml_result nvmlReturn;
    nvmlValue_t value;
} nvmlFieldValue_t;
_Static_assert(sizeof(nvmlFieldValue_t) == 40, "nvmlFieldValue_t");

#endif
