// SPDX-License-Identifier: Apache-2.0
/* libarchive, which is loaded when a file that may be compressed is read or written for the first time: with the
 * libraries that it needs in turn it takes longer to load into a program than all others, and few files are. A static
 * program has it from the start. */
#ifndef BASE_ARCHIVE_LIBRARY_H
#define BASE_ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>

#include "base/diag.h"

/* What is used of it: archive_NAME. */
#define ARCHIVE_FUNCTIONS(FUNCTION)                                                                \
    FUNCTION(entry_free)                                                                           \
    FUNCTION(entry_new)                                                                            \
    FUNCTION(entry_set_filetype)                                                                   \
    FUNCTION(errno)                                                                                \
    FUNCTION(error_string)                                                                         \
    FUNCTION(filter_bytes)                                                                         \
    FUNCTION(read_data)                                                                            \
    FUNCTION(read_free)                                                                            \
    FUNCTION(read_new)                                                                             \
    FUNCTION(read_next_header)                                                                     \
    FUNCTION(read_open_filename)                                                                   \
    FUNCTION(read_support_filter_gzip)                                                             \
    FUNCTION(read_support_filter_lz4)                                                              \
    FUNCTION(read_support_filter_xz)                                                               \
    FUNCTION(read_support_filter_zstd)                                                             \
    FUNCTION(read_support_format_empty)                                                            \
    FUNCTION(read_support_format_raw)                                                              \
    FUNCTION(set_error)                                                                            \
    FUNCTION(write_add_filter_none)                                                                \
    FUNCTION(write_add_filter_xz)                                                                  \
    FUNCTION(write_add_filter_zstd)                                                                \
    FUNCTION(write_close)                                                                          \
    FUNCTION(write_data)                                                                           \
    FUNCTION(write_free)                                                                           \
    FUNCTION(write_header)                                                                         \
    FUNCTION(write_new)                                                                            \
    FUNCTION(write_open)                                                                           \
    FUNCTION(write_set_bytes_in_last_block)                                                        \
    FUNCTION(write_set_format_raw)

struct archive_library {
#define FUNCTION(name) __typeof__(archive_##name) *archive_##name;
    ARCHIVE_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* The same for all threads, and never unloaded. WS_ERR_IO: it cannot be loaded, so that `path` cannot be read or
 * written. */
ws_status archive_library_load(struct diag *diag, const char *path,
                               const struct archive_library **out);

#endif
