// SPDX-License-Identifier: Apache-2.0
/* The table of whatif: text, JSON (schemas/whatif.schema.json), CSV. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands/whatif.h"

/* ---- text ------------------------------------------------------------------------------------ */

static void text_cell(FILE *out, struct cli *cli, const struct whatif_cell *cell, bool first)
{
    if (cell->reason)
        fprintf(out, " %18s", cell->reason);
    else if (first)
        fprintf(out, " %10s        ", cli_quantity(cli, cell->seconds, "s"));
    else
        fprintf(out, " %10s %6.3gx", cli_quantity(cli, cell->seconds, "s"), cell->gain);
}

enum { MODELS_A_LINE = 3 };

static void text_rows(FILE *out, struct cli *cli, const struct whatif_table *table, size_t machine,
                      size_t from)
{
    size_t end =
        table->model_count < from + MODELS_A_LINE ? table->model_count : from + MODELS_A_LINE;
    fprintf(out, "%-38s", "change");
    for (size_t i = from; i < end; i++)
        fprintf(out, " %17s%s", table->models[i], i == table->best[machine] ? "*" : " ");
    fputc('\n', out);
    for (size_t r = 0; r < table->row_count; r++) {
        const struct whatif_row *row = &table->rows[r];
        fprintf(out, "%-38.38s", row->text);
        for (size_t i = from; i < end; i++)
            text_cell(out, cli, &row->answers[machine].cells[i], r == 0);
        fputc('\n', out);
    }
}

static void text_notes(FILE *out, struct cli *cli, const struct whatif_table *table)
{
    fputs(
        "Gains are time / time after: alternatives, they do not add up.   * suits this GPU best\n",
        out);
    for (size_t r = 0; r < table->row_count; r++)
        if (table->rows[r].impossible)
            fprintf(out, "%s: impossible: %s\n", table->rows[r].text, table->rows[r].note);
        else if (table->rows[r].executed)
            fprintf(out, "%s: the kernel was executed again%s%s\n", table->rows[r].text,
                    table->rows[r].note ? ", " : "",
                    table->rows[r].note ? table->rows[r].note : "");
    for (size_t r = 0; r < table->row_count; r++)
        if (table->rows[r].surprise)
            cli_wrap(out, "  ! ",
                     cli_format(cli, "%s: %s", table->rows[r].text, table->rows[r].surprise));
}

static void write_text(FILE *out, struct cli *cli, const struct whatif_table *table)
{
    fprintf(out, "%s\n", table->kernel);
    for (size_t m = 0; m < table->machine_count; m++) {
        fprintf(out, "\nmachine   %s  %s\n", ws_machine_id(table->machines[m]),
                ws_machine_name(table->machines[m]));
        for (size_t i = 0; i < table->model_count; i += MODELS_A_LINE)
            text_rows(out, cli, table, m, i);
    }
    text_notes(out, cli, table);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_cell(FILE *out, const char *model, const struct whatif_cell *cell, bool best,
                      bool first)
{
    fprintf(out, "{\"model\": \"%s\", \"best\": %s, ", model, best ? "true" : "false");
    if (cell->reason) {
        fprintf(out, "\"time_s\": null, \"gain\": null, \"reason\": \"%s\"}", cell->reason);
        return;
    }
    fprintf(out, "\"time_s\": %.17g, \"gain\": %.17g, \"bottleneck\": ", cell->seconds,
            first ? 1 : cell->gain);
    cli_put_json(out, cell->bottleneck);
    fputc('}', out);
}

static void json_row(FILE *out, const struct whatif_table *table, size_t machine, size_t r)
{
    const struct whatif_row *row = &table->rows[r];
    fputs("{\"change\": ", out);
    cli_put_json(out, row->text);
    fprintf(out, ", \"executed_again\": %s, \"note\": ", row->executed ? "true" : "false");
    if (row->note || row->surprise)
        cli_put_json(out, row->note ? row->note : row->surprise);
    else
        fputs("null", out);
    fputs(", \"estimates\": [", out);
    for (size_t i = 0; i < table->model_count; i++) {
        if (i) fputs(", ", out);
        json_cell(out, table->models[i], &row->answers[machine].cells[i], i == table->best[machine],
                  r == 0);
    }
    fputs("]}", out);
}

static void write_json(FILE *out, const struct whatif_table *table)
{
    fprintf(out,
            "{\"schema\": \"warpsage.whatif/1\", \"tool\": {\"name\": \"warpsage\", \"version\": "
            "\"%s\"}, \"kernel\": ",
            ws_version());
    cli_put_json(out, table->kernel);
    fputs(", \"machines\": [", out);
    for (size_t m = 0; m < table->machine_count; m++) {
        fprintf(out, "%s{\"machine\": \"%s\", \"rows\": [", m ? ", " : "",
                ws_machine_id(table->machines[m]));
        for (size_t r = 0; r < table->row_count; r++) {
            if (r) fputs(", ", out);
            json_row(out, table, m, r);
        }
        fputs("]}", out);
    }
    fputs("]}\n", out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_reason(FILE *out, const char *text)
{
    fputs(",,\"impossible: ", out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputs("\"\n", out);
}

static void write_csv(FILE *out, const struct whatif_table *table)
{
    fputs("machine,change,model,time_s,gain,reason\n", out);
    for (size_t m = 0; m < table->machine_count; m++)
        for (size_t r = 0; r < table->row_count; r++)
            for (size_t i = 0; i < table->model_count; i++) {
                const struct whatif_cell *cell = &table->rows[r].answers[m].cells[i];
                fprintf(out, "%s,\"%s\",%s,", ws_machine_id(table->machines[m]),
                        table->rows[r].text, table->models[i]);
                const struct whatif_row *row = &table->rows[r];
                if (row->impossible)
                    csv_reason(out, row->note);
                else if (cell->reason)
                    fprintf(out, ",,%s\n", cell->reason);
                else
                    fprintf(out, "%.9g,%.9g,\n", cell->seconds, r ? cell->gain : 1);
            }
}

int whatif_write(struct cli *cli, const struct whatif_table *table, const struct request *request)
{
    struct cli_text text;
    int exit_code = cli_text_open(cli, &text);
    if (exit_code != EXIT_DONE) return exit_code;
    if (request->format == WS_FORMAT_JSON)
        write_json(text.out, table);
    else if (request->format == WS_FORMAT_CSV)
        write_csv(text.out, table);
    else
        write_text(text.out, cli, table);
    return cli_text_close(cli, &text, request->output);
}
