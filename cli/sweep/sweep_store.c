// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/options/options.h"

/* In the header of the file: "wssw". */
enum { APPLICATION_ID = 0x77737377, SCHEMA_VERSION = 1 };

static const char *const point_columns[] = {"id",        "launch", "status", "message", "model",
                                            "time_s",    "low_s",  "high_s", "bound_s", "limits",
                                            "occupancy", "watts",  "joules"};
enum { POINT_COLUMNS = sizeof point_columns / sizeof *point_columns };

int store_failed(const struct sweep_store *store, const char *doing)
{
    int code = store->db ? sqlite3_errcode(store->db) : SQLITE_NOMEM;
    const char *remedy = code == SQLITE_NOTADB || code == SQLITE_CORRUPT
                             ? ": choose another file, or delete it"
                         : code == SQLITE_FULL ? ": make room; the sweep goes on where it was"
                                               : "";
    return cli_error(store->cli, EXIT_INPUT, "%s: cannot %s: %s%s", store->path, doing,
                     store->db ? sqlite3_errmsg(store->db) : "out of memory", remedy);
}

int store_run(struct sweep_store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? EXIT_DONE
               : store_failed(store, "write");
}

int store_prepare(struct sweep_store *store, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(store->db, sql, -1, out, NULL) == SQLITE_OK
               ? EXIT_DONE
               : store_failed(store, "read");
}

struct table_cell store_cell(struct cli *cli, sqlite3_stmt *statement, int column)
{
    struct table_cell cell = {.number = NAN};
    int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
        cell.number = sqlite3_column_double(statement, column);
    else if (type == SQLITE_TEXT)
        cell.text = cli_copy(cli, (const char *)sqlite3_column_text(statement, column));
    return cell;
}

const char *store_quoted(struct cli *cli, const char *name)
{
    char *text = sqlite3_mprintf("\"%w\"", name);
    const char *copy = cli_copy(cli, text ? text : "");
    sqlite3_free(text);
    return copy;
}

const char *store_default_path(struct cli *cli, const char *design)
{
    size_t length = strlen(design);
    bool is_yaml = length > 5 && !strcmp(design + length - 5, ".yaml");
    return cli_format(cli, "%.*s.db", (int)(is_yaml ? length - 5 : length), design);
}

static int step(struct sweep_store *store, sqlite3_stmt *statement)
{
    bool is_done = sqlite3_step(statement) == SQLITE_DONE;
    int exit_code = is_done ? EXIT_DONE : store_failed(store, "write");
    sqlite3_reset(statement);
    return exit_code;
}

/* ---- what kind of file it is ----------------------------------------------------------------- */

static int read_number(struct sweep_store *store, const char *sql, int64_t *out)
{
    sqlite3_stmt *statement;
    CLI_TRY(store_prepare(store, sql, &statement));
    bool is_row = sqlite3_step(statement) == SQLITE_ROW;
    *out = is_row ? sqlite3_column_int64(statement, 0) : 0;
    int exit_code = is_row ? EXIT_DONE : store_failed(store, "read");
    sqlite3_finalize(statement);
    return exit_code;
}

/* 0 of a new file. */
static int read_version(struct sweep_store *store, int64_t *out)
{
    int64_t application, tables;
    CLI_TRY(read_number(store, "SELECT count(*) FROM sqlite_master", &tables));
    CLI_TRY(read_number(store, "PRAGMA application_id", &application));
    CLI_TRY(read_number(store, "PRAGMA user_version", out));
    if (tables == 0 && application == 0 && *out == 0) return EXIT_DONE;
    if (application != APPLICATION_ID)
        return cli_error(store->cli, EXIT_INPUT,
                         "%s: a database, but not of a sweep: choose another file", store->path);
    if (*out == SCHEMA_VERSION) return EXIT_DONE;
    return cli_error(
        store->cli, EXIT_INPUT,
        "%s: schema version %lld, this warpsage has %d: use the warpsage that wrote it",
        store->path, (long long)*out, SCHEMA_VERSION);
}

