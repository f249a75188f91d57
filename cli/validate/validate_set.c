// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/named_values.h"
#include "cli/options/options.h"
#include "cli/options/request.h"
#include "cli/validate/validate.h"

enum { FIELDS_MAX = 64, NAMES_MAX = 64 };

/* ---- the table: lines of fields with commas between, the first one names them ------------------ */

struct table {
    struct cli *cli;
    struct validate_set *set;
    size_t line;
    const char *names[FIELDS_MAX], *fields[FIELDS_MAX];
    size_t count;
};

static int refuse(const struct table *table, const char *what, const char *value)
{
    return cli_error(table->cli, EXIT_INPUT, "%s:%zu: error: %s '%s'", table->set->table,
                     table->line, what, value);
}

static size_t cut(char *line, const char **fields)
{
    size_t count = 0;
    for (char *rest = line, *field; (field = strsep(&rest, ",")) != NULL; count++)
        if (count < FIELDS_MAX) fields[count] = field;
    return count;
}

/* Index of a column; the number of columns if it is missing. */
static size_t column(const struct table *table, const char *name)
{
    size_t i = 0;
    while (i < table->count && strcmp(table->names[i], name) != 0)
        i++;
    return i;
}

/* NULL: the table has no such column. */
static const char *field(const struct table *table, const char *name)
{
    size_t i = column(table, name);
    return i < table->count ? table->fields[i] : NULL;
}

static int need(const struct table *table, const char *name, const char **out)
{
    *out = field(table, name);
    return *out && **out ? EXIT_DONE : refuse(table, "missing value of column", name);
}

static int read_number(const struct table *table, const char *text, double *out)
{
    *out = NAN;
    if (!*text) return EXIT_DONE;
    return parse_number(text, out) && isfinite(*out) && *out >= 0
               ? EXIT_DONE
               : refuse(table, "expected a number of at least 0, found", text);
}

/* "16x64x1" */
static int read_shape(const struct table *table, const char *name, uint32_t out[3])
{
    const char *text;
    CLI_TRY(need(table, name, &text));
    char *commas = cli_copy(table->cli, text);
    for (char *c = commas; *c; c++)
        if (*c == 'x') *c = ',';
    const char *place = cli_format(table->cli, "%s:%zu", table->set->table, table->line);
    int exit_code = request_set_shape(table->cli, place, commas, out);
    return exit_code == EXIT_USAGE ? EXIT_INPUT : exit_code;
}

static int read_count(const struct table *table, const char *name, double most, double *out)
{
    const char *text = field(table, name);
    *out = 0;
    if (!text || !*text) return EXIT_DONE;
    CLI_TRY(read_number(table, text, out));
    return *out == floor(*out) && *out <= most ? EXIT_DONE : refuse(table, "not a count:", text);
}

static int read_values(const struct table *table, struct validate_row *row)
{
    row->values = cli_alloc(table->cli, (table->count + 1) * sizeof *row->values);
    for (size_t i = 0; i < table->count; i++) {
        bool is_value = strchr(table->names[i], ':') != NULL;
        row->values[i] = NAN;
        if (is_value) CLI_TRY(read_number(table, table->fields[i], &row->values[i]));
    }
    return EXIT_DONE;
}

/* The launch, as columns describe it. */
static int read_launch(const struct table *table, struct validate_row *row)
{
    const char *entry = field(table, "entry");
    double shared;
    CLI_TRY(need(table, "file", &row->file));
    CLI_TRY(need(table, "args", &row->args));
    CLI_TRY(read_shape(table, "grid", row->grid));
    CLI_TRY(read_shape(table, "block", row->block));
    CLI_TRY(read_count(table, "shared", 1 << 20, &shared));
    row->shared_bytes = (uint64_t)shared;
    row->entry = entry && *entry ? entry : row->kernel;
    row->file = cli_format(table->cli, "%s/%s", table->set->folder, row->file);
    return EXIT_DONE;
}

