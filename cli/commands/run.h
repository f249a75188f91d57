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

#define RUN_LIBRARY "libwarpsage-cudart.so"
/* Folder of that library, beside the program or where it was built; it may be missing. */
const char *run_libraries(struct cli *cli);
/* In a child: the loader looks for libraries in that folder first. */
void run_use_libraries(struct cli *cli, const char *libraries);

struct run_request {
    const char *const *gpus;
    size_t gpu_count;
    bool gpu_given;
    const char *only, *report_dir, *clock, *output;
    const char *timeline; /* file for a trace viewer; NULL: none */
    const char *isa;      /* what is executed */
    const char *l2;       /* what launches find there */
    double clock_jitter;  /* percent */
    uint64_t skip, count;
    bool every_launch;
    bool virtual_time; /* the program's clocks follow that of the GPU */
    unsigned threads;
    const char *host_isa;      /* NULL: the best */
    const char *engine;        /* NULL: the interpreter */
    uint64_t max_instructions; /* of a launch; 0: what the library has */
    double timeout;            /* seconds for the program; 0: none */
    ws_format format;
    ws_details details;
    bool has_charts;       /* JSON: what pages show as charts, too */
    uint64_t report_count; /* kernels that are reported in full; 0: as usual for the format */
    const char **program;  /* ends with NULL */
    const char *check;     /* tools of `check`; NULL: none */
    bool ignores_leaks;    /* of `check` */
};

/* A program that has run. */
struct run_result {
    const struct run_request *request;
    ws_machine *const *machines;
    const char *folder; /* what its processes left */
    int exit_code;
};

/* run_folder.c: GPUs of --gpu; the program of the operands, and the usual GPU if none is given. */
int run_add_gpus(struct cli *cli, struct run_request *request, const char *list);
int run_take_program(struct cli *cli, const struct command_line *line, const char *command,
                     struct run_request *request);
/* The folder between us and the program. */
int run_make_folder(struct cli *cli, char **out);
void run_remove_folder(struct cli *cli, const char *folder);
/* run_start.c: runs the program; *out_code is its exit code, 128 + n for signal n, or 125 to 127. */
int run_start(struct cli *cli, const struct run_request *request, const char *folder,
              int *out_code);
/* run_libraries.c: says which shared libraries of CUDA the program lacks, for a program that the loader did not start. */
void run_tell_missing_libraries(struct cli *cli, const char *program);
/* run_write.c: the report; and a file for each counted launch in the folder of reports. */
int run_write(struct cli *cli, const struct run_result *result);
/* ws_answer_write's function that takes the bytes: standard output is the program's own. */
bool run_put_on_standard_error(void *user, const char *bytes, size_t size);
int run_write_folder(struct cli *cli, const struct run_result *result);
/* run_trace_events.c: what the answer `run` has of it. */
int run_write_timeline(struct cli *cli, const ws_answer *answer, const char *path);
/* Has the report a timeline, and the figures of charts? */
bool run_has_charts(const struct run_request *request);
/* Has the report a section about one launch? */
bool run_analyzes_heaviest(const struct cli *cli, const struct run_request *request);

#endif
