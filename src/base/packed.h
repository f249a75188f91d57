// SPDX-License-Identifier: Apache-2.0
/* Compressed bytes in memory, text files that are compressed by their name, and checksums. */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/strbuf.h"

/* CRC-32 of ISO 3309 (zlib's), of `size` bytes. */
uint32_t packed_crc32(const void *bytes, size_t size);

/* Appends them as zstd. */
ws_status packed_compress(struct diag *diag, const void *bytes, size_t size, struct strbuf *out);
/* Appends exactly `plain_size` bytes. WS_ERR_INPUT: they are not zstd, or more or fewer. `name` stands in
 * the message. */
ws_status packed_expand(struct diag *diag, const char *name, const void *bytes, size_t size,
                        uint64_t plain_size, struct strbuf *out);

/* A file that is written piece by piece: xz if its name ends in .xz, zstd if in .zst, else plain. The
 * old file stays until the new one is whole. */
struct packed_file {
    struct outfile out;
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
