// SPDX-License-Identifier: Apache-2.0
/* The report of a run: text, JSON (schemas/run.schema.json), CSV; and the folder of reports. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands/run.h"

enum { NAME_COLUMNS = 32 };

/* ---- the report of one kernel ------------------------------------------------------------------ */

static bool put_bytes(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

static int put_report(struct cli *cli, FILE *out, const char *path, ws_machine *const *machines,
                      size_t machine_count, const ws_report_options *style)
{
    ws_profile *profile = NULL;
    ws_answer *answer = NULL;
    ws_status status = ws_profile_load(cli->context, path, &profile);
    const ws_question question = {.size = sizeof question,
                                  .name = "analyze",
                                  .profiles = (const ws_profile *const *)&profile,
                                  .profile_count = 1,
                                  .machines = (const ws_machine *const *)machines,
                                  .machine_count = machine_count};
    if (status == WS_OK) status = ws_ask(cli->context, &question, &answer);
    if (status == WS_OK) status = ws_answer_write(cli->context, answer, style, put_bytes, out);
    if (status != WS_OK) cli_error(cli, EXIT_RUN_OURS, "%s", ws_context_error(cli->context));
    ws_answer_destroy(answer);
    ws_profile_destroy(profile);
    return status == WS_OK ? EXIT_DONE : EXIT_RUN_OURS;
}

static double share(const struct run_table *table, const struct run_kernel *kernel)
{
    return table->total_seconds > 0 ? 100 * kernel->total_seconds / table->total_seconds : 0;
}

static double mean(const struct run_kernel *kernel)
{
    uint64_t timed = kernel->measured + kernel->reused + kernel->scaled;
    return timed ? kernel->total_seconds / (double)timed : 0;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Lines of at most 96 columns, the second and later ones indented by `indent`. */
static void put_wrapped(FILE *out, const char *text, int indent)
{
    enum { WIDTH = 96 };
    for (;;) {
        int room = WIDTH - indent;
        size_t length = strcspn(text, "\n");
        if (length > (size_t)room) {
            length = (size_t)room;
            while (length > 1 && text[length] != ' ')
                length--;
            if (length == 1) length = strcspn(text, " \n");
        }
        fprintf(out, "%.*s\n", (int)length, text);
        text += length;
        while (*text == ' ' || *text == '\n')
            text++;
        if (!*text) return;
        fprintf(out, "%*s", indent, "");
    }
}

static void text_kernel(struct cli *cli, FILE *out, const struct run_table *table,
                        const struct run_kernel *kernel)
{
    int length = (int)strlen(kernel->name);
    fprintf(out, "%-*.*s%s ", NAME_COLUMNS - 2, NAME_COLUMNS - 2, kernel->name,
            length > NAME_COLUMNS - 2 ? ".." : "  ");
    fprintf(out, "%9llu ", (unsigned long long)kernel->launches);
    if (kernel->measured + kernel->reused + kernel->scaled)
        fprintf(out, "%9s %9s %5.0f %%  %.24s\n", cli_quantity(cli, mean(kernel), "s"),
                cli_quantity(cli, kernel->total_seconds, "s"), share(table, kernel),
                kernel->bottleneck);
    else
        fprintf(out, "%9s %9s %7s  %s\n", "-", "-", "-",
                kernel->failed == kernel->launches ? "failed" : "not asked for");
}

static void text_note(FILE *out, bool *first, const char *text)
{
    fputs(*first ? "Notes     " : "          ", out);
    put_wrapped(out, text, 10);
    *first = false;
}

/* What the program did that is not supported, or is wrong, as the stand-in has told it. */
static void text_told(struct cli *cli, FILE *out, const struct run_table *table, bool *first)
{
    for (size_t i = 0; i < table->missing_count; i++) {
        const struct run_missing *one = &table->missing[i];
        bool is_runtime = strncmp(one->name, "cuda", 4) == 0 || one->name[0] == '_';
        text_note(out, first,
                  cli_format(cli, "%s is not supported: called %s, it returned %s.", one->name,
                             cli_count(cli, (double)one->count, "time"),
                             is_runtime ? "cudaErrorNotSupported" : "CUDA_ERROR_NOT_SUPPORTED"));
    }
    for (size_t i = 0; i < table->note_count; i++)
        text_note(out, first, table->notes[i]);
}

static void text_notes(struct cli *cli, FILE *out, const struct run_request *request,
                       const struct run_table *table)
{
    bool first = true;
    if (!request->gpu_given)
        text_note(out, &first,
                  cli_format(cli, "No --gpu was given: %s was taken.", request->gpus[0]));
    text_note(out, &first,
              "Times are the kernels' alone: launch cost and copies between host and GPU are not "
              "included; streams run one after the other.");
    text_note(out, &first,
              strcmp(request->clock, "host") == 0
                  ? "Events told the program the time of this host (--clock host)."
                  : "Events told the program the predicted GPU's time, not this host's.");
    if (table->reused)
        text_note(out, &first,
                  cli_format(cli,
                             "%llu of %llu launches were counted; %llu had the same geometry, "
                             "scalar arguments and number of instructions as a counted one and "
                             "took over its counts (--every-launch counts each).",
                             (unsigned long long)table->measured,
                             (unsigned long long)table->launch_total,
                             (unsigned long long)table->reused));
    if (table->scaled)
        text_note(out, &first,
                  cli_format(cli,
                             "%s executed another number of instructions than the "
                             "counted ones of the same kind: the time is estimated from those "
                             "nearest in instructions (--every-launch counts each).",
                             cli_count(cli, (double)table->scaled, "launch")));
    if (table->uncounted)
        text_note(out, &first,
                  cli_format(cli,
                             "%s ran without counters (--only, --skip, --count): "
                             "no time is known, and events took none for it.",
                             cli_count(cli, (double)table->uncounted, "launch")));
    if (table->failed)
        text_note(out, &first,
                  cli_format(cli, "%s failed: see the messages above.",
                             cli_count(cli, (double)table->failed, "launch")));
    text_told(cli, out, table, &first);
}

static void text_nothing(struct cli *cli, FILE *out, const struct run_request *request,
                         const struct run_table *table)
{
    bool first = true;
    fputs("no kernel was launched\n", out);
    if (!request->gpu_given)
        fprintf(out, "  No --gpu was given: %s was taken.\n", request->gpus[0]);
    if (!table->processes)
        fputs("  The program did not call CUDA's runtime or driver. (One linked with -static, or "
              "with "
              "other\n  rights than yours, cannot be reached.)\n",
              out);
    text_told(cli, out, table, &first);
}

static int write_text(struct cli *cli, FILE *out, const struct run_request *request,
                      const struct run_table *table, ws_machine *const *machines)
{
    enum { SHOWN = 20 };
    const char *slash = strrchr(request->program[0], '/');
    const char *name = slash ? slash + 1 : request->program[0];
    put_wrapped(out,
                cli_format(cli, "%.60s on %s (%s)", name, ws_machine_id(machines[0]),
                           ws_machine_name(machines[0])),
                2);
    fputs("  ", out);
    if (!table->launch_total) {
        text_nothing(cli, out, request, table);
        return EXIT_DONE;
    }
    bool timed = table->measured > 0;
    fprintf(out, "%s, %s, %s%s\n\n", cli_count(cli, (double)table->kernel_count, "kernel"),
            cli_count(cli, (double)table->launch_total, "launch"),
            timed ? cli_quantity(cli, table->total_seconds, "s") : "no time predicted",
            timed ? " predicted in all" : "");
    fprintf(out, "%-*s %9s %9s %9s %7s  %s\n", NAME_COLUMNS, "kernel", "launches", "each", "in all",
            "share", "limited by");
    for (size_t i = 0; i < table->kernel_count && i < SHOWN; i++)
        text_kernel(cli, out, table, &table->kernels[i]);
    if (table->kernel_count > SHOWN)
        fprintf(out, "and %s of less time: --format json\n",
                cli_count(cli, (double)(table->kernel_count - SHOWN), "kernel"));
    fputc('\n', out);
    const struct run_kernel *heaviest = &table->kernels[0];
    int exit_code = EXIT_DONE;
    if (*heaviest->profile && !cli->quiet) {
        fputs(table->launch_total == 1 ? "" : "The heaviest launch of the heaviest kernel:\n\n",
              out);
        ws_report_options style = {
            .size = sizeof style, .format = WS_FORMAT_TEXT, .details = request->details};
        exit_code = put_report(cli, out, heaviest->profile, machines, request->gpu_count, &style);
        fputc('\n', out);
    }
    text_notes(cli, out, request, table);
    return exit_code;
}

/* ---- JSON and CSV ------------------------------------------------------------------------------ */

static void json_shape(FILE *out, const char *key, const uint32_t shape[3])
{
    fprintf(out, ",\"%s\":[%u,%u,%u]", key, shape[0], shape[1], shape[2]);
}

static void json_kernel(FILE *out, const struct run_table *table, const struct run_kernel *kernel)
{
    bool timed = kernel->measured + kernel->reused + kernel->scaled > 0;
    fputs("{\"name\":", out);
    cli_put_json(out, kernel->name);
    fprintf(out, ",\"launches\":%llu,\"counted\":%llu,\"reused\":%llu,\"scaled\":%llu",
            (unsigned long long)kernel->launches, (unsigned long long)kernel->measured,
            (unsigned long long)kernel->reused, (unsigned long long)kernel->scaled);
    fprintf(out, ",\"uncounted\":%llu,\"failed\":%llu", (unsigned long long)kernel->uncounted,
            (unsigned long long)kernel->failed);
    fprintf(out, ",\"warp_instructions\":%llu", (unsigned long long)kernel->warp_instructions);
    if (!timed) {
        fprintf(out, ",\"time_s\":null,\"reason\":\"%s\"}",
                kernel->failed ? "failed" : "not asked for");
        return;
    }
    fprintf(out, ",\"time_s\":%.9g,\"least_s\":%.9g,\"most_s\":%.9g,\"share\":%.6g",
            kernel->total_seconds, kernel->least_seconds, kernel->most_seconds,
            share(table, kernel) / 100);
    fputs(",\"bottleneck\":", out);
    cli_put_json(out, kernel->bottleneck);
    json_shape(out, "grid", kernel->grid);
    json_shape(out, "block", kernel->block);
    fputc('}', out);
}

static int write_json(struct cli *cli, FILE *out, const struct run_request *request,
                      const struct run_table *table, ws_machine *const *machines, int exit_code)
{
    fprintf(out,
            "{\"schema\":\"warpsage.run/1\",\"tool\":{\"name\":\"warpsage\",\"version\":\"%s\"}",
            ws_version());
    fputs(",\"program\":[", out);
    for (size_t i = 0; request->program[i]; i++) {
        if (i) fputc(',', out);
        cli_put_json(out, request->program[i]);
    }
    fprintf(out, "],\"exit_code\":%d,\"machine\":\"%s\",\"clock\":\"%s\",\"time_s\":%.9g",
            exit_code, ws_machine_id(machines[0]), request->clock, table->total_seconds);
    fputs(",\"kernels\":[", out);
    for (size_t i = 0; i < table->kernel_count; i++) {
        if (i) fputc(',', out);
        json_kernel(out, table, &table->kernels[i]);
    }
    fputs("],\"missing\":[", out);
    for (size_t i = 0; i < table->missing_count; i++)
        fprintf(out, "%s{\"name\":\"%s\",\"calls\":%llu}", i ? "," : "", table->missing[i].name,
                (unsigned long long)table->missing[i].count);
    fputs("],\"notes\":[", out);
    for (size_t i = 0; i < table->note_count; i++) {
        if (i) fputc(',', out);
        cli_put_json(out, table->notes[i]);
    }
    fputs("],\"heaviest\":", out);
    int written = EXIT_DONE;
    if (table->kernel_count && *table->kernels[0].profile) {
        ws_report_options style = {.size = sizeof style, .format = WS_FORMAT_JSON};
        written =
            put_report(cli, out, table->kernels[0].profile, machines, request->gpu_count, &style);
    } else {
        fputs("null", out);
    }
    fputs("}\n", out);
    return written;
}

static int write_csv(FILE *out, const struct run_table *table)
{
    fputs("kernel,launches,counted,reused,scaled,uncounted,failed,time_s,least_s,most_s,"
          "bottleneck\n",
          out);
    for (size_t i = 0; i < table->kernel_count; i++) {
        const struct run_kernel *k = &table->kernels[i];
        fprintf(out, "\"%s\",%llu,%llu,%llu,%llu,%llu,%llu,", k->name,
                (unsigned long long)k->launches, (unsigned long long)k->measured,
                (unsigned long long)k->reused, (unsigned long long)k->scaled,
                (unsigned long long)k->uncounted, (unsigned long long)k->failed);
        if (k->measured)
            fprintf(out, "%.9g,%.9g,%.9g,%s\n", k->total_seconds, k->least_seconds, k->most_seconds,
                    k->bottleneck);
        else
            fputs(",,,\n", out);
    }
    return EXIT_DONE;
}

int run_write(struct cli *cli, const struct run_request *request, const struct run_table *table,
              ws_machine *const *machines, int exit_code)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (!out) return (cli_out_of_memory(cli, 0), EXIT_RUN_OURS);
    int written = request->format == WS_FORMAT_JSON
                      ? write_json(cli, out, request, table, machines, exit_code)
                  : request->format == WS_FORMAT_CSV
                      ? write_csv(out, table)
                      : write_text(cli, out, request, table, machines);
    fclose(out);
    /* Standard output is the program's own. */
    if (request->output)
        written =
            cli_write(cli, request->output, bytes, size) == EXIT_DONE ? written : EXIT_RUN_OURS;
    else
        fwrite(bytes, 1, size, stderr);
    free(bytes);
    return written;
}

/* ---- the folder of reports --------------------------------------------------------------------- */

/* The first run of a folder has launches.jsonl, the next launches-2.jsonl; reports of that begin with 2-. */
static const char *file_name(struct cli *cli, const struct run_launch *launch, unsigned run,
                             size_t ordinal)
{
    char *name = run == 1 ? cli_format(cli, "%06zu-%.80s.json", ordinal, launch->name)
                          : cli_format(cli, "%u-%06zu-%.80s.json", run, ordinal, launch->name);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *c))
            *c = '_';
    return name;
}

