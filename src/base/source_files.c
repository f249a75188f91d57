// SPDX-License-Identifier: Apache-2.0
#include "base/source_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

struct source_file {
    char *folder, *name; /* in the arena */
    struct arena arena;
    const char *text; /* NULL: cannot be read */
    size_t size;
    size_t *lines; /* where each begins */
    size_t line_count, line_capacity;
};

enum { FILES_MOST = 256, PATH_BYTES = 4096 };

static void read_lines(struct source_file *file, const char *path)
{
    struct stat info;
    struct diag ignored = {0};
    char *text;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (text_read_file(&ignored, &file->arena, path, &text, &file->size) == WS_OK) {
        file->text = text;
        for (size_t at = 0; at < file->size;) {
            const char *end = memchr(text + at, '\n', file->size - at);
            GROW(file->lines, file->line_count, file->line_capacity);
            file->lines[file->line_count++] = at;
            at = end ? (size_t)(end - text) + 1 : file->size;
        }
    }
    diag_clear(&ignored);
}

static void open_file(struct source_file *file)
{
    char path[PATH_BYTES];
    int length =
        snprintf(path, sizeof path, "%s%s%s", file->folder, *file->folder ? "/" : "", file->name);
    if (length > 0 && (size_t)length < sizeof path) read_lines(file, path);
    if (!file->text && *file->folder) read_lines(file, file->name);
}

/* NULL: too many. */
static struct source_file *find_file(struct source_files *files, const char *folder,
                                     const char *name)
{
    for (size_t i = files->count; i-- > 0;)
        if (!strcmp(files->items[i].name, name) && !strcmp(files->items[i].folder, folder))
            return &files->items[i];
    if (files->count == FILES_MOST) return NULL;
    if (!files->items) files->items = mem_zalloc(FILES_MOST, sizeof *files->items);
    struct source_file *file = &files->items[files->count++];
    file->folder = arena_copy(&file->arena, folder);
    file->name = arena_copy(&file->arena, name);
    open_file(file);
    return file;
}

const char *source_files_line(struct source_files *files, const char *folder, const char *name,
                              uint32_t line, size_t *out_size)
{
    const struct source_file *file = find_file(files, folder ? folder : "", name);
    if (!file || !file->text || line == 0 || line > file->line_count) return NULL;
    size_t begin = file->lines[line - 1];
    size_t end = line < file->line_count ? file->lines[line] : file->size;
    while (end > begin && (file->text[end - 1] == '\n' || file->text[end - 1] == '\r'))
        end--;
    *out_size = end - begin;
    return file->text + begin;
}

void source_files_clear(struct source_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        arena_clear(&files->items[i].arena);
        mem_free(files->items[i].lines);
    }
    mem_free(files->items);
    *files = (struct source_files){0};
}
