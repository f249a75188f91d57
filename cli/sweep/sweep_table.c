// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_table.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct table_cell *cell_at(const struct sweep_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

static bool is_whole(double number)
{
    return number == floor(number) && fabs(number) < 1e15;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *shown(struct cli *cli, const struct table_column *column,
                         const struct table_cell *cell)
{
    if (cell->text) return cell->text;
    if (isnan(cell->number)) return "-";
    if (column->unit && !strcmp(column->unit, "%"))
        return cli_format(cli, "%.0f %%", 100 * cell->number);
    if (column->unit) return cli_quantity(cli, cell->number, column->unit);
    return cli_format(cli, is_whole(cell->number) ? "%.0f" : "%.4g", cell->number);
}

static bool is_left(const struct sweep_table *table, size_t column)
{
    return table->row_count && cell_at(table, 0, column)->text;
}

static void put_cell(FILE *out, const char *text, size_t width, bool left, bool is_last)
{
    int blanks = (int)(width - strlen(text));
    if (left && is_last)
        fprintf(out, "%s\n", text);
    else if (left)
        fprintf(out, "%s%*s  ", text, blanks, "");
    else
        fprintf(out, "%*s%s%s", blanks, "", text, is_last ? "\n" : "  ");
}

static void write_text(struct cli *cli, const struct sweep_table *table, FILE *out)
{
    size_t columns = table->column_count;
    size_t *widths = cli_alloc(cli, (columns + 1) * sizeof *widths);
    const char **texts = cli_alloc(cli, (columns * table->row_count + 1) * sizeof *texts);
    if (table->title) fprintf(out, "%s\n\n", table->title);
    for (size_t c = 0; c < columns; c++) {
        widths[c] = strlen(table->columns[c].name);
        for (size_t r = 0; r < table->row_count; r++) {
            const char *text = shown(cli, &table->columns[c], cell_at(table, r, c));
            texts[r * columns + c] = text;
            if (strlen(text) > widths[c]) widths[c] = strlen(text);
        }
    }
    for (size_t c = 0; c < columns; c++)
        put_cell(out, table->columns[c].name, widths[c], is_left(table, c), c + 1 == columns);
    for (size_t i = 0; i < columns * table->row_count; i++)
        put_cell(out, texts[i], widths[i % columns], is_left(table, i % columns),
                 i % columns + 1 == columns);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_csv(const struct sweep_table *table, FILE *out)
{
    size_t columns = table->column_count;
    for (size_t c = 0; c < columns; c++) {
        put_field(out, table->columns[c].name);
        fputc(c + 1 < columns ? ',' : '\n', out);
    }
    for (size_t i = 0; i < columns * table->row_count; i++) {
        const struct table_cell *cell = &table->cells[i];
        if (cell->text)
            put_field(out, cell->text);
        else if (!isnan(cell->number))
            fprintf(out, "%.17g", cell->number);
        fputc(i % columns + 1 < columns ? ',' : '\n', out);
    }
}

static json_t *value_of(const struct table_cell *cell)
{
    if (cell->text) return json_string(cell->text);
    if (is_whole(cell->number)) return json_integer((json_int_t)cell->number);
    return isfinite(cell->number) ? json_real(cell->number) : json_null();
}

static int write_json(struct cli *cli, const struct sweep_table *table, FILE *out)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < table->row_count; r++) {
        json_t *row = json_object();
        for (size_t c = 0; c < table->column_count; c++)
            json_object_set_new(row, table->columns[c].name, value_of(cell_at(table, r, c)));
        json_array_append_new(rows, row);
    }
    json_t *root = json_pack("{s:s, s:o}", "schema", "warpsage.sweep/1", "rows", rows);
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    if (text) fprintf(out, "%s\n", text);
    bool is_written = text != NULL;
    free(text);
    json_decref(root);
    return is_written ? EXIT_DONE : cli_out_of_memory(cli, 0);
}

int table_write(struct cli *cli, const struct sweep_table *table, ws_format format,
                const char *path)
{
    struct cli_text text;
    int exit_code = EXIT_DONE;
    if (format != WS_FORMAT_TEXT && format != WS_FORMAT_JSON && format != WS_FORMAT_CSV)
        return cli_error(cli, EXIT_USAGE, "sweep has the formats text, json and csv");
    CLI_TRY(cli_text_open(cli, &text));
    if (format == WS_FORMAT_JSON) exit_code = write_json(cli, table, text.out);
    if (format == WS_FORMAT_CSV) write_csv(table, text.out);
    if (format == WS_FORMAT_TEXT) write_text(cli, table, text.out);
    if (exit_code == EXIT_DONE) return cli_text_close(cli, &text, path);
    cli_text_drop(&text);
    return exit_code;
}