/* The list's path. One that is there is kept; another run may be writing one at the same time, so the name is
 * taken by a file without bytes. */
static int take_list(struct cli *cli, const char *folder, const char **out, unsigned *out_run)
{
    FILE *taken = NULL;
    *out = folder;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_error(cli, EXIT_RUN_OURS, "%s: %s", folder, strerror(errno));
    errno = EEXIST;
    for (*out_run = 0; !taken && errno == EEXIST;) {
        *out = ++*out_run == 1 ? cli_format(cli, "%s/launches.jsonl", folder)
                               : cli_format(cli, "%s/launches-%u.jsonl", folder, *out_run);
        taken = fopen(*out, "wxe");
    }
    if (!taken) return cli_error(cli, EXIT_RUN_OURS, "%s: %s", *out, strerror(errno));
    fclose(taken);
    if (*out_run > 1)
        fprintf(stderr, "warpsage: %s has reports of an earlier run: this one is in %s\n", folder,
                *out);
    return EXIT_DONE;
}

static int write_counted(struct cli *cli, const struct run_request *request, const char *name,
                         const struct run_launch *launch, ws_machine *const *machines)
{
    const char *path = cli_format(cli, "%s/%s", request->report_dir, name);
    ws_report_options style = {.size = sizeof style, .format = WS_FORMAT_JSON};
    struct cli_text text;
    if (cli_text_open(cli, &text) != EXIT_DONE) return EXIT_RUN_OURS;
    int exit_code =
        put_report(cli, text.out, launch->profile, machines, request->gpu_count, &style);
    return cli_text_close(cli, &text, path) == EXIT_DONE ? exit_code : EXIT_RUN_OURS;
}

