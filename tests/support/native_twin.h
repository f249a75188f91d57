// SPDX-License-Identifier: Apache-2.0
/* A module of PTX and the native code that ptxas makes of it, side by side, for tests that skip without ptxas. */
#ifndef SUPPORT_NATIVE_TWIN_H
#define SUPPORT_NATIVE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <warpsage/warpsage.h>

#include "base/strbuf.h"

struct native_twin {
    ws_context *context;
    ws_device *device;
    ws_module *ptx, *native;
    uint64_t in, out; /* buffers on the device */
    size_t out_bytes;
    char error[300];
};

bool twin_has_ptxas(void);
/* The targets of a test: all, or those named in WARPSAGE_TARGETS. 0: no more. */
unsigned twin_target(size_t i);
void twin_begin(struct native_twin *twin, unsigned target, const struct strbuf *text,
                size_t in_bytes, size_t out_bytes);
void twin_input(struct native_twin *twin, const void *data, size_t bytes);
/* Launches kernel(in, out, constant) of one module into zeroed memory; false: *error tells why not. */
bool twin_run(struct native_twin *twin, bool as_native, const char *kernel, uint32_t blocks,
              uint32_t threads, void *out);
void twin_end(struct native_twin *twin);

#endif
