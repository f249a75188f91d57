// SPDX-License-Identifier: Apache-2.0
/* warpsage: one subcommand a file; this one only finds it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help/help.h"

const struct command *const commands[] = {&command_analyze,
                                          &command_calibrate,
                                          &command_check,
                                          &command_completion,
                                          &command_diff,
                                          &command_disasm,
                                          &command_doctor,
                                          &command_energy,
                                          &command_explain,
                                          &command_machines,
                                          &command_man,
                                          &command_occupancy,
                                          &command_papers,
                                          &command_power,
                                          &command_run,
                                          &command_schema,
                                          &command_split,
                                          &command_sweep,
                                          &command_thermal,
                                          &command_throughput,
                                          &command_timeline,
                                          &command_tune,
                                          &command_validate,
                                          &command_whatif,
                                          NULL};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    return NULL;
}

static int unknown_command(struct cli *cli, const char *name)
{
    const char *names[32];
    size_t count = 0;
    while (commands[count]) {
        names[count] = commands[count]->name;
        count++;
    }
    const char *instead = *name == '-' ? profiler_hint(&command_run, name) : NULL;
    if (instead)
        return cli_error(cli, EXIT_USAGE,
                         "option '%s' before the command: use warpsage COMMAND [OPTIONS]; to run a "
                         "program, warpsage run [OPTIONS] -- ./APP. Nsight Compute has %s: here %s",
                         name, name, instead);
    instead = *name == '-' ? sanitizer_hint(&command_run, name) : NULL;
    if (instead)
        return cli_error(cli, EXIT_USAGE,
                         "option '%s' before the command: use warpsage COMMAND [OPTIONS]. "
                         "compute-sanitizer has %s: here %s",
                         name, name, instead);
    if (strchr(name, '/') || strchr(name, '.'))
        return cli_error(cli, EXIT_USAGE,
                         "no command given: use warpsage analyze FILE for kernels, profiles and "
                         "traces, or warpsage run -- %s for a program",
                         name);
    return cli_error(cli, EXIT_USAGE, "unknown command '%s'%s; `warpsage --help` lists them", name,
                     cli_hint(cli, name, names, count));
}

static int dispatch(struct cli *cli, int argc, char **argv)
{
    bool is_help = argc > 1 && (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
                                !strcmp(argv[1], "-h"));
    if (argc < 2) {
        help_overview(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("warpsage %s\n", ws_version());
        return EXIT_DONE;
    }
    if (is_help && argc == 2) {
        struct cli_text text;
        CLI_TRY(cli_text_open(cli, &text));
        help_overview(text.out);
        return cli_text_close_fitted(cli, &text);
    }
    const char *name = is_help ? argv[2] : argv[1];
    const struct command *command = command_find(name);
    if (!command) return unknown_command(cli, name);
    if (!is_help) return command->run(cli, command, argc - 2, argv + 2);
    return options_help(cli, command);
}

/* Tools for .cu input and register counts; CUDA's usual folder is seldom in PATH. */
static int set_folders(struct cli *cli)
{
    const char *path = getenv("PATH"), *machines = getenv("WARPSAGE_MACHINES"),
               *evidence = getenv("WARPSAGE_EVIDENCE");
    cli->tool_path = cli_format(cli, "%s%s/usr/local/cuda/bin", path ? path : "", path ? ":" : "");
    ws_status status = ws_context_set_tool_path(cli->context, cli->tool_path);
    if (status == WS_OK && machines && *machines)
        status = ws_context_set_machine_dir(cli->context, machines);
    if (status == WS_OK && evidence && *evidence)
        status = ws_context_set_evidence(cli->context, evidence);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

int main(int argc, char **argv)
{
    struct cli cli = {0};
    cli_watch_signals();
    if (ws_context_create(&cli.context) != WS_OK) {
        return cli_out_of_memory(&cli, 0);
    }
    int exit_code = set_folders(&cli);
    if (exit_code == EXIT_DONE) exit_code = dispatch(&cli, argc, argv);
    errno = 0;
    bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    if (!is_written && !cli.stdout_failed && exit_code == EXIT_DONE)
        exit_code = cli_error(&cli, EXIT_INPUT, "standard output: cannot write%s%s",
                              errno ? ": " : "", errno ? strerror(errno) : "");
    cli_clear(&cli);
    return exit_code;
}
