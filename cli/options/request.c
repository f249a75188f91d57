// SPDX-License-Identifier: Apache-2.0
#include "cli/options/request.h"

#include <string.h>

#include "cli/options/options.h"

int request_set_shape(struct cli *cli, const char *what, const char *text, uint32_t out[3])
{
    char *copy = cli_copy(cli, text), *rest = copy;
    unsigned count = 0;
    out[0] = out[1] = out[2] = 1;
    for (char *part; (part = strsep(&rest, ",x")) != NULL; count++) {
        uint64_t value;
        if (count == 3)
            return cli_error(cli, EXIT_USAGE, "%s: invalid value '%s': expected X, X,Y or X,Y,Z",
                             what, text);
        CLI_TRY(parse_unsigned(cli, what, part, UINT32_MAX, &value));
        if (value == 0)
            return cli_error(cli, EXIT_USAGE,
                             "%s: invalid value '%s': each dimension must be at least 1", what,
                             text);
        out[count] = (uint32_t)value;
    }
    return EXIT_DONE;
}

int request_resolve_global(struct cli *cli, struct request *request)
{
    if (!request->has_global) return EXIT_DONE;
    if (request->has_grid)
        return cli_error(cli, EXIT_USAGE,
                         "--grid and --global are mutually exclusive: use one of them");
    if (!request->has_block)
        return cli_error(cli, EXIT_USAGE,
                         "a global size requires a local size: use --local X[,Y[,Z]]");
    for (unsigned i = 0; i < 3; i++) {
        if (request->global[i] % request->block[i])
            return cli_error(cli, EXIT_USAGE,
                             "the global size %u,%u,%u must be a multiple of the local size "
                             "%u,%u,%u (OpenCL 1.2): round it up",
                             request->global[0], request->global[1], request->global[2],
                             request->block[0], request->block[1], request->block[2]);
        request->grid[i] = request->global[i] / request->block[i];
    }
    request->has_grid = true;
    return EXIT_DONE;
}

static void add_names(struct cli *cli, const char *list, const char ***names, size_t *count)
{
    char *rest = cli_copy(cli, list);
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        while (*name == ' ')
            name++;
        if (*name) CLI_APPEND(cli, *names, *count, name);
    }
}

int request_add_gpus(struct cli *cli, struct request *request, const char *list)
{
    add_names(cli, list, &request->gpus, &request->gpu_count);
    return EXIT_DONE;
}

int request_add_cpus(struct cli *cli, struct request *request, const char *list)
{
    add_names(cli, list, &request->cpus, &request->cpu_count);
    return EXIT_DONE;
}

int request_set_effort(struct cli *cli, const char *text, struct effort *out)
{
    enum { AUTO_SECONDS = 20 };
    size_t length = strlen(text);
    char *number = cli_copy(cli, text);
    *out = (struct effort){EFFORT_FULL, 1};
    if (!strcmp(text, "full")) return EXIT_DONE;
    if (!strcmp(text, "auto")) {
        *out = (struct effort){EFFORT_SECONDS, AUTO_SECONDS};
        return EXIT_DONE;
    }
    char unit = length ? text[length - 1] : '\0';
    if (length) number[length - 1] = '\0';
    if ((unit == '%' || unit == 's') && parse_number(number, &out->value) && out->value > 0 &&
        (unit == 's' || out->value <= 100)) {
        out->kind = unit == 's' ? EFFORT_SECONDS : out->value < 100 ? EFFORT_FRACTION : EFFORT_FULL;
        if (unit == '%') out->value /= 100;
        return EXIT_DONE;
    }
    return cli_error(cli, EXIT_USAGE,
                     "invalid effort '%s': expected full, auto, N%% (0 to 100) or Ns", text);
}

int request_add_file(struct cli *cli, const char *what, const char *text, const char *folder,
                     bool is_check, struct buffer_file **list, size_t *count)
{
    struct buffer_file file = {0};
    char *copy = cli_copy(cli, text), *path = strchr(copy, '=');
    uint64_t index;
    if (!path || !path[1])
        return cli_error(cli, EXIT_USAGE, "%s: invalid value '%s': expected INDEX=FILE%s", what,
                         text, is_check ? "[,TOLERANCE]" : "");
    *path++ = '\0';
    CLI_TRY(parse_unsigned(cli, what, copy, 1000000, &index));
    /* Only a number behind the last comma is a tolerance: file names may have commas. */
    char *comma = is_check ? strrchr(path, ',') : NULL;
    if (comma && parse_number(comma + 1, &file.tolerance)) {
        if (file.tolerance < 0)
            return cli_error(cli, EXIT_USAGE, "%s: the tolerance must be at least 0 (got %s)", what,
                             comma + 1);
        file.has_tolerance = true;
        *comma = '\0';
    }
    file.index = index;
    bool is_whole = *path == '/' || !folder || !strcmp(path, "-");
    file.path = is_whole ? path : cli_format(cli, "%s/%s", folder, path);
    if (is_check) CLI_TRY(cli_input(cli, file.path, &file.path));
    if (!is_check && !strcmp(path, "-")) file.path = "/dev/stdout";
    if (!is_check) cli_claim_output(cli, file.path);
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i].index == file.index) {
            (*list)[i] = file;
            return EXIT_DONE;
        }
    CLI_APPEND(cli, *list, *count, file);
    return EXIT_DONE;
}

int request_add_print(struct cli *cli, const char *what, const char *text, struct request *request)
{
    uint64_t index;
    CLI_TRY(parse_unsigned(cli, what, text, 1000000, &index));
    for (size_t i = 0; i < request->print_count; i++)
        if (request->prints[i] == index) return EXIT_DONE;
    CLI_APPEND(cli, request->prints, request->print_count, (size_t)index);
    return EXIT_DONE;
}

bool request_saves_foreign_trace(const struct request *request)
{
    return request->save_trace &&
           (strstr(request->save_trace, ".traceg") || strstr(request->save_trace, "kernelslist"));
}