static void put_launch(FILE *out, size_t index, const struct run_launch *launch, const char *report)
{
    fprintf(out, "{\"launch\":%zu,\"kernel\":", index);
    cli_put_json(out, launch->name);
    fprintf(out, ",\"grid\":[%s],\"block\":[%s],\"dynamic_shared_bytes\":%llu,\"counts\":\"%s\"",
            launch->grid, launch->block, (unsigned long long)launch->dynamic_shared_bytes,
            launch->how);
    fprintf(out, ",\"warp_instructions\":%llu,\"time_s\":%.9g,\"report\":\"%s\"}\n",
            (unsigned long long)launch->warp_instructions, launch->seconds, report);
}

/* The report of the counted launch whose counts this one has. */
static const char *report_of(const struct run_table *table, const char *const *reports, size_t at)
{
    const char *profile = table->launches[at].profile;
    for (size_t i = at + 1; i-- > 0;)
        if (reports[i] && !strcmp(table->launches[i].profile, profile)) return reports[i];
    return "";
}

int run_write_folder(struct cli *cli, const struct run_request *request,
                     const struct run_table *table, ws_machine *const *machines)
{
    const char *path;
    unsigned run = 0;
    struct cli_text list;
    CLI_TRY(take_list(cli, request->report_dir, &path, &run));
    if (cli_text_open(cli, &list) != EXIT_DONE) return EXIT_RUN_OURS;
    const char **reports = cli_alloc(cli, (table->launch_count + 1) * sizeof *reports);
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < table->launch_count && exit_code == EXIT_DONE; i++) {
        const struct run_launch *launch = &table->launches[i];
        if (!strcmp(launch->how, "counted")) {
            reports[i] = file_name(cli, launch, run, i + 1);
            exit_code = write_counted(cli, request, reports[i], launch, machines);
        }
        put_launch(list.out, i + 1, launch, report_of(table, reports, i));
    }
    return cli_text_close(cli, &list, path) == EXIT_DONE ? exit_code : EXIT_RUN_OURS;
}
