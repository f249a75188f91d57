// SPDX-License-Identifier: Apache-2.0
/* A micro-benchmark: which kernels, launched how, and what their times say. */
#ifndef CALIBRATE_BENCH_H
#define CALIBRATE_BENCH_H

#include <stdint.h>

#include "calibrate/calibrate.h"

/* What is known of a GPU before anything is timed: what its driver says. 0: unknown. */
struct gpu_facts {
    char name[128], uuid[64], driver[32];
    unsigned cc; /* 10 major + minor */
    unsigned sms, warp, max_threads_sm, max_blocks_sm, max_threads, max_registers_sm,
        max_registers_block;
    unsigned max_block[3], max_grid[3];
    uint64_t shared_sm, shared_block, shared_reserved; /* bytes; shared_block: opt-in */
    uint64_t l2_bytes, memory_bytes;
    double clock, memory_clock; /* Hz */
    unsigned bus_bits;
};

/* What fills the buffer `data` before a launch. */
enum fill {
    FILL_ZERO,
    FILL_TEXELS, /* as FILL_CHASE, but u32 and the number of the texel of 4 bytes */
    FILL_CHASE /* u64 at each multiple of `stride`: address of the one `jump` further, round and round; else zeros */
};

enum { BENCH_ARGS = 4, BENCH_AXES = 3 };

/* One launch that is timed. */
struct point {
    unsigned kernel; /* in plan.kernels */
    unsigned grid, block;
    unsigned shared; /* dynamic, bytes */
    uint32_t args[BENCH_ARGS];
    double x[BENCH_AXES]; /* by the axes of the benchmark; with the name they identify the point */
    uint64_t data_bytes, stride;
    enum fill fill;
    unsigned jump;   /* in elements; 0: 1 */
    bool is_texture; /* `data` is a texture of it, whose texels are integers of 32 bits */
    bool is_asked;   /* not launched: the driver says how many blocks an SM holds */
    bool is_checked; /* every warp's result must be `expected` */
    uint32_t expected;
};

struct kernel_text {
    const char *name;
    char *ptx; /* a whole module with one kernel of that name */
    /* Opcodes of its native code that do what is measured, an extended regular expression, and how many are meant; NULL:
     * not counted. */
    const char *native;
    unsigned native_count;
    char *remark; /* native code differs (native_count.h); NULL: it does not, or is unknown */
};

/* Owned by plan_clear. */
struct raw;
struct plan {
    const struct gpu_facts *gpu;
    const struct raw *raw; /* what was measured until now; NULL: nothing is */
    bool is_short;
    struct kernel_text *kernels;
    unsigned kernel_count;
    struct point *points;
    unsigned point_count;
};

struct fit;
struct bench {
    const char *id;      /* latency.fp32.fma */
    const char *figures; /* keys of the machine file that it gives, separated by spaces; "": none */
    const char *axes;    /* names of x, separated by spaces */
    const char *paper;   /* "Zhang & Owens 4.1, figure 2"; "": no paper has it */
    const char *text;    /* one sentence */
    bool is_power;       /* repeated for seconds while NVML is asked */
    unsigned parameter;  /* its file's own: a class, a level */
    /* Adds kernels and points; false: this GPU has nothing to measure, `why` says why. Called again when its points are
     * measured, until it adds no new ones: what they say may lead to others. */
    bool (*plan)(const struct bench *bench, struct plan *plan, const char **why);
    /* Figures from its points (fit.h); may ask for those of others. NULL: another's fit uses them. */
    void (*fit)(const struct bench *bench, struct fit *fit);
};

/* benches.c: all of them in the order in which they are measured and fitted; NULL behind the last. */
const struct bench *bench_at(unsigned index);
const struct bench *bench_find(const char *id);

/* Lists of the files, each ended by a row without id. */
extern const struct bench bench_arithmetic[], bench_issue[], bench_shared[], bench_units[],
    bench_caches[], bench_memory[], bench_coalesce[], bench_departure[], bench_launch[],
    bench_power[];

/* plan.c */
unsigned plan_kernel(struct plan *plan, const char *name, char *ptx); /* takes the text over */
/* Returns the kernel. */
unsigned plan_native(struct plan *plan, unsigned kernel, const char *native, unsigned count);
struct point *plan_point(struct plan *plan, const struct point *point);
void plan_clear(struct plan *plan);

/* Zeroed memory; ends the program if memory runs out. */
void *calibrate_alloc(size_t bytes);
void *calibrate_grow(void *items, size_t count, size_t item_bytes); /* room for one more */
char *calibrate_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A warning, note or error to the user. Always false: what a function that cannot go on returns. */
bool calibrate_tell(const struct calibration *calibration, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
