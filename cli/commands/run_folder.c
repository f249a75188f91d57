// SPDX-License-Identifier: Apache-2.0
/* What `run` and `check` share before and after the program: its GPUs and words, and the folder of its records. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/run.h"

int run_add_gpus(struct cli *cli, struct run_request *request, const char *list)
{
    char *rest = cli_copy(cli, list), path[PATH_MAX];
    const char **gpus = (const char **)(void *)request->gpus;
    for (char *one; (one = strsep(&rest, ",")) != NULL;) {
        /* The program may change its folder before it asks for the GPU. */
        bool is_file =
            strchr(one, '/') || (strlen(one) > 5 && !strcmp(one + strlen(one) - 5, ".yaml"));
        const char *name = is_file && realpath(one, path) ? cli_copy(cli, path) : one;
        CLI_APPEND(cli, gpus, request->gpu_count, name);
    }
    request->gpus = gpus;
    request->gpu_given = true;
    return EXIT_DONE;
}

int run_take_program(struct cli *cli, const struct command_line *line, const char *command,
                     struct run_request *request)
{
    static const char *const usual[] = {"v100"};
    if (!line->operand_count)
        return cli_error(cli, EXIT_USAGE,
                         "no program given: use warpsage %s [OPTIONS] -- ./APP [ARGS]", command);
    if (!request->gpu_count) {
        request->gpus = usual;
        request->gpu_count = 1;
    }
    request->program = cli_alloc(cli, (line->operand_count + 1) * sizeof *request->program);
    memcpy(request->program, line->operands, line->operand_count * sizeof *request->program);
    return EXIT_DONE;
}

/* ---- the folder between us and the program ----------------------------------------------------- */

int run_make_folder(struct cli *cli, char **out)
{
    const char *base = getenv("TMPDIR");
    *out = cli_format(cli, "%s/warpsage-run-XXXXXX", base && *base == '/' ? base : "/tmp");
    if (mkdtemp(*out)) return EXIT_DONE;
    return cli_error(cli, EXIT_RUN_OURS, "%s: %s", *out, strerror(errno));
}

void run_remove_folder(struct cli *cli, const char *folder)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, NULL, NULL);
    for (int i = 0; i < count; i++) {
        unlink(cli_format(cli, "%s/%s", folder, names[i]->d_name));
        free(names[i]);
    }
    free(names);
    rmdir(folder);
}
