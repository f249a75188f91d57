// SPDX-License-Identifier: Apache-2.0
/* The files of a folder of papers/. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "papers.h"

#if !defined(WARPSAGE_PAPERS_DIR) || !defined(WARPSAGE_PAPERS_FROM_BIN)
#error "define the folders of the papers: in the tree, and seen from the installed program"
#endif

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

/* ---- kernels.csv
 * ---------------------------------------------------------------------------------- */

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

/* ---- all of it
 * ------------------------------------------------------------------------------------ */

int papers_machine(struct papers *papers, const char *name, ws_machine **out)
{
    for (size_t i = 0; i < papers->machine_count; i++) {
        *out = papers->machines[i];
        if (!strcmp(ws_machine_id(*out), name)) return EXIT_DONE;
    }
    ws_status status = ws_machine_load(papers->cli->context, name, out);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    CLI_APPEND(papers->cli, papers->machines, papers->machine_count, *out);
    return EXIT_DONE;
}

/* Beside the installed program, wherever that has been moved since, else where they were built. */
static const char *find_folder(struct cli *cli)
{
    char path[PATH_MAX];
    const char *given = getenv("WARPSAGE_PAPERS");
    if (given && *given) return given;
    char *slash = realpath("/proc/self/exe", path) ? strrchr(path, '/') : NULL;
    if (slash) {
        *slash = '\0';
        const char *folder = cli_format(cli, "%s/" WARPSAGE_PAPERS_FROM_BIN "/hong2009", path);
        if (access(cli_format(cli, "%s/published.json", folder), R_OK) == 0) return folder;
    }
    return WARPSAGE_PAPERS_DIR "/hong2009";
}

int papers_open(struct cli *cli, struct papers *out)
{
    *out = (struct papers){.cli = cli, .folder = find_folder(cli)};
    CLI_TRY(load_json(out, "published.json", &out->published));
    CLI_TRY(load_json(out, "curves.json", &out->curves_file));
    CLI_TRY(read_kernels(out));
    size_t count = json_array_size(json_object_get(out->curves_file, "curves"));
    out->curves = cli_alloc(cli, (count + 1) * sizeof *out->curves);
    /* Registers come from the papers or from liveness: the same with and without ptxas. */
    ws_status status = ws_context_set_tool_path(cli->context, "");
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

void papers_close(struct papers *papers)
{
    for (size_t i = 0; i < papers->module_count; i++)
        ws_module_destroy(papers->modules[i].module);
    for (size_t i = 0; i < papers->machine_count; i++)
        ws_machine_destroy(papers->machines[i]);
    json_decref(papers->published);
    json_decref(papers->curves_file);
}
