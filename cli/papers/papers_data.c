// SPDX-License-Identifier: Apache-2.0
/* The files of a folder of papers/. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/papers/papers.h"

int papers_bad_file(struct papers *papers, const char *file, const char *what, const char *where)
{
    return cli_error(papers->cli, EXIT_INPUT, "%s/%s: %s '%s'", papers->folder, file, what, where);
}

const char *papers_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double papers_number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static int load_json(struct papers *papers, const char *file, json_t **out)
{
    json_error_t error;
    const char *path = cli_format(papers->cli, "%s/%s", papers->folder, file);
    *out = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (*out) return EXIT_DONE;
    return cli_error(papers->cli, EXIT_INPUT,
                     "%s:%d:%d: %s (WARPSAGE_PAPERS names the folder of the papers)", path,
                     error.line, error.column, error.text);
}

/* ---- kernels.csv ----------------------------------------------------------------------------- */

enum { FIELDS = 12 };

/* Cuts one line of comma-separated fields in place, "..." with "" inside. Returns their number. */
static size_t split_fields(char *line, char *fields[FIELDS])
{
    size_t count = 0;
    char *to = line;
    for (char *from = line; count < FIELDS;) {
        bool quoted = *from == '"';
        if (quoted) from++;
        fields[count++] = to;
        while (*from && (quoted || *from != ',')) {
            if (quoted && *from == '"' && from[1] != '"') {
                quoted = false;
                from++;
                continue;
            }
            if (quoted && *from == '"') from++;
            *to++ = *from++;
        }
        bool is_last = !*from;
        from++;
        *to++ = '\0';
        if (is_last) break;
    }
    return count;
}

static size_t find_column(char *const names[], size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name))
        i++;
    return i;
}

static const char **split_args(struct cli *cli, char *text, size_t *out_count)
{
    const char **args = NULL;
    *out_count = 0;
    for (char *arg; (arg = strsep(&text, " ")) != NULL;)
        if (*arg) CLI_APPEND(cli, args, *out_count, arg);
    return args;
}

static int read_kernel(struct papers *papers, char *const names[], size_t name_count, char *line)
{
    static const char *const wanted[] = {"id",       "file",   "entry", "work_x",
                                         "work_per", "work_y", "block", "shared_bytes_per_thread",
                                         "args"};
    char *fields[FIELDS], *values[sizeof wanted / sizeof wanted[0]];
    size_t count = split_fields(line, fields);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        size_t column = find_column(names, name_count, wanted[i]);
        if (column >= count)
            return papers_bad_file(papers, "kernels.csv", "a line lacks the field", wanted[i]);
        values[i] = fields[column];
    }
    struct papers_kernel kernel = {
        .folder = papers->folder,
        .id = values[0],
        .file = values[1],
        .entry = values[2],
        .work_x = strtoull(values[3], NULL, 10),
        .is_work_blocks = !strcmp(values[4], "block"),
        .work_y = strtoull(values[5], NULL, 10),
        .block = (uint32_t)strtoul(values[6], NULL, 10),
        .shared_bytes_per_thread = strtoull(values[7], NULL, 10),
    };
    const char *rows = strchr(values[6], 'x'); /* 16x16: a square */
    kernel.is_square = rows != NULL;
    if (rows) kernel.block *= (uint32_t)strtoul(rows + 1, NULL, 10);
    kernel.args = split_args(papers->cli, values[8], &kernel.arg_count);
    if (!kernel.work_x || !kernel.work_y || !kernel.block)
        return papers_bad_file(papers, "kernels.csv", "no work or no block in the line", kernel.id);
    CLI_APPEND(papers->cli, papers->kernels, papers->kernel_count, kernel);
    return EXIT_DONE;
}

static char *read_text(struct papers *papers, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;
    if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0) {
        rewind(file);
        text = cli_alloc(papers->cli, (size_t)size + 1);
        if (fread(text, 1, (size_t)size, file) != (size_t)size) text = NULL;
    }
    if (!text) cli_error(papers->cli, EXIT_INPUT, "%s: cannot read: %s", path, strerror(errno));
    if (file) fclose(file);
    return text;
}

static int read_kernels(struct papers *papers)
{
    char *names[FIELDS],
        *rest = read_text(papers, cli_format(papers->cli, "%s/kernels.csv", papers->folder));
    size_t name_count = 0;
    if (!rest) return EXIT_INPUT;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (!*line || *line == '#') continue;
        if (name_count == 0)
            name_count = split_fields(line, names);
        else
            CLI_TRY(read_kernel(papers, names, name_count, line));
    }
    return EXIT_DONE;
}

