// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct metric {
    const char *name, *sql, *unit;
} metrics[] = {{"time", "time_s", "s"},   {"energy", "joules", "J"},
               {"power", "watts", "W"},   {"edp", "joules * time_s", "J*s"},
               {"bound", "bound_s", "s"}, {"occupancy", "occupancy", "%"}};
enum { METRIC_COUNT = sizeof metrics / sizeof *metrics };

/* What all points have, behind their axes. */
static const struct {
    const char *name, *sql, *unit;
} results[] = {{"time", "time_s", "s"},   {"low", "low_s", "s"},
               {"high", "high_s", "s"},   {"speed_of_light", "bound_s", "s"},
               {"limit", "limits", NULL}, {"occupancy", "occupancy", "%"},
               {"power", "watts", "W"},   {"energy", "joules", "J"}};
enum { RESULT_COUNT = sizeof results / sizeof *results };

/* What tells launches apart where a design has several entries under `launches`. */
static const struct {
    const char *name, *sql;
} of_launch[] = {{"kernel", "(SELECT kernel FROM launch WHERE launch.id = point.launch)"},
                 {"grid", "(SELECT grid FROM launch WHERE launch.id = point.launch)"},
                 {"block", "(SELECT block FROM launch WHERE launch.id = point.launch)"}};
enum { OF_LAUNCH_COUNT = sizeof of_launch / sizeof *of_launch };

/* A name by which points differ, and its column in SQL. */
struct axis {
    const char *name, *sql;
};

/* ---- names ----------------------------------------------------------------------------------- */

static bool has_axis(const struct axis *axes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(axes[i].name, name)) return true;
    return false;
}

static int read_axes(struct sweep_store *store, struct axis **out, size_t *count)
{
    struct cli *cli = store->cli;
    const char *entries = store_text(store, "entries");
    sqlite3_stmt *statement;
    CLI_TRY(store_prepare(store, "SELECT name FROM axis ORDER BY id", &statement));
    *out = NULL;
    *count = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        if (!name) continue;
        struct axis axis = {cli_copy(cli, name), store_quoted(cli, name)};
        CLI_APPEND(cli, *out, *count, axis);
    }
    sqlite3_finalize(statement);
    for (size_t i = 0; i < OF_LAUNCH_COUNT && entries && strcmp(entries, "1") != 0; i++) {
        struct axis axis = {of_launch[i].name, of_launch[i].sql};
        if (!has_axis(*out, *count, axis.name)) CLI_APPEND(cli, *out, *count, axis);
    }
    return EXIT_DONE;
}

static int find_axis(struct sweep_store *store, const char *name, const char **out_sql)
{
    struct axis *axes;
    const char **names = NULL, *list = "";
    size_t count, named = 0;
    CLI_TRY(read_axes(store, &axes, &count));
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(axes[i].name, name)) {
            *out_sql = axes[i].sql;
            return EXIT_DONE;
        }
        list = cli_format(store->cli, "%s%s%s", list, i ? ", " : "", axes[i].name);
        CLI_APPEND(store->cli, names, named, axes[i].name);
    }
    return cli_error(store->cli, EXIT_USAGE, "%s has no '%s'%s: it varies %s", store->path, name,
                     cli_hint(store->cli, name, names, named), list);
}

/* `+` before a name: more is better; then *sql is negative. */
static int find_metric(struct sweep_store *store, const char *name, struct metric *out)
{
    bool is_more = *name == '+';
    const char *plain = name + is_more, *sql = NULL;
    *out = (struct metric){plain, NULL, NULL};
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (!strcmp(metrics[i].name, plain)) {
            sql = metrics[i].sql;
            out->unit = metrics[i].unit;
        }
    if (!sql) CLI_TRY(find_axis(store, plain, &sql));
    out->sql = is_more ? cli_format(store->cli, "-(%s)", sql) : sql;
    return EXIT_DONE;
}

