// SPDX-License-Identifier: Apache-2.0
/* Warp traces and their profile in a file (doc/warp-traces.md). Numbers are little-endian.
 *
 *     "WSTRACE\n"   version: 4   CRC of this head: 4   compressed bytes: 8   plain bytes: 8
 *     chunks of the compressed bytes (zstd):   size: 4   CRC: 4   bytes
 *     plain:   size: 8   profile as JSON   trace (trace_encode)
 */
#ifndef MEASURE_TRACE_FILE_H
#define MEASURE_TRACE_FILE_H

#include "base/strbuf.h"
#include "measure/trace.h"

/* Is it one, by its first bytes? */
bool trace_file_recognises(const void *bytes, size_t size);
/* The profile has a trace. */
ws_status trace_file_save(struct diag *diag, const struct profile *profile, const char *path);
/* `name` stands in messages. WS_ERR_INPUT names the byte of what is cut off or damaged. */
ws_status trace_file_read(struct diag *diag, const char *name, const void *bytes, size_t size,
                          struct profile **out);

/* What is packed, without the profile. Whatever the bytes are, a trace that was decoded can be
 * walked: its streams have been gone through. */
void trace_encode(const struct trace *trace, struct strbuf *out);
ws_status trace_decode(struct diag *diag, const char *name, const void *bytes, size_t size,
                       struct trace **out);
/* NULL if the cursors can walk the block, else what is wrong. The static part has been checked; knows_async: also
 * trace_insn.async. */
const char *trace_block_fault(const struct trace *trace, const struct trace_block *block,
                              bool knows_async);

#endif
