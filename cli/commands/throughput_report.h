// SPDX-License-Identifier: Apache-2.0
/* The command throughput: what was asked, what came out, and its writers. */
#ifndef CLI_THROUGHPUT_REPORT_H
#define CLI_THROUGHPUT_REPORT_H

#include "cli/cli.h"

struct throughput_request {
    ws_format format;
    const char *output;
    bool has_inputs;
    unsigned *warps; /* of --sweep */
    size_t warp_count;
};

/* One kernel, or one set of inputs, on one GPU. */
struct throughput_answer {
    const char *kernel; /* NULL: inputs by hand */
    double warps_per_block;
    ws_machine *machine;
    double total_cores;
    ws_throughput throughput;
    ws_throughput_point *points; /* by warps of the sweep, then by cores */
    size_t point_count;
};

/* NULL if there is an input of that name; else "; perhaps ..." */
const char *throughput_input_check(struct cli *cli, const char *name);
/* The suggestions in words, and what each asks for; "" if there is nothing to suggest. */
const char *throughput_cores_text(struct cli *cli, const struct throughput_answer *answer);
const char *throughput_warps_text(struct cli *cli, const struct throughput_answer *answer);
const char *throughput_clock_text(struct cli *cli, const struct throughput_answer *answer);
/* More bandwidth or more cores? Memory for computation, or the reverse? */
const char *throughput_buy_text(struct cli *cli, const struct throughput_answer *answer);
const char *throughput_trade_text(struct cli *cli, const struct throughput_answer *answer);

int throughput_write(struct cli *cli, const struct throughput_request *request,
                     const struct throughput_answer *answers, size_t count);
void throughput_write_text(FILE *out, struct cli *cli, const struct throughput_request *request,
                           const struct throughput_answer *answers, size_t count);

#endif