/* " WHERE status = 'done' AND ..." */
static int make_where(struct sweep_store *store, const struct sweep_view *view, const char **out)
{
    struct cli *cli = store->cli;
    *out = " WHERE status = 'done'";
    for (size_t i = 0; i < view->where_count; i++) {
        const char *equals = strchr(view->where[i], '='), *sql;
        if (!equals)
            return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --where: expected NAME=VALUE",
                             view->where[i]);
        const char *name = cli_format(cli, "%.*s", (int)(equals - view->where[i]), view->where[i]);
        CLI_TRY(find_axis(store, name, &sql));
        char *condition = sqlite3_mprintf(" AND CAST(%s AS TEXT) = %Q", sql, equals + 1);
        if (!condition) return cli_out_of_memory(cli, 0);
        *out = cli_format(cli, "%s%s", *out, condition);
        sqlite3_free(condition);
    }
    return EXIT_DONE;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Axes and results of the points that `ending` selects and orders. */
struct selection {
    struct table_column *columns;
    size_t column_count;
    const char *sql; /* the columns, separated by commas */
};

static int select_columns(struct sweep_store *store, struct selection *out)
{
    struct cli *cli = store->cli;
    struct axis *axes;
    size_t count;
    CLI_TRY(read_axes(store, &axes, &count));
    *out = (struct selection){
        .columns = cli_alloc(cli, (count + RESULT_COUNT) * sizeof *out->columns), .sql = ""};
    for (size_t i = 0; i < count; i++) {
        out->columns[out->column_count++] = (struct table_column){axes[i].name, NULL};
        out->sql = cli_format(cli, "%s%s, ", out->sql, axes[i].sql);
    }
    for (size_t i = 0; i < RESULT_COUNT; i++) {
        out->columns[out->column_count++] = (struct table_column){results[i].name, results[i].unit};
        out->sql =
            cli_format(cli, "%s%s%s", out->sql, results[i].sql, i + 1 < RESULT_COUNT ? ", " : "");
    }
    return EXIT_DONE;
}

static int read_rows(struct sweep_store *store, const char *sql, struct sweep_table *table)
{
    sqlite3_stmt *statement;
    size_t cells = 0;
    int code;
    CLI_TRY(store_prepare(store, sql, &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < table->column_count; i++)
            CLI_APPEND(store->cli, table->cells, cells, store_cell(store->cli, statement, (int)i));
        table->row_count++;
    }
    int exit_code = code == SQLITE_DONE ? EXIT_DONE : store_failed(store, "read");
    sqlite3_finalize(statement);
    return exit_code;
}

static int no_points(struct sweep_store *store, const char *metric)
{
    return cli_error(
        store->cli, EXIT_GUEST,
        "%s: no point is done that has a value of '%s'; `warpsage sweep status` says what "
        "became of the points",
        store->path, metric);
}

/* The lines of points are long: columns that say nothing are left out of the text. */
static void drop_empty(struct cli *cli, struct sweep_table *table)
{
    struct table_column *columns = cli_alloc(cli, (table->column_count + 1) * sizeof *columns);
    bool *keeps = cli_alloc(cli, (table->column_count + 1) * sizeof *keeps);
    size_t kept = 0, cells = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        for (size_t r = 0; r < table->row_count; r++) {
            const struct table_cell *cell = &table->cells[r * table->column_count + c];
            keeps[c] |= cell->text || !isnan(cell->number);
        }
        if (keeps[c]) columns[kept++] = table->columns[c];
    }
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        if (keeps[i % table->column_count]) table->cells[cells++] = table->cells[i];
    table->columns = columns;
    table->column_count = kept;
}

static int write_points(struct sweep_store *store, const struct sweep_view *view,
                        struct sweep_table *table)
{
    if (view->format == WS_FORMAT_TEXT) drop_empty(store->cli, table);
    return table_write(store->cli, table, view->format, view->output);
}

int sweep_best(struct sweep_store *store, const char *name, const struct sweep_view *view)
{
    struct selection columns;
    struct metric metric;
    const char *where;
    CLI_TRY(find_metric(store, name, &metric));
    CLI_TRY(make_where(store, view, &where));
    CLI_TRY(select_columns(store, &columns));
    struct sweep_table table = {.columns = columns.columns, .column_count = columns.column_count};
    const char *sql = cli_format(
        store->cli, "SELECT %s FROM point%s AND %s IS NOT NULL ORDER BY %s, id LIMIT %lld",
        columns.sql, where, metric.sql, metric.sql, view->top ? (long long)view->top : -1LL);
    CLI_TRY(read_rows(store, sql, &table));
    return table.row_count ? write_points(store, view, &table) : no_points(store, name);
}

