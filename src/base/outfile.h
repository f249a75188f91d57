// SPDX-License-Identifier: Apache-2.0
/* Files that are written whole or not at all: the bytes go to a nameless file in the folder of the
 * target, which takes its name when everything is written. Whatever ends the program before that,
 * the old file stays as it was. Anything but a regular file (a pipe, /dev/stdout) is written directly. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/memory.h"

struct outfile {
    char *path;      /* as given, for messages */
    char *target;    /* the file to replace, links resolved; NULL: written directly */
    char *temporary; /* named from the start, where nameless files are not supported; else NULL */
    void *stream;    /* FILE *; NULL: closed */
    struct mem_guard guard; /* the struct stays where it was opened */
    int problem;            /* errno of the first failure; 0: none */
};

/* WS_ERR_IO: the file cannot be created or replaced. */
ws_status outfile_open(struct diag *diag, const char *path, struct outfile *out);
/* false: it failed, now or earlier; outfile_close will say why. */
bool outfile_write(struct outfile *out, const void *bytes, size_t size);
/* Gives the file its name. Always leaves `out` cleared; on WS_ERR_IO the target is as it was. */
ws_status outfile_close(struct diag *diag, struct outfile *out);
/* Drops what was written. Zeroed or closed: does nothing. */
void outfile_discard(struct outfile *out);

#endif
