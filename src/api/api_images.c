// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "api/handles.h"
#include "base/arena.h"
#include "decode/native/cubin.h"
#include "decode/native/fat_binary.h"

struct ws_images {
    ws_context *context;
    struct arena arena;
    struct fat_file file;
};

ws_status ws_images_read(ws_context *context, const char *name, const void *bytes, size_t size,
                         ws_images **out)
{
    API_CALL_OUT(context, out)
    ws_images *images = mem_zalloc(1, sizeof *images);
    images->context = context;
    const char *path = arena_copy(&images->arena, name);
    const size_t extent = size == SIZE_MAX ? fat_file_extent(bytes) : size;
    if (!extent && size) {
        ws_images_destroy(images);
        return diag_error(&context->diag, WS_ERR_INPUT,
                          "%s: error: neither a cubin nor a fat binary, or a damaged one", name);
    }
    ws_status status =
        fat_file_read(&context->diag, &images->arena, path, bytes, extent, &images->file);
    if (status == WS_OK)
        *out = images;
    else
        ws_images_destroy(images);
    return status;
}

void ws_images_destroy(ws_images *images)
{
    if (!images) return;
    arena_clear(&images->arena);
    mem_free(images);
}

size_t ws_images_count(const ws_images *images)
{
    return images->file.count;
}

static bool is_readable(const struct fat_image *image)
{
    return image->is_ptx || cubin_reads_target(image->target);
}

static ws_status check_index(const ws_images *images, size_t index)
{
    if (index < images->file.count) return WS_OK;
    return diag_error(&images->context->diag, WS_ERR_ARGUMENT,
                      "image index %zu is out of range: %s has %zu images", index,
                      images->file.path, images->file.count);
}

ws_status ws_images_get(const ws_images *images, size_t index, ws_image *out)
{
    API_CALL(images->context)
    TRY(handle_check_size(&images->context->diag, "ws_image", out->size, sizeof *out));
    TRY(check_index(images, index));
    const struct fat_image *image = &images->file.images[index];
    *out = (ws_image){.size = out->size,
                      .is_ptx = image->is_ptx,
                      .is_readable = is_readable(image),
                      .target = image->target,
                      .group = image->binary};
    return WS_OK;
}

ws_status ws_images_unpack(const ws_images *images, size_t index, void **out, size_t *out_size)
{
    API_CALL_OUT(images->context, out)
    const struct fat_image *image = &images->file.images[index];
    TRY(check_index(images, index));
    TRY(fat_image_unpack(&images->context->diag, &images->file, image, out));
    *out_size = image->size;
    return WS_OK;
}

/* Of those that fit, the newest; the first among equals. */
static bool find(const ws_images *images, bool is_ptx, unsigned most, size_t *out_index)
{
    const struct fat_image *best = NULL;
    for (size_t i = 0; i < images->file.count; i++) {
        const struct fat_image *one = &images->file.images[i];
        bool fits = one->is_ptx == is_ptx && one->target <= most && is_readable(one) &&
                    (is_ptx || one->target / 10 == most / 10);
        if (fits && (!best || one->target > best->target)) best = one;
    }
    if (best) *out_index = (size_t)(best - images->file.images);
    return best != NULL;
}

bool ws_images_find_ptx(const ws_images *images, unsigned most, size_t *out_index)
{
    return find(images, true, most, out_index);
}

bool ws_images_find_code(const ws_images *images, unsigned gpu, size_t *out_index)
{
    return find(images, false, gpu, out_index);
}

char *ws_images_describe(const ws_images *images)
{
    API_CALL_OR(return NULL)
    struct strbuf text = {0};
    fat_file_describe(&images->file, &text);
    return strbuf_take(&text);
}

/* Looks from `near` on; the number of kernels: there is none of that name. */
static size_t find_kernel(const ws_module *module, const char *name, size_t near)
{
    for (size_t i = 0; i < module->entry_count; i++) {
        size_t kernel = (near + i) % module->entry_count;
        if (!strcmp(module->module->functions[module->entries[kernel]].name, name)) return kernel;
    }
    return module->entry_count;
}

ws_status ws_images_registers(const ws_images *images, size_t index, const ws_module *module,
                              unsigned *registers)
{
    API_CALL(images->context)
    void *bytes;
    struct cubin *cubin;
    memset(registers, 0, module->entry_count * sizeof *registers);
    TRY(check_index(images, index));
    const struct fat_image *image = &images->file.images[index];
    TRY(fat_image_unpack(&images->context->diag, &images->file, image, &bytes));
    ws_status status =
        cubin_read_outline(&images->context->diag, images->file.path, bytes, image->size, &cubin);
    mem_free(bytes);
    size_t near = 0; /* most have the same order */
    for (uint32_t i = 0; status == WS_OK && i < cubin->entry_count; i++) {
        size_t kernel = find_kernel(module, cubin->functions[i].name, near);
        if (kernel == module->entry_count) continue;
        registers[kernel] = cubin->functions[i].registers;
        near = kernel + 1;
    }
    cubin_destroy(cubin);
    return status;
}

unsigned ws_native_target(unsigned gpu)
{
    return cubin_target_for(gpu);
}

ws_status ws_link(ws_context *context, unsigned target, const ws_link_input *inputs, size_t count,
                  void **out, size_t *out_size)
{
    API_CALL_OUT(context, out)
    struct link_input *list = mem_zalloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (struct link_input){inputs[i].bytes, inputs[i].size};
    ws_status status =
        native_link(&context->diag, context->tool_path, target, list, count, out, out_size);
    mem_free(list);
    return status;
}
