// SPDX-License-Identifier: Apache-2.0
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { NAME_ATTEMPTS = 100 };

static ws_status failed(struct diag *diag, const char *path, const char *what, int error)
{
    if (error == ENOMEM) mem_raise(0);
    return diag_error(diag, WS_ERR_IO, "%s: cannot %s: %s", path, what, strerror(error));
}

static void clear(struct outfile *out)
{
    mem_guard_end(&out->guard);
    mem_free(out->path);
    mem_free(out->target);
    mem_free(out->temporary);
    *out = (struct outfile){0};
}

static void discard(void *out)
{
    outfile_discard(out);
}

/* The folder of the target, with its last slash; "" is the current one. */
static int folder_length(const char *target)
{
    const char *slash = strrchr(target, '/');
    return slash ? (int)(slash + 1 - target) : 0;
}

static char *name_beside(const char *target, unsigned attempt)
{
    struct strbuf name = {0};
    int folder = folder_length(target);
    strbuf_printf(&name, "%.*s.%.200s.%ld-%u", folder, target, target + folder, (long)getpid(),
                  attempt);
    return strbuf_take(&name);
}

/* Without a name, so that nothing remains of it if the program is killed. */
static int open_nameless(const char *target)
{
    struct strbuf folder = {0};
    strbuf_printf(&folder, "%.*s.", folder_length(target), target);
    int fd = open(folder.data, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    int error = errno;
    strbuf_clear(&folder);
    errno = error;
    return fd;
}

/* File systems without nameless files get one that is named from the start. */
static int open_named(struct outfile *out)
{
    for (unsigned i = 0; i < NAME_ATTEMPTS; i++) {
        char *name = name_beside(out->target, i);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            out->temporary = name;
            return fd;
        }
        int error = errno;
        mem_free(name);
        errno = error;
        if (error != EEXIST) break;
    }
    return -1;
}

static bool is_special(const char *path)
{
    return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

/* What becomes of an existing file: its links stay, and its permissions. */
static int open_beside(struct outfile *out, const struct stat *old)
{
    char room[PATH_MAX];
    if (old && !realpath(out->path, room)) return -1;
    out->target = mem_copy(old ? room : out->path);
    if (old && access(out->target, W_OK) != 0) return -1;
    int fd = open_nameless(out->target);
    if (fd < 0) fd = open_named(out);
    if (fd < 0 && old && (errno == EACCES || errno == EPERM)) {
        /* The file may be written, its folder not: nothing else is possible. */
        mem_free(out->target);
        out->target = NULL;
        return open(out->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    if (fd >= 0 && old) {
        if (fchown(fd, old->st_uid, old->st_gid) != 0) errno = 0; /* ours, then */
        if (fchmod(fd, old->st_mode & 07777) != 0) errno = 0;
    }
    return fd;
}

static int open_target(struct outfile *out)
{
    struct stat old, link;
    bool exists = stat(out->path, &old) == 0;
    bool is_dangling = !exists && lstat(out->path, &link) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (is_dangling || (exists && !S_ISREG(old.st_mode)) || is_special(out->path))
        return open(out->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    return open_beside(out, exists ? &old : NULL);
}

ws_status outfile_open(struct diag *diag, const char *path, struct outfile *out)
{
    *out = (struct outfile){.path = mem_copy(path)};
    mem_guard_begin(&out->guard, discard, out);
    errno = 0;
    int fd = *path ? open_target(out) : -1;
    out->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (out->stream) return WS_OK;
    int error = errno ? errno : ENOENT;
    if (fd >= 0) close(fd);
    if (out->temporary) unlink(out->temporary);
    clear(out);
    return failed(diag, path, "create", error);
}

bool outfile_write(struct outfile *out, const void *bytes, size_t size)
{
    if (out->problem) return false;
    errno = 0;
    if (!size || fwrite(bytes, 1, size, out->stream) == size) return true;
    out->problem = errno ? errno : EIO;
    return false;
}

/* linkat refuses to replace a file, rename does not. */
static int name_nameless(struct outfile *out)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno((FILE *)out->stream));
    for (unsigned i = 0; i < NAME_ATTEMPTS; i++) {
        char *name = name_beside(out->target, i);
        if (linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            out->temporary = name;
            return 0;
        }
        int error = errno;
        mem_free(name);
        if (error != EEXIST) return error;
    }
    return EEXIST;
}

static void note(struct outfile *out, bool ok)
{
    if (!ok && !out->problem) out->problem = errno ? errno : EIO;
    errno = 0;
}

ws_status outfile_close(struct diag *diag, struct outfile *out)
{
    FILE *stream = out->stream;
    errno = 0;
    note(out, fflush(stream) == 0);
    if (!out->problem && out->target && !out->temporary) out->problem = name_nameless(out);
    errno = 0;
    note(out, fclose(stream) == 0); /* network file systems fail here */
    out->stream = NULL;
    if (!out->problem && out->target) note(out, rename(out->temporary, out->target) == 0);
    if (out->problem && out->temporary) unlink(out->temporary);
    ws_status status = WS_OK;
    if (out->problem) status = failed(diag, out->path, "write", out->problem);
    clear(out);
    return status;
}

void outfile_discard(struct outfile *out)
{
    if (!out->stream) return;
    if (out->temporary) unlink(out->temporary);
    fclose(out->stream);
    clear(out);
}
