// SPDX-License-Identifier: Apache-2.0
/* Sets of launches that were measured on hardware: accuracy/SET.yaml and its table (doc/accuracy.md). */
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include "cli/options/request.h"
#include "cli/validate/generator.h"

/* A column of the table that is compared: `counter:ID`, `profiler:ID` or `simulator:NAME`. */
struct validate_column {
    const char *name; /* ID or NAME */
    bool is_profiler; /* a figure of the section `profiler` of an analysis, else a counter */
    const char *path; /* another figure of an analysis, below its machine; NULL: one of these */
    size_t index;     /* in the table */
};

struct command;
struct validate_row {
    size_t line; /* of the table */
    const char *application, *kernel, *instance, *role;
    const struct request *request; /* the launch, of a launch file; NULL: by what follows */
    /* The launch; with a generator instead of them its parameters. */
    const char *entry, *file, *args;
    uint32_t grid[3], block[3];
    double *parameters;
    uint64_t shared_bytes;
    unsigned registers;                           /* of the measured binary; 0: not known */
    unsigned spill_store_bytes, spill_load_bytes; /* per thread, as ptxas prints them */
    const char *machine;                          /* of this row; NULL: the set's */
    double measured;                              /* in the set's unit */
    double active;         /* of watts: share of the time in which SMs are active */
    double launch_seconds; /* of watts: measured time of a launch; 0: unknown */
    double *values;        /* by column; NAN: not measured */
};

struct validate_set {
    const char *id, *folder, *title, *source, *machine;
    const char *table; /* path, for messages */
    bool in_cycles;    /* `measured` is in core cycles of the machine, else in seconds */
    bool in_watts;     /* ... or in watts of the board while the kernel runs in a loop */
    bool is_ranking;   /* configurations of one kernel: what counts is their order */
    double blocks;     /* to execute of each launch unless --effort says otherwise; 0: all */
    const char *model_options; /* of all its predictions; NULL: none */
    const char *l2;            /* what its launches find there; NULL: nothing */
    /* Of launches back to back: from the end of one to the start of the next; from one to the next at least. */
    double gap_seconds, interval_seconds;
    const struct generator *generator; /* NULL: rows name files */
    double
        constants[GENERATOR_PARAMETERS_MAX]; /* its parameters that no column has; NAN: unknown */
    /* Rows of data/evidence.yaml: compute capabilities they speak for, "7.0"; NULL: none of this set. */
    const char *evidence_first, *evidence_last, *evidence_source;
    struct validate_column *counters, *simulators;
    size_t counter_count, simulator_count;
    struct validate_row *rows;
    size_t row_count;
};

/* Ends the name of a model whose watts rest on a measured time. */
#define VALIDATE_MEASURED_TIME ", measured time"

/* `name`: a set of accuracy/, or the path of a .yaml file. EXIT_INPUT with file and line if it is wrong,
 * EXIT_USAGE with the list of sets if the name is unknown. */
int validate_read(struct cli *cli, const char *name, struct validate_set *out);
/* What the launches of a set have in common, with what the command line says. */
struct validate_launches {
    struct cli *cli;
    const struct validate_set *set;
    const struct request *request;
    const char *target; /* "sm_80" */
    bool has_effort;    /* --effort was given */
};
/* Do rows without machines of their own give the same counts? */
bool validate_same_launch(const struct validate_row *a, const struct validate_row *b);
/* The request of a row, on the machines of all rows of its launch. `generated`: to be dropped once the kernel is loaded,
 * if the set has a generator. */
int validate_prepare(const struct validate_launches *of, const struct validate_row *row,
                     struct generated *generated, struct request *request);
/* Runs the launch files of a folder on the GPU of this computer, whose machine file is `machine`. EXIT_DEVICE if it
 * cannot be used. */
int gpu_here_measure(struct cli *cli, const struct command *command, const char *folder,
                     const char *machine, unsigned device, struct validate_set *out);
/* The file or generated text of a row's kernel and its launch. cli_text_drop out->ptx if the set has a
 * generator. `target`: sm_80. */
int validate_generate(struct cli *cli, const struct validate_set *set,
                      const struct validate_row *row, const char *target, struct generated *out);
/* Puts the rows of the sets, which the answer is about, into a file of evidence, in place of those that it wrote
 * before. EXIT_USAGE if no set says for which GPUs it speaks. */
int evidence_write(struct cli *cli, const struct validate_set *sets, size_t count,
                   const ws_answer *answer, const char *path);
/* Ids of the sets of accuracy/, in alphabetical order. */
int validate_list(struct cli *cli, const char ***out, size_t *out_count);

#endif
