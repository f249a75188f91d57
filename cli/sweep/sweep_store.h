// SPDX-License-Identifier: Apache-2.0
/* The results of a sweep: one SQLite file (doc/sweep.md has its schema). A job's results are written in one
 * transaction, so that a killed sweep goes on where it was. */
#ifndef CLI_SWEEP_STORE_H
#define CLI_SWEEP_STORE_H

#include <sqlite3.h>

#include "cli/sweep/design.h"
#include "cli/sweep/sweep_table.h"

/* What was launched. Texts may be NULL. */
struct launch_result {
    uint64_t launch;
    const char *kernel, *status, *message;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared_bytes, sample_blocks;
};

/* One row; NAN: unknown. status: done, fault (the kernel failed) or refused. */
struct point_result {
    uint64_t point;
    const char *status, *message, *model, *limit;
    double time_s, low_s, high_s, bound_s, occupancy, watts, joules;
};

struct sweep_store {
    struct cli *cli;
    const char *path;
    sqlite3 *db;
    sqlite3_stmt *add_launch, *add_point, *has_point;
    const struct design *design; /* NULL: read or merged */
    bool writes;
    const char **texts; /* room for the GPU and its figures */
    int lock;           /* its file, locked while a sweep writes; -1 */
};

/* Creates the file, or goes on with it. EXIT_INPUT: no such database, one of another design or version, or in use by
 * another sweep. */
int store_open(struct cli *cli, const char *path, const struct design *design,
               struct sweep_store *out);
/* To read the results. */
int store_read(struct cli *cli, const char *path, struct sweep_store *out);
void store_close(struct sweep_store *store);

/* Is the row there? */
int store_has(struct sweep_store *store, uint64_t point, bool *out);
int store_begin(struct sweep_store *store);
int store_commit(struct sweep_store *store);
int store_add_launch(struct sweep_store *store, const struct launch_result *result);
int store_add_point(struct sweep_store *store, const struct point_result *result);

/* A text of the table `sweep`; NULL: it has no such key. */
const char *store_text(struct sweep_store *store, const char *key);
/* Puts the rows of other files of the same design into one; EXIT_INPUT if one contradicts. */
int store_merge_all(struct cli *cli, const char *path, const char *const *from, size_t count);

/* The caller finalizes *out. */
int store_prepare(struct sweep_store *store, const char *sql, sqlite3_stmt **out);
/* A column of the row that the statement stands on. */
struct table_cell store_cell(struct cli *cli, sqlite3_stmt *statement, int column);
/* A name of the design as SQL writes it. */
const char *store_quoted(struct cli *cli, const char *name);
/* Where results lie unless told: beside the design, with .db for .yaml. */
const char *store_default_path(struct cli *cli, const char *design);

/* EXIT_INPUT with what SQLite says; `doing`: "write". */
int store_failed(const struct sweep_store *store, const char *doing);
int store_run(struct sweep_store *store, const char *sql);

#endif
