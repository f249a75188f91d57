// SPDX-License-Identifier: Apache-2.0
/* Compressed bytes in memory, and checksums. */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/strbuf.h"

/* CRC-32 of ISO 3309 (zlib's), of `size` bytes. */
uint32_t packed_crc32(const void *bytes, size_t size);

/* Appends them as zstd. */
ws_status packed_compress(struct diag *diag, const void *bytes, size_t size, struct strbuf *out);
/* Appends exactly `plain_size` bytes. WS_ERR_INPUT: they are not zstd, or more or fewer. `name` stands in
 * the message. */
ws_status packed_expand(struct diag *diag, const char *name, const void *bytes, size_t size,
                        uint64_t plain_size, struct strbuf *out);

#endif
