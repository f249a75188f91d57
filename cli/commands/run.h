// SPDX-License-Identifier: Apache-2.0
/* warpsage run: start a CUDA program with the stand-in of runtime/, and report what it launched. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/options/options.h"

/* Exit codes of `run` besides the program's own (doc/run.md). */
enum {
    EXIT_RUN_OURS = 125,
    EXIT_RUN_CANNOT = 126,
    EXIT_RUN_NOT_FOUND = 127,
    EXIT_RUN_SIGNAL = 128
};

struct run_request {
    const char *const *gpus;
    size_t gpu_count;
    bool gpu_given;
    const char *only, *report_dir, *clock, *output;
    uint64_t skip, count;
    bool every_launch;
    unsigned threads;
    const char *host_isa;      /* NULL: the best */
    uint64_t max_instructions; /* of a launch; 0: what the library has */
    double timeout;            /* seconds for the program; 0: none */
    ws_format format;
    ws_details details;
    const char **program; /* ends with NULL */
};

/* What all launches of a kernel in one process came to. */
struct run_kernel {
    const char *name, *bottleneck;
    const char *profile; /* file of the heaviest launch's profile; "": none */
    uint64_t launches, measured, reused, scaled, uncounted, failed;
    uint64_t warp_instructions; /* of all launches, counted or not */
    double total_seconds, least_seconds, most_seconds, heaviest_seconds;
    uint32_t grid[3], block[3]; /* of the heaviest */
};

/* One launch, if a folder of reports is wanted. */
struct run_launch {
    const char *how; /* counted, reused, scaled */
    double seconds;
    const char *profile; /* file of the launch whose counts these are */
    uint64_t number;     /* of that one, in its process */
    const char *grid, *block, *name;
    uint64_t dynamic_shared_bytes, warp_instructions;
};

struct run_missing {
    const char *name;
    uint64_t count;
};

/* What the processes left in the folder. */
struct run_table {
    struct run_kernel *kernels; /* heaviest first */
    size_t kernel_count;
    struct run_missing *missing;
    size_t missing_count;
    const char **notes;
    size_t note_count;
    struct run_launch *launches;
    size_t launch_count;
    size_t processes; /* that used the CUDA runtime */
    double total_seconds;
    uint64_t launch_total, measured, reused, scaled, uncounted, failed;
};

/* run_start.c: runs the program; *out_code is its exit code, 128 + n for signal n, or 125 to 127. */
int run_start(struct cli *cli, const struct run_request *request, const char *folder,
              int *out_code);
/* run_table.c */
int run_table_read(struct cli *cli, const char *folder, struct run_table *out);
/* run_write.c: the report; and a file for each counted launch in the folder of reports. */
int run_write(struct cli *cli, const struct run_request *request, const struct run_table *table,
              ws_machine *const *machines, int exit_code);
int run_write_folder(struct cli *cli, const struct run_request *request,
                     const struct run_table *table, ws_machine *const *machines);

#endif
