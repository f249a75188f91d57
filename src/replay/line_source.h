// SPDX-License-Identifier: Apache-2.0
/* A text file line by line, plain or compressed (xz, zstd, gzip, lz4; told by its bytes, not by its
 * name), in bounded memory. */
#ifndef REPLAY_LINE_SOURCE_H
#define REPLAY_LINE_SOURCE_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/memory.h"

enum { LINE_BYTES_MAX = 1 << 16 };

struct line_source {
    const char *path; /* borrowed */
    const struct archive_library *library;
    void *archive;
    struct mem_guard guard; /* the source stays where it was opened */
    char *buffer;
    size_t from, to; /* what has been read and not handed out */
    bool at_end;
    bool is_cut;   /* the last line handed out had no end */
    uint32_t line; /* number of the last line handed out, from 1 */
    uint64_t file_bytes;
};

ws_status line_source_open(struct diag *diag, const char *path, struct line_source *out);
void line_source_close(struct line_source *source);
/* The next line, NUL instead of its end, without '\r'; valid until the next call. *out NULL: the end
 * of the file. */
ws_status line_source_next(struct diag *diag, struct line_source *source, char **out,
                           size_t *out_length);
/* How much of the file has been read, 0 to 1. */
double line_source_fraction(const struct line_source *source);

#endif
