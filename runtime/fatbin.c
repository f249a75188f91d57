// SPDX-License-Identifier: Apache-2.0
#include "fatbin.h"

#include <elf.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { HEADER_BYTES = 16, ENTRY_BYTES = 64, KIND_PTX = 1, KIND_ELF = 2 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
#define MAGIC UINT32_C(0xba55ed50)
/* Larger than any PTX, and what PTX files may have (doc/limits.md); a damaged size must not take all
 * memory. LZ4 makes at most 255 bytes of one. */
#define IMAGE_BYTES_MAX (UINT64_C(256) << 20)

static uint64_t read_number(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes); /* little-endian, as all hosts of CUDA are */
    return value;
}

size_t fatbin_bytes(const void *fatbin)
{
    const unsigned char *header = fatbin;
    if (read_number(header, 4) != MAGIC) return 0;
    uint64_t begin = read_number(header + 6, 2), bytes = read_number(header + 8, 8);
    return begin < HEADER_BYTES || bytes > SIZE_MAX - begin ? 0 : (size_t)(begin + bytes);
}

static bool read_entry(const unsigned char *entry, size_t room, struct fatbin_image *out,
                       size_t *out_bytes)
{
    uint64_t header = read_number(entry + 4, 4), stored = read_number(entry + 8, 8);
    if (header < ENTRY_BYTES || header > room || stored > room - header) return false;
    uint64_t flags = read_number(entry + 40, 8), packed = read_number(entry + 16, 4);
    *out_bytes = (size_t)(header + stored);
    *out = (struct fatbin_image){
        .is_ptx = read_number(entry, 2) == KIND_PTX,
        .target = (unsigned)read_number(entry + 28, 4),
        .packing = flags & FLAG_ZSTD  ? FATBIN_ZSTD
                   : flags & FLAG_LZ4 ? FATBIN_LZ4
                                      : FATBIN_PLAIN,
        .bytes = entry + header,
        .stored = (size_t)stored,
        .size = (size_t)stored,
    };
    if (out->packing == FATBIN_PLAIN) return true;
    if (packed && packed < stored) out->stored = (size_t)packed; /* the rest is padding */
    out->size = (size_t)read_number(entry + 56, 8);
    return true;
}

size_t fatbin_list(const void *fatbin, size_t most, struct fatbin_image *out, size_t capacity)
{
    const unsigned char *bytes = fatbin;
    size_t count = 0, used;
    if (most < HEADER_BYTES) return 0;
    size_t size = fatbin_bytes(fatbin);
    if (size > most) size = most;
    for (size_t at = size ? (size_t)read_number(bytes + 6, 2) : 0;
         at < size && size - at >= ENTRY_BYTES; at += used) {
        struct fatbin_image image;
        if (!read_entry(bytes + at, size - at, &image, &used)) break;
        uint64_t kind = read_number(bytes + at, 2);
        if (kind != KIND_PTX && kind != KIND_ELF) continue;
        if (count < capacity) out[count] = image;
        count++;
    }
    return count;
}

static bool unpack_into(const struct fatbin_image *image, char *out)
{
    switch (image->packing) {
    case FATBIN_LZ4:
        return image->stored <= INT32_MAX && image->size <= INT32_MAX &&
               LZ4_decompress_safe((const char *)image->bytes, out, (int)image->stored,
                                   (int)image->size) == (int)image->size;
    case FATBIN_ZSTD:
        return ZSTD_decompress(out, image->size, image->bytes, image->stored) == image->size;
    default:
        memcpy(out, image->bytes, image->size);
        return true;
    }
}

char *fatbin_unpack(const struct fatbin_image *image)
{
    if (image->size > IMAGE_BYTES_MAX) return NULL;
    if (image->packing == FATBIN_LZ4 && image->size / 255 > image->stored) return NULL;
    char *out = malloc(image->size + 1);
    if (!out) return NULL;
    if (!unpack_into(image, out)) {
        free(out);
        return NULL;
    }
    out[image->size] = '\0';
    return out;
}

/* ---- register counts of machine code ---------------------------------------------------------- */

struct elf {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
};

static bool read_section(const struct elf *elf, unsigned index, Elf64_Shdr *out)
{
    uint64_t at = elf->header.e_shoff + (uint64_t)index * sizeof *out;
    if (index >= elf->header.e_shnum || at < elf->header.e_shoff || elf->size < sizeof *out ||
        at > elf->size - sizeof *out)
        return false;
    memcpy(out, elf->bytes + at, sizeof *out);
    if (out->sh_type == SHT_NOBITS) out->sh_offset = out->sh_size = 0; /* it has no bytes here */
    return out->sh_offset <= elf->size && out->sh_size <= elf->size - out->sh_offset;
}

static bool text_is(const struct elf *elf, const Elf64_Shdr *strings, uint64_t at, const char *text)
{
    size_t length = strlen(text) + 1;
    return at < strings->sh_size && length <= strings->sh_size - at &&
           !memcmp(elf->bytes + strings->sh_offset + at, text, length);
}

/* Index of a symbol in the symbol table, 0 if there is none. */
static uint32_t find_symbol(const struct elf *elf, const char *name)
{
    Elf64_Shdr table, strings;
    for (unsigned i = 0; read_section(elf, i, &table); i++) {
        if (table.sh_type != SHT_SYMTAB || !read_section(elf, table.sh_link, &strings)) continue;
        for (uint64_t k = 1; (k + 1) * sizeof(Elf64_Sym) <= table.sh_size; k++) {
            Elf64_Sym symbol;
            memcpy(&symbol, elf->bytes + table.sh_offset + k * sizeof symbol, sizeof symbol);
            if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                text_is(elf, &strings, symbol.st_name, name))
                return (uint32_t)k;
        }
    }
    return 0;
}

/* The section .nv.info is a list {u8 format, u8 attribute, u16 value or bytes}; attribute 0x2f has
 * {u32 symbol, u32 registers} behind it. */
static unsigned find_register_count(const struct elf *elf, const Elf64_Shdr *info, uint32_t symbol)
{
    enum { FORMAT_SIZED = 4, ATTRIBUTE_REGISTERS = 0x2f };
    const unsigned char *at = elf->bytes + info->sh_offset, *end = at + info->sh_size;
    while (end - at >= 4) {
        uint64_t bytes = at[0] == FORMAT_SIZED ? read_number(at + 2, 2) : 0;
        if ((uint64_t)(end - at) - 4 < bytes) break;
        if (at[0] == FORMAT_SIZED && at[1] == ATTRIBUTE_REGISTERS && bytes >= 8 &&
            read_number(at + 4, 4) == symbol)
            return (unsigned)read_number(at + 8, 4);
        at += 4 + bytes;
    }
    return 0;
}

unsigned fatbin_registers(const char *bytes, size_t size, const char *kernel)
{
    struct elf elf = {.bytes = (const unsigned char *)bytes, .size = size};
    if (size < sizeof elf.header || memcmp(bytes, ELFMAG, SELFMAG) != 0) return 0;
    memcpy(&elf.header, bytes, sizeof elf.header);
    Elf64_Shdr names, section;
    if (elf.header.e_shentsize != sizeof section ||
        !read_section(&elf, elf.header.e_shstrndx, &names))
        return 0;
    uint32_t symbol = find_symbol(&elf, kernel);
    for (unsigned i = 0; symbol && read_section(&elf, i, &section); i++)
        if (text_is(&elf, &names, section.sh_name, ".nv.info"))
            return find_register_count(&elf, &section, symbol);
    return 0;
}
