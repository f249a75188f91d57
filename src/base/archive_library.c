// SPDX-License-Identifier: Apache-2.0
#include "base/archive_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#ifdef WITH_ARCHIVE_LINKED

static const struct archive_library linked = {
#define FUNCTION(name) .archive_##name = archive_##name,
    ARCHIVE_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

ws_status archive_library_load(struct diag *diag, const char *path,
                               const struct archive_library **out)
{
    (void)diag;
    (void)path;
    *out = &linked;
    return WS_OK;
}

#else

/* All of libarchive 3 has this name. */
#define SONAME "libarchive.so.13"

static struct archive_library loaded;
static bool is_loaded;

/* A function's address, as POSIX has it for dlsym. */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    *(void **)function = found;
    return found;
}

static void load(void)
{
    void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    is_loaded = true;
#define FUNCTION(name) is_loaded &= find(library, "archive_" #name, (void *)&loaded.archive_##name);
    ARCHIVE_FUNCTIONS(FUNCTION)
#undef FUNCTION
}

ws_status archive_library_load(struct diag *diag, const char *path,
                               const struct archive_library **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *out = &loaded;
    if (is_loaded) return WS_OK;
    return diag_error(diag, WS_ERR_IO, "%s: needs libarchive: %s cannot be loaded; install it",
                      path, SONAME);
}

#endif
