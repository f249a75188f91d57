// SPDX-License-Identifier: Apache-2.0
/* What all subcommands share: memory, messages, the terminal, the exit code. Functions that can
 * fail say why on standard error and return an exit code, 0 if all went well. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <warpsage/warpsage.h>

enum {
    EXIT_DONE = 0,
    EXIT_CHECK = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_GUEST = 4,
    EXIT_DEVICE = 5,
    EXIT_BUG = 70
};

/* What progress.c remembers: of a command with steps, the step that runs now. */
struct cli_progress {
    const char *what;
    size_t step, steps; /* 0 steps: none */
    double begun_seconds;
    bool is_begun;
};

struct cli {
    ws_context *context;
    struct cli_block *blocks; /* everything cli_alloc gave, freed at the end */
    const char *tool_path;    /* where nvcc, clang and ptxas are looked for */
    bool quiet;
    enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } colour; /* --color */
    struct cli_progress progress;
    atomic_bool progress_shown; /* text of kernels may come from any thread */
    bool keeps_errors; /* the next message goes to `kept_error` instead of standard error */
    const char *kept_error;
    bool stdout_failed;       /* it was said that standard output cannot be written */
    struct cli_input *inputs; /* files.c */
    struct cli_output *outputs;
    struct made_matrix *matrix; /* arg_matrix.c: the last one; free_matrix frees it */
    void (*free_matrix)(struct cli *cli);
};

void cli_clear(struct cli *cli);
/* For one of many pieces of work: shares the context, keeps its errors, shows no progress; what cli_alloc gives it is
 * freed by cli_scope_end. `cli` must outlive it. */
struct cli cli_scope(const struct cli *cli);
void cli_scope_end(struct cli *cli);
/* Zeroed memory that lives until cli_clear; ends the program if memory runs out. */
void *cli_alloc(struct cli *cli, size_t bytes);
char *cli_copy(struct cli *cli, const char *text);
char *cli_format(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Room for one more item in a list that grows by doubling; old blocks stay until cli_clear. */
void *cli_grow(struct cli *cli, void *items, size_t count, size_t item_bytes);
#define CLI_APPEND(cli, list, count, item)                                                         \
    ((list) = cli_grow((cli), (list), (count), sizeof *(list)), (list)[(count)++] = (item))

/* "warpsage: ..." on standard error; returns exit_code. */
int cli_error(struct cli *cli, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for memory that the host does not have; takes none. 0 bytes: unknown how much. */
int cli_out_of_memory(struct cli *cli, size_t bytes);
/* The context's last message; returns the exit code that belongs to the status. */
int cli_failed(struct cli *cli, ws_status status);
/* Loads a machine of that kind; one of the other kind is a usage error that names the option. */
int cli_load_gpu(struct cli *cli, const char *name, ws_machine **out);
int cli_load_cpu(struct cli *cli, const char *name, ws_machine **out);
/* What to load for it: cli_input of a path, else the name itself. */
int cli_input_machine(struct cli *cli, const char *name, const char **out);
/* " (did you mean 'a', 'b'?)" or "". */
const char *cli_hint(struct cli *cli, const char *wanted, const char *const *names, size_t count);

/* Terminal: interrupts become cancellation, progress is shown if standard error is a terminal. */
void cli_watch_signals(void);
/* Seconds of --timeout; else a message and EXIT_USAGE. */
int cli_parse_timeout(struct cli *cli, const char *text, double *out_seconds);
/* --timeout: as a signal after so many seconds; exit status 4 as at other limits. */
int cli_set_timeout(struct cli *cli, const char *text);
/* The exit code and the words for it, once cli_is_interrupted. */
int cli_stop_code(void);
const char *cli_stop_words(struct cli *cli);
void cli_attach(struct cli *cli);
bool cli_is_interrupted(void);
bool cli_is_dumb_terminal(void);

/* Progress (progress.c): only after a second, only if standard error is a terminal that is not dumb, and not with
 * --quiet. It has the time left, taken from the time that the done part took. Step `step` of `steps` begins;
 * progress of launches within it counts as part of the step. `what` lives until the steps end. */
void cli_begin_step(struct cli *cli, const char *what, size_t step, size_t steps);
void cli_end_steps(struct cli *cli);
/* Of what has no steps. */
void cli_show_progress(struct cli *cli, const char *what, double fraction);
/* The line goes; the next progress writes it again. */
void cli_hide_progress(struct cli *cli);
/* What progress was shown of is over; steps go on. */
void cli_clear_progress(struct cli *cli);
void cli_launch_progress(void *user, const char *what, double fraction);
void cli_attach_progress(struct cli *cli);
/* --color, then NO_COLOR, CLICOLOR_FORCE, whether the stream is a terminal, TERM. */
bool cli_wants_colour(const struct cli *cli, FILE *stream);
bool cli_has_utf8(void);
unsigned cli_columns(FILE *stream);

/* Files (files.c). *out: the path to open for an input as the user named it. `-` is standard input; it
 * and pipes are copied, so that they can be opened as often as a file. */
int cli_input(struct cli *cli, const char *named, const char **out);
/* A file that another input names, and that is read as well: outputs keep away from it. */
void cli_note_input(struct cli *cli, const char *path);
/* Is it the path of such a copy? It has neither folder nor suffix. */
bool cli_is_copy(const char *path);
/* A text with the copies under the names that the user gave them. */
const char *cli_name_inputs(struct cli *cli, const char *text);
/* This file will be written. */
void cli_claim_output(struct cli *cli, const char *path);
/* EXIT_USAGE if a claimed output is an input, or claimed twice. */
int cli_check_outputs(struct cli *cli);
/* The working folder, where paths in findings begin; NULL: unknown. */
const char *cli_folder(struct cli *cli);
/* A folder that comes with the program: papers, accuracy. */
const char *cli_shared_folder(struct cli *cli, const char *name);
/* Writes a whole text to standard output (path NULL), or to a file, which keeps its old contents until
 * the new ones are whole. */
int cli_write(struct cli *cli, const char *path, const void *bytes, size_t size);
/* Standard output could not be written, for this errno. */
int cli_write_failed(struct cli *cli, int problem);

/* A text that is composed in memory and then written as one, as cli_write does; nothing is written if
 * memory did not suffice. */
struct cli_text {
    FILE *out;
    char *bytes;
    size_t size;
};
int cli_text_open(struct cli *cli, struct cli_text *text);
int cli_text_close(struct cli *cli, struct cli_text *text, const char *path);
/* The same to standard output, in the columns that the reader has. */
int cli_text_close_fitted(struct cli *cli, struct cli_text *text);
int cli_write_fitted(struct cli *cli, const char *text);
/* Instead of cli_text_close: nothing is written. */
void cli_text_drop(struct cli_text *text);

/* "447 us", "1.20 GB/s": three digits and a prefix. */
const char *cli_quantity(struct cli *cli, double value, const char *unit);
/* "1 block", "4,096 blocks" */
const char *cli_count(struct cli *cli, double count, const char *noun);

#define CLI_TRY(expression)                                                                        \
    do {                                                                                           \
        int try_exit_ = (expression);                                                              \
        if (try_exit_ != EXIT_DONE) return try_exit_;                                              \
    } while (0)

#endif
