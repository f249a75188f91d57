// SPDX-License-Identifier: Apache-2.0
#include "decode/native/fat_binary.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "decode/native/cubin.h"

enum { HEADER_BYTES = 16, ENTRY_BYTES = 64, KIND_PTX = 1, KIND_ELF = 2, KIND_LTO = 8 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, LZ4_MOST_RATIO = 255 };
#define MAGIC UINT32_C(0xba55ed50)
/* What PTX files may have (doc/limits.md). */
#define IMAGE_MOST (UINT64_C(256) << 20)

struct list {
    struct fat_image *items;
    size_t count, capacity;
    unsigned binaries, lto_target;
};

static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static ws_status damaged(struct diag *diag, const char *path, const char *what)
{
    return diag_error(diag, WS_ERR_INPUT,
                      "%s: error: %s: the file is damaged or truncated; compile or copy it again",
                      path, what);
}

/* ---- containers ------------------------------------------------------------------------------ */

static bool read_entry(const uint8_t *entry, size_t room, struct fat_image *out, size_t *out_bytes)
{
    uint64_t header = number(entry + 4, 4), stored = number(entry + 8, 8);
    if (header < ENTRY_BYTES || header > room || stored > room - header) return false;
    uint64_t flags = number(entry + 40, 8), packed = number(entry + 16, 4);
    *out_bytes = (size_t)(header + stored);
    *out = (struct fat_image){
        .is_ptx = number(entry, 2) == KIND_PTX,
        .target = (unsigned)number(entry + 28, 4),
        .packing = flags & FLAG_ZSTD  ? FAT_ZSTD
                   : flags & FLAG_LZ4 ? FAT_LZ4
                                      : FAT_PLAIN,
        .bytes = entry + header,
        .stored = (size_t)stored,
        .size = (size_t)stored,
    };
    if (out->packing == FAT_PLAIN) return true;
    if (packed && packed < stored) out->stored = (size_t)packed; /* the rest is padding */
    out->size = (size_t)number(entry + 56, 8);
    return true;
}

/* One fat binary; false: damaged. */
static bool read_entries(struct list *list, const uint8_t *bytes, size_t size)
{
    size_t used;
    for (size_t at = 0; at < size; at += used) {
        struct fat_image image;
        if (size - at < ENTRY_BYTES || !read_entry(bytes + at, size - at, &image, &used))
            return false;
        uint64_t kind = number(bytes + at, 2);
        if (kind == KIND_LTO) list->lto_target = image.target;
        if (kind != KIND_PTX && kind != KIND_ELF) continue;
        image.binary = list->binaries;
        GROW(list->items, list->count, list->capacity);
        list->items[list->count++] = image;
    }
    list->binaries++;
    return true;
}

/* One behind the other, with zeros between them. */
static bool read_binaries(struct list *list, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        if (size - at < HEADER_BYTES || number(bytes + at, 4) != MAGIC) {
            if (bytes[at]) return false;
            at++;
            continue;
        }
        uint64_t header = number(bytes + at + 6, 2), rest = number(bytes + at + 8, 8);
        size_t room = size - at;
        if (header < HEADER_BYTES || header > room || rest > room - header) return false;
        if (!read_entries(list, bytes + at + header, (size_t)rest)) return false;
        at += (size_t)(header + rest);
    }
    return true;
}

/* ---- host files ------------------------------------------------------------------------------ */

static bool is_fat_binary(const uint8_t *bytes, size_t size)
{
    return size >= HEADER_BYTES && number(bytes, 4) == MAGIC;
}

static bool is_elf(const uint8_t *bytes, size_t size)
{
    return size >= EI_NIDENT && !memcmp(bytes, ELFMAG, SELFMAG);
}

bool fat_file_recognises(const void *bytes, size_t size)
{
    return is_fat_binary(bytes, size) || is_elf(bytes, size);
}

