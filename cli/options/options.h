// SPDX-License-Identifier: Apache-2.0
/* Options from one table: parsing, help and did-you-mean. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/cli.h"

struct option_row {
    int id;
    char letter;      /* 0: none */
    const char *name; /* without dashes */
    /* Name of its value in the help; NULL: a flag. A mark before it tells what the value is: `<` an input
     * file, `>` an output, `{SOURCE}` one of what `warpsage completion values SOURCE` lists (help/listed_values.c),
     * or a folder: {folder}. `a|b|c`: one of these words. A `?` before all that: it may be left out; the next word is
     * the value unless it is an option or a file. */
    const char *value;
    const char *help;
};

/* The text of a value, taken apart. */
struct option_value {
    enum { VALUE_ANY, VALUE_CHOICE, VALUE_INPUT, VALUE_OUTPUT, VALUE_FOLDER, VALUE_LISTED } kind;
    const char *name; /* without the mark; NULL: a flag */
    char source[16];  /* of VALUE_LISTED */
    bool is_list;     /* several, separated by commas */
    bool is_optional;
};

struct option_use {
    int id;
    const char *value;
};

struct command_line {
    struct option_use *uses;
    size_t use_count;
    const char **operands;
    size_t operand_count;
};

/* One subcommand. The table ends with a row without name; --help and --quiet are everyone's. */
struct command {
    const char *name, *synopsis, *summary;
    const char *text; /* further sections of the help, may be "" */
    /* What its operands are, as values of options are written, separated by blanks; the last stands for all
     * further ones. NULL: it takes none. */
    const char *operands;
    const struct option_row *options;
    bool operands_end_options; /* what follows the first operand is not looked at */
    int (*run)(struct cli *cli, const struct command *command, int argc, char **argv);
};

extern const struct command *const commands[]; /* ends with NULL */
extern const struct command command_analyze, command_calibrate, command_check, command_completion,
    command_diff, command_disasm, command_doctor, command_energy, command_explain, command_machines,
    command_man, command_occupancy, command_papers, command_power, command_run, command_schema,
    command_split, command_sweep, command_thermal, command_throughput, command_timeline,
    command_tune, command_validate, command_whatif;
const struct command *command_find(const char *name); /* NULL: none has this name */

/* Its options by index, those that all commands have last; NULL beyond. */
const struct option_row *options_row(const struct command *command, size_t index);
struct option_value option_value(const char *text);
/* The choices of a value, one by one: *at begins as its name. Those in capitals stand for others and are left
 * out. Returns the length; 0: no more. */
size_t option_next_choice(const char **at, const char **out);
/* The operands of a command, one by one, as values of options are written: *at begins as its `operands`, and is at the
 * end behind the last. False: no more. */
enum { OPERAND_BYTES = 64 };
bool option_next_operand(const char **at, char out[OPERAND_BYTES]);
/* " (did you mean '--gpu'?)" or what to use instead of an option of Nsight Compute; "" if neither is near. */
const char *options_hint(struct cli *cli, const struct command *command, const char *option);
/* What to use instead of that option of Nsight Compute; NULL: it has none of that name (profilers.c). */
const char *profiler_hint(const struct command *command, const char *option);
const char *sanitizer_hint(const struct command *command,
                           const char *option); /* compute-sanitizer's */

/* *out_done: help was asked for and given. */
int options_parse(struct cli *cli, const struct command *command, int argc, char **argv,
                  struct command_line *out, bool *out_done);
/* Is the option of use `index` there again, further on? */
bool options_repeats(const struct command_line *line, size_t index);
int options_help(struct cli *cli, const struct command *command);

/* Numbers of option values; the message names the option. */
int parse_unsigned(struct cli *cli, const char *what, const char *text, uint64_t most,
                   uint64_t *out);
/* The same for figures that are never above a million or so: threads, registers. */
int parse_small(struct cli *cli, const char *what, const char *text, unsigned *out);
bool parse_number(const char *text, double *out);
int parse_format(struct cli *cli, const char *text, ws_format *out);

#endif
