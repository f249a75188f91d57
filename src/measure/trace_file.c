// SPDX-License-Identifier: Apache-2.0
#include "measure/trace_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/packed.h"
#include "base/text.h"

static const char magic[8] = {'W', 'S', 'T', 'R', 'A', 'C', 'E', '\n'};

enum {
    VERSION = 2, /* of the fields; also if an enumeration in them changes its values */
    HEAD_BYTES = 32,
    CHUNK_HEAD_BYTES = 8,
    CHUNK_BYTES = 1 << 16,
};
/* A guess at what no trace is larger than: default traces take 128 MiB. */
#define PLAIN_BYTES_MAX (UINT64_C(1) << 33)

bool trace_file_recognises(const void *bytes, size_t size)
{
    return size >= sizeof magic && !memcmp(bytes, magic, sizeof magic);
}

static void set_number(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get_number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* The head's sum is worked out with zeros in its own place. */
static uint32_t head_crc(const uint8_t *head)
{
    uint8_t copy[HEAD_BYTES];
    memcpy(copy, head, HEAD_BYTES);
    set_number(copy + 12, 0, 4);
    return packed_crc32(copy, HEAD_BYTES);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_file(struct strbuf *out, const struct strbuf *packed, uint64_t plain_size)
{
    uint8_t head[HEAD_BYTES];
    memcpy(head, magic, sizeof magic);
    set_number(head + 8, VERSION, 4);
    set_number(head + 16, packed->length, 8);
    set_number(head + 24, plain_size, 8);
    set_number(head + 12, head_crc(head), 4);
    strbuf_append(out, (const char *)head, sizeof head);
    for (size_t at = 0; at < packed->length; at += CHUNK_BYTES) {
        size_t size = packed->length - at < CHUNK_BYTES ? packed->length - at : CHUNK_BYTES;
        uint8_t chunk[CHUNK_HEAD_BYTES];
        set_number(chunk, size, 4);
        set_number(chunk + 4, packed_crc32(packed->data + at, size), 4);
        strbuf_append(out, (const char *)chunk, sizeof chunk);
        strbuf_append(out, packed->data + at, size);
    }
}

ws_status trace_file_save(struct diag *diag, const struct profile *profile, const char *path)
{
    struct strbuf plain = {0}, packed = {0}, file = {0};
    char *json = profile_to_json(profile);
    uint8_t size[8];
    set_number(size, strlen(json), 8);
    strbuf_append(&plain, (const char *)size, sizeof size);
    strbuf_puts(&plain, json);
    mem_free(json);
    trace_encode(profile->trace, &plain);
    ws_status status = packed_compress(diag, plain.data, plain.length, &packed);
    if (status == WS_OK) {
        put_file(&file, &packed, plain.length);
        status = text_write_file(diag, path, file.data, file.length);
    }
    strbuf_clear(&plain);
    strbuf_clear(&packed);
    strbuf_clear(&file);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static ws_status cut_off(struct diag *diag, const char *name, size_t at)
{
    return diag_error(diag, WS_ERR_INPUT,
                      "%s: error: byte %zu: truncated file: copy or record it again", name, at);
}

static ws_status check_head(struct diag *diag, const char *name, const uint8_t *bytes, size_t size)
{
    if (size < HEAD_BYTES) return cut_off(diag, name, size);
    uint64_t version = get_number(bytes + 8, 4);
    if (version != VERSION)
        return diag_error(
            diag, WS_ERR_UNSUPPORTED,
            "%s: error: byte 8: unsupported trace file version %llu (expected %d): record it again",
            name, (unsigned long long)version, VERSION);
    if (get_number(bytes + 12, 4) != head_crc(bytes) || get_number(bytes + 24, 8) > PLAIN_BYTES_MAX)
        return diag_error(diag, WS_ERR_INPUT,
                          "%s: error: byte 12: corrupt trace file header: copy or record it again",
                          name);
    return WS_OK;
}

/* The compressed bytes without the heads of their chunks. */
static ws_status join_chunks(struct diag *diag, const char *name, const uint8_t *bytes, size_t size,
                             struct strbuf *out)
{
    uint64_t wanted = get_number(bytes + 16, 8);
    size_t at = HEAD_BYTES;
    while (out->length < wanted) {
        if (size - at < CHUNK_HEAD_BYTES) return cut_off(diag, name, size);
        uint64_t length = get_number(bytes + at, 4), left = wanted - out->length;
        size_t begin = at + CHUNK_HEAD_BYTES;
        bool is_length = length && length <= CHUNK_BYTES && length <= left;
        if (is_length && size - begin < length) return cut_off(diag, name, size);
        if (!is_length ||
            packed_crc32(bytes + begin, (size_t)length) != get_number(bytes + at + 4, 4))
            return diag_error(
                diag, WS_ERR_INPUT,
                "%s: error: byte %zu: the next %d bytes are corrupt: copy or record it again", name,
                at, is_length ? (int)length + CHUNK_HEAD_BYTES : 4);
        strbuf_append(out, (const char *)bytes + begin, (size_t)length);
        at = begin + (size_t)length;
    }
    if (at == size) return WS_OK;
    return diag_error(diag, WS_ERR_INPUT, "%s: error: byte %zu: trailing data after the trace",
                      name, at);
}

static ws_status read_plain(struct diag *diag, const char *name, const struct strbuf *plain,
                            struct profile **out)
{
    const uint8_t *bytes = (const uint8_t *)plain->data;
    uint64_t size = plain->length >= 8 ? get_number(bytes, 8) : UINT64_MAX;
    if (size > plain->length - 8 || plain->length < 8)
        return diag_error(diag, WS_ERR_INPUT, "%s: error: contains no profile", name);
    TRY(profile_load_memory(diag, name, bytes + 8, (size_t)size, out));
    struct profile *profile = *out;
    ws_status status = trace_decode(diag, name, bytes + 8 + size, plain->length - 8 - (size_t)size,
                                    &profile->trace);
    if (status == WS_OK && !trace_fits(profile->trace, profile))
        status = diag_error(
            diag, WS_ERR_INPUT,
            "%s: error: its warp traces and its counters belong to different launches", name);
    if (status == WS_OK) return WS_OK;
    profile_destroy(profile);
    *out = NULL;
    return status;
}

ws_status trace_file_read(struct diag *diag, const char *name, const void *bytes, size_t size,
                          struct profile **out)
{
    struct strbuf packed = {0}, plain = {0};
    *out = NULL;
    TRY(check_head(diag, name, bytes, size));
    ws_status status = join_chunks(diag, name, bytes, size, &packed);
    if (status == WS_OK)
        status = packed_expand(diag, name, packed.data ? packed.data : "", packed.length,
                               get_number((const uint8_t *)bytes + 24, 8), &plain);
    if (status == WS_OK) status = read_plain(diag, name, &plain, out);
    strbuf_clear(&packed);
    strbuf_clear(&plain);
    return status;
}
