// SPDX-License-Identifier: Apache-2.0
#include "base/packed.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

enum { PIECE_BYTES = 1 << 16 };

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
static const char *reason_of(size_t result)
{
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) mem_raise(0);
    return ZSTD_getErrorName(result);
}

static void free_writer(void *stream)
{
    ZSTD_freeCStream(stream);
}

static void free_reader(void *stream)
{
    ZSTD_freeDStream(stream);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Until nothing is left to write; returns what zstd said last. */
static size_t put(ZSTD_CStream *stream, ZSTD_inBuffer *in, ZSTD_EndDirective how,
                  struct strbuf *out)
{
    char piece[PIECE_BYTES];
    for (;;) {
        ZSTD_outBuffer to = {piece, sizeof piece, 0};
        size_t left = ZSTD_compressStream2(stream, &to, in, how);
        strbuf_append(out, piece, to.pos);
        bool is_done = how == ZSTD_e_end ? !left : in->pos == in->size;
        if (ZSTD_isError(left) || is_done) return left;
    }
}

ws_status packed_compress(struct diag *diag, const void *bytes, size_t size, struct strbuf *out)
{
    ZSTD_CStream *stream = ZSTD_createCStream();
    ZSTD_inBuffer in = {bytes, size, 0};
    struct mem_guard guard;
    if (!stream) mem_raise(0);
    mem_guard_begin(&guard, free_writer, stream);
    /* The tables of an encoder that knows the size are no larger than a small text needs. */
    size_t result = ZSTD_CCtx_setPledgedSrcSize(stream, size);
    if (!ZSTD_isError(result)) result = put(stream, &in, ZSTD_e_continue, out);
    if (!ZSTD_isError(result)) result = put(stream, &in, ZSTD_e_end, out);
    ws_status status = WS_OK;
    if (ZSTD_isError(result))
        status = diag_error(diag, WS_ERR_INTERNAL, "zstd: %s", reason_of(result));
    mem_guard_end(&guard);
    ZSTD_freeCStream(stream);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static ws_status expand(struct diag *diag, const char *name, ZSTD_DStream *stream,
                        ZSTD_inBuffer *in, uint64_t plain_size, struct strbuf *out)
{
    char piece[PIECE_BYTES];
    uint64_t left = plain_size;
    size_t frame = 1; /* 0: it is whole */
    for (bool is_full = false; in->pos < in->size || is_full;) {
        ZSTD_outBuffer to = {piece, sizeof piece, 0};
        frame = ZSTD_decompressStream(stream, &to, in);
        is_full = to.pos == to.size;
        if (ZSTD_isError(frame))
            return diag_error(diag, WS_ERR_INPUT, "%s: error: byte %llu of the compressed data: %s",
                              name, (unsigned long long)(plain_size - left), reason_of(frame));
        if (to.pos > left)
            return diag_error(diag, WS_ERR_INPUT,
                              "%s: error: the compressed data exceeds the expected %llu bytes",
                              name, (unsigned long long)plain_size);
        left -= to.pos;
        strbuf_append(out, piece, to.pos);
    }
    if (!left && !frame) return WS_OK;
    return diag_error(diag, WS_ERR_INPUT,
                      "%s: error: truncated: %llu of %llu compressed bytes are missing", name,
                      (unsigned long long)left, (unsigned long long)plain_size);
}

static bool is_zstd(const void *bytes, size_t size)
{
    static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd}; /* RFC 8878, 3.1.1 */
    return size >= sizeof magic && !memcmp(bytes, magic, sizeof magic);
}

ws_status packed_expand(struct diag *diag, const char *name, const void *bytes, size_t size,
                        uint64_t plain_size, struct strbuf *out)
{
    if (!is_zstd(bytes, size))
        return diag_error(diag, WS_ERR_INPUT,
                          "%s: error: corrupt file: the compressed data is not zstd", name);
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {bytes, size, 0};
    struct mem_guard guard;
    if (!stream) mem_raise(0);
    mem_guard_begin(&guard, free_reader, stream);
    ws_status status = expand(diag, name, stream, &in, plain_size, out);
    mem_guard_end(&guard);
    ZSTD_freeDStream(stream);
    return status;
}
