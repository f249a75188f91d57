// SPDX-License-Identifier: Apache-2.0
/* Calibration: micro-benchmarks that are generated as PTX, timed on a GPU through its driver, and fitted to a
 * machine file. What the command `calibrate` sees of it.
 *
 *     benches.c        the list: what is measured, by which paper's section, for which figures
 *       bench_*.c      one file a kind: kernels, the points that are timed, and what is made of the times
 *     power_*.c        power and temperature: kernels, NVML's readings, fits (power.h)
 *     watch.c          what disturbs a campaign
 *     kernel_text.c    PTX text: what all kernels begin and end with
 *     gpu*.c, nvml.c   the driver and its power readings, opened when needed
 *     campaign.c       runs all points, again if the GPU was disturbed; resumes
 *     raw.c            the times, one JSON line a point, from which a fit repeats without the GPU
 *     fit.c, fit_*.c   figures with intervals
 *     machine_file.c   the machine file; plot.c: measured against fitted
 *     emit.c           kernels and launch files that `analyze` runs */
#ifndef CALIBRATE_CALIBRATE_H
#define CALIBRATE_CALIBRATE_H

#include <stdbool.h>
#include <stdio.h>
#include <warpsage/warpsage.h>

struct calibration {
    ws_context *context; /* the caller's */
    const char *only;    /* extended regular expression of names; NULL: all */
    const char *output;  /* machine file, *.yaml; the raw data lie beside it, *.raw.jsonl */
    const char *plots;   /* folder for SVG pictures; NULL: none */
    bool with_power;     /* measure power and temperature, too */
    bool is_quiet;       /* no summary */
    bool is_short;       /* kernels short enough for a GPU that is executed on a CPU */
    bool counts_native;  /* count native instructions, where there are a ptxas and a disassembler */
    unsigned repeats;    /* timings of a point; 0: the default */
    unsigned gpu;        /* number of the device */
    bool (*is_interrupted)(void);                                    /* NULL: never */
    void (*progress)(void *user, const char *text, double fraction); /* NULL: none */
    void (*tell)(void *user, const char *text); /* warnings and notes; required */
    void *user;
};

/* Exit codes of the command; messages were told. */
enum {
    CALIBRATE_DONE = 0,
    CALIBRATE_USAGE = 2,  /* nothing chosen, a name that does not exist */
    CALIBRATE_INPUT = 3,  /* raw data or files that cannot be read or written */
    CALIBRATE_DEVICE = 5, /* no device, driver or permission */
    CALIBRATE_BUG = 70,
    CALIBRATE_INTERRUPTED = 130
};

/* A line a benchmark: name, figures, paper and section, what it does. */
int calibrate_list(const struct calibration *calibration, FILE *out);
/* PTX and launch files of the chosen benchmarks, for a GPU of that machine file. */
int calibrate_emit(const struct calibration *calibration, const char *gpu, const char *folder);
/* Measures on the device, then fits. What raw data of the same GPU beside the output have is kept. */
int calibrate_measure(const struct calibration *calibration);
/* Fits raw data again, without a GPU. */
int calibrate_fit(const struct calibration *calibration, const char *raw);

/* A GPU behind its driver. NULL: told why (no driver, no device, no permission). */
struct gpu;
struct gpu *gpu_open(const struct calibration *calibration);
void gpu_close(struct gpu *gpu);
const char *gpu_name(const struct gpu *gpu);

/* gpu_call.c: any kernel. */
struct gpu_buffer {
    size_t place; /* of its address in the parameters */
    const void *content;
    size_t bytes;
};
struct gpu_call {
    const char *ptx, *kernel;
    unsigned grid[3], block[3], shared;
    unsigned char *parameters; /* addresses are filled in */
    size_t parameter_bytes;
    struct gpu_buffer *buffers;
    unsigned buffer_count;
    struct gpu_same {
        size_t place;
        unsigned buffer; /* whose address stands there, too */
    } * same;
    unsigned same_count;
};
struct gpu_times {
    double seconds;     /* median of the launches */
    double watts;       /* mean while it is repeated; NAN: NVML tells no power */
    unsigned registers; /* per thread, as the driver compiled it; 0: unknown */
};
/* So many launches, each with its buffers as given and nothing of them in the L2. false: told. */
bool gpu_time_call(struct gpu *gpu, struct gpu_call *call, unsigned repeats, struct gpu_times *out);

#endif
