// SPDX-License-Identifier: Apache-2.0
/* The stand-in for NVML (libnvidia-ml.so.1): what programs read of the one GPU beside CUDA.
 *
 *   nvml_device.c   start and end, versions, which device it is, its memory and processes
 *   nvml_sensors.c  power, energy, temperature, clocks, utilization
 *
 * Functions that are not here are not exported, so programs take them for those of a newer driver. */
#ifndef RUNTIME_NVML_DEVICE_H
#define RUNTIME_NVML_DEVICE_H

#include "nvml_abi.h"
#include "runtime.h"

/* Take the lock; NVML_ERROR_UNINITIALIZED before nvmlInit, NVML_ERROR_INVALID_ARGUMENT for another handle. */
nvml_result nvml_begin(void);
nvml_result nvml_begin_with(nvmlDevice_t device);
/* Releases the lock. */
nvml_result nvml_end(nvml_result result);

#define NVML_BODY(begin, call)                                                                     \
    {                                                                                              \
        nvml_result result = (begin);                                                              \
        return nvml_end(result ? result : (nvml_result)(call));                                    \
    }
/* A function that is one call of a static one. */
#define NVML(name, parameters, call)                                                               \
    CUDART nvml_result name parameters;                                                            \
    nvml_result name parameters NVML_BODY(nvml_begin(), call)
/* The same with a parameter `device`. */
#define NVML_OF(name, parameters, call)                                                            \
    CUDART nvml_result name parameters;                                                            \
    nvml_result name parameters NVML_BODY(nvml_begin_with(device), call)

#endif
