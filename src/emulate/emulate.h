// SPDX-License-Identifier: Apache-2.0
/* Executes kernels on the CPU: device memory and launches. Knows nothing of statistics; an
 * observer sees the events. */
#ifndef EMULATE_EMULATE_H
#define EMULATE_EMULATE_H

#include "base/diag.h"
#include "decode/module.h"
#include "emulate/observer.h"

struct device;

struct device_options {
    uint64_t max_bytes; /* 0: 64 GiB, reserved lazily */
    unsigned threads;   /* 0: all cores */
    int isa_level;      /* -1: best; else 0 baseline, 1 x86-64-v3, 2 x86-64-v4; tests use it */
};

/* Number of semantic tables this host can run: levels 0 .. count - 1. */
int device_isa_levels(void);
const char *device_isa_name(int level);

ws_status device_create(struct diag *diag, const struct device_options *options,
                        struct device **out);
void device_destroy(struct device *device);
ws_status device_alloc(struct diag *diag, struct device *device, uint64_t bytes, uint64_t *out);
ws_status device_free(struct diag *diag, struct device *device, uint64_t address);
ws_status device_copy_in(struct diag *diag, struct device *device, uint64_t to, const void *from,
                         size_t bytes);
ws_status device_copy_out(struct diag *diag, struct device *device, void *to, uint64_t from,
                          size_t bytes);
ws_status device_fill(struct diag *diag, struct device *device, uint64_t to, uint8_t value,
                      size_t bytes);
ws_status device_symbol(struct diag *diag, struct device *device, const struct module *module,
                        const char *name, uint64_t *out_address, size_t *out_bytes);

/* Whether an instruction has semantics here: an executes_fn. */
bool program_executes(const struct insn *insn, const struct function *function);

struct launch_options {
    uint32_t entry;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared_bytes;
    const void *parameters;
    size_t parameter_bytes;
    uint64_t max_instructions; /* warp instructions of the whole launch; 0: 2^40 */
    bool unordered;
    double effort;             /* 0 or 1: all blocks; else this fraction, stratified */
    struct observer *observer; /* NULL: none */
    ws_progress_fn *progress;  /* may be NULL */
    void *progress_user;
    ws_cancel_fn *cancel; /* may be NULL */
    void *cancel_user;
    ws_write_fn *print; /* gets what the kernel printed, after it has run; may be NULL */
    void *print_user;
};

struct launch_result {
    uint64_t blocks_executed;
    uint64_t warp_instructions;
};

ws_status device_launch(struct diag *diag, struct device *device, const struct module *module,
                        const struct launch_options *options, struct launch_result *out);

#endif
