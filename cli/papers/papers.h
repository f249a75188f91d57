// SPDX-License-Identifier: Apache-2.0
/* The papers' results beside ours. A folder of papers/ holds what was published (published.json),
 * the kernels (kernels.csv, or launch files), and which curves are drawn from them (curves.json);
 * doc/papers.md gives their keys. Nothing here knows a result: a row names a closed form with its inputs, or a curve
 * and the statement about it that is to be judged. */
#ifndef CLI_PAPERS_H
#define CLI_PAPERS_H

#include <jansson.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/options/asking.h"

/* The tables compare what the papers' equations say, as they are printed: not what warpsage makes of
 * them where they contradict each other or a bound. */
#define PAPERS_READINGS "bytes=requested,cases=printed,overlap=n,tail_periods=one,bound=none"

/* One line of kernels.csv. */
struct papers_kernel {
    const char *folder, *id, *file, *entry;
    uint64_t work_x, work_y; /* threads or blocks in x; rows of blocks in y */
    bool is_work_blocks;
    uint32_t block; /* threads of a block, by default */
    bool is_square; /* blocks of as many rows as columns, work_y in threads */
    uint64_t shared_bytes_per_thread;
    const char **args;
    size_t arg_count;
};

/* Values of all columns at one x; NAN: this launch cannot run there. */
struct papers_point {
    double x;
    double *values;
};

struct papers_series {
    const char *kernel, *machine; /* of a closed form: the name of its inputs */
    unsigned blocks_per_sm;       /* 0: as many as fit */
    struct papers_point *points;
    size_t point_count;
};

struct papers_curve {
    const char *id, *title, *figure, *x_name;
    size_t column_count;
    const char **columns, **units;
    size_t series_count;
    struct papers_series *series;
};

struct papers_module {
    const char *path;
    ws_module *module;
};

/* What is counted otherwise than by default, 0: nothing: segments of the rule of cc 1.2, banks of
 * shared memory. */
struct papers_counting {
    unsigned initial_segment, min_segment, shared_banks;
};

/* A launch file that was executed. */
struct papers_executed {
    const char *path;
    uint32_t blocks; /* of the grid in x; 0: those of the file */
    struct papers_counting counting;
    ws_profile *profile;
};

/* A set of active SMs whose heat was solved. */
struct papers_solved {
    const char *key; /* GPU, SMs, watts */
    ws_answer *answer;
};

/* All folders together: rows, cases, kernels and curves one after the other. */
struct papers {
    struct cli *cli;
    const char *folder; /* the one that is read, or that the row at hand is from */
    json_t *published, *curves_file;
    struct papers_kernel *kernels;
    size_t kernel_count;
    ws_machine **machines;
    size_t machine_count;
    struct papers_module *modules;
    size_t module_count;
    struct papers_executed *executed;
    size_t executed_count;
    struct papers_solved *solved;
    size_t solved_count;
    struct powered **powered; /* launches whose power was predicted, papers_power.c */
    size_t powered_count;
    struct papers_curve *curves; /* computed so far; at most one an entry of curves.json */
    size_t curve_count;
};

/* What came out for a row; the question `papers` judges it. */
struct papers_row {
    const json_t *source; /* its object in published.json */
    bool has_ours;
    double ours;
    const char *ours_text; /* of a statement: what came out; NULL: a number */
    bool is_hidden;        /* it is there only for rows that are about it */
};

/* papers_data.c */
int papers_open(struct cli *cli, struct papers *out);
void papers_close(struct papers *papers);
const char *papers_text(const json_t *object, const char *key); /* "" if none */
double papers_number(const json_t *object, const char *key, double otherwise);
/* A machine's name, or the path of NAME.yaml in the folder of the row at hand. */
const char *papers_machine_path(struct papers *papers, const char *name);
/* The same handle for the same name. */
int papers_machine(struct papers *papers, const char *name, ws_machine **out);
const struct papers_kernel *papers_find_kernel(const struct papers *papers, const char *id);
int papers_bad_file(struct papers *papers, const char *file, const char *what, const char *where);

