// SPDX-License-Identifier: Apache-2.0
/* Which line of the source, and of the PTX, code comes from. */
#include <stdlib.h>
#include <string.h>

#include "decode/native/cubin_reader.h"
#include "decode/native/line_program.h"

/* Where a sequence begins: at the symbol that a relocation of its address names. */
struct base {
    uint64_t at; /* byte of the section of lines */
    int32_t section;
    uint64_t offset;
};

struct rows {
    const struct base *bases;
    size_t base_count;
    struct cubin_line *items; /* mem_realloc; a row with line 0 ends a sequence */
    uint32_t count, capacity;
    struct cubin_file *files;
    uint32_t file_count, file_capacity;
    const char **folders;
    uint32_t folder_count, folder_capacity;
    uint32_t folder_first, file_first; /* of the program that is read */
    bool has_files;                    /* rows without a known one are of no use */
    const struct cubin *cubin;
};

/* ---- relocations of the section -------------------------------------------------------------- */

static int compare_bases(const void *a, const void *b)
{
    const struct base *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static ws_status read_bases_of(struct cubin_reader *r, const struct elf_part *part,
                               struct base *bases, size_t *count)
{
    bool has_addends = part->header.sh_type == SHT_RELA;
    size_t bytes = has_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t at = 0; part->size - at >= bytes; at += bytes) {
        const uint8_t *entry = part->bytes + at;
        uint64_t symbol = cubin_number(entry + 12, 4);
        if (symbol >= r->cubin->symbol_count)
            return cubin_damaged(r, "section %s names symbol %llu of %u", part->name,
                                 (unsigned long long)symbol, r->cubin->symbol_count);
        const struct cubin_symbol *named = &r->cubin->symbols[symbol];
        uint64_t addend = has_addends ? cubin_number(entry + 16, 8) : 0;
        bases[(*count)++] = (struct base){.at = cubin_number(entry, 8),
                                          .section = named->section,
                                          .offset = named->offset + addend};
    }
    return WS_OK;
}

