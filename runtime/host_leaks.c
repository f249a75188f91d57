// SPDX-License-Identifier: Apache-2.0
/* What the program has not freed: a finding for each place that made it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart_texture.h"
#include "graph.h"
#include "host_check.h"
#include "host_stack.h"

struct leak {
    const char *code, *what; /* "M30", "cudaMalloc" */
    uint32_t made;
    uint64_t count, bytes, address;
};
struct leaks {
    struct leak *items;
    size_t count, room;
};

static void add(struct leaks *leaks, const struct leak *given)
{
    for (size_t i = 0; i < leaks->count; i++) {
        struct leak *one = &leaks->items[i];
        if (one->made != given->made || strcmp(one->what, given->what) != 0) continue;
        one->count++;
        one->bytes += given->bytes;
        if (given->address < one->address) one->address = given->address;
        return;
    }
    if (leaks->count == leaks->room) {
        leaks->room = 2 * leaks->room + 16;
        leaks->items = realloc(leaks->items, leaks->room * sizeof *leaks->items);
        if (!leaks->items) out_of_memory(leaks->room * sizeof *leaks->items);
    }
    leaks->items[leaks->count++] = *given;
}

/* What is registered is the program's own. */
static void add_memory(void *user, const struct memory_record *record)
{
    if (record->is_kept || record->kind == MEMORY_KIND_REGISTERED) return;
    add(user, &(struct leak){record->kind == MEMORY_KIND_PINNED ? "M31" : "M30", record->call,
                             record->made, 1, record->bytes, record->address});
}

static void add_handle(void *user, enum handle_kind kind, const void *handle, uint32_t made)
{
    const char *what = handle_kind_name(kind);
    bool is_wanted = kind == HANDLE_STREAM || kind == HANDLE_EVENT || kind == HANDLE_POOL;
    const struct graph *graph = handle;
    if (kind == HANDLE_GRAPH && graph->is_exec) what = "executable graph";
    if (is_wanted || kind == HANDLE_GRAPH)
        add(user, &(struct leak){"M32", what, made, 1, 0, (uint64_t)(uintptr_t)handle});
}

static void add_texture(void *user, uint64_t handle, uint32_t made)
{
    add(user, &(struct leak){"M32", "texture object", made, 1, 0, handle});
}

static int compare(const void *a, const void *b)
{
    const struct leak *x = a, *y = b;
    int order = strcmp(x->code, y->code);
    return order ? order : x->made < y->made ? -1 : x->made > y->made;
}

static void report(const struct leak *leak)
{
    char text[256];
    unsigned long long count = leak->count, bytes = leak->bytes;
    if (*leak->code == 'M' && strcmp(leak->code, "M32") != 0)
        snprintf(text, sizeof text, "%llu bytes in %llu allocation%s of %s", bytes, count,
                 count == 1 ? "" : "s", leak->what);
    else
        snprintf(text, sizeof text, "%llu %s%s", count, leak->what, count == 1 ? "" : "s");
    const ws_check_finding finding = {.size = sizeof finding,
                                      .code = leak->code,
                                      .detail = text,
                                      .host = host_stack_text(leak->made),
                                      .bytes = leak->bytes};
    if (ws_check_report(runtime.check, &finding) != WS_OK)
        tell("%s", ws_context_error(runtime.context));
}

void check_leaks(void)
{
    struct leaks leaks = {0};
    check_memory_each(add_memory, &leaks);
    handle_each(add_handle, &leaks);
    texture_each(add_texture, &leaks);
    if (leaks.count) qsort(leaks.items, leaks.count, sizeof *leaks.items, compare);
    for (size_t i = 0; i < leaks.count; i++)
        report(&leaks.items[i]);
    free(leaks.items);
    ws_device_check_leaks(runtime.device);
    check_memory_keep_all();
    handle_keep_all();
    texture_keep_all();
}
