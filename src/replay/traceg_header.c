// SPDX-License-Identifier: Apache-2.0
/* The header of a .traceg: lines "-key = value" up to the first that starts with #. */
#include <ctype.h>
#include <string.h>

#include "isa/sass.h"
#include "replay/traceg.h"

enum { VERSION_FIRST = 3, VERSION_LAST = 5, THREADS_MAX = 1024 };

enum header_key {
    KEY_NAME,
    KEY_ID,
    KEY_GRID,
    KEY_BLOCK,
    KEY_SHARED,
    KEY_REGISTERS,
    KEY_TARGET,
    KEY_SHARED_BASE,
    KEY_LOCAL_BASE,
    KEY_NVBIT,
    KEY_VERSION,
    KEY_LINES,
    KEY_COUNT
};

static const struct {
    const char *text;
    bool is_needed;
} keys[KEY_COUNT] = {
    [KEY_NAME] = {"kernel name", true},
    [KEY_ID] = {"kernel id", false},
    [KEY_GRID] = {"grid dim", true},
    [KEY_BLOCK] = {"block dim", true},
    [KEY_SHARED] = {"shmem", false},
    [KEY_REGISTERS] = {"nregs", false},
    [KEY_TARGET] = {"binary version", true},
    [KEY_SHARED_BASE] = {"shmem base_addr", false},
    [KEY_LOCAL_BASE] = {"local mem base_addr", false},
    [KEY_NVBIT] = {"nvbit version", false},
    [KEY_VERSION] = {"accelsim tracer version", true},
    [KEY_LINES] = {"enable lineinfo", false},
};

/* Splits "-key = value" in place; false: it is not of that form. */
static bool split(struct traceg *t, char *line, char **out_key, char **out_value)
{
    char *equals = strchr(line, '=');
    if (line[0] != '-' || !equals) return false;
    char *end = equals;
    while (end > line + 1 && isblank((unsigned char)end[-1]))
        end--;
    *out_key = arena_copy_n(&t->arena, line + 1, (size_t)(end - line - 1));
    equals++;
    while (isblank((unsigned char)*equals))
        equals++;
    size_t length = strlen(equals);
    while (length && isspace((unsigned char)equals[length - 1]))
        length--;
    *out_value = arena_copy_n(&t->arena, equals, length);
    return true;
}

/* False: it does not read as a value of that key. */
static bool read_value(struct replay_header *header, enum header_key key, const char *value)
{
    const char *at = value;
    uint64_t number = 0;
    bool good = true;
    switch (key) {
    case KEY_NAME:
        header->name = value;
        return *value != '\0';
    case KEY_NVBIT:
        header->is_ours = !strncmp(value, "none", 4);
        return true;
    case KEY_GRID:
        return traceg_triple(&at, header->grid) && !*at;
    case KEY_BLOCK:
        return traceg_triple(&at, header->block) && !*at;
    case KEY_SHARED_BASE:
        return traceg_hex(&at, &header->shared_base) && !*at;
    case KEY_LOCAL_BASE:
        return traceg_hex(&at, &header->local_base) && !*at;
    default:
        good = traceg_decimal(&at, &number) && !*at;
    }
    if (key == KEY_ID) header->id = number;
    if (key == KEY_SHARED) header->shared_bytes = number;
    if (key == KEY_LINES) header->has_lines = number != 0;
    if (key == KEY_ID || key == KEY_SHARED || key == KEY_LINES) return good;
    if (key == KEY_REGISTERS) header->registers = (unsigned)number;
    if (key == KEY_TARGET) header->target = (unsigned)number;
    if (key == KEY_VERSION) header->version = (unsigned)number;
    return good && number <= (key == KEY_REGISTERS ? 255 : 999);
}

/* At once: what follows the header of a later version is no text. */
static ws_status check_version(struct diag *diag, const struct traceg *t)
{
    unsigned version = t->header.version;
    if (version >= VERSION_FIRST && version <= VERSION_LAST) return WS_OK;
    return diag_error(diag, WS_ERR_UNSUPPORTED,
                      "%s: error: unsupported tracer version %u: expected %d to %d. %s",
                      t->source.path, version, VERSION_FIRST, VERSION_LAST,
                      version > VERSION_LAST
                          ? "Record it with Accel-Sim's tracer before 2.0, which writes version 5"
                          : "Record it with a newer tracer");
}

