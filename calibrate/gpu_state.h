// SPDX-License-Identifier: Apache-2.0
/* Private to gpu*.c. */
#ifndef CALIBRATE_GPU_STATE_H
#define CALIBRATE_GPU_STATE_H

#include "calibrate/driver_api.h"
#include "calibrate/gpu.h"

enum { LOG_BYTES = 4096, WORDS_OF_WARP = 4 };

struct gpu {
    const struct calibration *calibration;
    void *library;
    struct driver_api api;
    driver_handle context, begin, end;
    struct gpu_facts facts;
    driver_handle modules[64], functions[64]; /* of the plan that is loaded */
    unsigned loaded;
    driver_address out, data, flush; /* results and buffer, grown when needed */
    size_t out_bytes, data_bytes, flush_bytes;
    uint64_t texture; /* of the data of the point that was prepared last; 0: none */
};

/* Says what the driver could not do; false if there was no error. */
bool gpu_failed(const struct gpu *gpu, int error, const char *what);
/* A module of one PTX text and its kernel; what the compiler says is told. */
bool gpu_load_text(struct gpu *gpu, const char *ptx, const char *kernel, driver_handle *module,
                   driver_handle *function);

#endif
