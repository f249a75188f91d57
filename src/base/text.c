// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "base/strbuf.h"

/* What to read of a file: at most so many bytes. */
struct extent {
    uint64_t most;
    bool to_zero; /* not beyond the first block with a zero in it */
};

static ws_status read_bytes(struct diag *diag, FILE *file, const char *path,
                            const struct extent *extent, struct strbuf *text)
{
    struct stat status;
    char block[1 << 16];
    size_t got;
    if (fstat(fileno(file), &status) != 0 || S_ISDIR(status.st_mode))
        return diag_error(diag, WS_ERR_IO, "%s: is a directory, not a file", path);
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        if (got > extent->most - text->length)
            return diag_error(diag, WS_ERR_INPUT, "%s: error: file too large: at most %llu MiB",
                              path, (unsigned long long)(extent->most >> 20));
        strbuf_append(text, block, got);
        if (extent->to_zero && memchr(block, '\0', got)) break;
    }
    if (!ferror(file)) return WS_OK;
    return diag_error(diag, WS_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
}

static void close_file(void *file)
{
    fclose(file);
}

ws_status text_read_file(struct diag *diag, struct arena *arena, const char *path, char **out,
                         size_t *out_size)
{
    return text_read_at_most(diag, arena, path, TEXT_MOST, out, out_size);
}

static ws_status read_extent(struct diag *diag, struct arena *arena, const char *path,
                             const struct extent *extent, char **out, size_t *out_size)
{
    struct mem_guard guard;
    struct strbuf text = {0};
    *out = NULL;
    *out_size = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        mem_check_errno();
        return diag_error(diag, WS_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    mem_guard_begin(&guard, close_file, file);
    ws_status status = read_bytes(diag, file, path, extent, &text);
    mem_guard_end(&guard);
    fclose(file);
    if (status == WS_OK) {
        *out = arena_copy_n(arena, text.data ? text.data : "", text.length);
        *out_size = text.length;
    }
    strbuf_clear(&text);
    return status;
}

ws_status text_read_at_most(struct diag *diag, struct arena *arena, const char *path, uint64_t most,
                            char **out, size_t *out_size)
{
    return read_extent(diag, arena, path, &(struct extent){.most = most}, out, out_size);
}

ws_status text_read_to_zero(struct diag *diag, struct arena *arena, const char *path, uint64_t most,
                            char **out)
{
    size_t size;
    return read_extent(diag, arena, path, &(struct extent){most, true}, out, &size);
}

ws_status text_write_file(struct diag *diag, const char *path, const void *bytes, size_t size)
{
    struct outfile file;
    TRY(outfile_open(diag, path, &file));
    outfile_write(&file, bytes, size);
    return outfile_close(diag, &file);
}

bool text_is_descriptor(const char *path)
{
    return !strncmp(path, "/proc/self/fd/", 14) || !strncmp(path, "/dev/fd/", 8);
}

unsigned text_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return strcmp(a, b) ? LONGEST : 0;
    unsigned row[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            unsigned best = last[j - 1] + (x != y);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *text_nearest(struct arena *arena, const char *wanted, const char *const *names,
                         size_t count)
{
    enum { SHOWN = 3 };
    size_t best[SHOWN];
    unsigned distance[SHOWN];
    size_t found = 0;
    size_t length = strlen(wanted);
    /* One letter in three may be wrong; of two letters the second. */
    unsigned limit = length == 2 ? 1 : (unsigned)length / 3;
    for (size_t i = 0; i < count; i++) {
        unsigned d = text_distance(wanted, names[i]);
        if (length >= 3 && strstr(names[i], wanted) && d > 1) d = 1;
        bool is_far = length == 2 && d &&
                      tolower((unsigned char)*wanted) != tolower((unsigned char)*names[i]);
        if (d > limit || is_far) continue;
        size_t at = found < SHOWN ? found++ : SHOWN;
        while (at > 0 && distance[at - 1] > d) {
            if (at < SHOWN) {
                best[at] = best[at - 1];
                distance[at] = distance[at - 1];
            }
            at--;
        }
        if (at < SHOWN) {
            best[at] = i;
            distance[at] = d;
        }
    }
    struct strbuf text = {0};
    for (size_t i = 0; i < found; i++)
        strbuf_printf(&text, "%s'%s'", i ? ", " : "", names[best[i]]);
    char *copy = arena_copy_n(arena, text.data ? text.data : "", text.length);
    strbuf_clear(&text);
    return copy;
}

const char *text_hint(struct arena *arena, const char *wanted, const char *const *names,
                      size_t count)
{
    const char *near = text_nearest(arena, wanted, names, count);
    return *near ? arena_format(arena, " (did you mean %s?)", near) : "";
}

bool text_to_double(const char *text, double *out)
{
    char *end;
    if (!*text || isspace((unsigned char)*text)) return false;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

bool text_to_u64(const char *text, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)*text)) return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return *end == '\0' && errno == 0;
}

bool text_to_i64(const char *text, int64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)*text) && *text != '-') return false;
    errno = 0;
    *out = strtoll(text, &end, 0);
    return end != text && *end == '\0' && errno == 0;
}
