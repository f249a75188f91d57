// SPDX-License-Identifier: Apache-2.0
/* What is to be analysed: filled from a launch file, then from the command line, which wins. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli/options/args.h"

/* --check INDEX=FILE[,TOLERANCE] and --save INDEX=FILE */
struct buffer_file {
    size_t index;
    const char *path;
    bool has_tolerance;
    double tolerance;
};

struct comparison;
struct check_choice;

struct effort {
    enum { EFFORT_FULL, EFFORT_FRACTION, EFFORT_SECONDS } kind;
    double value; /* fraction of the blocks, or seconds */
};

struct request {
    const char *kernel_file, *kernel;
    const char *kernel_text; /* PTX of kernel_text_size bytes, which kernel_file only names; NULL */
    size_t kernel_text_size;
    bool has_kernel_pattern; /* the kernel may be a pattern: only from the command line */
    const char *profile;     /* read it instead of executing */
    const char *trace;       /* recorded on a GPU: replay it instead of executing */
    bool has_grid, has_block, has_global;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t global[3]; /* OpenCL's: threads of the whole launch, if has_global */
    uint64_t dynamic_shared_bytes;
    unsigned registers;                           /* per thread; 0: what ptxas or liveness say */
    unsigned spill_store_bytes, spill_load_bytes; /* of these, as ptxas prints them */
    struct arg_text *args;
    size_t arg_count;
    const char **gpus, **cpus;
    size_t gpu_count, cpu_count;
    struct buffer_file *checks, *saves;
    size_t check_count, save_count;
    size_t *prints;
    size_t print_count;
    struct effort effort;
    uint64_t seed; /* of the draws of blocks */
    uint64_t max_instructions;
    const char *isa_view; /* NULL: PTX */
    const char *isa;      /* ptx, native or auto; NULL: as WARPSAGE_ISA says, else auto */
    /* Only from the command line. */
    unsigned threads;
    const char *host_isa; /* NULL: the best */
    const char *engine;   /* NULL: the interpreter */
    bool all_rules, unordered;
    bool has_trace_blocks;
    unsigned trace_blocks;  /* whose warps are traced, if has_trace_blocks */
    unsigned trace_kernel;  /* launch of the trace's list, from 1; 0: not said */
    const char *opcode_map; /* NULL: none */
    bool force_arch;        /* a trace for another architecture than the machine's */
    const char *save_profile, *save_trace, *output;
    const char *without, *model_options; /* comma-separated, NULL: none */
    const char *l2;                      /* what the launch finds there; NULL: nothing */
    const char *spills;                  /* of registers; NULL: as ptxas tells them */
    ws_format format;
    bool is_analyzer; /* --format analyzer */
    ws_details details;
    bool lists_code; /* with the cost of each line */
    const struct comparison
        *comparison; /* with an earlier report (report_comparison.h); NULL: none */
    bool has_charts; /* their figures */
    const struct check_choice
        *checked; /* errors are looked for, and nothing is predicted (check_options.h); NULL */
};

/* Setters that both sources share. `what` names option or key in messages. */
int request_set_shape(struct cli *cli, const char *what, const char *text, uint32_t out[3]);
int request_add_gpus(struct cli *cli, struct request *request, const char *list);
int request_add_cpus(struct cli *cli, struct request *request, const char *list);
/* The grid of OpenCL's global size, once the block is known. */
int request_resolve_global(struct cli *cli, struct request *request);
int request_set_effort(struct cli *cli, const char *text, struct effort *out);
/* "INDEX=FILE[,TOLERANCE]", an input with a tolerance if is_check, else an output; replaces an earlier entry of the
 * same index. */
int request_add_file(struct cli *cli, const char *what, const char *text, const char *folder,
                     bool is_check, struct buffer_file **list, size_t *count);
/* Is a trace to be saved in Accel-Sim's format? That has PTX only. */
bool request_saves_foreign_trace(const struct request *request);
int request_add_print(struct cli *cli, const char *what, const char *text, struct request *request);

/* --format analyzer (analyzer.c). rule: "cc10", "cc12" or "sector32". */
int analyzer_write(struct cli *cli, ws_profile *profile, const char *rule, const char *output);

/* Reads launch.yaml (doc/arguments.md#launch-files). */
int launchfile_read(struct cli *cli, const char *path, struct request *request);

/* After the launch: prints, saves and checks buffers. EXIT_CHECK if a check failed, with the
 * first mismatch, their number and the largest error on standard error. kernel: stands in what is printed,
 * if not NULL. */
int results_deliver(struct cli *cli, const char *kernel, ws_device *device,
                    const struct request *request, const struct arg *args);
/* Indices and files before the launch, so that a typing error costs no execution. */
int results_check_options(struct cli *cli, const struct request *request, const struct arg *args);

#endif
