// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/cli.h"

#if !defined(WARPSAGE_SHARED_DIR) || !defined(WARPSAGE_SHARED_FROM_BIN)
#error "the build says where papers/ and accuracy/ are"
#endif

/* Beside the installed program, wherever that has been moved since, else where they were built. */
const char *cli_shared_folder(struct cli *cli, const char *name)
{
    char path[PATH_MAX];
    bool is_found = realpath("/proc/self/exe", path) ||
                    realpath((const char *)getauxval(AT_EXECFN), path); /* a root without /proc */
    char *slash = is_found ? strrchr(path, '/') : NULL;
    if (slash) {
        *slash = '\0';
        const char *folder = cli_format(cli, "%s/" WARPSAGE_SHARED_FROM_BIN "/%s", path, name);
        if (access(folder, R_OK) == 0) return folder;
    }
    return cli_format(cli, WARPSAGE_SHARED_DIR "/%s", name);
}

const char *cli_folder(struct cli *cli)
{
    char path[PATH_MAX];
    return getcwd(path, sizeof path) ? cli_copy(cli, path) : NULL;
}
