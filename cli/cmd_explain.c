// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "options.h"

static int run_explain(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    size_t count = line.operand_count ? line.operand_count : 1;
    for (size_t i = 0; i < count; i++) {
        char *text;
        ws_status status =
            ws_explain(cli->context, line.operand_count ? line.operands[i] : NULL, &text);
        if (status != WS_OK) return cli_failed(cli, status);
        if (i) putchar('\n');
        int written = cli_write(cli, NULL, text, strlen(text));
        ws_free(text);
        CLI_TRY(written);
    }
    return EXIT_DONE;
}

static const struct option_row options[] = {{0}};

const struct command command_explain = {
    .name = "explain",
    .synopsis = "  warpsage explain [WORD ...]",
    .summary = "what a word of a report means",
    .text = "A WORD is a code of the advice (G102), a counter (inst.warp), an effect\n"
            "(bank-conflicts), a model (mwp-cwp) or a key of the machine files\n"
            "(machine.dram.latency). Without one, all are listed.\n",
    .options = options,
    .run = run_explain,
};