const char *store_text(struct sweep_store *store, const char *key)
{
    sqlite3_stmt *statement;
    const char *text = NULL;
    if (sqlite3_prepare_v2(store->db, "SELECT value FROM sweep WHERE key = ?", -1, &statement,
                           NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        text = cli_copy(store->cli, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Calls for each axis in the order of its columns. */
static int for_axes(struct sweep_store *store,
                    int (*each)(struct sweep_store *store, const char *kind,
                                const struct design_axis *axis))
{
    const struct design *design = store->design;
    const struct {
        const struct design_axes *axes;
        const char *kind;
    } groups[] = {{&design->vary, "launch"}, {&design->gpus, "gpu"}, {&design->fields, "machine"}};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < groups[k].axes->count; i++)
            CLI_TRY(each(store, groups[k].kind, &groups[k].axes->items[i]));
    return EXIT_DONE;
}

static int add_axis(struct sweep_store *store, const char *kind, const struct design_axis *axis)
{
    sqlite3_stmt *statement;
    for (size_t i = 0; i < POINT_COLUMNS; i++)
        if (!strcasecmp(point_columns[i], axis->name))
            return cli_error(store->cli, EXIT_INPUT,
                             "%s: error: '%s' is a column of every sweep: choose another name",
                             axis->place, axis->name);
    CLI_TRY(store_run(store, cli_format(store->cli, "ALTER TABLE point ADD COLUMN %s",
                                        store_quoted(store->cli, axis->name))));
    CLI_TRY(store_prepare(store, "INSERT INTO axis(name, kind) VALUES(?, ?)", &statement));
    sqlite3_bind_text(statement, 1, axis->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, kind, -1, SQLITE_STATIC);
    int exit_code = step(store, statement);
    sqlite3_finalize(statement);
    return exit_code;
}

static int add_text(struct sweep_store *store, const char *key, const char *text)
{
    sqlite3_stmt *statement;
    CLI_TRY(store_prepare(store, "INSERT INTO sweep(key, value) VALUES(?, ?)", &statement));
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
    int exit_code = step(store, statement);
    sqlite3_finalize(statement);
    return exit_code;
}

static int create_tables(struct sweep_store *store)
{
    const struct design *design = store->design;
    CLI_TRY(store_run(
        store,
        "CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT);"
        "CREATE TABLE axis(id INTEGER PRIMARY KEY, name TEXT UNIQUE, kind TEXT);"
        "CREATE TABLE launch(id INTEGER PRIMARY KEY, kernel TEXT, grid TEXT, block TEXT,"
        " dynamic_shared_bytes INTEGER, sample_blocks INTEGER, status TEXT NOT NULL, message TEXT);"
        "CREATE TABLE point(id INTEGER PRIMARY KEY, launch INTEGER NOT NULL, status TEXT NOT NULL,"
        " message TEXT, model TEXT, time_s REAL, low_s REAL, high_s REAL, bound_s REAL,"
        " limits TEXT, occupancy REAL, watts REAL, joules REAL);"));
    CLI_TRY(for_axes(store, add_axis));
    CLI_TRY(add_text(store, "digest", design->digest));
    CLI_TRY(add_text(store, "design", design->text));
    CLI_TRY(add_text(store, "warpsage", ws_version()));
    CLI_TRY(add_text(store, "entries", cli_format(store->cli, "%zu", design->entry_count)));
    CLI_TRY(
        add_text(store, "points",
                 cli_format(store->cli, "%llu", (unsigned long long)design_point_count(design))));
    return store_run(store,
                     cli_format(store->cli, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                                APPLICATION_ID, SCHEMA_VERSION));
}

static int check_design(struct sweep_store *store)
{
    const char *digest = store_text(store, "digest"), *version = store_text(store, "warpsage");
    if (!digest || strcmp(digest, store->design->digest) != 0)
        return cli_error(
            store->cli, EXIT_INPUT,
            "%s holds a sweep of another design, or a kernel or launch file has changed "
            "since: choose another file with -o",
            store->path);
    if (version && !strcmp(version, ws_version())) return EXIT_DONE;
    return cli_error(store->cli, EXIT_INPUT,
                     "%s was begun by warpsage %s, this is %s: choose another file with -o",
                     store->path, version ? version : "?", ws_version());
}

static int prepare_statements(struct sweep_store *store)
{
    const struct design *design = store->design;
    const char *marks = "";
    store->texts = cli_alloc(store->cli, (1 + design->fields.count) * sizeof *store->texts);
    for (size_t i = 0; i < POINT_COLUMNS + design->vary.count + 1 + design->fields.count; i++)
        marks = cli_format(store->cli, "%s%s?", marks, i ? "," : "");
    CLI_TRY(store_prepare(store, cli_format(store->cli, "INSERT INTO point VALUES(%s)", marks),
                          &store->add_point));
    CLI_TRY(store_prepare(store, "INSERT INTO launch VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                          &store->add_launch));
    return store_prepare(store, "SELECT 1 FROM point WHERE id = ?", &store->has_point);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int open_file(struct sweep_store *store, int flags)
{
    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK)
        return store_failed(store, "open");
    sqlite3_busy_timeout(store->db, 10000);
    /* A file of a stranger may hold anything: no code of it runs. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return EXIT_DONE;
}

/* Two sweeps of one file would do all work twice. */
static int lock_file(struct sweep_store *store)
{
    store->lock = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock < 0)
        return cli_error(store->cli, EXIT_INPUT, "%s: cannot write: %s", store->path,
                         strerror(errno));
    if (flock(store->lock, LOCK_EX | LOCK_NB) == 0) return EXIT_DONE;
    return cli_error(store->cli, EXIT_INPUT, "%s: another sweep is writing to it", store->path);
}

static int open_to_write(struct sweep_store *store)
{
    int64_t version;
    store->writes = true;
    CLI_TRY(lock_file(store));
    CLI_TRY(open_file(store, SQLITE_OPEN_READWRITE));
    CLI_TRY(read_version(store, &version));
    CLI_TRY(store_run(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
    if (version == 0) {
        CLI_TRY(store_begin(store));
        CLI_TRY(create_tables(store));
        CLI_TRY(store_commit(store));
    }
    CLI_TRY(check_design(store));
    return prepare_statements(store);
}

int store_open(struct cli *cli, const char *path, const struct design *design,
               struct sweep_store *out)
{
    *out = (struct sweep_store){.cli = cli, .path = path, .design = design, .lock = -1};
    int exit_code = open_to_write(out);
    if (exit_code != EXIT_DONE) store_close(out);
    return exit_code;
}

static int open_to_read(struct sweep_store *store)
{
    int64_t version;
    if (access(store->path, R_OK) != 0)
        return cli_error(store->cli, EXIT_INPUT, "%s: cannot open: %s", store->path,
                         strerror(errno));
    CLI_TRY(open_file(store, SQLITE_OPEN_READONLY));
    CLI_TRY(read_version(store, &version));
    if (version) return EXIT_DONE;
    return cli_error(store->cli, EXIT_INPUT, "%s: an empty file, not a sweep", store->path);
}

int store_read(struct cli *cli, const char *path, struct sweep_store *out)
{
    *out = (struct sweep_store){.cli = cli, .path = path, .lock = -1};
    int exit_code = open_to_read(out);
    if (exit_code != EXIT_DONE) store_close(out);
    return exit_code;
}

/* One file is left, without SQLite's log beside it. */
void store_close(struct sweep_store *store)
{
    sqlite3_finalize(store->add_launch);
    sqlite3_finalize(store->add_point);
    sqlite3_finalize(store->has_point);
    if (store->db && store->writes)
        sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(store->db);
    if (store->lock >= 0) close(store->lock);
    *store = (struct sweep_store){.lock = -1};
}

/* ---- rows ------------------------------------------------------------------------------------ */

int store_begin(struct sweep_store *store)
{
    return store_run(store, "BEGIN IMMEDIATE");
}

int store_commit(struct sweep_store *store)
{
    return store_run(store, "COMMIT");
}

int store_has(struct sweep_store *store, uint64_t point, bool *out)
{
    sqlite3_bind_int64(store->has_point, 1, (sqlite3_int64)point);
    int code = sqlite3_step(store->has_point);
    *out = code == SQLITE_ROW;
    int exit_code =
        code == SQLITE_ROW || code == SQLITE_DONE ? EXIT_DONE : store_failed(store, "read");
    sqlite3_reset(store->has_point);
    return exit_code;
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_null(statement, index);
}

static void bind_number(sqlite3_stmt *statement, int index, double value)
{
    if (isfinite(value))
        sqlite3_bind_double(statement, index, value);
    else
        sqlite3_bind_null(statement, index);
}

/* What looks like a number is one, so that queries compare it as such. */
static void bind_setting(sqlite3_stmt *statement, int index, const char *text)
{
    double value;
    if (!parse_number(text, &value))
        bind_text(statement, index, text);
    else if (value == floor(value) && fabs(value) < 9007199254740992.0)
        sqlite3_bind_int64(statement, index, (sqlite3_int64)value);
    else
        sqlite3_bind_double(statement, index, value);
}

int store_add_launch(struct sweep_store *store, const struct launch_result *result)
{
    sqlite3_stmt *add = store->add_launch;
    char grid[48], block[48];
    snprintf(grid, sizeof grid, "%u,%u,%u", result->grid[0], result->grid[1], result->grid[2]);
    snprintf(block, sizeof block, "%u,%u,%u", result->block[0], result->block[1], result->block[2]);
    sqlite3_bind_int64(add, 1, (sqlite3_int64)result->launch);
    bind_text(add, 2, result->kernel);
    bind_text(add, 3, grid);
    bind_text(add, 4, block);
    sqlite3_bind_int64(add, 5, (sqlite3_int64)result->dynamic_shared_bytes);
    if (result->sample_blocks)
        sqlite3_bind_int64(add, 6, (sqlite3_int64)result->sample_blocks);
    else
        sqlite3_bind_null(add, 6);
    bind_text(add, 7, result->status);
    bind_text(add, 8, result->message);
    return step(store, add);
}

int store_add_point(struct sweep_store *store, const struct point_result *result)
{
    const struct design *design = store->design;
    sqlite3_stmt *add = store->add_point;
    size_t launch = (size_t)(result->point / design->machine_count);
    const double numbers[] = {result->time_s, result->low_s, result->high_s, result->bound_s};
    int column = 1;
    sqlite3_bind_int64(add, column++, (sqlite3_int64)result->point);
    sqlite3_bind_int64(add, column++, (sqlite3_int64)launch);
    bind_text(add, column++, result->status);
    bind_text(add, column++, result->message);
    bind_text(add, column++, result->model);
    for (size_t i = 0; i < 4; i++)
        bind_number(add, column++, numbers[i]);
    bind_text(add, column++, result->limit);
    bind_number(add, column++, result->occupancy);
    bind_number(add, column++, result->watts);
    bind_number(add, column++, result->joules);
    for (size_t i = 0; i < design->vary.count; i++)
        bind_setting(add, column++, design->launches[launch].texts[i]);
    design_machine(design, result->point % design->machine_count, store->texts);
    for (size_t i = 0; i <= design->fields.count; i++)
        bind_setting(add, column++, store->texts[i]);
    return step(store, add);
}

/* ---- several files --------------------------------------------------------------------------- */

/* Rows that both have must be the same. */
static int merge_table(struct sweep_store *store, const char *from, const char *table)
{
    int64_t different;
    CLI_TRY(read_number(store,
                        cli_format(store->cli,
                                   "SELECT count(*) FROM (SELECT * FROM other.%s WHERE id IN "
                                   "(SELECT id FROM main.%s) EXCEPT SELECT * FROM main.%s)",
                                   table, table, table),
                        &different));
    if (different)
        return cli_error(store->cli, EXIT_INPUT, "%s contradicts %s in %lld rows of `%s`", from,
                         store->path, (long long)different, table);
    return store_run(store,
                     cli_format(store->cli, "INSERT OR IGNORE INTO main.%s SELECT * FROM other.%s",
                                table, table));
}

static int merge_attached(struct sweep_store *store, const char *from)
{
    CLI_TRY(store_begin(store));
    CLI_TRY(merge_table(store, from, "launch"));
    CLI_TRY(merge_table(store, from, "point"));
    return store_commit(store);
}

static int merge_file(struct sweep_store *store, const char *from)
{
    struct sweep_store other;
    CLI_TRY(store_read(store->cli, from, &other));
    const char *digest = store_text(&other, "digest"), *own = store_text(store, "digest");
    store_close(&other);
    if (!digest || !own || strcmp(digest, own) != 0)
        return cli_error(store->cli, EXIT_INPUT, "%s and %s are sweeps of different designs", from,
                         store->path);
    char *attach = sqlite3_mprintf("ATTACH %Q AS other", from);
    int exit_code = attach ? store_run(store, attach) : cli_out_of_memory(store->cli, 0);
    sqlite3_free(attach);
    CLI_TRY(exit_code);
    exit_code = merge_attached(store, from);
    if (exit_code != EXIT_DONE) sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(store->db, "DETACH other", NULL, NULL, NULL);
    return exit_code;
}

/* A file that is not there yet begins as a copy of the first one. */
static int copy_first(struct cli *cli, const char *path, const char *first)
{
    struct sweep_store store;
    CLI_TRY(store_read(cli, first, &store));
    char *copy = sqlite3_mprintf("VACUUM INTO %Q", path);
    int exit_code = copy ? store_run(&store, copy) : cli_out_of_memory(cli, 0);
    sqlite3_free(copy);
    store_close(&store);
    return exit_code;
}

static int open_to_merge(struct sweep_store *store)
{
    int64_t version;
    store->writes = true;
    CLI_TRY(lock_file(store));
    CLI_TRY(open_file(store, SQLITE_OPEN_READWRITE));
    return read_version(store, &version);
}

int store_merge_all(struct cli *cli, const char *path, const char *const *from, size_t count)
{
    struct sweep_store store = {.cli = cli, .path = path, .lock = -1};
    if (access(path, F_OK) != 0) CLI_TRY(copy_first(cli, path, from[0]));
    int exit_code = open_to_merge(&store);
    for (size_t i = 0; i < count && exit_code == EXIT_DONE; i++)
        exit_code = merge_file(&store, from[i]);
    store_close(&store);
    return exit_code;
}
