// SPDX-License-Identifier: Apache-2.0
/* A file with machine code from anywhere: a cubin, or what holds some. What is read has its indices and offsets
 * inside, and can be listed. */
#include <assert.h>
#include <string.h>

#include "decode/native/cubin.h"
#include "decode/native/fat_binary.h"
#include "decode/native/listing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_function(const struct cubin *cubin, const struct cubin_function *function)
{
    const struct cubin_section *section = &cubin->sections[function->section];
    assert(section->kind == CUBIN_CODE && function->offset + function->size <= section->size);
    assert(function->entry < (int32_t)cubin->entry_count);
    for (uint32_t i = 0; i < function->branch_count; i++)
        assert(function->branches[i].first + function->branches[i].count <=
               function->branch_target_count);
}

static void check(const struct cubin *cubin)
{
    uint32_t relocations = 0;
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        const struct cubin_section *section = &cubin->sections[i];
        assert(section->owner < (int32_t)cubin->function_count);
        relocations += section->relocation_count;
    }
    assert(relocations == cubin->relocation_count);
    for (uint32_t i = 0; i < cubin->relocation_count; i++)
        assert(cubin->relocations[i].symbol < cubin->symbol_count);
    for (uint32_t i = 0; i < cubin->line_count; i++)
        assert(!cubin->lines[i].line || cubin->lines[i].file < cubin->file_count);
    for (uint32_t i = 0; i < cubin->function_count; i++)
        check_function(cubin, &cubin->functions[i]);
}

static void list(const struct cubin *cubin)
{
    struct listing listing;
    listing_create(cubin, NULL, &listing);
    for (uint32_t i = 0; i < listing.count; i++) {
        struct arena arena = {0};
        size_t count;
        const struct listing_row *rows = listing_read(&listing, &arena, i, &count);
        for (size_t k = 0; k < count; k++)
            assert(rows[k].text[0]);
        arena_clear(&arena);
    }
    listing_clear(&listing);
}

/* What is told of architectures whose code is not read. */
static void read_outline(const uint8_t *bytes, size_t size)
{
    struct diag diag = {0};
    struct cubin *cubin;
    if (cubin_read_outline(&diag, "x", bytes, size, &cubin) == WS_OK)
        for (uint32_t i = 0; i < cubin->entry_count; i++)
            assert(cubin->functions[i].registers && cubin->functions[i].name);
    cubin_destroy(cubin);
    diag_clear(&diag);
}

static void read_image(const uint8_t *bytes, size_t size)
{
    struct diag diag = {0};
    struct cubin *cubin;
    if (cubin_read(&diag, "x", bytes, size, &cubin) == WS_OK) {
        check(cubin);
        list(cubin);
    } else {
        assert(!cubin && *diag_text(&diag));
    }
    cubin_destroy(cubin);
    diag_clear(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { IMAGES = 8, IMAGE_BYTES = 1 << 20 };
    struct diag diag = {0};
    struct arena arena = {0};
    struct fat_file file;
    ws_status status = fat_file_read(&diag, &arena, "x", data, size, &file);
    for (size_t i = 0; status == WS_OK && i < file.count && i < IMAGES; i++) {
        const struct fat_image *image = &file.images[i];
        void *bytes;
        assert(image->bytes >= data && image->stored <= (size_t)(data + size - image->bytes));
        if (image->size > IMAGE_BYTES) continue;
        assert(image->packing != FAT_PLAIN || image->size == image->stored);
        if (fat_image_unpack(&diag, &file, image, &bytes) != WS_OK) continue;
        assert(((const char *)bytes)[image->size] == '\0');
        if (!image->is_ptx) {
            read_image(bytes, image->size);
            read_outline(bytes, image->size);
        }
        mem_free(bytes);
    }
    arena_clear(&arena);
    diag_clear(&diag);
    return 0;
}