static ws_status read_bases(struct cubin_reader *r, const struct elf_part *lines, struct base **out,
                            size_t *out_count)
{
    size_t most = 0;
    uint32_t index = (uint32_t)(lines - r->parts);
    for (int pass = 0; pass < 2; pass++) {
        if (pass) *out = mem_zalloc(most + 1, sizeof **out);
        for (size_t i = 1; i < r->part_count; i++) {
            const struct elf_part *part = &r->parts[i];
            bool is_table = part->header.sh_type == SHT_REL || part->header.sh_type == SHT_RELA;
            if (!is_table || part->header.sh_info != index || !part->bytes) continue;
            most += part->size / sizeof(Elf64_Rel);
            if (pass) TRY(read_bases_of(r, part, *out, out_count));
        }
    }
    qsort(*out, *out_count, sizeof **out, compare_bases);
    return WS_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void begin(void *user)
{
    struct rows *rows = user;
    rows->file_first = rows->file_count;
    rows->folder_first = rows->folder_count;
}

static void add_folder(void *user, const char *name)
{
    struct rows *rows = user;
    GROW(rows->folders, rows->folder_count, rows->folder_capacity);
    rows->folders[rows->folder_count++] = name;
}

static void add_file(void *user, uint64_t folder, const char *name)
{
    struct rows *rows = user;
    bool has_folder = folder && folder <= rows->folder_count - rows->folder_first && *name != '/';
    GROW(rows->files, rows->file_count, rows->file_capacity);
    rows->files[rows->file_count++] = (struct cubin_file){
        .folder = has_folder ? rows->folders[rows->folder_first + folder - 1] : NULL,
        .name = name,
    };
}

static void set_place(const struct rows *rows, uint32_t number, uint32_t line, uint32_t *out_file,
                      uint32_t *out_line)
{
    uint32_t file = rows->file_first + number - 1;
    bool is_known = number && file < rows->file_count;
    *out_file = is_known ? file : 0;
    *out_line = is_known || !rows->has_files ? line : 0;
}

static void add_row(void *user, const struct line_row *row)
{
    struct rows *rows = user;
    struct base key = {.at = row->address_at};
    const struct base *base =
        bsearch(&key, rows->bases, rows->base_count, sizeof key, compare_bases);
    if (!base || base->section < 0) return;
    uint64_t offset = base->offset + row->base + row->distance;
    uint64_t size = rows->cubin->sections[base->section].size;
    if (offset > size || offset > UINT32_MAX) return;
    GROW(rows->items, rows->count, rows->capacity);
    struct cubin_line *line = &rows->items[rows->count];
    *line = (struct cubin_line){
        .section = base->section, .offset = (uint32_t)offset, .order = rows->count++};
    if (row->is_end) return;
    set_place(rows, row->caller_file, row->caller_line, &line->file, &line->line);
    set_place(rows, row->file, row->line, &line->inner_file, &line->inner_line);
}

/* Of several rows at a place the last one holds; the end of a sequence yields to what begins there. */
static int compare_rows(const void *a, const void *b)
{
    const struct cubin_line *x = a, *y = b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (!x->line != !y->line) return x->line ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static const struct cubin_line *keep_rows(struct arena *arena, struct rows *rows,
                                          uint32_t *out_count)
{
    uint32_t count = 0;
    if (rows->count) qsort(rows->items, rows->count, sizeof *rows->items, compare_rows);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct cubin_line *one = &rows->items[i], *next = one + 1;
        bool is_hidden =
            i + 1 < rows->count && next->section == one->section && next->offset == one->offset;
        if (!is_hidden) rows->items[count++] = *one;
    }
    struct cubin_line *kept = ARENA_ARRAY(arena, struct cubin_line, count + 1);
    if (count) memcpy(kept, rows->items, count * sizeof *kept);
    *out_count = count;
    return kept;
}

static ws_status read_table(struct cubin_reader *r, const char *name, struct rows *rows)
{
    const struct elf_part *part = cubin_part(r, name);
    struct base *bases = NULL;
    rows->cubin = r->cubin;
    if (!part || !part->bytes) return WS_OK;
    ws_status status = read_bases(r, part, &bases, &rows->base_count);
    rows->bases = bases;
    struct line_reader reader = {.user = rows,
                                 .begin = begin,
                                 .add_folder = add_folder,
                                 .add_file = add_file,
                                 .add_row = add_row};
    const char *fault =
        status == WS_OK ? line_programs_read(part->bytes, part->size, &reader) : NULL;
    mem_free(bases);
    return fault ? cubin_damaged(r, "section %s: %s", name, fault) : status;
}

static void keep_files(struct cubin *cubin, const struct rows *rows)
{
    struct cubin_file *files = ARENA_ARRAY(&cubin->arena, struct cubin_file, rows->file_count + 1);
    if (rows->file_count) memcpy(files, rows->files, rows->file_count * sizeof *files);
    cubin->files = files;
    cubin->file_count = rows->file_count;
}

static void clear(struct rows *rows)
{
    mem_free(rows->items);
    mem_free(rows->files);
    mem_free(rows->folders);
    *rows = (struct rows){0};
}

/* Its lines end with zeros. */
static void read_ptx(struct cubin_reader *r)
{
    const struct elf_part *part = cubin_part(r, ".nv_debug_ptx_txt");
    if (!part || !part->bytes) return;
    char *ptx = arena_copy_n(&r->cubin->arena, (const char *)part->bytes, part->size);
    for (uint64_t i = 0; i < part->size; i++)
        if (!ptx[i]) ptx[i] = '\n';
    r->cubin->ptx = ptx;
    r->cubin->ptx_size = part->size;
}

ws_status cubin_read_lines(struct cubin_reader *r)
{
    struct cubin *cubin = r->cubin;
    struct rows rows = {.has_files = true};
    ws_status status = read_table(r, ".debug_line", &rows);
    if (status == WS_OK) {
        keep_files(cubin, &rows);
        cubin->lines = keep_rows(&cubin->arena, &rows, &cubin->line_count);
    }
    clear(&rows);
    TRY(status);
    status = read_table(r, ".nv_debug_line_sass", &rows);
    if (status == WS_OK) cubin->ptx_lines = keep_rows(&cubin->arena, &rows, &cubin->ptx_line_count);
    clear(&rows);
    read_ptx(r);
    return status;
}
