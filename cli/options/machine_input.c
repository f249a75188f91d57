// SPDX-License-Identifier: Apache-2.0
/* Machines by name, each kind by its own option. */
#include <string.h>

#include "cli/cli.h"

int cli_input_machine(struct cli *cli, const char *name, const char **out)
{
    size_t length = strlen(name);
    bool is_path = strchr(name, '/') || !strcmp(name, "-") ||
                   (length > 5 && !strcmp(name + length - 5, ".yaml"));
    *out = name;
    return is_path ? cli_input(cli, name, out) : EXIT_DONE;
}

static int load(struct cli *cli, const char *name, bool cpu, ws_machine **out)
{
    bool is_host = !strcmp(name, "host");
    *out = NULL;
    CLI_TRY(cli_input_machine(cli, name, &name));
    if (is_host && !cpu)
        return cli_error(cli, EXIT_USAGE,
                         "'host' is this computer's CPU: use --cpu host; name a GPU by its model");
    ws_status status = is_host ? ws_machine_measure_host(cli->context, out)
                               : ws_machine_load(cli->context, name, out);
    if (status != WS_OK) return cli_failed(cli, status);
    if (ws_machine_is_cpu(*out) == cpu) return EXIT_DONE;
    ws_machine_destroy(*out);
    *out = NULL;
    if (cpu) return cli_error(cli, EXIT_USAGE, "%s is a GPU: use --gpu", name);
    return cli_error(cli, EXIT_USAGE, "%s is a CPU: use --cpu with `analyze` or `split`", name);
}

int cli_load_gpu(struct cli *cli, const char *name, ws_machine **out)
{
    return load(cli, name, false, out);
}

int cli_load_cpu(struct cli *cli, const char *name, ws_machine **out)
{
    return load(cli, name, true, out);
}
