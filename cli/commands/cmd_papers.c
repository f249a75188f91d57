// SPDX-License-Identifier: Apache-2.0
/* papers: what was published beside what comes out here, and the papers' curves. */
#include <fnmatch.h>
#include <string.h>

#include "cli/options/options.h"
#include "cli/papers/papers.h"

enum { OPTION_FORMAT = 1, OPTION_OUTPUT, OPTION_DETAILS };
enum { NAMES = 64 };

static const struct option_row options[] = {
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "table format"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write to FILE instead of standard output"},
    {OPTION_DETAILS, 0, "details", "normal|all", "all: the note of every row"},
    {0},
};

struct papers_request {
    struct papers_output output;
    const char *const *ids;
    size_t id_count;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_word_of(const char *text, const char *word)
{
    return *word && !strcmp(text, word);
}

/* A paper by id or number, a section ("2.6.1"), or rows by id, as a pattern. */
static bool is_selected(struct papers *papers, const json_t *row, const char *wanted)
{
    json_t *paper;
    size_t i;
    const char *section = papers_text(row, "section");
    if (fnmatch(wanted, papers_text(row, "id"), 0) == 0) return true;
    if (is_word_of(papers_text(row, "paper"), wanted)) return true;
    if (!strncmp(section, wanted, strlen(wanted)) && !section[strcspn(wanted, " ")]) return true;
    if (!strncmp(section, wanted, strlen(wanted)) && section[strlen(wanted)] == ' ') return true;
    json_array_foreach(json_object_get(papers->published, "papers"), i, paper)
    {
        if (is_word_of(papers_text(paper, "number"), wanted) &&
            is_word_of(papers_text(row, "paper"), papers_text(paper, "id")))
            return true;
    }
    return false;
}

static int unknown_id(struct papers *papers, const char *wanted)
{
    const char *names[NAMES], *all = "";
    size_t count = 0, i;
    json_t *one;
    json_array_foreach(json_object_get(papers->published, "papers"), i, one)
    {
        const char *id = papers_text(one, "id");
        all = cli_format(papers->cli, "%s%s%s", all, *all ? ", " : "", id);
        if (count < NAMES) names[count++] = id;
    }
    json_array_foreach(json_object_get(papers->published, "rows"), i, one)
    {
        const char *id = papers_text(one, "id");
        if (count < NAMES && !strncmp(id, wanted, 3)) names[count++] = id;
    }
    return cli_error(papers->cli, EXIT_USAGE,
                     "unknown paper, section or row '%s'%s; papers: %s; sections such as 2.6.1; "
                     "row ids as printed by --format csv",
                     wanted, cli_hint(papers->cli, wanted, names, count), all);
}

/* Adds a row that others are about, unless it is there. */
static int add_hidden(struct papers *papers, const char *id, struct papers_row **rows,
                      size_t *count)
{
    json_t *source;
    size_t i;
    for (i = 0; i < *count; i++)
        if (!strcmp(papers_text((*rows)[i].source, "id"), id)) return EXIT_DONE;
    json_array_foreach(json_object_get(papers->published, "rows"), i, source)
    {
        struct papers_row row = {.source = source, .is_hidden = true};
        if (strcmp(papers_text(source, "id"), id) != 0) continue;
        CLI_APPEND(papers->cli, *rows, *count, row);
        return EXIT_DONE;
    }
    return papers_bad_file(papers, "published.json", "unknown row", id);
}

static int compute_rows(struct papers *papers, struct papers_row **rows, size_t *count)
{
    struct papers_reference *references;
    size_t i, k, chosen = *count;
    for (i = 0; i < chosen; i++) {
        const json_t *source = (*rows)[i].source;
        size_t reference_count = papers_references(papers, source, &references);
        papers->folder = papers_text(source, "folder");
        for (k = 0; k < reference_count; k++)
            CLI_TRY(add_hidden(papers, references[k].id, rows, count));
    }
    for (i = 0; i < *count; i++) {
        cli_begin_step(papers->cli, "papers", i, *count);
        CLI_TRY(papers_row_compute(papers, &(*rows)[i]));
    }
    cli_end_steps(papers->cli);
    return EXIT_DONE;
}

static int show_rows(struct papers *papers, const struct papers_request *request)
{
    json_t *source;
    struct papers_row *rows = NULL;
    bool *used = cli_alloc(papers->cli, (request->id_count + 1) * sizeof *used);
    size_t i, k, count = 0;
    const json_t *list = json_object_get(papers->published, "rows");
    json_array_foreach(list, i, source)
    {
        bool chosen = request->id_count == 0;
        for (k = 0; k < request->id_count; k++) {
            if (!is_selected(papers, source, request->ids[k])) continue;
            chosen = used[k] = true;
        }
        struct papers_row row = {.source = source};
        if (chosen) CLI_APPEND(papers->cli, rows, count, row);
    }
    for (k = 0; k < request->id_count; k++)
        if (!used[k]) return unknown_id(papers, request->ids[k]);
    CLI_TRY(compute_rows(papers, &rows, &count));
    return papers_ask_rows(papers, rows, count, &request->output);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static int show_curves(struct papers *papers, const struct papers_request *request)
{
    const char *names[NAMES];
    const struct papers_curve *curves[NAMES];
    size_t i, count = 0, name_count = 0;
    json_t *source;
    json_array_foreach(json_object_get(papers->curves_file, "curves"), i, source)
    {
        if (name_count < NAMES) names[name_count++] = papers_text(source, "id");
    }
    for (i = 0; i < request->id_count; i++) {
        size_t k = 0;
        while (k < name_count && strcmp(names[k], request->ids[i]))
            k++;
        if (k < name_count) continue;
        const char *all = "";
        for (k = 0; k < name_count; k++)
            all = cli_format(papers->cli, "%s %s", all, names[k]);
        return cli_error(papers->cli, EXIT_USAGE, "unknown curve '%s'%s; curves:%s",
                         request->ids[i], cli_hint(papers->cli, request->ids[i], names, name_count),
                         all);
    }
    const char *const *wanted = request->id_count ? request->ids : names;
    size_t all = request->id_count ? request->id_count : name_count;
    for (i = 0; i < all && count < NAMES; i++) {
        cli_begin_step(papers->cli, wanted[i], i, all);
        CLI_TRY(papers_curve_compute(papers, wanted[i], &curves[count++]));
    }
    cli_end_steps(papers->cli);
    return papers_ask_curves(papers, curves, count, &request->output);
}

/* ---- one closed form ------------------------------------------------------------------------- */

static const char *list_functions(struct cli *cli)
{
    const char *text = "", *name;
    for (size_t i = 0; (name = ws_model_function(i)) != NULL; i++)
        text = cli_format(cli, "%s%s %s", text, i ? "," : "", name);
    return text;
}

static int evaluate(struct cli *cli, const struct papers_request *request)
{
    struct asking asking = {.name = "closed_form"};
    ws_answer *answer;
    if (!request->id_count)
        return cli_error(cli, EXIT_USAGE, "papers evaluate requires a closed form:%s",
                         list_functions(cli));
    asking_word(cli, &asking, "function", request->ids[0]);
    for (size_t i = 1; i < request->id_count; i++) {
        char *name = cli_copy(cli, request->ids[i]), *equals = strchr(name, '=');
        double number;
        if (!equals || !equals[1])
            return cli_error(cli, EXIT_USAGE, "invalid operand '%s': expected NAME=VALUE", name);
        *equals = '\0';
        asking_word(cli, &asking, "input", name);
        if (parse_number(equals + 1, &number))
            asking_number(cli, &asking, "number", number);
        else
            asking_word(cli, &asking, "word", equals + 1);
    }
    CLI_TRY(asking_ask(cli, &asking, &answer));
    int exit_code = asking_write(cli, answer, request->output.format, request->output.details,
                                 request->output.path);
    ws_answer_destroy(answer);
    return exit_code;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int read_request(struct cli *cli, const struct command_line *line,
                        struct papers_request *out)
{
    *out = (struct papers_request){.output = {WS_FORMAT_TEXT, WS_DETAILS_NORMAL, NULL}};
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        if (line->uses[i].id == OPTION_FORMAT)
            CLI_TRY(parse_format(cli, value, &out->output.format));
        if (line->uses[i].id == OPTION_OUTPUT) out->output.path = value;
        if (line->uses[i].id != OPTION_DETAILS) continue;
        bool is_all = !strcmp(value, "all");
        out->output.details = is_all ? WS_DETAILS_ALL : WS_DETAILS_NORMAL;
        if (!is_all && strcmp(value, "normal") != 0)
            return cli_error(cli, EXIT_USAGE,
                             "invalid value '%s' for --details: expected normal or all", value);
    }
    out->ids = line->operands;
    out->id_count = line->operand_count;
    return EXIT_DONE;
}

static int run_papers(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct papers_request request;
    struct papers papers;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(read_request(cli, &line, &request));
    const char *verb = request.id_count ? request.ids[0] : "";
    bool is_curves = !strcmp(verb, "curves"), is_evaluate = !strcmp(verb, "evaluate");
    if (is_curves || is_evaluate) {
        request.ids++;
        request.id_count--;
    }
    if (is_evaluate) return evaluate(cli, &request);
    cli_attach(cli);
    int exit_code = papers_open(cli, &papers);
    if (exit_code == EXIT_DONE)
        exit_code = is_curves ? show_curves(&papers, &request) : show_rows(&papers, &request);
    papers_close(&papers);
    return exit_code;
}

const struct command command_papers = {
    .name = "papers",
    .synopsis = "  warpsage papers [ID...] [--format text|json|csv] [--details all]\n"
                "  warpsage papers curves [CURVE...] [--format text|json|csv]\n"
                "  warpsage papers evaluate FUNCTION NAME=VALUE... [--format text|json|csv]",
    .summary = "compare published results with ours, and print the papers' curves",
    .text =
        "ID is a paper (hong-thesis, zhang-owens ...), a section (2.6.1) or the id of a row, with\n"
        "* and ?. Each row states the evidence of its comparison:\n"
        "  printed     the inputs are printed in the paper\n"
        "  inferred    an input had to be inferred or assumed; still a check of the model\n"
        "  fitted      an input was fitted to this very number: no evidence\n"
        "  definition  a look-up, printed figures recombined, or true by construction: no "
        "evidence\n"
        "  none        inputs are unpublished, or another quantity than the paper's\n"
        "Only the first two are judged to agree or differ.\n\n"
        "`curves` executes the papers' kernels and prints tables for gnuplot:\n"
        "  plot 'FILE' index 'CURVE SERIES' using 1:2\n\n"
        "`evaluate` evaluates a closed form; without a name it lists them. Their "
        "inputs\n"
        "are in doc/papers.md. WARPSAGE_PAPERS names another folder with published.json.\n",
    .operands = "curves|evaluate|ID",
    .options = options,
    .run = run_papers,
};
