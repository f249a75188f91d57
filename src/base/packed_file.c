// SPDX-License-Identifier: Apache-2.0
#include "base/packed_file.h"

#include <errno.h>
#include <string.h>

#include "base/archive_library.h"

enum { PENDING_BYTES = 1 << 18 };

/* Of a failure; raises if it is that of memory. */
static const char *reason_of(const struct packed_file *file)
{
    const struct archive_library *library = file->library;
    if (library->archive_errno(file->archive) == ENOMEM) mem_raise(0);
    const char *text = library->archive_error_string(file->archive);
    return text && *text ? text : "reason unknown";
}

/* One file without name: the raw format writes its bytes alone. */
static int begin_entry(const struct packed_file *file)
{
    const struct archive_library *library = file->library;
    struct archive_entry *entry = library->archive_entry_new();
    if (!entry) {
        library->archive_set_error(file->archive, ENOMEM, "out of memory");
        return ARCHIVE_FATAL;
    }
    library->archive_entry_set_filetype(entry, AE_IFREG);
    int status = library->archive_write_header(file->archive, entry);
    library->archive_entry_free(entry);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

static int add_filter(const struct packed_file *file, const char *path)
{
    const struct archive_library *library = file->library;
    if (ends_with(path, ".xz")) return library->archive_write_add_filter_xz(file->archive);
    if (ends_with(path, ".zst")) return library->archive_write_add_filter_zstd(file->archive);
    return library->archive_write_add_filter_none(file->archive);
}

/* Never fails for libarchive, which would not free all of a writer then: what went wrong is in out->problem,
 * and the rest is dropped. */
static la_ssize_t put_bytes(struct archive *archive, void *user, const void *bytes, size_t size)
{
    (void)archive;
    (void)outfile_write(user, bytes, size);
    return (la_ssize_t)size;
}

static ws_status cannot_write(struct diag *diag, const struct packed_file *file)
{
    int problem = file->out.problem;
    return diag_error(diag, WS_ERR_IO, "%s: cannot write: %s", file->out.path,
                      problem ? strerror(problem) : reason_of(file));
}

static void discard(void *file)
{
    packed_file_discard(file);
}

ws_status packed_file_open(struct diag *diag, const char *path, struct packed_file *out)
{
    *out = (struct packed_file){0};
    TRY(archive_library_load(diag, path, &out->library));
    TRY(outfile_open(diag, path, &out->out));
    mem_guard_begin(&out->guard, discard, out);
    const struct archive_library *library = out->library;
    struct archive *archive = library->archive_write_new();
    if (!archive) mem_raise(0);
    out->archive = archive;
    bool good =
        add_filter(out, path) == ARCHIVE_OK &&
        library->archive_write_set_format_raw(archive) == ARCHIVE_OK &&
        library->archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
        library->archive_write_open(archive, &out->out, NULL, put_bytes, NULL) == ARCHIVE_OK &&
        begin_entry(out) == ARCHIVE_OK;
    if (good) return WS_OK;
    ws_status status = cannot_write(diag, out);
    packed_file_discard(out);
    return status;
}

static ws_status flush(struct diag *diag, struct packed_file *file)
{
    size_t size = file->pending.length;
    if (!size) return WS_OK;
    file->pending.length = 0;
    la_ssize_t written = file->library->archive_write_data(file->archive, file->pending.data, size);
    bool good = written == (la_ssize_t)size;
    return good && !file->out.problem ? WS_OK : cannot_write(diag, file);
}

ws_status packed_file_flush(struct diag *diag, struct packed_file *file)
{
    return file->pending.length < PENDING_BYTES ? WS_OK : flush(diag, file);
}

ws_status packed_file_close(struct diag *diag, struct packed_file *file)
{
    ws_status status = flush(diag, file);
    if (status == WS_OK && file->library->archive_write_close(file->archive) != ARCHIVE_OK)
        status = cannot_write(diag, file);
    if (status != WS_OK) {
        packed_file_discard(file);
        return status;
    }
    mem_guard_end(&file->guard);
    file->library->archive_write_free(file->archive);
    strbuf_clear(&file->pending);
    status = outfile_close(diag, &file->out);
    *file = (struct packed_file){0};
    return status;
}

void packed_file_discard(struct packed_file *file)
{
    if (!file->out.problem) file->out.problem = ECANCELED; /* closing the archive writes nothing */
    mem_guard_end(&file->guard);
    file->library->archive_write_free(file->archive);
    strbuf_clear(&file->pending);
    outfile_discard(&file->out);
    *file = (struct packed_file){0};
}