size_t fat_file_extent(const void *bytes)
{
    if (cubin_recognises(bytes, sizeof(Elf64_Ehdr))) return cubin_extent(bytes);
    if (number(bytes, 4) != MAGIC) return 0;
    uint64_t header = number((const uint8_t *)bytes + 6, 2);
    uint64_t rest = number((const uint8_t *)bytes + 8, 8);
    bool is_whole = rest <= SIZE_MAX - header && cubin_is_mapped(bytes, header + rest);
    return is_whole ? (size_t)(header + rest) : 0;
}

static void end_elf(void *handle)
{
    elf_end(*(Elf **)handle);
}

static const char *read_host_sections(Elf *elf, const uint8_t *bytes, size_t size,
                                      const char *wanted, struct list *list)
{
    size_t names;
    uint64_t sum = 0;
    if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
        return "the ELF header";
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name) return "the table of sections";
        if (strcmp(name, wanted) != 0) continue;
        sum += header.sh_size;
        if (header.sh_type == SHT_NOBITS || header.sh_offset > size ||
            header.sh_size > size - header.sh_offset || sum > size)
            return "section .nv_fatbin lies outside the file";
        if (!read_binaries(list, bytes + header.sh_offset, header.sh_size))
            return "section .nv_fatbin";
    }
    return NULL;
}

static ws_status read_host(struct diag *diag, const char *path, const uint8_t *bytes, size_t size,
                           struct list *list)
{
    /* libelf asks for a pointer to what it may change, but changes nothing unless asked to. */
    if (elf_version(EV_CURRENT) == EV_NONE)
        return diag_error(diag, WS_ERR_INTERNAL, "libelf is too old");
    errno = 0;
    Elf *elf = elf_memory((char *)(uintptr_t)bytes, size);
    struct mem_guard guard;
    mem_guard_begin(&guard, end_elf, &elf);
    const char *fault = read_host_sections(elf, bytes, size, ".nv_fatbin", list);
    /* Code that is to be linked (-rdc=true); a linked program still has it. */
    if (!fault && !list->binaries)
        fault = read_host_sections(elf, bytes, size, "__nv_relfatbin", list);
    if (fault) mem_check_errno();
    elf_end(elf);
    mem_guard_end(&guard);
    if (fault) return damaged(diag, path, fault);
    if (list->binaries) return WS_OK;
    return diag_error(diag, WS_ERR_INPUT,
                      "%s: error: a program without GPU code: it has no section .nv_fatbin", path);
}

/* ---- reading --------------------------------------------------------------------------------- */

static ws_status read_list(struct diag *diag, const char *path, const uint8_t *bytes, size_t size,
                           struct list *list)
{
    if (cubin_recognises(bytes, size)) {
        GROW(list->items, list->count, list->capacity);
        list->items[list->count++] = (struct fat_image){
            .target = cubin_target(bytes, size), .bytes = bytes, .stored = size, .size = size};
        return WS_OK;
    }
    if (is_elf(bytes, size)) return read_host(diag, path, bytes, size, list);
    if (!is_fat_binary(bytes, size))
        return diag_error(diag, WS_ERR_INPUT,
                          "%s: error: neither a cubin nor a fat binary nor a program", path);
    return read_binaries(list, bytes, size) ? WS_OK : damaged(diag, path, "the fat binary");
}

ws_status fat_file_read(struct diag *diag, struct arena *arena, const char *path, const void *bytes,
                        size_t size, struct fat_file *out)
{
    struct list list = {0};
    *out = (struct fat_file){.path = path};
    ws_status status = read_list(diag, path, bytes, size, &list);
    if (status == WS_OK) {
        out->images = ARENA_ARRAY(arena, struct fat_image, list.count);
        out->count = list.count;
        out->lto_target = list.lto_target;
        if (list.count) memcpy(out->images, list.items, list.count * sizeof *list.items);
    }
    mem_free(list.items);
    return status;
}

