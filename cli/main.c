// SPDX-License-Identifier: Apache-2.0
/* warpsage: one subcommand a file; this one only finds it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"

const struct command *const commands[] = {
    &command_analyze,   &command_calibrate,  &command_disasm,
    &command_energy,    &command_explain,    &command_machines,
    &command_occupancy, &command_papers,     &command_power,
    &command_run,       &command_schema,     &command_split,
    &command_thermal,   &command_throughput, &command_timeline,
    &command_validate,  &command_whatif,     NULL};

static void print_usage(FILE *stream)
{
    fputs("warpsage: predict the time of a GPU kernel, and what bounds it, without a GPU\n\n"
          "Usage\n  warpsage COMMAND [OPTIONS]\n\nCommands\n",
          stream);
    for (size_t i = 0; commands[i]; i++)
        fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("  help       show the options of a command\n\n"
          "  --version  print the version\n  --help     print this text\n\n"
          "Files\n"
          "  `-` is standard input, or standard output for -o. Inputs may be pipes. Output files "
          "are\n"
          "  replaced atomically and must not be one of the inputs.\n\n"
          "Exit status\n"
          "  0 success   1 a check failed   3 unreadable input   70 internal error\n"
          "  2 invalid option, name or launch; out of host memory\n"
          "  4 kernel fault, instruction or time limit reached, no model applies\n"
          "  130 interrupted, 143 terminated: analyze reports the counts so far\n",
          stream);
}

static const struct command *find_command(const char *name)
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
    return cli_error(cli, EXIT_USAGE, "unknown command '%s'%s; `warpsage --help` lists them", name,
                     cli_hint(cli, name, names, count));
}

static int dispatch(struct cli *cli, int argc, char **argv)
{
    bool is_help = argc > 1 && (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
                                !strcmp(argv[1], "-h"));
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("warpsage %s\n", ws_version());
        return EXIT_DONE;
    }
    if (is_help && argc == 2) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    const char *name = is_help ? argv[2] : argv[1];
    const struct command *command = find_command(name);
    if (!command) return unknown_command(cli, name);
    if (!is_help) return command->run(cli, command, argc - 2, argv + 2);
    options_help(command);
    return EXIT_DONE;
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
