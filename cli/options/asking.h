// SPDX-License-Identifier: Apache-2.0
/* From a subcommand's options to a question, and from its answer to the output. */
#ifndef CLI_OPTIONS_ASKING_H
#define CLI_OPTIONS_ASKING_H

#include "cli/cli.h"
#include "cli/options/request.h"

/* A question under construction; `name` is set, the rest begins as zeros. */
struct asking {
    const char *name;
    ws_input *inputs;
    size_t input_count;
    const ws_profile **profiles;
    size_t profile_count;
    const ws_machine **machines;
    size_t machine_count;
};

void asking_number(struct cli *cli, struct asking *asking, const char *name, double value);
void asking_word(struct cli *cli, struct asking *asking, const char *name, const char *word);
/* What the request says about models. */
void asking_predict(struct cli *cli, struct asking *asking, const struct request *request);
void asking_profile(struct cli *cli, struct asking *asking, const ws_profile *profile);
void asking_machine(struct cli *cli, struct asking *asking, const ws_machine *machine);

/* Active SMs, inputs `active_sms`: "0,7,1,8", "0-3", "all", "none". */
int asking_sms(struct cli *cli, struct asking *asking, const char *option, const char *text,
               unsigned sm_count);

/* *out: the answer, NULL if none. Of one that lacks a part the exit code is not EXIT_DONE, either;
 * then what is missing has been told on standard error. */
int asking_ask(struct cli *cli, const struct asking *asking, ws_answer **out);

/* Writes it to `path`, NULL: standard output. */
int asking_write_with(struct cli *cli, const ws_answer *answer, const ws_report_options *options,
                      const char *path);
int asking_write_table(struct cli *cli, const ws_answer *answer, const char *table,
                       const char *path); /* as CSV */
/* How asking_write writes. */
ws_report_options asking_style(struct cli *cli, ws_format format, ws_details details,
                               const char *path);
int asking_write(struct cli *cli, const ws_answer *answer, ws_format format, ws_details details,
                 const char *path);

#endif
