// SPDX-License-Identifier: Apache-2.0
#include "images.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As for images of fat binaries (fatbin.c). */
#define CUBIN_MOST (UINT64_C(256) << 20)

/* What the library reads (ws_module_load_memory), newest first. */
static const unsigned readable[] = {90, 89, 86, 80, 75};
enum { READABLE = sizeof readable / sizeof *readable };

/* ---- a cubin --------------------------------------------------------------------------------- */

/* Where the file ends, by its own headers; 0: larger than any. `most`: bytes that are there, SIZE_MAX: unknown. */
static size_t elf_bytes(const unsigned char *bytes, size_t most)
{
    Elf64_Ehdr header;
    if (most != SIZE_MAX) return most;
    memcpy(&header, bytes, sizeof header);
    uint64_t end = header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
    if (header.e_shoff > CUBIN_MOST || header.e_shentsize != sizeof(Elf64_Shdr)) return 0;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type == SHT_NOBITS) continue;
        if (section.sh_offset > CUBIN_MOST || section.sh_size > CUBIN_MOST) return 0;
        if (section.sh_offset + section.sh_size > end) end = section.sh_offset + section.sh_size;
    }
    return (size_t)end;
}

/* 75 for sm_75, by the version of the format: CUDA 11 and 12 have it elsewhere than 13. 0: unknown. */
static unsigned elf_target(const unsigned char *bytes)
{
    enum { ABI_CUDA_11 = 0x33, ABI_CUDA_13 = 0x41 };
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    return bytes[EI_OSABI] == ABI_CUDA_11   ? header.e_flags & 0xff
           : bytes[EI_OSABI] == ABI_CUDA_13 ? header.e_flags >> 8 & 0xff
                                            : 0;
}

static bool is_cubin(const unsigned char *bytes, size_t most)
{
    Elf64_Ehdr header;
    if (most < sizeof header || memcmp(bytes, ELFMAG, SELFMAG) != 0) return false;
    memcpy(&header, bytes, sizeof header);
    return bytes[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_CUDA;
}

static bool list_cubin(const unsigned char *bytes, size_t most, struct images *out)
{
    if (!is_cubin(bytes, most)) return false;
    size_t size = elf_bytes(bytes, most);
    out->count = size != 0;
    out->items[0] = (struct fatbin_image){
        .target = elf_target(bytes), .bytes = bytes, .stored = size, .size = size};
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

void images_list(const void *bytes, size_t most, struct images *out)
{
    if (list_cubin(bytes, most, out)) return;
    out->count = fatbin_list(bytes, most, out->items, IMAGES_MAX);
    if (out->count > IMAGES_MAX) out->count = IMAGES_MAX;
}

const struct fatbin_image *images_newest_ptx(const struct images *images, unsigned most)
{
    const struct fatbin_image *best = NULL;
    for (size_t i = 0; i < images->count; i++) {
        const struct fatbin_image *one = &images->items[i];
        if (one->is_ptx && one->target <= most && (!best || one->target > best->target)) best = one;
    }
    return best;
}

static bool is_readable(unsigned target)
{
    for (size_t i = 0; i < READABLE; i++)
        if (readable[i] == target) return true;
    return false;
}

const struct fatbin_image *images_machine_code(const struct images *images, unsigned target)
{
    const struct fatbin_image *best = NULL;
    for (size_t i = 0; i < images->count; i++) {
        const struct fatbin_image *one = &images->items[i];
        bool runs = !one->is_ptx && one->target <= target && one->target / 10 == target / 10 &&
                    is_readable(one->target);
        if (runs && (!best || one->target > best->target)) best = one;
    }
    return best;
}

unsigned images_compile_target(unsigned target)
{
    for (size_t i = 0; i < READABLE; i++)
        if (readable[i] <= target) return readable[i];
    return readable[READABLE - 1];
}

static bool is_told(const struct images *images, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (images->items[i].is_ptx == images->items[index].is_ptx &&
            images->items[i].target == images->items[index].target)
            return true;
    return false;
}

char *images_describe(const struct images *images)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    for (int is_ptx = 0; is_ptx < 2; is_ptx++) {
        const char *between = is_ptx ? "PTX of " : "machine code of ";
        for (size_t i = 0; i < images->count; i++) {
            if (images->items[i].is_ptx != is_ptx || is_told(images, i)) continue;
            if (between[0] != ',' && ftell(stream) > 0) fputs(", ", stream);
            fprintf(stream, "%ssm_%u", between, images->items[i].target);
            between = ", ";
        }
    }
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}