/* ---- points that no other beats -------------------------------------------------------------- */

/* Is the row beaten by `other`: nowhere better, somewhere worse? */
static bool is_beaten(const double *row, const double *other, size_t count)
{
    bool is_worse = false;
    for (size_t i = 0; i < count; i++) {
        if (row[i] < other[i]) return false;
        is_worse |= row[i] > other[i];
    }
    return is_worse;
}

/* Rows are in the order of their first metric, so that none is beaten by a later one, equal ones apart. */
static size_t find_front(const double *values, size_t rows, size_t count, size_t *front)
{
    size_t found = 0;
    for (size_t r = 0; r < rows; r++) {
        bool is_kept = true;
        for (size_t i = found; i-- > 0 && is_kept;)
            is_kept = !is_beaten(&values[r * count], &values[front[i] * count], count);
        if (is_kept) front[found++] = r;
    }
    return found;
}

static int pareto_query(struct sweep_store *store, const char *const *names, size_t count,
                        const struct sweep_view *view, const char **out)
{
    const char *order = "", *known = "", *where;
    for (size_t i = 0; i < count; i++) {
        struct metric metric;
        CLI_TRY(find_metric(store, names[i], &metric));
        order = cli_format(store->cli, "%s%s%s", order, i ? ", " : "", metric.sql);
        known = cli_format(store->cli, "%s AND %s IS NOT NULL", known, metric.sql);
    }
    CLI_TRY(make_where(store, view, &where));
    *out = cli_format(store->cli, "SELECT id, %s FROM point%s%s ORDER BY %s, id", order, where,
                      known, order);
    return EXIT_DONE;
}

