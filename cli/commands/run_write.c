// SPDX-License-Identifier: Apache-2.0
/* The report of a run, which is the answer to the question `run`; and the folder of reports. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands/run.h"
#include "cli/options/asking.h"

bool run_analyzes_heaviest(const struct cli *cli, const struct run_request *request)
{
    return request->format == WS_FORMAT_JSON || request->format == WS_FORMAT_HTML ||
           request->format == WS_FORMAT_SARIF || (request->format == WS_FORMAT_TEXT && !cli->quiet);
}

bool run_has_charts(const struct run_request *request)
{
    return request->has_charts || request->format == WS_FORMAT_HTML;
}

/* Kernels that a page reports in full unless told otherwise. */
enum { PAGE_REPORTS = 8 };

static void ask_heaviest(struct cli *cli, const struct run_request *request, struct asking *asking)
{
    bool is_page = request->format == WS_FORMAT_HTML;
    uint64_t reports = request->report_count ? request->report_count : is_page ? PAGE_REPORTS : 1;
    asking_number(cli, asking, "heaviest", run_analyzes_heaviest(cli, request));
    asking_number(cli, asking, "reports", (double)reports);
    if (request->timeline) asking_number(cli, asking, "timeline", 1);
    if (run_has_charts(request)) asking_number(cli, asking, "charts", 1);
    if (run_has_charts(request)) asking_number(cli, asking, "code", 1);
}

/* Asks for the report, or with `report_prefix` for all launches. */
static int ask(struct cli *cli, const struct run_result *result, const char *report_prefix,
               ws_answer **out)
{
    const struct run_request *request = result->request;
    struct asking asking = {.name = "run"};
    asking_word(cli, &asking, "session", result->folder);
    for (size_t i = 0; request->program[i]; i++)
        asking_word(cli, &asking, "program", request->program[i]);
    asking_number(cli, &asking, "exit_code", result->exit_code);
    asking_word(cli, &asking, "clock", request->clock);
    asking_word(cli, &asking, "l2", request->l2);
    asking_number(cli, &asking, "gpu_given", request->gpu_given);
    if (report_prefix)
        asking_word(cli, &asking, "report_prefix", report_prefix);
    else
        ask_heaviest(cli, request, &asking);
    for (size_t i = 0; i < request->gpu_count; i++)
        asking_machine(cli, &asking, result->machines[i]);
    return asking_ask(cli, &asking, out);
}

bool run_put_on_standard_error(void *user, const char *bytes, size_t size)
{
    (void)user;
    return fwrite(bytes, 1, size, stderr) == size;
}

int run_write(struct cli *cli, const struct run_result *result)
{
    const struct run_request *request = result->request;
    const ws_report_options style = {.size = sizeof style,
                                     .format = request->format,
                                     .details = request->details,
                                     .source_root = cli_folder(cli)};
    ws_answer *answer;
    int exit_code = ask(cli, result, NULL, &answer), written = EXIT_DONE;
    if (!answer) return exit_code;
    if (request->output)
        written = asking_write_with(cli, answer, &style, request->output);
    else if (ws_answer_write(cli->context, answer, &style, run_put_on_standard_error, NULL) !=
             WS_OK)
        written = EXIT_RUN_OURS;
    if (written == EXIT_DONE && request->timeline)
        written = run_write_timeline(cli, answer, request->timeline);
    ws_answer_destroy(answer);
    return exit_code == EXIT_DONE ? written : exit_code;
}

/* ---- the folder of reports --------------------------------------------------------------------- */

/* The list's path, and what names of this run's reports begin with: the first run of a folder has
 * launches.jsonl, the next launches-2.jsonl and "2-". One that is there is kept; another run may be writing
 * one at the same time, so the name is taken by a file without bytes. */
static int take_list(struct cli *cli, const char *folder, const char **out, const char **out_prefix)
{
    FILE *taken = NULL;
    unsigned run;
    *out = folder;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_error(cli, EXIT_RUN_OURS, "%s: %s", folder, strerror(errno));
    errno = EEXIST;
    for (run = 0; !taken && errno == EEXIST;) {
        *out = ++run == 1 ? cli_format(cli, "%s/launches.jsonl", folder)
                          : cli_format(cli, "%s/launches-%u.jsonl", folder, run);
        taken = fopen(*out, "wxe");
    }
    if (!taken) return cli_error(cli, EXIT_RUN_OURS, "%s: %s", *out, strerror(errno));
    fclose(taken);
    *out_prefix = run == 1 ? "" : cli_format(cli, "%u-", run);
    if (run > 1)
        fprintf(stderr, "warpsage: %s contains reports of an earlier run: this one is in %s\n",
                folder, *out);
    return EXIT_DONE;
}

static int write_report(struct cli *cli, const struct run_result *result, const char *profile_path,
                        const char *path)
{
    const ws_report_options style = {.size = sizeof style, .format = WS_FORMAT_JSON};
    struct asking asking = {.name = "analyze"};
    ws_profile *profile;
    ws_answer *answer;
    ws_status status = ws_profile_load(cli->context, profile_path, &profile);
    if (status != WS_OK) return cli_failed(cli, status);
    asking_profile(cli, &asking, profile);
    asking_word(cli, &asking, "l2", result->request->l2);
    for (size_t i = 0; i < result->request->gpu_count; i++)
        asking_machine(cli, &asking, result->machines[i]);
    int exit_code = asking_ask(cli, &asking, &answer);
    if (exit_code == EXIT_DONE) exit_code = asking_write_with(cli, answer, &style, path);
    ws_answer_destroy(answer);
    ws_profile_destroy(profile);
    return exit_code;
}

static int write_reports(struct cli *cli, const struct run_result *result, ws_node reports)
{
    size_t file = ws_table_find(reports, "report"), profile = ws_table_find(reports, "profile");
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < ws_node_count(reports) && exit_code == EXIT_DONE; i++)
        exit_code = write_report(
            cli, result, ws_table_word(reports, profile, i),
            cli_format(cli, "%s/%s", result->request->report_dir, ws_table_word(reports, file, i)));
    return exit_code;
}

int run_write_folder(struct cli *cli, const struct run_result *result)
{
    const ws_report_options lines = {
        .size = sizeof lines, .format = WS_FORMAT_JSON, .table = "launches"};
    const char *path, *prefix = NULL;
    ws_answer *answer;
    CLI_TRY(take_list(cli, result->request->report_dir, &path, &prefix));
    CLI_TRY(ask(cli, result, prefix, &answer));
    int exit_code = write_reports(cli, result, ws_node_find(ws_answer_root(answer), "reports"));
    int listed = asking_write_with(cli, answer, &lines, path);
    ws_answer_destroy(answer);
    return exit_code == EXIT_DONE ? listed : exit_code;
}
