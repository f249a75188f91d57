// SPDX-License-Identifier: Apache-2.0
/* Where the machine files lie if the caller names no folder: beside the library or the program that
 * was installed, wherever that has been moved since; else where they were when it was built. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "api/handles.h"
#include "base/strbuf.h"

#if !defined(WARPSAGE_MACHINE_DIR) || !defined(WARPSAGE_MACHINES_FROM_LIB)
#error "define the folders of the machine files: in the tree, and seen from the installed library"
#endif

static bool has_machines(const char *folder)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/SOURCES.yaml", folder);
    bool has = access(path.data, R_OK) == 0;
    strbuf_clear(&path);
    return has;
}

/* `from` seen from the folder that `file` lies in; NULL if there are no machine files. */
static char *beside(const char *file, const char *from)
{
    char whole[PATH_MAX], folder[PATH_MAX];
    struct strbuf path = {0};
    if (!realpath(file, whole)) return NULL;
    *strrchr(whole, '/') = '\0';
    strbuf_printf(&path, "%s/%s", whole, from);
    bool found = realpath(path.data, folder) && has_machines(folder);
    strbuf_clear(&path);
    return found ? mem_copy(folder) : NULL;
}

char *data_folder_find(void)
{
    static const char anchor; /* lies in the shared library, or in the program it is linked into */
    Dl_info info;
    char *found = NULL;
    /* A program found through PATH is known to the loader without its folder. */
    if (dladdr(&anchor, &info) && info.dli_fname && strchr(info.dli_fname, '/'))
        found = beside(info.dli_fname, WARPSAGE_MACHINES_FROM_LIB);
    if (!found) found = beside("/proc/self/exe", WARPSAGE_MACHINES_FROM_BIN);
    if (!found) /* a root without /proc */
        found = beside((const char *)getauxval(AT_EXECFN), WARPSAGE_MACHINES_FROM_BIN);
    return found ? found : mem_copy(WARPSAGE_MACHINE_DIR);
}
