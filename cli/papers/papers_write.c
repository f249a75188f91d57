// SPDX-License-Identifier: Apache-2.0
/* The table of published against ours: text, JSON, CSV. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/papers/papers.h"

enum { WIDTH = 96, NUMBER_DIGITS = 9 };

/* ---- words
 * ---------------------------------------------------------------------------------------- */

static const char *verdict_word(const struct papers_row *row)
{
    static const char *const words[] = {
        [PAPERS_NOT_JUDGED] = "-", [PAPERS_AGREES] = "agrees", [PAPERS_DIFFERS] = "DIFFERS"};
    return words[row->verdict];
}

static const char *published_text(struct papers *papers, const struct papers_row *row,
                                  const char *format)
{
    const json_t *published = json_object_get(row->source, "published");
    if (json_is_string(published)) return json_string_value(published);
    return json_is_number(published) ? cli_format(papers->cli, format, json_number_value(published))
                                     : "";
}

static const char *ours_text(struct papers *papers, const struct papers_row *row,
                             const char *format)
{
    if (!row->has_ours) return "";
    if (row->ours_text) return row->ours_text;
    return isfinite(row->ours) ? cli_format(papers->cli, format, row->ours) : "";
}

static const char *unit_text(const struct papers_row *row)
{
    const char *unit = papers_text(row->source, "unit");
    return strcmp(unit, "1") ? unit : "";
}

/* ---- text
 * ----------------------------------------------------------------------------------------- */

static void print_wrapped(FILE *out, unsigned indent, const char *text)
{
    while (*text) {
        size_t room = WIDTH - indent, length = strlen(text);
        if (length > room) {
            length = room;
            while (length && text[length] != ' ')
                length--;
            if (!length) length = room;
        }
        fprintf(out, "%*s%.*s\n", (int)indent, "", (int)length, text);
        text += length;
        while (*text == ' ')
            text++;
    }
}

/* What the text states, what is judged of it, and what came out. */
static void print_statement(struct papers *papers, FILE *out, const struct papers_row *row)
{
    const char *published = published_text(papers, row, "%.6g"), *unit = unit_text(row);
    const char *ours = ours_text(papers, row, "%.5g");
    bool is_judged = row->verdict != PAPERS_NOT_JUDGED || row->ours_text;
    bool is_text = json_is_string(json_object_get(row->source, "published")) && is_judged;
    print_wrapped(out, 2, is_text ? published : papers_text(row->source, "item"));
    print_wrapped(
        out, 4,
        is_text ? cli_format(papers->cli, "judged: %s", papers_text(row->source, "item"))
                : cli_format(papers->cli, "published: %s%s%s", published, *unit ? " " : "", unit));
    ours = cli_format(papers->cli, "ours: %s", *ours ? ours : "-");
    if (strlen(ours) > 70) {
        print_wrapped(out, 4, ours);
        ours = "";
    }
    fprintf(out, "    %-73s%-10s %s\n", ours, papers_text(row->source, "evidence"),
            verdict_word(row));
}

static void print_row(struct papers *papers, FILE *out, const struct papers_row *row,
                      bool all_details)
{
    const json_t *published = json_object_get(row->source, "published");
    const char *item = papers_text(row->source, "item"), *note = papers_text(row->source, "note");
    if (json_is_string(published) || row->ours_text || strlen(item) > 44)
        print_statement(papers, out, row);
    else
        fprintf(out, "  %-44s %10s %10s %-7s %-10s %s\n", item, published_text(papers, row, "%.6g"),
                ours_text(papers, row, "%.5g"), unit_text(row),
                papers_text(row->source, "evidence"), verdict_word(row));
    if (*note && (all_details || row->verdict == PAPERS_DIFFERS)) print_wrapped(out, 6, note);
}

static const json_t *find_paper(struct papers *papers, const char *id)
{
    json_t *paper;
    size_t i;
    json_array_foreach(json_object_get(papers->published, "papers"), i, paper)
    {
        if (!strcmp(papers_text(paper, "id"), id)) return paper;
    }
    return NULL;
}

static void print_summary(FILE *out, const struct papers_row *rows, size_t count)
{
    static const char *const words[] = {"fitted", "definition", "none"};
    size_t verdicts[3] = {0}, others[3] = {0};
    for (size_t i = 0; i < count; i++) {
        verdicts[rows[i].verdict]++;
        for (size_t k = 0; k < 3; k++)
            others[k] += !strcmp(papers_text(rows[i].source, "evidence"), words[k]);
    }
    fprintf(out,
            "\n%zu rows. Of those whose inputs are printed or inferred, %zu agree and %zu differ.\n"
            "The others are no evidence: %zu fitted, %zu definitions, %zu without the inputs to "
            "judge.\n",
            count, verdicts[PAPERS_AGREES], verdicts[PAPERS_DIFFERS], others[0], others[1],
            others[2]);
}

