// SPDX-License-Identifier: Apache-2.0
/* doctor: what is found on this computer, what is missing, what to install. */
#include "cli/commands/doctor.h"

#include <string.h>
#include <unistd.h>

#include "cli/commands/run.h"

enum { OPTION_FORMAT = 1, OPTION_OUTPUT, OPTION_DETAILS };

static const struct option_row options[] = {
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "output format"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write to FILE instead of standard output"},
    {OPTION_DETAILS, 0, "details", "normal|all",
     "all: also what each thing that is found is needed for"},
    {0},
};

void doctor_add(struct doctor *doctor, const struct doctor_row *row)
{
    struct cli *cli = doctor->cli;
    struct asking *asking = &doctor->asking;
    bool is_broken = row->problem && row->where;
    const struct {
        const char *input, *word;
    } words[] = {
        {"group", doctor->group},
        {"needed_for", row->needed_for},
        {"version", row->version},
        {"where", row->where},
        {"problem", row->problem},
        {"install", row->install},
        {"state", row->is_found ? "found"
                  : is_broken   ? "broken"
                                : "missing"},
    };
    asking_word(cli, asking, "check", row->id);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].word) asking_word(cli, asking, words[i].input, words[i].word);
    if (row->is_core) asking_number(cli, asking, "core", 1);
}

const char *doctor_problem(struct doctor *doctor)
{
    return cli_copy(doctor->cli, ws_context_error(doctor->cli->context));
}

/* ---- what the program brings along ------------------------------------------------------------- */

static void check_stand_in(struct doctor *doctor)
{
    static const char *const names[] = {RUN_LIBRARY, "libcuda.so.1", "libnvidia-ml.so.1"};
    struct cli *cli = doctor->cli;
    const char *folder = run_libraries(cli), *missing = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!missing && access(cli_format(cli, "%s/%s", folder, names[i]), R_OK) != 0)
            missing = names[i];
    bool is_there = access(folder, R_OK) == 0;
    const struct doctor_row row = {
        .id = "libraries of `run`",
        .is_found = !missing,
        .where = is_there ? folder : NULL,
        .problem = missing ? cli_format(cli, "%s/%s not found", folder, missing) : NULL,
        .needed_for = "warpsage run: CUDA programs without a GPU",
        .install = "the package warpsage, or build it (doc/packages.md); the static program and "
                   "builds with "
                   "sanitizers have none",
    };
    doctor_add(doctor, &row);
}

static void check_shared(struct doctor *doctor, const char *name, const char *use)
{
    const char *folder = cli_shared_folder(doctor->cli, name);
    bool is_found = access(folder, R_OK | X_OK) == 0;
    const struct doctor_row row = {
        .id = cli_format(doctor->cli, "folder %s", name),
        .is_found = is_found,
        .where = is_found ? folder : NULL,
        .problem = is_found ? NULL : cli_format(doctor->cli, "%s cannot be read", folder),
        .needed_for = use,
        .install = "the package warpsage-data, or run warpsage where it was built",
    };
    doctor_add(doctor, &row);
}

static void check_parts(struct doctor *doctor)
{
    bool with_fits = false, with_lines = false, with_d3 = false;
#ifdef WITH_CMINPACK
    with_fits = true;
#endif
#ifdef WITH_LIBDW
    with_lines = true;
#endif
#ifdef WITH_D3
    with_d3 = true;
#endif
    const struct doctor_row rows[] = {
        {.id = "libraries",
         .is_found = true,
         .version = WARPSAGE_BUILT_WITH,
         .needed_for = "everything: warpsage was built with them"},
        {.id = "cminpack",
         .is_found = with_fits,
         .version = with_fits ? "built in" : NULL,
         .needed_for = "nonlinear fits of warpsage calibrate",
         .install = "libcminpack-dev, then build warpsage again"},
        {.id = "libdw",
         .is_found = with_lines,
         .version = with_lines ? "built in" : NULL,
         .needed_for = "source lines of the host in findings of warpsage check",
         .install = "libdw-dev, then build warpsage again"},
        {.id = "D3",
         .is_found = with_d3,
         .version = with_d3 ? "built in" : NULL,
         .needed_for = "zoom and sorting in HTML reports, which are complete without it",
         .install = "node-d3, then build warpsage again"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        doctor_add(doctor, &rows[i]);
}

/* ---- the command ------------------------------------------------------------------------------- */

struct style {
    ws_format format;
    ws_details details;
    const char *path;
};

static int read_style(struct cli *cli, const struct command_line *line, struct style *out)
{
    *out = (struct style){WS_FORMAT_TEXT, WS_DETAILS_NORMAL, NULL};
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        if (line->uses[i].id == OPTION_FORMAT) CLI_TRY(parse_format(cli, value, &out->format));
        if (line->uses[i].id == OPTION_OUTPUT) out->path = value;
        if (line->uses[i].id == OPTION_DETAILS)
            out->details = !strcmp(value, "all") ? WS_DETAILS_ALL : WS_DETAILS_NORMAL;
    }
    if (line->operand_count)
        return cli_error(cli, EXIT_USAGE, "unexpected operand '%s': doctor takes options only",
                         line->operands[0]);
    return EXIT_DONE;
}

static int run_doctor(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct doctor doctor = {.cli = cli, .asking.name = "doctor"};
    struct command_line line;
    struct style style;
    ws_answer *answer;
    double failed;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(read_style(cli, &line, &style));
    doctor.group = "Core";
    doctor_core(&doctor);
    doctor.group = "Compilers and CUDA tools";
    doctor_tools(&doctor);
    doctor.group = "GPU of this computer";
    doctor_gpu(&doctor);
    doctor.group = "Parts of warpsage";
    check_stand_in(&doctor);
    check_shared(&doctor, "papers", "warpsage papers");
    check_shared(&doctor, "accuracy", "warpsage validate");
    check_parts(&doctor);
    CLI_TRY(asking_ask(cli, &doctor.asking, &answer));
    failed = ws_answer_number(answer, "summary/core_failed");
    int exit_code = asking_write(cli, answer, style.format, style.details, style.path);
    ws_answer_destroy(answer);
    return exit_code == EXIT_DONE && failed > 0 ? EXIT_CHECK : exit_code;
}

const struct command command_doctor = {
    .name = "doctor",
    .synopsis = "  warpsage doctor [--details all] [--format text|json|csv]",
    .summary = "check what warpsage finds here, what is missing, and what to install",
    .text =
        "Each check is found, missing or broken. Only those under Core are required: a kernel is\n"
        "executed and predicted, and all machine files are read. The exit status is 1 if one of\n"
        "them fails, and 0 whatever else is missing.\n",
    .options = options,
    .run = run_doctor,
};
