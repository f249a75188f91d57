// SPDX-License-Identifier: Apache-2.0
/* Traces that were recorded on a GPU as input: which launches of a list, and their profiles. */
#include <string.h>

#include "cli/options/kernel_choice.h"

enum { LISTED_MAX = 20 };

/* What a recorded launch has no use for. */
static int check_request(struct analysis *a)
{
    const struct request *request = &a->request;
    const char *option = request->has_grid || request->has_block ? "--grid and --block"
                         : request->arg_count                    ? "--arg"
                         : request->isa_view                     ? "--isa-view"
                         : request->check_count                  ? "--check"
                         : request->save_count                   ? "--save"
                         : request->print_count                  ? "--print"
                         : request->unordered                    ? "--unordered"
                         : request->effort.kind != EFFORT_FULL   ? "--effort"
                                                                 : NULL;
    if (!option) return EXIT_DONE;
    return cli_error(a->cli, EXIT_USAGE,
                     "%s requires an executed kernel, but %s is a recorded trace", option,
                     request->trace);
}

static const char *list_launches(struct analysis *a, const ws_trace *trace)
{
    size_t count = ws_trace_kernel_count(trace);
    const char *text = "";
    ws_trace_kernel kernel;
    for (size_t i = 0; i < count && i < LISTED_MAX; i++)
        if (ws_trace_describe(trace, i, &kernel) == WS_OK)
            text = cli_format(a->cli, "%s\n  %4zu  %s  grid %ux%ux%u  block %ux%ux%u", text, i + 1,
                              kernel.name, kernel.grid[0], kernel.grid[1], kernel.grid[2],
                              kernel.block[0], kernel.block[1], kernel.block[2]);
    return count > LISTED_MAX ? cli_format(a->cli, "%s\n  and %zu more", text, count - LISTED_MAX)
                              : text;
}

/* By its name in the source, with or without template arguments, or in the binary. */
static bool is_called(const ws_trace_kernel *kernel, const char *name)
{
    size_t base = strcspn(kernel->name, "<");
    return !strcmp(kernel->name, name) || !strcmp(kernel->mangled, name) ||
           (strlen(name) == base && !strncmp(kernel->name, name, base));
}

static void choose_if(const ws_trace *trace, const char *name, const struct kernel_pattern *pattern,
                      size_t *chosen, size_t *out_count)
{
    ws_trace_kernel kernel;
    for (size_t i = 0; i < ws_trace_kernel_count(trace); i++) {
        if (ws_trace_describe(trace, i, &kernel) != WS_OK) continue;
        if (pattern ? kernel_pattern_fits(pattern, kernel.name) : !name || is_called(&kernel, name))
            chosen[(*out_count)++] = i;
    }
}

static int choose_by_name(struct analysis *a, const ws_trace *trace, size_t *chosen,
                          size_t *out_count)
{
    const char *name = a->request.kernel;
    struct kernel_pattern pattern;
    choose_if(trace, name, NULL, chosen, out_count);
    if (!*out_count && a->request.has_kernel_pattern) {
        CLI_TRY(kernel_pattern_read(a->cli, name, &pattern));
        choose_if(trace, name, &pattern, chosen, out_count);
        kernel_pattern_clear(&pattern);
    }
    if (*out_count) return EXIT_DONE;
    return cli_error(a->cli, EXIT_USAGE, "%s has no kernel '%s'; it has:%s", a->request.trace, name,
                     list_launches(a, trace));
}

static int choose(struct analysis *a, const ws_trace *trace, bool several, size_t *chosen,
                  size_t *out_count)
{
    size_t count = ws_trace_kernel_count(trace), index = a->request.trace_kernel;
    if (index > count)
        return cli_error(a->cli, EXIT_USAGE, "--kernel-index %zu: %s has %s:%s", index,
                         a->request.trace, cli_count(a->cli, (double)count, "launch"),
                         list_launches(a, trace));
    if (index) {
        chosen[(*out_count)++] = index - 1;
        return EXIT_DONE;
    }
    CLI_TRY(choose_by_name(a, trace, chosen, out_count));
    if (several || *out_count == 1) return EXIT_DONE;
    return cli_error(a->cli, EXIT_USAGE,
                     "%s: contains %zu launches: select one with --kernel-index N:%s",
                     a->request.trace, *out_count, list_launches(a, trace));
}

static int check_machines(struct analysis *a, const ws_trace *trace, size_t index)
{
    ws_trace_kernel kernel;
    ws_status status = ws_trace_describe(trace, index, &kernel);
    for (size_t i = 0; status == WS_OK && !a->request.force_arch && i < a->machine_count; i++)
        status = ws_machine_check_native(a->machines[i], kernel.target);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

static int replay_one(struct analysis *a, const ws_trace *trace, size_t index, ws_profile **out)
{
    ws_replay_options options = {
        .size = sizeof options,
        .rules = a->counted.rules,
        .shared_banks = a->counted.shared_banks,
        .initial_segment_bytes = a->counted.initial_segment_bytes,
        .min_segment_bytes = a->counted.min_segment_bytes,
        .opcode_map = a->request.opcode_map,
        .unknown_share = -1,
        .trace_blocks = !a->request.has_trace_blocks ? 0
                        : a->request.trace_blocks    ? a->request.trace_blocks
                                                     : WS_TRACE_NONE,
    };
    CLI_TRY(check_machines(a, trace, index));
    ws_status status = ws_trace_replay(trace, index, &options, out);
    cli_clear_progress(a->cli);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

static int replay_chosen(struct analysis *a, const ws_trace *trace, bool several)
{
    size_t count = ws_trace_kernel_count(trace), chosen_count = 0;
    size_t *chosen = cli_alloc(a->cli, count * sizeof *chosen);
    CLI_TRY(choose(a, trace, several, chosen, &chosen_count));
    for (size_t i = 0; i < chosen_count; i++) {
        analysis_keep_profile(a);
        CLI_TRY(replay_one(a, trace, chosen[i], &a->profile));
    }
    return EXIT_DONE;
}

/* The list has been checked; the traces that it names are inputs, too. */
static int check_outputs(struct analysis *a, const ws_trace *trace)
{
    ws_trace_kernel kernel;
    for (size_t i = 0; i < ws_trace_kernel_count(trace); i++)
        if (ws_trace_describe(trace, i, &kernel) == WS_OK)
            cli_note_input(a->cli, cli_copy(a->cli, kernel.path));
    return cli_check_outputs(a->cli);
}

int trace_load(struct analysis *a, bool several)
{
    ws_trace *trace;
    CLI_TRY(check_request(a));
    ws_status status = ws_trace_open(a->cli->context, a->request.trace, &trace);
    if (status != WS_OK) return cli_failed(a->cli, status);
    int exit_code = check_outputs(a, trace);
    if (exit_code == EXIT_DONE) exit_code = replay_chosen(a, trace, several);
    ws_trace_destroy(trace);
    return exit_code;
}
