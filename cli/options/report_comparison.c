// SPDX-License-Identifier: Apache-2.0
#include "cli/options/report_comparison.h"

#include <stdlib.h>
#include <string.h>

#include "cli/options/asking.h"

static int set_threshold(struct cli *cli, const char *text, struct comparison *out)
{
    char *number = cli_copy(cli, text);
    size_t length = strcspn(number, "%");
    bool has_sign = !strcmp(number + length, "%");
    number[length] = '\0';
    if (!has_sign || !parse_number(number, &out->fail_over) || out->fail_over < 0)
        return cli_error(cli, EXIT_USAGE,
                         "invalid value '%s' for --fail-over: expected a percentage of at least 0, "
                         "as in 5%%",
                         text);
    out->fail_over /= 100;
    out->has_threshold = true;
    return EXIT_DONE;
}

int comparison_take(struct cli *cli, const struct option_use *use, struct comparison *out)
{
    switch (use->id) {
    case OPTION_BASELINE:
        out->baseline = use->value;
        return EXIT_DONE;
    case OPTION_FAIL_OVER:
        return set_threshold(cli, use->value, out);
    case OPTION_METRIC:
        CLI_APPEND(cli, out->metrics, out->metric_count, use->value);
        return EXIT_DONE;
    case OPTION_MAP:
        CLI_APPEND(cli, out->maps, out->map_count, use->value);
        return EXIT_DONE;
    case OPTION_ALLOW_MISSING:
        out->allows_missing = true;
        return EXIT_DONE;
    case OPTION_FORCE:
        out->is_forced = true;
        return EXIT_DONE;
    default:
        return EXIT_DONE;
    }
}

