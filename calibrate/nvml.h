// SPDX-License-Identifier: Apache-2.0
/* What NVML (libnvidia-ml.so.1, opened when needed) tells of a GPU beside CUDA: power, temperature, clocks, and
 * what disturbs a measurement. */
#ifndef CALIBRATE_NVML_H
#define CALIBRATE_NVML_H

#include "calibrate/bench.h"

struct nvml;
/* NULL: `why` says why (no library, no permission, no such GPU). The GPU is found by its UUID, else by its number. */
struct nvml *nvml_open(const struct gpu_facts *gpu, unsigned number, char *why, size_t why_bytes);
void nvml_close(struct nvml *nvml);

/* NAN: not told; nvml_no_power says why. */
double nvml_watts(const struct nvml *nvml);
double nvml_celsius(const struct nvml *nvml);
double nvml_clock(const struct nvml *nvml);        /* of the SMs, Hz */
double nvml_memory_clock(const struct nvml *nvml); /* Hz */
/* NULL: power is told. Else a sentence. */
const char *nvml_no_power(const struct nvml *nvml);

/* Of causes that make the GPU slower than its clock says: "too hot" ...; "" if none. */
const char *nvml_throttles(const struct nvml *nvml);
/* Other processes that compute on the GPU; 0 if unknown. */
unsigned nvml_others(const struct nvml *nvml);

#endif
