// SPDX-License-Identifier: Apache-2.0
/* Preloaded: the WARPSAGE_FAIL_AT-th allocation of the program (from 1) fails, and with WARPSAGE_FAIL_ON
 * every later one. WARPSAGE_FAIL_COUNT names a file that gets how many there were. Allocations of the
 * dynamic linker and of the C library's own start come before the first. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seen by the program, whatever the build hides. */
#define PRELOADED __attribute__((visibility("default")))

/* glibc's own names: dlsym would allocate. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_ulong count;
static unsigned long fail_at;
static bool fail_on, is_counting;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("WARPSAGE_FAIL_AT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    fail_on = getenv("WARPSAGE_FAIL_ON") != NULL;
    is_counting = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("WARPSAGE_FAIL_COUNT");
    char text[32];
    is_counting = false;
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0) return;
    int length = snprintf(text, sizeof text, "%lu\n", atomic_load(&count));
    if (write(file, text, (size_t)length) != length) _exit(99);
    close(file);
}

static bool fails(void)
{
    if (!is_counting) return false;
    unsigned long number = atomic_fetch_add(&count, 1) + 1;
    bool is_it = fail_at && (number == fail_at || (fail_on && number > fail_at));
    if (is_it) errno = ENOMEM;
    return is_it;
}

PRELOADED void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

PRELOADED void *calloc(size_t items, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(items, bytes);
}

PRELOADED void *realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(old, bytes);
}

PRELOADED void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

PRELOADED int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    if (fails()) return ENOMEM;
    void *memory = __libc_memalign(alignment, bytes);
    if (memory) *out = memory;
    return memory ? 0 : ENOMEM;
}
