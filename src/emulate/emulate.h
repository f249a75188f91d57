// SPDX-License-Identifier: Apache-2.0
/* Executes kernels on the CPU: device memory and launches. Knows nothing of statistics; an
 * observer sees the events. */
#ifndef EMULATE_EMULATE_H
#define EMULATE_EMULATE_H

#include "base/diag.h"
#include "decode/module.h"
#include "emulate/checker.h"
#include "emulate/clock.h"
#include "emulate/engine.h"
#include "emulate/observer.h"
#include "emulate/undo.h"

struct device;

struct device_options {
    uint64_t max_bytes; /* 0: 64 GiB, reserved lazily */
    unsigned threads;   /* 0: all cores */
    /* Device addresses are host addresses, so that the host may read and write device memory
     * through them (managed and pinned memory). Modules with 32-bit addresses do not fit then. */
    bool host_addresses;
    /* Tolerate what hardware tolerates: uninitialised memory reads as zeros, and accesses
     * past an allocation, but within the pages of 2 MiB that hardware maps, are only noted. */
    bool as_hardware;
    bool keep_programs; /* kernels stay prepared for execution until their module is forgotten */
    const struct checker
        *check; /* finds errors of the program; NULL: none. It outlives the device */
    const struct engine *engine; /* beside the interpreter; NULL: none */
    uint64_t
        compile_after; /* warp instructions of a kernel, after which it is compiled; 0: at once */
    ws_device_call_fn
        *call; /* does the device runtime's BUILTINS_OF_DEVICE; NULL: such kernels are refused */
    void *call_user;
    int isa_level; /* -1: best; else 0 baseline, 1 x86-64-v3, 2 x86-64-v4; tests use it */
};

/* Number of semantic tables this host can run: levels 0 .. count - 1. */
int device_isa_levels(void);
const char *device_isa_name(int level);
/* The level that a user calls base, v3 or v4; an error with those that this host runs. */
ws_status device_isa_find(struct diag *diag, const char *word, int *out);

ws_status device_create(struct diag *diag, const struct device_options *options,
                        struct device **out);
void device_destroy(struct device *device);
ws_status device_alloc(struct diag *diag, struct device *device, uint64_t bytes, uint64_t *out);
/* Memory of the host that kernels reach; not part of max_bytes. device_free frees it. */
ws_status device_alloc_host(struct diag *diag, struct device *device, uint64_t bytes,
                            uint64_t *out);
/* The caller's own memory, until device_free: with host_addresses only. */
ws_status device_adopt(struct diag *diag, struct device *device, void *host, uint64_t bytes);
/* The host has pointers to the allocation or variable that holds the address, and may write it unseen. */
void device_open(struct device *device, uint64_t address);
struct device_range {
    uint64_t address, bytes;
    bool is_host;     /* of device_alloc_host or device_adopt */
    const char *name; /* of a variable, else NULL */
};
/* The allocation that holds an address; false: none does. */
bool device_find(const struct device *device, uint64_t address, struct device_range *out);
/* The first allocation that ends behind an address; false: none does. */
bool device_find_from(const struct device *device, uint64_t address, struct device_range *out);
/* Bytes that allocations which count may have: max_bytes, or less where address space is limited. */
uint64_t device_limit_bytes(const struct device *device);
/* Bytes in allocations that count. */
uint64_t device_live_bytes(const struct device *device);
ws_status device_free(struct diag *diag, struct device *device, uint64_t address);
ws_status device_copy_in(struct diag *diag, struct device *device, uint64_t to, const void *from,
                         size_t bytes);
ws_status device_copy_out(struct diag *diag, struct device *device, void *to, uint64_t from,
                          size_t bytes);
ws_status device_fill(struct diag *diag, struct device *device, uint64_t to, uint8_t value,
                      size_t bytes);
/* Fills an allocation by a rule, whose pages are made when they are first touched, by any thread: `bytes`
 * bytes from byte `first` on. `user` must live until the allocation is freed or the device destroyed. */
typedef void device_make_fn(void *user, uint64_t first, size_t bytes, void *to);
ws_status device_fill_by(struct diag *diag, struct device *device, uint64_t address,
                         device_make_fn *make, void *user);
/* Bytes that malloc of kernels has to hand out, 8 MiB if never called; before the first kernel that
 * uses it. */
ws_status device_set_heap(struct diag *diag, struct device *device, uint64_t bytes);
/* Tells the checker, if there is one, of blocks that malloc of kernels gave and nobody freed. */
void device_report_leaks(struct device *device);
/* Textures of device memory, which must stay. A handle is never 0, and never that of an earlier one. */
ws_status device_texture_create(struct diag *diag, struct device *device, const ws_texture *texture,
                                uint64_t *out);
ws_status device_texture_destroy(struct diag *diag, struct device *device, uint64_t handle);
/* Before a module is destroyed: its variables are freed, and what was prepared of it. */
void device_forget_module(struct device *device, const struct module *module);
ws_status device_symbol(struct diag *diag, struct device *device, const struct module *module,
                        const char *name, uint64_t *out_address, size_t *out_bytes);

/* Whether an instruction has semantics here: an executes_fn. */
bool program_executes(const struct insn *insn, const struct function *function);

struct launch_options {
    uint32_t entry;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks of one; zeros: those that the kernel requires, if any */
    uint64_t dynamic_shared_bytes;
    const void *parameters;
    size_t parameter_bytes;
    uint64_t max_instructions; /* warp instructions of the whole launch; 0: 2^40 */
    uint64_t grid_workspace;   /* in %envreg1 and %envreg2 */
    uint64_t resident_blocks;  /* that the GPU holds at once, for the tool sync; 0: unknown */
    bool unordered;
    double effort;             /* 0 or 1: all blocks; else about this fraction (block_sample.h) */
    uint64_t seed;             /* of the draws */
    uint32_t traced_blocks;    /* that the observer records: executed in any case */
    struct observer *observer; /* NULL: none */
    ws_progress_fn *progress;  /* may be NULL */
    void *progress_user;
    ws_cancel_fn *cancel; /* may be NULL */
    void *cancel_user;
    const struct launch_clocks *clocks; /* NULL: a count of instructions */
    struct undo *undo;                  /* keeps what is overwritten; NULL: nothing does */
    ws_write_fn *print; /* gets what the kernel printed, after it has run; may be NULL */
    void *print_user;
};

struct launch_result {
    uint64_t blocks_executed; /* of a launch that was cancelled: those that had ended */
    uint64_t warp_instructions;
    uint64_t compiled_instructions; /* those of them that ran in compiled code */
    bool code_is_refused;           /* the system gives no memory for compiled code */
    uint64_t
        clock_misses; /* of blocks whose own clocks are known: reads that are not, known ones not read */
    ws_fault fault;
    /* as_hardware: the first access that hardware would have let pass, to be freed; NULL: none. */
    char *tolerated;
    /* What the kernel did that the ISA leaves undefined, to be freed; NULL: nothing was seen. */
    char *undefined;
};

ws_status device_launch(struct diag *diag, struct device *device, const struct module *module,
                        const struct launch_options *options, struct launch_result *out);

#endif
