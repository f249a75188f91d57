// SPDX-License-Identifier: Apache-2.0
/* kernelslist.g: the launches and copies of a program in their order. A single trace is a list, too. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/traceg.h"

bool replay_is_trace(const char *path)
{
    static const char *const starts[] = {"-kernel", "-grid", "kernel", "Memcpy"};
    struct diag ignored = {0};
    struct line_source source;
    char *line = NULL;
    size_t length;
    bool found = false;
    if (line_source_open(&ignored, path, &source) == WS_OK) {
        while (line_source_next(&ignored, &source, &line, &length) == WS_OK && line && !*line)
            continue;
        for (size_t i = 0; line && i < sizeof starts / sizeof *starts; i++)
            found |= !strncmp(line, starts[i], strlen(starts[i]));
        line_source_close(&source);
    }
    diag_clear(&ignored);
    return found;
}

void replay_list_destroy(struct replay_list *list)
{
    if (!list) return;
    mem_free(list->items);
    arena_clear(&list->arena);
    mem_free(list);
}

/* Headers are read at once, so that kernels can be chosen by name. */
static ws_status add_item(struct diag *diag, struct replay_list *list, const char *path,
                          size_t *capacity)
{
    struct traceg trace;
    TRY(traceg_open(diag, path, &trace));
    GROW(list->items, list->count, *capacity);
    struct replay_item *item = &list->items[list->count++];
    *item = (struct replay_item){arena_copy(&list->arena, path), trace.header};
    item->header.name = arena_copy(&list->arena, trace.header.name);
    item->header.display_name = arena_copy(&list->arena, trace.header.display_name);
    traceg_close(&trace);
    return WS_OK;
}

/* MemcpyHtoD,address,bytes */
static ws_status read_copy(struct diag *diag, struct replay_list *list, uint32_t number,
                           const char *line)
{
    uint64_t address, bytes;
    const char *at = strchr(line, ',');
    if (at) at++;
    if (at && traceg_hex(&at, &address) && *at++ == ',' && traceg_decimal(&at, &bytes) && !*at) {
        list->copies++;
        list->copied_bytes += bytes;
        return WS_OK;
    }
    struct source_place place = {.file = list->path, .line = number};
    return diag_error_at(diag, WS_ERR_INPUT, &place, "expected 'MemcpyHtoD,0xADDRESS,BYTES'");
}

/* Traces that were compressed after the list was written have another name than the list says. */
static const char *find_file(struct replay_list *list, int folder, const char *name)
{
    static const char *const ends[] = {"", ".xz", ".zst", ".gz"};
    const char *path = NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        path = arena_format(&list->arena, "%.*s%s%s", folder, list->path, name, ends[i]);
        if (access(path, R_OK) == 0) return path;
    }
    return arena_format(&list->arena, "%.*s%s", folder, list->path, name);
}

static ws_status read_lines(struct diag *diag, struct replay_list *list, struct line_source *source)
{
    const char *slash = strrchr(list->path, '/');
    int folder = slash ? (int)(slash + 1 - list->path) : 0;
    size_t length, capacity = 0;
    for (char *line;;) {
        TRY(line_source_next(diag, source, &line, &length));
        if (!line) return WS_OK;
        while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
            line[--length] = '\0';
        if (!strncmp(line, "MemcpyHtoD", 10)) TRY(read_copy(diag, list, source->line, line));
        if (strncmp(line, "kernel", 6) != 0) continue; /* other copies, empty lines */
        const char *path = find_file(list, folder, line);
        if (add_item(diag, list, path, &capacity) == WS_OK) continue;
        diag_add(diag, "    named in %s, line %u", list->path, source->line);
        return diag->status;
    }
}

static ws_status read_list(struct diag *diag, struct replay_list *list)
{
    struct line_source source;
    char *line;
    size_t length, capacity = 0;
    TRY(line_source_open(diag, list->path, &source));
    ws_status status = line_source_next(diag, &source, &line, &length);
    bool is_trace = status == WS_OK && line && line[0] == '-';
    line_source_close(&source);
    if (status != WS_OK) return status;
    if (is_trace) return add_item(diag, list, list->path, &capacity);
    TRY(line_source_open(diag, list->path, &source));
    status = read_lines(diag, list, &source);
    line_source_close(&source);
    if (status != WS_OK || list->count) return status;
    return diag_error(diag, WS_ERR_INPUT,
                      "%s: error: contains no kernel: a kernelslist.g has lines like "
                      "'kernel-1.traceg', a trace starts with '-kernel name = ...'",
                      list->path);
}

ws_status replay_list_read(struct diag *diag, const char *path, struct replay_list **out)
{
    struct replay_list *list = mem_zalloc(1, sizeof *list);
    *out = NULL;
    list->path = arena_copy(&list->arena, path);
    ws_status status = read_list(diag, list);
    if (status == WS_OK)
        *out = list;
    else
        replay_list_destroy(list);
    return status;
}
