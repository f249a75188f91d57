// SPDX-License-Identifier: Apache-2.0
/* Lines of source files that a cubin names, where they are still there. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "render/disasm.h"

struct disasm_source {
    const char *folder, *name; /* of the cubin's table: the pointers are the key */
    struct arena arena;
    const char *text; /* NULL: cannot be read */
    size_t size;
    size_t *lines; /* where each begins */
    size_t line_count, line_capacity;
};

enum { SOURCES_MOST = 256, PATH_BYTES = 4096 };

static void read_lines(struct disasm_source *source, const char *path)
{
    struct stat info;
    struct diag ignored = {0};
    char *text;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (text_read_file(&ignored, &source->arena, path, &text, &source->size) == WS_OK) {
        source->text = text;
        for (size_t at = 0; at < source->size;) {
            const char *end = memchr(text + at, '\n', source->size - at);
            GROW(source->lines, source->line_count, source->line_capacity);
            source->lines[source->line_count++] = at;
            at = end ? (size_t)(end - text) + 1 : source->size;
        }
    }
    diag_clear(&ignored);
}

static void open_source(struct disasm_source *source)
{
    char path[PATH_BYTES];
    const char *folder = source->folder ? source->folder : "";
    int length = snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", source->name);
    if (length > 0 && (size_t)length < sizeof path) read_lines(source, path);
    if (!source->text && *folder) read_lines(source, source->name);
}

const char *disasm_source_line(struct disasm *d, const struct cubin_file *file, uint32_t line,
                               size_t *out_size)
{
    struct disasm_source *source = NULL;
    for (size_t i = 0; i < d->source_count && !source; i++)
        if (d->sources[i].name == file->name && d->sources[i].folder == file->folder)
            source = &d->sources[i];
    if (!source && d->source_count == SOURCES_MOST) return NULL;
    if (!source) {
        if (!d->sources) d->sources = mem_zalloc(SOURCES_MOST, sizeof *d->sources);
        source = &d->sources[d->source_count++];
        source->folder = file->folder;
        source->name = file->name;
        open_source(source);
    }
    if (!source->text || line == 0 || line > source->line_count) return NULL;
    size_t begin = source->lines[line - 1];
    size_t end = line < source->line_count ? source->lines[line] : source->size;
    while (end > begin && (source->text[end - 1] == '\n' || source->text[end - 1] == '\r'))
        end--;
    *out_size = end - begin;
    return source->text + begin;
}

void disasm_clear(struct disasm *d)
{
    for (size_t i = 0; i < d->source_count; i++) {
        arena_clear(&d->sources[i].arena);
        mem_free(d->sources[i].lines);
    }
    mem_free(d->sources);
    mem_free(d->ptx_lines);
    mem_free(d->json);
    strbuf_clear(&d->out);
    d->sources = NULL;
    d->ptx_lines = NULL;
    d->json = NULL;
    d->source_count = 0;
}