const struct papers_kernel *papers_find_kernel(const struct papers *papers, const char *id)
{
    for (size_t i = 0; i < papers->kernel_count; i++)
        if (!strcmp(papers->kernels[i].id, id)) return &papers->kernels[i];
    return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------- */

const char *papers_machine_path(struct papers *papers, const char *name)
{
    return strrchr(name, '.') ? cli_format(papers->cli, "%s/%s", papers->folder, name) : name;
}

int papers_machine(struct papers *papers, const char *name, ws_machine **out)
{
    const char *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    for (size_t i = 0; i < papers->machine_count; i++) {
        *out = papers->machines[i];
        const char *id = ws_machine_id(*out);
        if (strlen(id) == length && !strncmp(id, name, length)) return EXIT_DONE;
    }
    ws_status status =
        ws_machine_load(papers->cli->context, papers_machine_path(papers, name), out);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    CLI_APPEND(papers->cli, papers->machines, papers->machine_count, *out);
    return EXIT_DONE;
}

static bool has_file(struct papers *papers, const char *name)
{
    return access(cli_format(papers->cli, "%s/%s", papers->folder, name), R_OK) == 0;
}

/* What an object of the file has under `key`, at the end of what there is already. */
static void append(json_t *all, json_t *file, const char *key)
{
    json_t *more = json_object_get(file, key), *there = json_object_get(all, key);
    if (!there)
        json_object_set(all, key, more);
    else if (json_is_array(there))
        json_array_extend(there, more);
    else
        json_object_update(there, more);
}

static int read_published(struct papers *papers, const char *name)
{
    json_t *file, *row;
    size_t i;
    CLI_TRY(load_json(papers, name, &file));
    json_array_foreach(json_object_get(file, "rows"), i, row)
    {
        json_object_set_new(row, "folder", json_string(papers->folder));
    }
    json_array_foreach(json_object_get(file, "sampled"), i, row)
    {
        json_object_set_new(row, "folder", json_string(papers->folder));
    }
    append(papers->published, file, "sampled");
    append(papers->published, file, "papers");
    append(papers->published, file, "cases");
    append(papers->published, file, "rows");
    json_decref(file);
    return EXIT_DONE;
}

static int read_curves(struct papers *papers)
{
    json_t *file, *curve;
    size_t i;
    CLI_TRY(load_json(papers, "curves.json", &file));
    json_array_foreach(json_object_get(file, "curves"), i, curve)
    {
        json_object_set_new(curve, "folder", json_string(papers->folder));
    }
    append(papers->curves_file, file, "registers");
    append(papers->curves_file, file, "curves");
    json_decref(file);
    return EXIT_DONE;
}

/* published.json, and published-WORD.json of a part of a long paper. */
static int is_published(const struct dirent *entry)
{
    return fnmatch("published.json", entry->d_name, 0) == 0 ||
           fnmatch("published-*.json", entry->d_name, 0) == 0;
}

static int read_folder(struct papers *papers, const char *folder)
{
    struct dirent **entries;
    int exit_code = EXIT_DONE, count = scandir(folder, &entries, is_published, alphasort);
    papers->folder = folder;
    if (count <= 0) return read_published(papers, "published.json"); /* says what is wrong */
    for (int i = 0; i < count; i++) {
        if (exit_code == EXIT_DONE) exit_code = read_published(papers, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    CLI_TRY(exit_code);
    if (has_file(papers, "curves.json")) CLI_TRY(read_curves(papers));
    if (has_file(papers, "kernels.csv")) CLI_TRY(read_kernels(papers));
    return EXIT_DONE;
}

static bool has_published(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_published, alphasort);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0) free(entries);
    return count > 0;
}

/* Those folders that have something published, by name. */
static int read_folders(struct papers *papers, const char *folders)
{
    struct dirent **entries;
    int exit_code = EXIT_DONE, count = scandir(folders, &entries, NULL, alphasort);
    if (count < 0)
        return cli_error(papers->cli, EXIT_INPUT, "%s: cannot read: %s", folders, strerror(errno));
    for (int i = 0; i < count; i++) {
        papers->folder = cli_format(papers->cli, "%s/%s", folders, entries[i]->d_name);
        if (exit_code == EXIT_DONE && *entries[i]->d_name != '.' && has_published(papers->folder))
            exit_code = read_folder(papers, papers->folder);
        free(entries[i]);
    }
    free(entries);
    return exit_code;
}

int papers_open(struct cli *cli, struct papers *out)
{
    const char *given = getenv("WARPSAGE_PAPERS");
    *out = (struct papers){.cli = cli, .published = json_object(), .curves_file = json_object()};
    if (given && *given)
        CLI_TRY(read_folder(out, given));
    else
        CLI_TRY(read_folders(out, cli_shared_folder(cli, "papers")));
    size_t count = json_array_size(json_object_get(out->curves_file, "curves"));
    out->curves = cli_alloc(cli, (count + 1) * sizeof *out->curves);
    /* Registers come from the papers or from liveness: the same with and without ptxas. */
    ws_status status = ws_context_set_tool_path(cli->context, "");
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

void papers_close(struct papers *papers)
{
    for (size_t i = 0; i < papers->executed_count; i++)
        ws_profile_destroy(papers->executed[i].profile);
    for (size_t i = 0; i < papers->module_count; i++)
        ws_module_destroy(papers->modules[i].module);
    papers_power_clear(papers);
    papers_thermal_clear(papers);
    for (size_t i = 0; i < papers->machine_count; i++)
        ws_machine_destroy(papers->machines[i]);
    json_decref(papers->published);
    json_decref(papers->curves_file);
}
