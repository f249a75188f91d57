// SPDX-License-Identifier: Apache-2.0
/* The mapping file of foreign opcodes: lines `OPCODE class`. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "replay/sass_code.h"

struct map_row {
    const char *opcode;
    uint8_t class_id;
};

struct opcode_map {
    struct arena arena;
    struct map_row *rows;
    size_t count, capacity;
};

void opcode_map_destroy(struct opcode_map *map)
{
    if (!map) return;
    mem_free(map->rows);
    arena_clear(&map->arena);
    mem_free(map);
}

static ws_status read_row(struct diag *diag, const char *path, uint32_t line, char *text,
                          struct opcode_map *map)
{
    static const char blanks[] = " \t\r";
    struct source_place place = {.file = path, .line = line};
    text[strcspn(text, "#")] = '\0';
    char *rest = text, *words[3];
    size_t count = 0;
    for (char *word; count < 3 && (word = strtok_r(rest, blanks, &rest));)
        words[count++] = word;
    if (!count) return WS_OK;
    if (count != 2)
        return diag_error_at(diag, WS_ERR_INPUT, &place,
                             "expected 'OPCODE class', e.g. 'FFMA fp32.fma'");
    int class_id = class_find(words[1]);
    if (class_id < 0) {
        const char *near = text_hint(&map->arena, words[1], class_ids, CLASS_COUNT);
        return diag_error_at(diag, WS_ERR_INPUT, &place, "unknown class '%s'%s", words[1], near);
    }
    GROW(map->rows, map->count, map->capacity);
    map->rows[map->count++] =
        (struct map_row){arena_copy(&map->arena, words[0]), (uint8_t)class_id};
    return WS_OK;
}

ws_status opcode_map_read(struct diag *diag, const char *path, struct opcode_map **out)
{
    struct opcode_map *map = mem_zalloc(1, sizeof *map);
    char *text = NULL;
    size_t size;
    uint32_t line = 0;
    *out = NULL;
    ws_status status = text_read_file(diag, &map->arena, path, &text, &size);
    for (char *rest = text, *row; status == WS_OK && (row = strsep(&rest, "\n"));)
        status = read_row(diag, path, ++line, row, map);
    if (status == WS_OK)
        *out = map;
    else
        opcode_map_destroy(map);
    return status;
}

/* The exact form before the base opcode. */
int opcode_map_find(const struct opcode_map *map, const char *opcode)
{
    size_t base = strcspn(opcode, ".");
    int found = -1;
    for (size_t i = 0; map && i < map->count; i++) {
        const char *text = map->rows[i].opcode;
        if (!strcmp(text, opcode)) return map->rows[i].class_id;
        if (!strncmp(text, opcode, base) && !text[base]) found = map->rows[i].class_id;
    }
    return found;
}