/* The generator's parameters: of a column, else a constant of the set. */
static int read_parameters(const struct table *table, struct validate_row *row)
{
    const struct validate_set *set = table->set;
    row->parameters = cli_alloc(table->cli, GENERATOR_PARAMETERS_MAX * sizeof *row->parameters);
    for (size_t i = 0; set->generator->parameters[i]; i++) {
        const char *name = set->generator->parameters[i];
        if (isnan(set->constants[i]) && !field(table, name))
            return refuse(table, "missing column, or key below `generator`,", name);
        row->parameters[i] = set->constants[i];
        if (field(table, name)) CLI_TRY(read_count(table, name, UINT32_MAX, &row->parameters[i]));
    }
    return EXIT_DONE;
}

static int read_compiled(const struct table *table, struct validate_row *row)
{
    double registers, stores, loads;
    CLI_TRY(read_count(table, "registers", 255, &registers));
    CLI_TRY(read_count(table, "spill_stores", 1 << 24, &stores));
    CLI_TRY(read_count(table, "spill_loads", 1 << 24, &loads));
    row->registers = (unsigned)registers;
    row->spill_store_bytes = (unsigned)stores;
    row->spill_load_bytes = (unsigned)loads;
    return EXIT_DONE;
}

/* A file name is one beside the set. */
static const char *machine_path(struct cli *cli, const struct validate_set *set, const char *name)
{
    bool is_file = strchr(name, '.') && *name != '/';
    return is_file ? cli_format(cli, "%s/%s", set->folder, name) : name;
}

/* The time, or the watts with the share of the time and the time of a launch. */
static int read_measured(const struct table *table, struct validate_row *row)
{
    const struct validate_set *set = table->set;
    const char *measured, *seconds = field(table, "seconds"), *active = field(table, "active");
    CLI_TRY(need(table,
                 set->in_watts    ? "watts"
                 : set->in_cycles ? "cycles"
                                  : "seconds",
                 &measured));
    CLI_TRY(read_number(table, measured, &row->measured));
    if (!(row->measured > 0))
        return refuse(table, "the measured value must be above 0, found", measured);
    row->active = 1;
    if (!set->in_watts) return EXIT_DONE;
    if (active && *active) CLI_TRY(read_number(table, active, &row->active));
    if (!(row->active > 0) || row->active > 1)
        return refuse(table, "the share of time must be above 0 and at most 1, found", active);
    if (seconds && *seconds) CLI_TRY(read_number(table, seconds, &row->launch_seconds));
    return EXIT_DONE;
}

static int read_row(const struct table *table)
{
    static const char *const words[] = {"application", "kernel", "instance", "role"};
    struct validate_set *set = table->set;
    struct validate_row row = {.line = table->line};
    const char **places[] = {&row.application, &row.kernel, &row.instance, &row.role};
    const char *machine = field(table, "machine");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        CLI_TRY(need(table, words[i], places[i]));
    if (machine && *machine && !set->in_watts)
        return refuse(table, "only rows in watts have a machine of their own, found", machine);
    if (machine && *machine) row.machine = machine_path(table->cli, set, machine);
    CLI_TRY(set->generator ? read_parameters(table, &row) : read_launch(table, &row));
    CLI_TRY(read_measured(table, &row));
    CLI_TRY(read_compiled(table, &row));
    CLI_TRY(read_values(table, &row));
    CLI_APPEND(table->cli, set->rows, set->row_count, row);
    return EXIT_DONE;
}

static void find_columns(const struct table *table)
{
    struct validate_set *set = table->set;
    for (size_t i = 0; i < table->count; i++) {
        const char *colon = strchr(table->names[i], ':');
        struct validate_column found = {.name = colon ? colon + 1 : NULL, .index = i};
        found.is_profiler = colon && !strncmp(table->names[i], "profiler:", 9);
        if (found.is_profiler || (colon && !strncmp(table->names[i], "counter:", 8)))
            CLI_APPEND(table->cli, set->counters, set->counter_count, found);
        if (colon && !strncmp(table->names[i], "simulator:", 10))
            CLI_APPEND(table->cli, set->simulators, set->simulator_count, found);
    }
}

