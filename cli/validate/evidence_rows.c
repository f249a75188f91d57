// SPDX-License-Identifier: Apache-2.0
/* Rows of data/evidence.yaml (doc/evidence.md): for every model the geometric mean of predicted over measured
 * time of each kernel: of the role `build` as `ratios`, of the role `report` as `held_out`. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/validate/validate.h"

enum { WIDTH = 100 };

static const char *begin_mark(struct cli *cli, const struct validate_set *set)
{
    return cli_format(cli, "  # ---- by `warpsage validate %s --write-evidence`\n", set->id);
}

static const char *end_mark(struct cli *cli, const struct validate_set *set)
{
    return cli_format(cli, "  # ---- end of %s\n", set->id);
}

/* ---- one set ----------------------------------------------------------------------------------- */

static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

static bool has_role(ws_node kernel, const char *role)
{
    ws_value value = {.size = sizeof value};
    return ws_node_value(ws_node_find(kernel, "role"), &value) && !strcmp(value.text, role);
}

/* Ratios of the kernels of a role that the model answers for, with line breaks; how many. */
static size_t put_ratios(FILE *out, ws_node kernels, const char *path, const char *role,
                         const char *key)
{
    size_t count = 0, column = 0;
    int indent = 4 + (int)strlen(key) + 3;
    for (size_t i = 0; i < ws_node_count(kernels); i++) {
        ws_node kernel = ws_node_child(kernels, i);
        ws_value ratio = {.size = sizeof ratio};
        char text[32];
        if (!has_role(kernel, role) || !ws_node_value(ws_node_find(kernel, path), &ratio)) continue;
        int length = snprintf(text, sizeof text, "%.4g", ratio.number);
        if (!count) column = (size_t)fprintf(out, "    %s: [", key);
        if (count && column + 2 + (size_t)length >= WIDTH)
            column = (size_t)fprintf(out, ",\n%*s", indent, "") - 2;
        else if (count)
            column += (size_t)fprintf(out, ", ");
        column += (size_t)fprintf(out, "%s", text);
        count++;
    }
    if (count) fputs("]\n", out);
    return count;
}

static void put_row(struct cli *cli, FILE *out, const struct validate_set *set, ws_node kernels,
                    const char *model)
{
    fprintf(out, "\n  - model: %s\n    compute_capability: [\"%s\", \"%s\"]\n", model,
            set->evidence_first, set->evidence_last);
    fprintf(out, "    set: accuracy/%s\n    predicted_by: warpsage\n", set->id);
    const char *path = cli_format(cli, "models/%s/ratio", model);
    if (put_ratios(out, kernels, path, "build", "ratios"))
        put_ratios(out, kernels, path, "report", "held_out");
    else /* nothing was chosen by this set */
        put_ratios(out, kernels, path, "report", "ratios");
    fputs("    source: ", out);
    put_quoted(out, set->evidence_source ? set->evidence_source : set->source);
    fprintf(out, "\n    how: warpsage validate %s; geometric mean over the launches of a kernel\n",
            set->id);
}

/* Every model of the first kernel but the headline, which is one of them, and watts at a measured time. */
static void put_rows(struct cli *cli, FILE *out, const struct validate_set *set, ws_node node)
{
    ws_node kernels = ws_node_find(node, "kernels");
    ws_node models = ws_node_find(kernels, "0/models");
    fputs(begin_mark(cli, set), out);
    for (size_t i = 0; i < ws_node_count(models); i++) {
        const char *model = cli_copy(cli, ws_node_id(ws_node_child(models, i)));
        bool is_ours = strcmp(model, "headline") != 0 && !strstr(model, VALIDATE_MEASURED_TIME);
        for (size_t k = 0; k < set->simulator_count; k++)
            is_ours &= strcmp(model, set->simulators[k].name) != 0;
        if (is_ours) put_row(cli, out, set, kernels, model);
    }
    fputs("\n", out);
    fputs(end_mark(cli, set), out);
}

/* ---- the file ---------------------------------------------------------------------------------- */

static int read_whole(struct cli *cli, const char *path, const char **out)
{
    FILE *stream = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    *out = "rows:\n";
    if (!stream && errno == ENOENT) return EXIT_DONE;
    if (!stream) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", path, strerror(errno));
    if (getdelim(&text, &room, '\0', stream) > 0) *out = cli_copy(cli, text);
    free(text);
    fclose(stream);
    return EXIT_DONE;
}

/* What lies between the marks of the set is replaced; without marks it comes last. */
static const char *replace(struct cli *cli, const char *whole, const struct validate_set *set,
                           const char *rows)
{
    const char *begin = strstr(whole, begin_mark(cli, set));
    const char *end = begin ? strstr(begin, end_mark(cli, set)) : NULL;
    if (!end) return cli_format(cli, "%s\n%s", whole, rows);
    end += strlen(end_mark(cli, set));
    return cli_format(cli, "%.*s%s%s", (int)(begin - whole), whole, rows, end);
}

int evidence_write(struct cli *cli, const struct validate_set *sets, size_t count,
                   const ws_answer *answer, const char *path)
{
    const char *whole;
    size_t written = 0;
    CLI_TRY(read_whole(cli, path, &whole));
    for (size_t i = 0; i < count; i++) {
        struct cli_text text;
        if (!sets[i].evidence_first || !sets[i].evidence_last) continue;
        CLI_TRY(cli_text_open(cli, &text));
        put_rows(cli, text.out, &sets[i],
                 ws_node_find(ws_answer_root(answer), cli_format(cli, "sets/%zu", i)));
        fflush(text.out);
        whole = replace(cli, whole, &sets[i], cli_copy(cli, text.bytes));
        cli_text_drop(&text);
        written++;
    }
    if (!written)
        return cli_error(cli, EXIT_USAGE,
                         "--write-evidence: no set says for which GPUs it speaks "
                         "(evidence: {first: \"7.0\", last: \"7.2\"})");
    return cli_write(cli, path, whole, strlen(whole));
}