static ws_status read_line(struct diag *diag, struct traceg *t, char *line, bool *given)
{
    char *key, *value;
    if (!split(t, line, &key, &value))
        return traceg_fail(diag, t, NULL,
                           "expected a header line '-key = value'; is this a kernelslist.g or "
                           "a .traceg of Accel-Sim's tracer?");
    for (int i = 0; i < KEY_COUNT; i++) {
        if (strcmp(keys[i].text, key) != 0) continue;
        if (given[i]) return traceg_fail(diag, t, NULL, "duplicate '-%s'", key);
        given[i] = true;
        if (!read_value(&t->header, (enum header_key)i, value))
            return traceg_fail(diag, t, NULL, "invalid value '%s' for '-%s'", value, key);
        return i == KEY_VERSION ? check_version(diag, t) : WS_OK;
    }
    return WS_OK; /* the reader of Accel-Sim ignores what it does not know, too */
}

static ws_status check_shape(struct diag *diag, const struct traceg *t)
{
    const struct replay_header *header = &t->header;
    uint64_t threads = 1, blocks = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!header->grid[i] || !header->block[i])
            return diag_error(diag, WS_ERR_INPUT,
                              "%s: error: grid (%u,%u,%u) of blocks (%u,%u,%u): every dimension "
                              "must be at least 1",
                              t->source.path, header->grid[0], header->grid[1], header->grid[2],
                              header->block[0], header->block[1], header->block[2]);
        threads *= header->block[i] > THREADS_MAX ? THREADS_MAX + 1 : header->block[i];
        if (header->grid[i] > UINT64_MAX / 2 / blocks) threads = THREADS_MAX + 1;
        blocks *= header->grid[i];
    }
    if (threads <= THREADS_MAX) return WS_OK;
    return diag_error(
        diag, WS_ERR_INPUT,
        "%s: error: grid (%u,%u,%u) of blocks (%u,%u,%u): exceeds the limits of every GPU",
        t->source.path, header->grid[0], header->grid[1], header->grid[2], header->block[0],
        header->block[1], header->block[2]);
}

static ws_status check_header(struct diag *diag, struct traceg *t, const bool *given)
{
    struct replay_header *header = &t->header;
    for (int i = 0; i < KEY_COUNT; i++)
        if (keys[i].is_needed && !given[i])
            return traceg_fail(diag, t, NULL, "missing '-%s = ...' in the header above",
                               keys[i].text);
    TRY(check_shape(diag, t));
    uint32_t threads = header->block[0] * header->block[1] * header->block[2];
    t->warps_per_block = (threads + LANES - 1) / LANES;
    header->display_name = demangle_kernel(&t->arena, header->name);
    return WS_OK;
}

static ws_status read_header(struct diag *diag, struct traceg *t)
{
    bool given[KEY_COUNT] = {false};
    char *line;
    for (;;) {
        TRY(line_source_next(diag, &t->source, &line, &t->length));
        t->line = line;
        if (!line)
            return diag_error(diag, WS_ERR_INPUT,
                              "%s:%u: error: unexpected end of file in the trace header: "
                              "truncated, or not a trace",
                              t->source.path, t->source.line);
        if (line[0] == '#') break;
        if (line[strspn(line, " \t")]) TRY(read_line(diag, t, line, given));
    }
    t->begun = !strncmp(line, "#BEGIN_TB", 9);
    return check_header(diag, t, given);
}

ws_status traceg_open(struct diag *diag, const char *path, struct traceg *out)
{
    *out = (struct traceg){0};
    TRY(line_source_open(diag, path, &out->source));
    ws_status status = read_header(diag, out);
    if (status != WS_OK) traceg_close(out);
    return status;
}

void traceg_close(struct traceg *traceg)
{
    line_source_close(&traceg->source);
    arena_clear(&traceg->arena);
}
