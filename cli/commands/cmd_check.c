// SPDX-License-Identifier: Apache-2.0
/* check: an unmodified CUDA program as `run` starts it, with checks of everything that its kernels do. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/run.h"
#include "cli/options/check_options.h"

enum {
    OPTION_GPU = CHECK_OPTION_OWN,
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_DETAILS,
    OPTION_ERROR_EXITCODE,
    OPTION_SAVE,
    OPTION_MAX_INSTRUCTIONS,
    OPTION_TIMEOUT,
    OPTION_LEAKS
};

static const struct option_row options[] = {
    {CHECK_OPTION_TOOL, 0, "tool", "memory|init|race|sync|all|TOOL[,...]",
     "what to look for (default all); compute-sanitizer's names do, too: memcheck, initcheck, "
     "racecheck, synccheck"},
    {OPTION_ERROR_EXITCODE, 0, "error-exitcode", "N",
     "exit status if an error was found (default 1; 0: the program's own)"},
    {CHECK_OPTION_STRICT, 0, "strict", NULL, "warnings fail as errors do"},
    {CHECK_OPTION_ALLOW_UNCHECKED, 0, "allow-unchecked", NULL,
     "accept kernels that could not be executed here, and so were not checked"},
    {CHECK_OPTION_SUPPRESS, 0, "suppress", "<FILE",
     "findings that do not count, a rule per line (doc/checks.md)"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html|sarif|junit", "format of the report"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write the report to FILE instead of standard error"},
    {OPTION_SAVE, 0, "save", ">FILE", "save the findings for --read"},
    {CHECK_OPTION_READ, 0, "read", "<FILE", "report saved findings; no program runs"},
    {OPTION_DETAILS, 0, "details", "quiet|normal|all", "all: every note"},
    {OPTION_GPU, 0, "gpu", "{gpu}ID", "the GPU that the program sees (default v100)"},
    {OPTION_MAX_INSTRUCTIONS, 0, "max-instructions", "N",
     "a launch that executes more warp instructions never ends: an error (default 2^40)"},
    {OPTION_TIMEOUT, 0, "timeout", "S",
     "end the program after S seconds and report what was found"},
    {OPTION_LEAKS, 0, "leaks", "yes|no", "memory and objects that are never freed (default yes)"},
    {0},
};

struct check_request {
    struct run_request run;
    struct check_choice choice;
    uint64_t error_code;
    const char *save;
};

static int use_option(struct cli *cli, struct check_request *request, const struct option_use *use)
{
    bool is_taken;
    CLI_TRY(check_option_take(cli, use, &request->choice, &is_taken));
    if (is_taken) return EXIT_DONE;
    switch (use->id) {
    case OPTION_GPU:
        return run_add_gpus(cli, &request->run, use->value);
    case OPTION_OUTPUT:
        request->run.output = use->value;
        return EXIT_DONE;
    case OPTION_FORMAT:
        return parse_format(cli, use->value, &request->run.format);
    case OPTION_DETAILS:
        request->run.details = *use->value == 'q'   ? WS_DETAILS_QUIET
                               : *use->value == 'a' ? WS_DETAILS_ALL
                                                    : WS_DETAILS_NORMAL;
        return EXIT_DONE;
    case OPTION_ERROR_EXITCODE:
        return parse_unsigned(cli, "--error-exitcode", use->value, 255, &request->error_code);
    case OPTION_SAVE:
        request->save = use->value;
        return EXIT_DONE;
    case OPTION_MAX_INSTRUCTIONS:
        return parse_unsigned(cli, "--max-instructions", use->value, UINT64_MAX,
                              &request->run.max_instructions);
    case OPTION_LEAKS:
        request->run.ignores_leaks = *use->value == 'n';
        return EXIT_DONE;
    case OPTION_TIMEOUT:
        return cli_parse_timeout(cli, use->value, &request->run.timeout);
    default:
        return EXIT_DONE;
    }
}

/* Launches are not counted, so events report the time of this host. PTX is interpreted; machine code only where there is
 * no PTX. */
static int read_line(struct cli *cli, const struct command_line *line, struct check_request *out)
{
    *out = (struct check_request){.run = {.clock = "host",
                                          .l2 = "cold",
                                          .isa = "auto",
                                          .threads = 1,
                                          .details = WS_DETAILS_NORMAL},
                                  .choice.tools = "all",
                                  .error_code = EXIT_CHECK};
    for (size_t i = 0; i < line->use_count; i++)
        CLI_TRY(use_option(cli, out, &line->uses[i]));
    if (cli->quiet) out->run.details = WS_DETAILS_QUIET;
    out->run.check = out->choice.tools;
    CLI_TRY(check_choice_verify(cli, &out->choice));
    if (!out->choice.read_count) return run_take_program(cli, line, "check", &out->run);
    if (line->operand_count || out->save)
        return cli_error(cli, EXIT_USAGE, "--read takes neither a program nor --save");
    return EXIT_DONE;
}