static void print_rows(struct papers *papers, FILE *out, const struct papers_row *rows,
                       size_t count, bool all_details)
{
    const char *paper = "", *section = "";
    for (size_t i = 0; i < count; i++) {
        const char *own = papers_text(rows[i].source, "paper");
        if (strcmp(own, paper)) {
            const json_t *about = find_paper(papers, own);
            fprintf(out, "%s%s  %s\n", i ? "\n" : "", own, papers_text(about, "title"));
            fprintf(out, "  %-44s %10s %10s %-7s %s\n", "", "published", "ours", "", "evidence");
            section = "";
        }
        paper = own;
        if (strcmp(papers_text(rows[i].source, "section"), section))
            fprintf(out, " %s\n", papers_text(rows[i].source, "section"));
        section = papers_text(rows[i].source, "section");
        print_row(papers, out, &rows[i], all_details);
    }
    print_summary(out, rows, count);
}

/* ---- JSON and CSV
 * --------------------------------------------------------------------------------- */

static json_t *number_or_null(bool known, double value)
{
    return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *row_json(const struct papers_row *row)
{
    static const char *const copied[] = {"id",   "paper",     "section",  "item", "published",
                                         "unit", "tolerance", "evidence", "note"};
    json_t *out = json_object();
    for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++) {
        json_t *value = json_object_get(row->source, copied[i]);
        json_object_set(out, copied[i], value ? value : json_null());
        if (strcmp(copied[i], "published")) continue;
        json_object_set_new(out, "ours",
                            row->ours_text ? json_string(row->ours_text)
                                           : number_or_null(row->has_ours, row->ours));
    }
    json_object_set_new(out, "agrees",
                        row->verdict == PAPERS_NOT_JUDGED
                            ? json_null()
                            : json_boolean(row->verdict == PAPERS_AGREES));
    return out;
}

static void print_json(struct papers *papers, FILE *out, const struct papers_row *rows,
                       size_t count)
{
    json_t *list = json_array(), *document = json_object();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, row_json(&rows[i]));
    json_object_set_new(document, "schema", json_string("warpsage.papers/1"));
    json_object_set_new(document, "tool",
                        json_pack("{s:s, s:s}", "name", "warpsage", "version", ws_version()));
    json_object_set(document, "papers", json_object_get(papers->published, "papers"));
    json_object_set_new(document, "rows", list);
    json_dumpf(document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fputc('\n', out);
    json_decref(document);
}

static void print_field(FILE *out, const char *text, const char *end)
{
    if (!text[strcspn(text, ",\"\n")]) {
        fprintf(out, "%s%s", text, end);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fprintf(out, "\"%s", end);
}

static void print_csv(struct papers *papers, FILE *out, const struct papers_row *rows, size_t count)
{
    fputs("id,paper,section,item,published,ours,unit,tolerance_abs,tolerance_rel,evidence,agrees,"
          "note\n",
          out);
    for (size_t i = 0; i < count; i++) {
        static const char *const agrees[] = {"", "true", "false"};
        const json_t *source = rows[i].source, *tolerance = json_object_get(source, "tolerance");
        print_field(out, papers_text(source, "id"), ",");
        print_field(out, papers_text(source, "paper"), ",");
        print_field(out, papers_text(source, "section"), ",");
        print_field(out, papers_text(source, "item"), ",");
        print_field(out, published_text(papers, &rows[i], "%.9g"), ",");
        print_field(out, ours_text(papers, &rows[i], "%.9g"), ",");
        print_field(out, papers_text(source, "unit"), ",");
        fprintf(out, "%.9g,%.9g,", papers_number(tolerance, "abs", 0),
                papers_number(tolerance, "rel", 0));
        print_field(out, papers_text(source, "evidence"), ",");
        print_field(out, agrees[rows[i].verdict], ",");
        print_field(out, papers_text(source, "note"), "\n");
    }
}

int papers_write_rows(struct papers *papers, const struct papers_row *rows, size_t count,
                      ws_format format, bool all_details, const char *output)
{
    struct cli_text text;
    int exit_code = cli_text_open(papers->cli, &text);
    if (exit_code != EXIT_DONE) return exit_code;
    if (format == WS_FORMAT_JSON)
        print_json(papers, text.out, rows, count);
    else if (format == WS_FORMAT_CSV)
        print_csv(papers, text.out, rows, count);
    else
        print_rows(papers, text.out, rows, count, all_details);
    return cli_text_close(papers->cli, &text, output);
}
