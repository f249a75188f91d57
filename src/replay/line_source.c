// SPDX-License-Identifier: Apache-2.0
#include "replay/line_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/archive_library.h"

enum { BUFFER_BYTES = 1 << 18, READ_BYTES = 1 << 16 };

/* Only filters that are libraries: libarchive knows some that start programs. */
static struct archive *new_archive(const struct archive_library *library)
{
    struct archive *archive = library->archive_read_new();
    if (!archive) return NULL;
    library->archive_read_support_filter_xz(archive);
    library->archive_read_support_filter_zstd(archive);
    library->archive_read_support_filter_gzip(archive);
    library->archive_read_support_filter_lz4(archive);
    library->archive_read_support_format_raw(archive);
    library->archive_read_support_format_empty(archive);
    return archive;
}

static void free_archive(void *of)
{
    struct line_source *source = of;
    source->library->archive_read_free(source->archive);
}

static void check_memory(const struct line_source *source)
{
    if (source->library->archive_errno(source->archive) == ENOMEM) mem_raise(0);
}

/* libarchive's texts may be missing. */
static const char *archive_reason(const struct line_source *source)
{
    const char *text = source->library->archive_error_string(source->archive);
    return text && *text ? text : "cannot be decompressed";
}

static ws_status check_file(struct diag *diag, const char *path, uint64_t *out_bytes)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return diag_error(diag, WS_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return diag_error(diag, WS_ERR_IO,
                          "%s: is a directory: use a kernelslist.g or .traceg file in it", path);
    *out_bytes = info.st_size > 0 ? (uint64_t)info.st_size : 0;
    return WS_OK;
}

ws_status line_source_open(struct diag *diag, const char *path, struct line_source *out)
{
    *out = (struct line_source){.path = path};
    TRY(check_file(diag, path, &out->file_bytes));
    TRY(archive_library_load(diag, path, &out->library));
    struct archive *archive = new_archive(out->library);
    struct archive_entry *entry;
    if (!archive) mem_raise(0);
    out->archive = archive;
    mem_guard_begin(&out->guard, free_archive, out);
    int status = out->library->archive_read_open_filename(archive, path, READ_BYTES);
    if (status == ARCHIVE_OK) status = out->library->archive_read_next_header(archive, &entry);
    if (status == ARCHIVE_EOF) {
        out->at_end = true;
    } else if (status != ARCHIVE_OK) {
        check_memory(out);
        ws_status failed =
            diag_error(diag, WS_ERR_IO, "%s: cannot be read: %s", path, archive_reason(out));
        line_source_close(out);
        return failed;
    }
    out->buffer = mem_alloc(BUFFER_BYTES + 1);
    return WS_OK;
}

void line_source_close(struct line_source *source)
{
    if (source->archive) {
        mem_guard_end(&source->guard);
        free_archive(source);
    }
    mem_free(source->buffer);
    *source = (struct line_source){0};
}

static ws_status refill(struct diag *diag, struct line_source *source)
{
    memmove(source->buffer, source->buffer + source->from, source->to - source->from);
    source->to -= source->from;
    source->from = 0;
    la_ssize_t count = source->library->archive_read_data(
        source->archive, source->buffer + source->to, BUFFER_BYTES - source->to);
    if (count < 0) check_memory(source);
    if (count < 0)
        return diag_error(diag, WS_ERR_INPUT,
                          "%s:%u: error: compressed file truncated or corrupt after this line: %s; "
                          "copy or record it again",
                          source->path, source->line, archive_reason(source));
    source->at_end = count == 0;
    source->to += (size_t)count;
    return WS_OK;
}

static void hand_out(struct line_source *source, char *end, char **out, size_t *out_length)
{
    *out = source->buffer + source->from;
    source->from = (size_t)(end - source->buffer) + 1;
    source->is_cut = source->from > source->to;
    if (source->is_cut) source->from = source->to;
    if (end > *out && end[-1] == '\r') end--;
    *end = '\0';
    *out_length = (size_t)(end - *out);
    source->line++;
}

ws_status line_source_next(struct diag *diag, struct line_source *source, char **out,
                           size_t *out_length)
{
    for (;;) {
        size_t left = source->to - source->from;
        char *end = left ? memchr(source->buffer + source->from, '\n', left) : NULL;
        if (!end && source->at_end && left) end = source->buffer + source->to;
        if (end) {
            hand_out(source, end, out, out_length);
            return WS_OK;
        }
        *out = NULL;
        *out_length = 0;
        if (source->at_end) return WS_OK;
        if (left > LINE_BYTES_MAX)
            return diag_error(diag, WS_ERR_INPUT, "%s:%u: error: line too long: at most %d bytes",
                              source->path, source->line + 1, LINE_BYTES_MAX);
        TRY(refill(diag, source));
    }
}

double line_source_fraction(const struct line_source *source)
{
    if (!source->file_bytes) return 1;
    la_int64_t bytes = source->library->archive_filter_bytes(source->archive, -1);
    double fraction = (double)bytes / (double)source->file_bytes;
    return fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
}