/* folder NULL: of saved findings. */
static int ask(struct cli *cli, const struct check_request *request, const char *folder,
               int exit_code, ws_answer **out)
{
    struct asking asking = {.name = "check"};
    if (folder) asking_word(cli, &asking, "session", folder);
    check_choice_ask(cli, &asking, &request->choice);
    for (size_t i = 0; folder && request->run.program[i]; i++)
        asking_word(cli, &asking, "program", request->run.program[i]);
    asking_number(cli, &asking, "exit_code", exit_code);
    return asking_ask(cli, &asking, out);
}

static int write_report(struct cli *cli, const struct check_request *request,
                        const ws_answer *answer)
{
    const ws_report_options style = {.size = sizeof style,
                                     .format = request->run.format,
                                     .details = request->run.details,
                                     .colour =
                                         !request->run.output && cli_wants_colour(cli, stderr),
                                     .source_root = cli_folder(cli)};
    if (request->run.output) return asking_write_with(cli, answer, &style, request->run.output);
    ws_status status =
        ws_answer_write(cli->context, answer, &style, run_put_on_standard_error, NULL);
    return status == WS_OK ? EXIT_DONE : EXIT_RUN_OURS;
}

/* Files of the processes, one after the other. */
static int save_findings(struct cli *cli, const char *folder, const char *path)
{
    struct cli_text text;
    struct dirent **names = NULL;
    CLI_TRY(cli_text_open(cli, &text));
    int count = scandir(folder, &names, NULL, versionsort);
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(names[i]->d_name, '.');
        FILE *file = dot && !strcmp(dot, ".findings")
                         ? fopen(cli_format(cli, "%s/%s", folder, names[i]->d_name), "re")
                         : NULL;
        for (int c; file && (c = getc(file)) != EOF;)
            putc(c, text.out);
        if (file) fclose(file);
        free(names[i]);
    }
    free(names);
    return cli_text_close(cli, &text, path);
}

/* Errors come first: a program that fails because of them is no other matter. */
static int report(struct cli *cli, const struct check_request *request, const char *folder,
                  int program_code)
{
    ws_answer *answer;
    int asked = ask(cli, request, folder, program_code, &answer);
    if (asked != EXIT_DONE) return folder ? EXIT_RUN_OURS : asked;
    int written = write_report(cli, request, answer);
    bool failed = check_has_failed(answer), is_incomplete = check_is_incomplete(answer);
    ws_answer_destroy(answer);
    if (written != EXIT_DONE) return EXIT_RUN_OURS;
    if (failed && request->error_code) return (int)request->error_code;
    return is_incomplete ? EXIT_RUN_OURS : program_code;
}

static int run_and_report(struct cli *cli, const struct check_request *request, const char *folder)
{
    int program_code;
    if (run_start(cli, &request->run, folder, &program_code) != EXIT_DONE) return program_code;
    if (request->save && save_findings(cli, folder, request->save) != EXIT_DONE)
        return EXIT_RUN_OURS;
    return report(cli, request, folder, program_code);
}

static int run_check(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct check_request request;
    bool done;
    ws_machine *machine;
    char *folder = NULL;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(read_line(cli, &line, &request));
    if (request.choice.read_count) return report(cli, &request, NULL, EXIT_DONE);
    CLI_TRY(cli_load_gpu(cli, request.run.gpus[0], &machine));
    ws_machine_destroy(machine);
    CLI_TRY(run_make_folder(cli, &folder));
    int exit_code = run_and_report(cli, &request, folder);
    run_remove_folder(cli, folder);
    return exit_code;
}

const struct command command_check = {
    .name = "check",
    .synopsis = "  warpsage check [OPTIONS] -- ./APP [ARGS]\n"
                "  warpsage check --read FILE [OPTIONS]          findings that --save wrote",
    .summary = "run a CUDA program without a GPU and report its errors",
    .text =
        "Tools\n"
        "  memory  accesses out of bounds, to freed memory, misaligned; misuse of the API; leaks\n"
        "  init    decisions and addresses that depend on uninitialised memory or registers\n"
        "  race    unordered accesses to the same memory\n"
        "  sync    misuse of barriers and masks, deadlocks, endless loops\n\n"
        "Exit status\n"
        "  1 (--error-exitcode) if an error was found, else the program's own; 128+N if signal\n"
        "  N killed it; 125 if warpsage failed or a launch could not be checked, 126 or 127 if\n"
        "  the program cannot be started; 2 for an invalid option or an unknown GPU\n\n"
        "The program's output is unchanged; the report goes to standard error, or to -o FILE.\n"
        "`warpsage explain CODE` explains a finding. doc/checks.md says what is found and what\n"
        "is not.\n",
    .operands = "<APP",
    .options = options,
    .operands_end_options = true,
    .run = run_check,
};