static int read_line(struct table *table, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    table->line++;
    if (!*line || *line == '#') return EXIT_DONE;
    if (strchr(line, '"')) return refuse(table, "quotes have no meaning here:", "\"");
    bool is_head = !table->count;
    size_t count = cut(cli_copy(table->cli, line), is_head ? table->names : table->fields);
    if (count > FIELDS_MAX) return refuse(table, "more than 64 columns:", line);
    if (is_head) {
        table->count = count;
        table->set->in_cycles = column(table, "cycles") < count;
        table->set->in_watts = column(table, "watts") < count;
        find_columns(table);
        return EXIT_DONE;
    }
    if (count != table->count)
        return cli_error(table->cli, EXIT_INPUT, "%s:%zu: error: %zu fields for %zu columns",
                         table->set->table, table->line, count, table->count);
    return read_row(table);
}

static int read_table(struct cli *cli, struct validate_set *set)
{
    struct table table = {.cli = cli, .set = set};
    FILE *stream = fopen(set->table, "re");
    char *line = NULL;
    size_t room = 0;
    int exit_code = EXIT_DONE;
    if (!stream)
        return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", set->table, strerror(errno));
    while (exit_code == EXIT_DONE && getline(&line, &room, stream) > 0)
        exit_code = read_line(&table, line);
    free(line);
    fclose(stream);
    if (exit_code == EXIT_DONE && !set->row_count)
        return cli_error(cli, EXIT_INPUT, "%s: error: no rows", set->table);
    return exit_code;
}

/* ---- the set --------------------------------------------------------------------------------- */

/* Words of a description; the first four are required. */
enum { REQUIRED = 4 };
static const struct {
    const char *key;
    size_t offset; /* in struct validate_set, of a const char * */
} words[] = {
    {"title", offsetof(struct validate_set, title)},
    {"source", offsetof(struct validate_set, source)},
    {"machine", offsetof(struct validate_set, machine)},
    {"rows", offsetof(struct validate_set, table)},
    {"model_options", offsetof(struct validate_set, model_options)},
    {"l2", offsetof(struct validate_set, l2)},
    {"evidence.first", offsetof(struct validate_set, evidence_first)},
    {"evidence.last", offsetof(struct validate_set, evidence_last)},
    {"evidence.source", offsetof(struct validate_set, evidence_source)},
};

static const char **word_at(struct validate_set *set, size_t index)
{
    return (const char **)(void *)((char *)set + words[index].offset);
}

static int refuse_value(struct cli *cli, const struct named_value *value, const char *expected)
{
    return cli_error(cli, EXIT_INPUT, "%s: error: invalid value '%s' of '%s': expected %s",
                     value->place, value->text, value->name, expected);
}

static int set_generator(struct cli *cli, const struct named_value *value, struct validate_set *set)
{
    set->generator = generator_find(value->text);
    return set->generator ? EXIT_DONE : refuse_value(cli, value, generator_convolution.id);
}

/* `generator.NAME`: a parameter that is the same for all rows. */
static int set_constant(struct cli *cli, const struct named_value *value, struct validate_set *set)
{
    const char *name = strchr(value->name, '.') + 1;
    for (size_t i = 0; set->generator && set->generator->parameters[i]; i++)
        if (!strcmp(set->generator->parameters[i], name)) {
            set->constants[i] = value->number;
            return value->is_number ? EXIT_DONE : refuse_value(cli, value, "a number");
        }
    return cli_error(cli, EXIT_INPUT, "%s: error: unknown parameter '%s'%s", value->place, name,
                     set->generator ? "" : ": `generator.id` comes first");
}

static int set_number(struct cli *cli, const struct named_value *value, double least,
                      const char *expected, double *out)
{
    *out = value->number;
    return value->is_number && value->number >= least && isfinite(value->number)
               ? EXIT_DONE
               : refuse_value(cli, value, expected);
}