static int read_values(struct sweep_store *store, const char *sql, size_t count, double **out,
                       sqlite3_int64 **out_ids, size_t *rows)
{
    sqlite3_stmt *statement;
    size_t ids = 0, values = 0;
    int code;
    CLI_TRY(store_prepare(store, sql, &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        CLI_APPEND(store->cli, *out_ids, ids, sqlite3_column_int64(statement, 0));
        for (size_t i = 0; i < count; i++)
            CLI_APPEND(store->cli, *out, values, sqlite3_column_double(statement, 1 + (int)i));
    }
    *rows = ids;
    int exit_code = code == SQLITE_DONE ? EXIT_DONE : store_failed(store, "read");
    sqlite3_finalize(statement);
    return exit_code;
}

int sweep_pareto(struct sweep_store *store, const char *const *names, size_t count,
                 const struct sweep_view *view)
{
    struct cli *cli = store->cli;
    const char *sql;
    double *values = NULL;
    sqlite3_int64 *ids = NULL;
    size_t rows;
    struct selection columns;
    CLI_TRY(pareto_query(store, names, count, view, &sql));
    CLI_TRY(read_values(store, sql, count, &values, &ids, &rows));
    if (!rows) return no_points(store, names[0]);
    size_t *front = cli_alloc(cli, rows * sizeof *front);
    size_t found = find_front(values, rows, count, front);
    if (view->top && found > view->top) found = view->top;
    CLI_TRY(select_columns(store, &columns));
    struct sweep_table table = {.columns = columns.columns, .column_count = columns.column_count};
    for (size_t i = 0; i < found; i++) {
        struct sweep_table one = {.columns = table.columns, .column_count = table.column_count};
        size_t cells = table.row_count * table.column_count;
        CLI_TRY(read_rows(store,
                          cli_format(cli, "SELECT %s FROM point WHERE id = %lld", columns.sql,
                                     (long long)ids[front[i]]),
                          &one));
        for (size_t c = 0; c < one.row_count * one.column_count; c++)
            CLI_APPEND(cli, table.cells, cells, one.cells[c]);
        table.row_count += one.row_count;
    }
    return write_points(store, view, &table);
}

/* ---- what matters ---------------------------------------------------------------------------- */

/* The mean logarithm of the metric for each value of an axis. */
struct effect {
    double share, factor; /* of the variance of all logarithms; worst mean over best */
    struct table_cell best, worst;
    size_t values;
};

static int read_effect(struct sweep_store *store, const char *axis, const struct metric *metric,
                       const char *where, struct effect *out)
{
    sqlite3_stmt *statement;
    double best = INFINITY, worst = -INFINITY, sum = 0, squares = 0, points = 0;
    int code;
    const char *sql =
        cli_format(store->cli,
                   "SELECT %s, avg(ln_(%s)), count(*) FROM point%s AND %s > 0 GROUP BY %s "
                   "ORDER BY %s",
                   axis, metric->sql, where, metric->sql, axis, axis);
    *out = (struct effect){.best = {.number = NAN}, .worst = {.number = NAN}};
    CLI_TRY(store_prepare(store, sql, &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        double mean = sqlite3_column_double(statement, 1), n = sqlite3_column_double(statement, 2);
        if (mean < best) out->best = store_cell(store->cli, statement, 0);
        if (mean > worst) out->worst = store_cell(store->cli, statement, 0);
        best = fmin(best, mean);
        worst = fmax(worst, mean);
        sum += n * mean;
        squares += n * mean * mean;
        points += n;
        out->values++;
    }
    int exit_code = code == SQLITE_DONE ? EXIT_DONE : store_failed(store, "read");
    sqlite3_finalize(statement);
    out->factor = exp(worst - best);
    out->share = points > 0 ? fmax(squares - sum * sum / points, 0) / points : NAN;
    return exit_code;
}

/* SQLite has no logarithm unless it was built with one. */
static void logarithm(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_double(context, log(sqlite3_value_double(values[0])));
}

static int read_variance(struct sweep_store *store, const struct metric *metric, const char *where,
                         double *out)
{
    sqlite3_stmt *statement;
    const char *sql =
        cli_format(store->cli,
                   "SELECT avg(l * l) - avg(l) * avg(l) FROM (SELECT ln_(%s) AS l FROM "
                   "point%s AND %s > 0)",
                   metric->sql, where, metric->sql);
    CLI_TRY(store_prepare(store, sql, &statement));
    bool is_known =
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;
    *out = is_known ? sqlite3_column_double(statement, 0) : NAN;
    sqlite3_finalize(statement);
    return EXIT_DONE;
}

static int by_share(const void *a, const void *b)
{
    const struct table_cell *x = a, *y = b; /* rows of six cells, the share second */
    return (x[1].number < y[1].number) - (x[1].number > y[1].number);
}

int sweep_sensitivity(struct sweep_store *store, const char *name, const struct sweep_view *view)
{
    static const struct table_column columns[] = {{"name", NULL},   {"share", "%"},
                                                  {"factor", NULL}, {"best", NULL},
                                                  {"worst", NULL},  {"values", NULL}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct cli *cli = store->cli;
    struct sweep_table table = {.columns = columns, .column_count = COLUMNS};
    struct metric metric;
    const char *where;
    struct axis *axes;
    double variance;
    size_t count, cells = 0;
    CLI_TRY(find_metric(store, name, &metric));
    CLI_TRY(make_where(store, view, &where));
    CLI_TRY(read_axes(store, &axes, &count));
    sqlite3_create_function(store->db, "ln_", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                            logarithm, NULL, NULL);
    CLI_TRY(read_variance(store, &metric, where, &variance));
    if (isnan(variance)) return no_points(store, name);
    for (size_t i = 0; i < count; i++) {
        struct effect effect;
        CLI_TRY(read_effect(store, axes[i].sql, &metric, where, &effect));
        const struct table_cell row[COLUMNS] = {
            {.text = axes[i].name},
            {.number = variance > 0 ? fmin(effect.share / variance, 1) : 0},
            {.number = effect.factor},
            effect.best,
            effect.worst,
            {.number = (double)effect.values}};
        for (size_t c = 0; c < COLUMNS; c++)
            CLI_APPEND(cli, table.cells, cells, row[c]);
        table.row_count++;
    }
    qsort(table.cells, table.row_count, COLUMNS * sizeof *table.cells, by_share);
    table.title = cli_format(
        cli,
        "Share of the variance of log(%s) that each explains alone (all others averaged), "
        "and the worst mean over the best",
        metric.name);
    return table_write(cli, &table, view->format, view->output);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static bool put_bytes(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

static const char *series_name(struct cli *cli, const char *series, const struct table_cell *cell)
{
    if (!series) return NULL;
    return cell->text ? cell->text : cli_format(cli, "%s %.6g", series, cell->number);
}

/* Rows of series, x, y, ordered by them, as curves. */
static int make_curves(struct sweep_store *store, const struct sweep_table *rows,
                       const char *x_name, const char *series, ws_curve **out, size_t *out_count)
{
    struct cli *cli = store->cli;
    const char *before = NULL;
    for (size_t r = 0; r < rows->row_count; r++) {
        const struct table_cell *cell = &rows->cells[3 * r];
        const char *name = series_name(cli, series, &cell[0]);
        if (cell[1].text)
            return cli_error(cli, EXIT_USAGE,
                             "--x %s: '%s' is not a number: draw another name over x", x_name,
                             cell[1].text);
        if (r == 0 || (name && strcmp(name, before) != 0)) {
            double *room = cli_alloc(cli, 2 * (rows->row_count + 1) * sizeof *room);
            ws_curve curve = {.name = name, .x = room, .y = room + rows->row_count};
            CLI_APPEND(cli, *out, *out_count, curve);
        }
        before = name;
        ws_curve *curve = &(*out)[*out_count - 1];
        ((double *)curve->x)[curve->count] = cell[1].number;
        ((double *)curve->y)[curve->count++] = cell[2].number;
    }
    return EXIT_DONE;
}

int sweep_plot(struct sweep_store *store, const char *x, const char *name, const char *series,
               const struct sweep_view *view)
{
    struct cli *cli = store->cli;
    struct sweep_table rows = {.column_count = 3};
    struct metric metric;
    ws_curve *curves = NULL;
    size_t curve_count = 0;
    const char *where, *x_sql, *series_sql = "NULL";
    CLI_TRY(find_metric(store, name, &metric));
    CLI_TRY(find_axis(store, x, &x_sql));
    if (series) CLI_TRY(find_axis(store, series, &series_sql));
    CLI_TRY(make_where(store, view, &where));
    CLI_TRY(
        read_rows(store,
                  cli_format(cli,
                             "SELECT %s, %s, min(%s) FROM point%s AND %s IS NOT NULL GROUP BY 1, 2 "
                             "ORDER BY 1, 2",
                             series_sql, x_sql, metric.sql, where, metric.sql),
                  &rows));
    if (!rows.row_count) return no_points(store, name);
    CLI_TRY(make_curves(store, &rows, x, series, &curves, &curve_count));
    const ws_plot plot = {
        .size = sizeof plot,
        .title = cli_format(cli, "%s over %s", metric.name, x),
        .text = cli_format(cli, "the least %s of all points with this %s", metric.name, x),
        .x_title = x,
        .y_title = metric.name,
        .y_unit = metric.unit,
        .curves = curves,
        .curve_count = curve_count,
    };
    struct cli_text text;
    CLI_TRY(cli_text_open(cli, &text));
    ws_status status = ws_plot_write(cli->context, &plot, put_bytes, text.out);
    if (status == WS_OK) return cli_text_close(cli, &text, view->output);
    cli_text_drop(&text);
    return cli_failed(cli, status);
}

/* ---- how far it is --------------------------------------------------------------------------- */

int sweep_status(struct sweep_store *store, const struct sweep_view *view)
{
    static const struct table_column columns[] = {
        {"status", NULL}, {"points", NULL}, {"message", NULL}};
    struct sweep_table table = {.columns = columns, .column_count = 3};
    const char *points = store_text(store, "points");
    size_t cells = 0;
    CLI_TRY(
        read_rows(store,
                  "SELECT status, count(*), CASE instr(message, char(10)) WHEN 0 THEN message "
                  "ELSE substr(message, 1, instr(message, char(10)) - 1) END AS line FROM point "
                  "GROUP BY status, line ORDER BY count(*) DESC, status, line",
                  &table));
    double missing = points ? strtod(points, NULL) : NAN;
    cells = 3 * table.row_count;
    for (size_t r = 0; r < table.row_count; r++)
        missing -= table.cells[3 * r + 1].number;
    const struct table_cell rest[] = {{.text = "missing"}, {.number = missing}, {.number = NAN}};
    for (size_t c = 0; c < 3 && missing > 0; c++)
        CLI_APPEND(store->cli, table.cells, cells, rest[c]);
    table.row_count += missing > 0;
    return table_write(store->cli, &table, view->format, view->output);
}
