// SPDX-License-Identifier: Apache-2.0
/* Raw data: what was timed, one JSON line a point behind a line that describes the GPU. A file grows as points
 * are measured, so that an interrupted campaign resumes and a fit repeats without the GPU. */
#ifndef CALIBRATE_RAW_H
#define CALIBRATE_RAW_H

#include "calibrate/bench.h"

/* A reading of NVML while a kernel is repeated. */
struct reading {
    double seconds;        /* since the first launch of the point */
    double watts, celsius; /* celsius NAN: not told */
    double share; /* of the time that the reading averages in which the kernel ran, 0 to 1 */
};

enum { RAW_REPEATS = 64 };
struct raw_point {
    const char *bench; /* id */
    double x[BENCH_AXES];
    unsigned grid, block, shared;
    uint32_t args[BENCH_ARGS];
    const char *kernel;
    unsigned count; /* repeats */
    /* Of each repeat: seconds between events; cycles from the first warp's begin to the last one's end, the most
     * of any block and of any SM. */
    double seconds[RAW_REPEATS], block_cycles[RAW_REPEATS], sm_cycles[RAW_REPEATS];
    double clock;            /* Hz, while it ran: NVML's word, or cycles over time; 0: unknown */
    bool is_checked;         /* results were as expected */
    unsigned first_sm_count; /* SMs that had a block */
    unsigned resident;       /* blocks that an SM holds, by the driver */
    unsigned registers;      /* of a thread, by the driver */
    const char *remark;      /* clocks changed, throttled: "" if undisturbed */
    struct reading *readings;
    unsigned reading_count;
    double launches; /* of a power point, per second */
    bool is_skipped; /* nothing was measured: the GPU lacks it; `remark` says why */
};

struct raw {
    struct gpu_facts gpu;
    char date[16]; /* 2026-11-23 */
    char version[32];
    bool is_short; /* kernels of --short */
    struct raw_point *points;
    unsigned count;
    FILE *file; /* being written; NULL: only read */
    char *path;
    char **texts; /* of the points */
    unsigned text_count;
};

/* false: told why. A file that does not exist is begun; one of another GPU is refused. Lines that an
 * interruption cut are dropped. */
bool raw_open(struct raw *raw, const struct calibration *calibration, const struct gpu_facts *gpu,
              const char *path);
bool raw_read(struct raw *raw, const struct calibration *calibration, const char *path);
/* Appends a point, and writes it at once. Takes readings over. */
bool raw_add(struct raw *raw, const struct calibration *calibration, const struct raw_point *point);
/* A copy that lives as long as the raw data. */
const char *raw_text(struct raw *raw, const char *text);
const struct raw_point *raw_find(const struct raw *raw, const char *bench, const double *x);
void raw_clear(struct raw *raw);

/* Middle of the repeats; spread: half of the distance between the quartiles. */
double middle(const double *values, unsigned count, double *spread);

#endif