static int set_value(struct cli *cli, const struct named_value *value, struct validate_set *set)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].key, value->name)) {
            *word_at(set, i) = value->text;
            return EXIT_DONE;
        }
    if (!strcmp(value->name, "generator.id")) return set_generator(cli, value, set);
    if (!strncmp(value->name, "generator.", 10)) return set_constant(cli, value, set);
    if (!strcmp(value->name, "purpose")) {
        set->is_ranking = !strcmp(value->text, "ranking");
        return set->is_ranking ? EXIT_DONE : refuse_value(cli, value, "ranking");
    }
    if (!strcmp(value->name, "blocks"))
        return set_number(cli, value, 1, "a number of blocks of at least 1", &set->blocks);
    if (!strcmp(value->name, "gap"))
        return set_number(cli, value, 0, "seconds, at least 0", &set->gap_seconds);
    if (!strcmp(value->name, "interval"))
        return set_number(cli, value, 0, "seconds, at least 0", &set->interval_seconds);
    return cli_error(cli, EXIT_INPUT,
                     "%s: error: unknown key '%s': expected title, source, machine, rows, purpose, "
                     "blocks, gap, interval, model_options, l2, generator, evidence",
                     value->place, value->name);
}

static int read_description(struct cli *cli, const char *path, struct validate_set *set)
{
    struct named_values values = {0};
    CLI_TRY(named_values_read(cli, path, &values));
    for (size_t i = 0; i < GENERATOR_PARAMETERS_MAX; i++)
        set->constants[i] = NAN;
    for (size_t i = 0; i < values.count; i++)
        CLI_TRY(set_value(cli, &values.items[i], set));
    for (size_t i = 0; i < REQUIRED; i++)
        if (!*word_at(set, i))
            return cli_error(cli, EXIT_INPUT, "%s: error: missing key '%s'", path, words[i].key);
    set->table = cli_format(cli, "%s/%s", set->folder, set->table);
    set->machine = machine_path(cli, set, set->machine);
    return EXIT_DONE;
}

int validate_generate(struct cli *cli, const struct validate_set *set,
                      const struct validate_row *row, const char *target, struct generated *out)
{
    return set->generator->generate(cli, target, row->parameters, out);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int validate_list(struct cli *cli, const char ***out, size_t *out_count)
{
    const char *folder = cli_shared_folder(cli, "accuracy");
    DIR *stream = opendir(folder);
    *out = NULL;
    *out_count = 0;
    if (!stream) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        char *id = cli_copy(cli, entry->d_name), *dot = strrchr(id, '.');
        if (!dot || strcmp(dot, ".yaml") != 0) continue;
        *dot = '\0';
        CLI_APPEND(cli, *out, *out_count, id);
    }
    closedir(stream);
    if (*out_count) qsort(*out, *out_count, sizeof **out, by_name);
    return EXIT_DONE;
}

static int unknown_set(struct cli *cli, const char *name)
{
    const char **ids, *all = "";
    size_t count;
    CLI_TRY(validate_list(cli, &ids, &count));
    for (size_t i = 0; i < count; i++)
        all = cli_format(cli, "%s%s%s", all, i ? ", " : "", ids[i]);
    return cli_error(cli, EXIT_USAGE, "unknown set '%s'%s: expected one of %s, or a .yaml file",
                     name, cli_hint(cli, name, ids, count < NAMES_MAX ? count : NAMES_MAX), all);
}

int validate_read(struct cli *cli, const char *name, struct validate_set *out)
{
    const char *dot = strrchr(name, '.');
    bool is_file = dot && !strcmp(dot, ".yaml");
    const char *path =
        is_file ? name : cli_format(cli, "%s/%s.yaml", cli_shared_folder(cli, "accuracy"), name);
    if (!is_file && (strchr(name, '/') || access(path, R_OK) != 0)) return unknown_set(cli, name);
    char *folder = cli_copy(cli, path), *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    *out = (struct validate_set){.folder = slash ? folder : "."};
    char *id = cli_copy(cli, slash ? path + (slash - folder) + 1 : path);
    *strrchr(id, '.') = '\0';
    out->id = id;
    CLI_TRY(read_description(cli, path, out));
    return read_table(cli, out);
}
