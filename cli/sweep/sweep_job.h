// SPDX-License-Identifier: Apache-2.0
/* The work of a sweep: a job is a launch for one GPU, or part of its points if there are many. Each GPU has its own
 * execution, as its code and its rules of counting are its own: a point is what `analyze --gpu` says, whatever else is
 * in the design. */
#ifndef CLI_SWEEP_JOB_H
#define CLI_SWEEP_JOB_H

#include "cli/options/analysis.h"
#include "cli/sweep/sweep_message.h"

/* Points of a job at most: what has more is executed by each process that gets a part. */
enum { JOB_POINTS = 10000 };

uint64_t job_count(const struct design *design);
/* The first point of a job, and how many it has. */
uint64_t job_first_point(const struct design *design, uint64_t job, uint64_t *out_count);

/* One process that computes. */
struct sweep_runner {
    struct cli *cli;
    const struct command *command;
    const struct design *design;
    unsigned threads;   /* of the host, for a launch */
    const char *folder; /* for sources with values; somebody else's */
    ws_launch *counted; /* by GPU: what it needs counted */
    double ***values;   /* in SI units, by GPU (NULL: not looked up yet), field and text */
    /* The launch of the last job. */
    bool has_launch;
    size_t launch, gpu;
    struct cli scope;
    struct analysis analysis;
    struct launch_result result;
};

/* A folder for runners; run_remove_folder takes it away. */
int runner_make_folder(struct cli *cli, char **out);
int runner_begin(struct cli *cli, const struct command *command, const struct design *design,
                 const char *folder, unsigned threads, struct sweep_runner *out);
void runner_end(struct sweep_runner *runner);
/* Computes a job; what fails in it is part of its results. Not EXIT_DONE: interrupted. */
int runner_do(struct sweep_runner *runner, uint64_t job, struct sweep_message *out);

#endif