/* papers_run.c: executes a kernel, with a sample of its blocks. blocks_total 0: the work of
 * kernels.csv. registers 0: as the kernel has them. */
struct papers_launch {
    const struct papers_kernel *kernel;
    uint32_t block;
    uint64_t blocks_total;
    unsigned registers;
    ws_launch counted; /* what the machines ask to be counted: ws_machine_prepare_launch */
};
int papers_run(struct papers *papers, const struct papers_launch *launch, ws_profile **out);

/* papers_launch.c: the profile of launch/NAME.yaml in the folder of the row at hand, all rules counted; all blocks
 * executed, unless "sampled" of its published.json has NAME. NAME@BLOCKS: with
 * so many blocks in x. Executed once, owned by `papers`. */
int papers_launch_file(struct papers *papers, const char *name,
                       const struct papers_counting *counting, ws_profile **out);
/* papers_run.c */
int papers_load_module(struct papers *papers, const char *path, ws_module **out);

/* papers_counts.c: rows about the counts of such launches, or occupancy. papers_estimate.c: what a model
 * says of them; *text is NULL if it is a number. */
int papers_count(struct papers *papers, const json_t *ours, double *out);
int papers_occupancy(struct papers *papers, const json_t *ours, double *out);
int papers_estimate(struct papers *papers, const json_t *ours, double *number, const char **text);
/* The number of a node below; NAN: none. */
double papers_number_at(ws_node node, const char *path);
/* A curve of terms of a model over one figure of the machine; over launches, or the stages of one. */
int papers_estimate_curve(struct papers *papers, const json_t *source, struct papers_curve *curve);
int papers_launch_curve(struct papers *papers, const json_t *source, struct papers_curve *curve);

/* papers_thermal.c: the heat of a chip by its active SMs, or by how much it differs between sets. */
int papers_thermal(struct papers *papers, const json_t *ours, double *out);
void papers_thermal_clear(struct papers *papers);
/* Degrees of every SM, a series a set of active ones. */
int papers_thermal_curve(struct papers *papers, const json_t *source, struct papers_curve *curve);
/* papers_energy.c: the series of table 16 of the thesis. */
int papers_energy_curve(struct papers *papers, const json_t *source, struct papers_curve *curve);

/* papers_curves.c */
int papers_curve_compute(struct papers *papers, const char *id, const struct papers_curve **out);
/* The inputs of a closed form: an object of numbers and readings, on top of a machine's. */
int papers_evaluate(struct papers *papers, const char *function, const json_t *inputs,
                    ws_machine *machine, ws_term *terms, size_t capacity, size_t *out_count);

/* papers_power.c: rows and curves about power and active SMs. */
int papers_power(struct papers *papers, const json_t *ours, double *out);
int papers_power_curve(struct papers *papers, const json_t *source, struct papers_curve *curve);
/* The same kernels over time: watts and degrees while they repeat for "run_s" and the GPU cools for "cool_s". */
int papers_heating_curve(struct papers *papers, const json_t *source, struct papers_curve *curve);
void papers_power_clear(struct papers *papers);

/* papers_rows.c: from the source of a row what came out. Nothing of a row about other rows
 * or about a curve, but that curve. */
int papers_row_compute(struct papers *papers, struct papers_row *row);
/* "mean_error", "rank" or "order"; NULL: it is not about other rows. */
const char *papers_about(const json_t *source);
/* The rows that it is about. */
struct papers_reference {
    const char *id;
    size_t group; /* of an order */
};
size_t papers_references(struct papers *papers, const json_t *source,
                         struct papers_reference **out);

/* papers_ask.c: the question `papers`, to standard output or a file. */
struct papers_output {
    ws_format format;
    ws_details details;
    const char *path; /* NULL: standard output */
};
int papers_ask_rows(struct papers *papers, const struct papers_row *rows, size_t count,
                    const struct papers_output *output);
int papers_ask_curves(struct papers *papers, const struct papers_curve *const *curves, size_t count,
                      const struct papers_output *output);

#endif