static bool unpack_into(const struct fat_image *image, uint8_t *out)
{
    switch (image->packing) {
    case FAT_LZ4:
        return image->stored <= INT32_MAX && image->size <= INT32_MAX &&
               LZ4_decompress_safe((const char *)image->bytes, (char *)out, (int)image->stored,
                                   (int)image->size) == (int)image->size;
    case FAT_ZSTD:
        return ZSTD_decompress(out, image->size, image->bytes, image->stored) == image->size;
    default:
        memcpy(out, image->bytes, image->size);
        return true;
    }
}

ws_status fat_image_unpack(struct diag *diag, const struct fat_file *file,
                           const struct fat_image *image, void **out)
{
    bool fits = image->packing != FAT_LZ4 || image->size / LZ4_MOST_RATIO <= image->stored;
    *out = NULL;
    if (image->size > IMAGE_MOST || !fits)
        return damaged(diag, file->path, "an image of more than 256 MiB");
    uint8_t *bytes = mem_alloc(image->size + 1);
    errno = 0;
    if (!unpack_into(image, bytes)) {
        mem_check_errno();
        mem_free(bytes);
        return damaged(diag, file->path, "a compressed image");
    }
    bytes[image->size] = 0;
    *out = bytes;
    return WS_OK;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool suits(const struct fat_image *image, unsigned wanted)
{
    if (image->is_ptx) return false;
    if (!wanted) return cubin_reads_target(image->target);
    return image->target <= wanted && image->target / 10 == wanted / 10;
}

/* Among the first images: those of other fat binaries are the same. */
enum { DESCRIBED_MOST = 100 };

static bool is_described(const struct fat_file *file, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (file->images[i].is_ptx == file->images[index].is_ptx &&
            file->images[i].target == file->images[index].target)
            return true;
    return false;
}

void fat_file_describe(const struct fat_file *file, struct strbuf *out)
{
    for (int is_ptx = 0; is_ptx < 2; is_ptx++) {
        const char *kind = is_ptx ? "PTX of " : "machine code of ";
        for (size_t i = 0; i < file->count && i < DESCRIBED_MOST; i++) {
            if (file->images[i].is_ptx != is_ptx || is_described(file, i)) continue;
            strbuf_printf(out, "%s%s", out->length ? ", " : "", kind);
            if (file->images[i].target)
                strbuf_printf(out, "sm_%u", file->images[i].target);
            else
                strbuf_puts(out, "an unknown format");
            kind = "";
        }
    }
    if (file->lto_target)
        strbuf_printf(out, "%sLTO-IR of sm_%u", out->length ? ", " : "", file->lto_target);
}

ws_status fat_file_pick(struct diag *diag, const struct fat_file *file, unsigned wanted,
                        unsigned *out_target)
{
    *out_target = 0;
    for (size_t i = 0; i < file->count; i++)
        if (suits(&file->images[i], wanted) && file->images[i].target > *out_target)
            *out_target = file->images[i].target;
    if (*out_target) return WS_OK;
    if (!file->count && file->lto_target)
        return diag_error(
            diag, WS_ERR_UNSUPPORTED,
            "%s: error: it contains LTO-IR only: link it (nvcc -dlto -arch=sm_%u), or "
            "compile it with -gencode arch=compute_%u,code=compute_%u",
            file->path, file->lto_target, file->lto_target, file->lto_target);
    if (!file->count)
        return diag_error(diag, WS_ERR_INPUT,
                          "%s: error: the fat binary holds neither PTX nor machine code",
                          file->path);
    struct strbuf targets = {0};
    fat_file_describe(file, &targets);
    ws_status status =
        wanted
            ? diag_error(diag, WS_ERR_INPUT, "%s: error: no machine code for sm_%u: it contains %s",
                         file->path, wanted, targets.data)
            : diag_error(
                  diag, WS_ERR_UNSUPPORTED,
                  "%s: error: no machine code of a supported architecture (sm_75, 80, 86, 89, "
                  "90): it contains %s",
                  file->path, targets.data);
    strbuf_clear(&targets);
    return status;
}
