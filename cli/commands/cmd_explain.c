// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/options/options.h"

/* Are all operands together one word, such as: speed of light? */
static bool explain_phrase(struct cli *cli, const struct command_line *line, int *out_code)
{
    const char *phrase = line->operands[0];
    char *text;
    for (size_t i = 1; i < line->operand_count; i++)
        phrase = cli_format(cli, "%s %s", phrase, line->operands[i]);
    if (ws_explain(cli->context, phrase, &text) != WS_OK) return false;
    *out_code = cli_write_fitted(cli, text);
    ws_free(text);
    return true;
}

static int run_explain(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    int phrase_code;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    if (line.operand_count > 1 && explain_phrase(cli, &line, &phrase_code)) return phrase_code;
    size_t count = line.operand_count ? line.operand_count : 1;
    for (size_t i = 0; i < count; i++) {
        char *text;
        ws_status status =
            ws_explain(cli->context, line.operand_count ? line.operands[i] : NULL, &text);
        if (status != WS_OK) return cli_failed(cli, status);
        if (i) putchar('\n');
        int written = cli_write_fitted(cli, text);
        ws_free(text);
        CLI_TRY(written);
    }
    return EXIT_DONE;
}

static const struct option_row options[] = {{0}};

const struct command command_explain = {
    .name = "explain",
    .synopsis = "  warpsage explain [WORD ...]",
    .summary = "explain a word of a report",
    .text = "A WORD is anything a report prints: an advice code (G102), a line or heading (WHY,\n"
            "speed of light), a limit (memory latency), a counter (inst.warp), an effect\n"
            "(bank-conflicts), a model (mwp-cwp), one of its terms (mwp_peak_bw), a stall reason\n"
            "(long_scoreboard), or a key of machine files (machine.dram.latency). Without a WORD,\n"
            "all are listed.\n",
    .operands = "{word}WORD",
    .options = options,
    .run = run_explain,
};
