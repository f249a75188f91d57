// SPDX-License-Identifier: Apache-2.0
/* Text files that are compressed by their name (archive_library.h). */
#ifndef BASE_PACKED_FILE_H
#define BASE_PACKED_FILE_H

#include "base/memory.h"
#include "base/outfile.h"
#include "base/strbuf.h"

/* A file that is written piece by piece: xz if its name ends in .xz, zstd if in .zst, else plain. The
 * old file stays until the new one is whole. */
struct packed_file {
    struct outfile out;
    const struct archive_library *library;
    void *archive;
    struct mem_guard guard; /* the struct stays where it was opened */
    struct strbuf pending;
};
ws_status packed_file_open(struct diag *diag, const char *path, struct packed_file *out);
/* Text that was put in `pending`; may be called often. */
ws_status packed_file_flush(struct diag *diag, struct packed_file *file);
/* Writes what is pending, and closes; WS_ERR_IO: the old file stays. */
ws_status packed_file_close(struct diag *diag, struct packed_file *file);
/* Drops what was written. */
void packed_file_discard(struct packed_file *file);

#endif
