// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/kernel_tuner.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"

static json_t *value_of(const char *text)
{
    double value;
    if (!parse_number(text, &value)) return json_string(text);
    return value == floor(value) && fabs(value) < 9007199254740992.0
               ? json_integer((json_int_t)value)
               : json_real(value);
}

/* "16,4": the values of a configuration, by which Kernel Tuner finds it. */
static const char *key_of(struct cli *cli, const struct design *design, const char *const *texts)
{
    const char *key = "";
    for (size_t i = 0; i < design->vary.count; i++)
        key = cli_format(cli, "%s%s%s", key, i ? "," : "", texts[i]);
    return key;
}

/* Its words for configurations without a time. */
static const char *error_word(const char *status)
{
    return strcmp(status, "refused") ? "RuntimeFailedConfig" : "InvalidConfig";
}

static json_t *describe(const struct design *design, const char *const *texts, const char *status,
                        double seconds)
{
    static const char *const none[] = {"compile_time", "verification_time", "benchmark_time",
                                       "strategy_time", "framework_time"};
    json_t *entry = json_object();
    for (size_t i = 0; i < design->vary.count; i++)
        json_object_set_new(entry, design->vary.items[i].name, value_of(texts[i]));
    bool is_done = !strcmp(status, "done");
    json_object_set_new(entry, "time",
                        is_done ? json_real(1e3 * seconds) : json_string(error_word(status)));
    if (is_done) json_object_set_new(entry, "times", json_pack("[f]", 1e3 * seconds));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        json_object_set_new(entry, none[i], json_integer(0));
    return entry;
}

static int add_rows(struct sweep_store *store, const struct design *design, json_t *cache)
{
    sqlite3_stmt *statement;
    int code;
    CLI_TRY(
        store_prepare(store, "SELECT launch, status, time_s FROM point ORDER BY id", &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        size_t launch = (size_t)sqlite3_column_int64(statement, 0);
        const char *status = (const char *)sqlite3_column_text(statement, 1);
        if (launch >= design->launch_count || !status) continue;
        const char *const *texts = design->launches[launch].texts;
        json_object_set_new(cache, key_of(store->cli, design, texts),
                            describe(design, texts, status, sqlite3_column_double(statement, 2)));
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? EXIT_DONE : store_failed(store, "read");
}

static const char *kernel_name(struct sweep_store *store)
{
    sqlite3_stmt *statement;
    const char *name = "unknown";
    if (sqlite3_prepare_v2(store->db, "SELECT kernel FROM launch WHERE kernel NOT NULL LIMIT 1", -1,
                           &statement, NULL) != SQLITE_OK)
        return name;
    if (sqlite3_step(statement) == SQLITE_ROW)
        name = cli_copy(store->cli, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return name;
}

static json_t *describe_space(struct sweep_store *store, const struct design *design)
{
    json_t *names = json_array(), *space = json_object();
    for (size_t i = 0; i < design->vary.count; i++) {
        const struct design_axis *axis = &design->vary.items[i];
        json_t *values = json_array();
        for (size_t k = 0; k < axis->count; k++)
            json_array_append_new(values, value_of(axis->texts[k]));
        json_array_append_new(names, json_string(axis->name));
        json_object_set_new(space, axis->name, values);
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s}", "device_name",
                     design->gpus.items[0].texts[0], "kernel_name", kernel_name(store),
                     "problem_size", design->problem_size ? design->problem_size : "unknown",
                     "tune_params_keys", names, "tune_params", space, "objective", "time");
}

int kernel_tuner_write(struct sweep_store *store, const struct design *design, const char *path)
{
    json_t *root = describe_space(store, design), *cache = json_object();
    int exit_code = root ? add_rows(store, design, cache) : cli_out_of_memory(store->cli, 0);
    json_object_set_new(root, "cache", cache);
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    if (exit_code == EXIT_DONE)
        exit_code = text ? cli_write(store->cli, path, text, strlen(text))
                         : cli_out_of_memory(store->cli, 0);
    free(text);
    json_decref(root);
    return exit_code;
}