int comparison_check(struct cli *cli, const struct comparison *comparison, bool has_reports)
{
    bool has_gate_options = comparison->metric_count || comparison->allows_missing;
    bool has_options = comparison->has_threshold || has_gate_options || comparison->map_count ||
                       comparison->is_forced;
    if (!has_reports && has_options)
        return cli_error(cli, EXIT_USAGE,
                         "--fail-over, --metric, --map and --allow-missing require --baseline "
                         "FILE");
    if (has_gate_options && !comparison->has_threshold)
        return cli_error(cli, EXIT_USAGE, "--metric and --allow-missing require --fail-over P%%");
    return EXIT_DONE;
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* A copy of a pipe has a path that means nothing to readers: it is read here, and keeps its name. */
static int read_copy(struct cli *cli, const char *path, const char **out)
{
    struct cli_text text;
    char *block = cli_alloc(cli, 1 << 16);
    FILE *file = fopen(path, "rbe");
    if (!file) return cli_error(cli, EXIT_INPUT, "%s: cannot open", path);
    int exit_code = cli_text_open(cli, &text);
    for (size_t got; exit_code == EXIT_DONE && (got = fread(block, 1, 1 << 16, file)) > 0;)
        fwrite(block, 1, got, text.out);
    fclose(file);
    if (exit_code != EXIT_DONE) return exit_code;
    if (fflush(text.out) != 0) exit_code = cli_out_of_memory(cli, 0);
    if (exit_code == EXIT_DONE) *out = cli_copy(cli, text.bytes);
    cli_text_drop(&text);
    return exit_code;
}

static int add_report(struct cli *cli, struct asking *asking, const char *name,
                      const char *text_name, const struct compared *report)
{
    const char *text = report->text;
    if (!text && cli_is_copy(report->name)) CLI_TRY(read_copy(cli, report->name, &text));
    asking_word(cli, asking, name, cli_name_inputs(cli, report->name));
    if (text) asking_word(cli, asking, text_name, text);
    return EXIT_DONE;
}

int comparison_ask(struct cli *cli, const struct comparison *comparison, const struct compared *a,
                   const struct compared *b, ws_answer **out)
{
    struct asking asking = {.name = "diff"};
    *out = NULL;
    CLI_TRY(add_report(cli, &asking, "a", "a_text", a));
    CLI_TRY(add_report(cli, &asking, "b", "b_text", b));
    for (size_t i = 0; i < comparison->map_count; i++)
        asking_word(cli, &asking, "map", comparison->maps[i]);
    for (size_t i = 0; i < comparison->metric_count; i++)
        asking_word(cli, &asking, "metric", comparison->metrics[i]);
    if (comparison->has_threshold) asking_number(cli, &asking, "fail_over", comparison->fail_over);
    asking_number(cli, &asking, "force", comparison->is_forced);
    asking_number(cli, &asking, "allow_missing", comparison->allows_missing);
    return asking_ask(cli, &asking, out);
}

static unsigned long long count_of(const ws_answer *diff, const char *path)
{
    return (unsigned long long)ws_answer_number(diff, path);
}

int comparison_conclude(struct cli *cli, const ws_answer *diff)
{
    const char *gate = ws_answer_word(diff, "gate/result");
    unsigned long long compared = count_of(diff, "compared"),
                       refused = count_of(diff, "incomparable");
    if (gate && !strcmp(gate, "passed")) return EXIT_DONE;
    if (gate && !strcmp(gate, "failed")) {
        unsigned long long failed = count_of(diff, "gate/failed");
        return failed ? cli_error(cli, EXIT_CHECK, "gate failed: %s worse by more than %g%%",
                                  cli_count(cli, (double)failed, "figure"),
                                  100 * ws_answer_number(diff, "gate/fail_over"))
                      : cli_error(cli, EXIT_CHECK,
                                  "gate failed: kernels or GPUs are missing in one of the reports "
                                  "(--allow-missing)");
    }
    if (!gate && compared && !refused) return EXIT_DONE;
    return cli_error(cli, EXIT_GUEST, "%s%s", gate ? "gate: " : "",
                     compared ? "some kernels could not be compared" : "nothing was compared");
}

/* ---- with a fresh report --------------------------------------------------------------------- */

static bool put_bytes(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

static int put_answer(struct cli *cli, const ws_answer *answer, const ws_report_options *style,
                      FILE *out)
{
    ws_status status = ws_answer_write(cli->context, answer, style, put_bytes, out);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

/* As a reader of its JSON sees it. */
static int ask_about(struct cli *cli, const struct comparison *comparison, const ws_answer *report,
                     ws_answer **out)
{
    const ws_report_options json = {.size = sizeof json, .format = WS_FORMAT_JSON};
    const struct compared before = {comparison->baseline, NULL};
    struct compared after = {"this report", NULL};
    struct cli_text text;
    *out = NULL;
    CLI_TRY(cli_text_open(cli, &text));
    int exit_code = put_answer(cli, report, &json, text.out);
    if (exit_code == EXIT_DONE && fflush(text.out) != 0) exit_code = cli_out_of_memory(cli, 0);
    after.text = text.bytes;
    if (exit_code == EXIT_DONE) exit_code = comparison_ask(cli, comparison, &before, &after, out);
    cli_text_drop(&text);
    return exit_code;
}

/* The report, and in text the comparison below it. */
static int write_both(struct cli *cli, const ws_answer *report, const ws_answer *diff,
                      const ws_report_options *style, const char *path)
{
    struct cli_text text;
    CLI_TRY(cli_text_open(cli, &text));
    int exit_code = put_answer(cli, report, style, text.out);
    if (exit_code == EXIT_DONE && diff && style->format == WS_FORMAT_TEXT) {
        fputs("\nCompared with ", text.out);
        exit_code = put_answer(cli, diff, style, text.out);
    }
    if (exit_code == EXIT_DONE) return cli_text_close(cli, &text, path);
    cli_text_drop(&text);
    return exit_code;
}

static int tell(struct cli *cli, const ws_answer *diff)
{
    const ws_report_options plain = {.size = sizeof plain, .details = WS_DETAILS_NORMAL};
    return put_answer(cli, diff, &plain, stderr);
}

int comparison_write(struct cli *cli, const struct comparison *comparison, const ws_answer *report,
                     const ws_report_options *style, const char *path)
{
    ws_answer *diff;
    int asked = ask_about(cli, comparison, report, &diff);
    int exit_code = write_both(cli, report, diff, style, path);
    if (exit_code == EXIT_DONE && diff && style->format != WS_FORMAT_TEXT)
        exit_code = tell(cli, diff);
    if (exit_code == EXIT_DONE) exit_code = diff ? comparison_conclude(cli, diff) : asked;
    ws_answer_destroy(diff);
    return exit_code;
}
