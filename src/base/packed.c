// SPDX-License-Identifier: Apache-2.0
#include "base/packed.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 16, PENDING_BYTES = 1 << 18 };

/* Reflected, polynomial 0x04c11db7; four bits at a time. */
uint32_t packed_crc32(const void *bytes, size_t size)
{
    static const uint32_t nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                         0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                         0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                         0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t *at = bytes;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc;
}

/* Of a failure; raises if it is that of memory. */
static const char *reason_of(struct archive *archive)
{
    if (archive_errno(archive) == ENOMEM) mem_raise(0);
    const char *text = archive_error_string(archive);
    return text && *text ? text : "reason unknown";
}

static void free_writer(void *archive)
{
    archive_write_free(archive);
}

static void free_reader(void *archive)
{
    archive_read_free(archive);
}

/* ---- writing --------------------------------------------------------------------------------- */

static la_ssize_t append(struct archive *archive, void *user, const void *bytes, size_t size)
{
    if (strbuf_try_append(user, bytes, size)) return (la_ssize_t)size;
    archive_set_error(archive, ENOMEM, "out of memory");
    return -1;
}

/* One file without name: the raw format writes its bytes alone. */
static int begin_entry(struct archive *archive)
{
    struct archive_entry *entry = archive_entry_new();
    if (!entry) {
        archive_set_error(archive, ENOMEM, "out of memory");
        return ARCHIVE_FATAL;
    }
    archive_entry_set_filetype(entry, AE_IFREG);
    int status = archive_write_header(archive, entry);
    archive_entry_free(entry);
    return status;
}

ws_status packed_compress(struct diag *diag, const void *bytes, size_t size, struct strbuf *out)
{
    struct archive *archive = archive_write_new();
    struct mem_guard guard;
    ws_status result = WS_OK;
    if (!archive) mem_raise(0);
    mem_guard_begin(&guard, free_writer, archive);
    bool good = archive_write_add_filter_zstd(archive) == ARCHIVE_OK &&
                archive_write_set_format_raw(archive) == ARCHIVE_OK &&
                archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
                archive_write_open(archive, out, NULL, append, NULL) == ARCHIVE_OK &&
                begin_entry(archive) == ARCHIVE_OK &&
                archive_write_data(archive, bytes, size) == (la_ssize_t)size &&
                archive_write_close(archive) == ARCHIVE_OK;
    if (!good) result = diag_error(diag, WS_ERR_INTERNAL, "zstd: %s", reason_of(archive));
    mem_guard_end(&guard);
    archive_write_free(archive);
    return result;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

static int add_filter(struct archive *archive, const char *path)
{
    if (ends_with(path, ".xz")) return archive_write_add_filter_xz(archive);
    if (ends_with(path, ".zst")) return archive_write_add_filter_zstd(archive);
    return archive_write_add_filter_none(archive);
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
                      problem ? strerror(problem) : reason_of(file->archive));
}

static void discard(void *file)
{
    packed_file_discard(file);
}

ws_status packed_file_open(struct diag *diag, const char *path, struct packed_file *out)
{
    *out = (struct packed_file){0};
    TRY(outfile_open(diag, path, &out->out));
    mem_guard_begin(&out->guard, discard, out);
    out->archive = archive_write_new();
    if (!out->archive) mem_raise(0);
    bool good = add_filter(out->archive, path) == ARCHIVE_OK &&
                archive_write_set_format_raw(out->archive) == ARCHIVE_OK &&
                archive_write_set_bytes_in_last_block(out->archive, 1) == ARCHIVE_OK &&
                archive_write_open(out->archive, &out->out, NULL, put_bytes, NULL) == ARCHIVE_OK &&
                begin_entry(out->archive) == ARCHIVE_OK;
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
    bool good = archive_write_data(file->archive, file->pending.data, size) == (la_ssize_t)size;
    return good && !file->out.problem ? WS_OK : cannot_write(diag, file);
}

ws_status packed_file_flush(struct diag *diag, struct packed_file *file)
{
    return file->pending.length < PENDING_BYTES ? WS_OK : flush(diag, file);
}

ws_status packed_file_close(struct diag *diag, struct packed_file *file)
{
    ws_status status = flush(diag, file);
    if (status == WS_OK && archive_write_close(file->archive) != ARCHIVE_OK)
        status = cannot_write(diag, file);
    if (status != WS_OK) {
        packed_file_discard(file);
        return status;
    }
    mem_guard_end(&file->guard);
    archive_write_free(file->archive);
    strbuf_clear(&file->pending);
    status = outfile_close(diag, &file->out);
    *file = (struct packed_file){0};
    return status;
}

void packed_file_discard(struct packed_file *file)
{
    if (!file->out.problem) file->out.problem = ECANCELED; /* closing the archive writes nothing */
    mem_guard_end(&file->guard);
    archive_write_free(file->archive);
    strbuf_clear(&file->pending);
    outfile_discard(&file->out);
    *file = (struct packed_file){0};
}

/* ---- reading --------------------------------------------------------------------------------- */

static ws_status expand(struct diag *diag, const char *name, struct archive *archive,
                        uint64_t plain_size, struct strbuf *out)
{
    char piece[PIECE_BYTES];
    uint64_t left = plain_size;
    for (;;) {
        la_ssize_t got = archive_read_data(archive, piece, sizeof piece);
        if (got < 0)
            return diag_error(diag, WS_ERR_INPUT, "%s: error: byte %llu of the compressed data: %s",
                              name, (unsigned long long)(plain_size - left), reason_of(archive));
        if (!got) break;
        if ((uint64_t)got > left)
            return diag_error(diag, WS_ERR_INPUT,
                              "%s: error: the compressed data exceeds the expected %llu bytes",
                              name, (unsigned long long)plain_size);
        left -= (uint64_t)got;
        strbuf_append(out, piece, (size_t)got);
    }
    if (!left) return WS_OK;
    return diag_error(diag, WS_ERR_INPUT,
                      "%s: error: truncated: %llu of %llu compressed bytes are missing", name,
                      (unsigned long long)left, (unsigned long long)plain_size);
}

ws_status packed_expand(struct diag *diag, const char *name, const void *bytes, size_t size,
                        uint64_t plain_size, struct strbuf *out)
{
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    struct mem_guard guard;
    if (!archive) mem_raise(0);
    mem_guard_begin(&guard, free_reader, archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_format_raw(archive);
    bool good = archive_read_open_memory(archive, bytes, size) == ARCHIVE_OK &&
                archive_read_next_header(archive, &entry) == ARCHIVE_OK &&
                archive_filter_code(archive, 0) == ARCHIVE_FILTER_ZSTD;
    if (!good && archive_errno(archive) == ENOMEM) mem_raise(0);
    ws_status status =
        good ? expand(diag, name, archive, plain_size, out)
             : diag_error(diag, WS_ERR_INPUT,
                          "%s: error: corrupt file: the compressed data is not zstd", name);
    mem_guard_end(&guard);
    archive_read_free(archive);
    return status;
}
