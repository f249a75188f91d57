// SPDX-License-Identifier: Apache-2.0
/* Modules out of fat binaries: which PTX is taken, parts linked, register counts of machine code.
 *
 * A .cu file compiled as usual has one fat binary. With -rdc=true each has a fat binary of relocatable
 * code; nvlink makes machine code of them, but the program keeps theirs, too, and registers all of them
 * with it. Their PTX, one text after the other, is what is decoded here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"
#include "runtime.h"

enum { IMAGES_MAX = 64, PARTS_MAX = 4096 };

struct images {
    struct fatbin_image items[IMAGES_MAX];
    size_t count;
};

static void list_images(const void *fatbin, size_t most, struct images *out)
{
    out->count = fatbin_list(fatbin, most, out->items, IMAGES_MAX);
    if (out->count > IMAGES_MAX) out->count = IMAGES_MAX;
}

/* PTX for the newest target up to `most`; NULL: none. */
static const struct fatbin_image *newest_ptx(const struct images *images, unsigned most)
{
    const struct fatbin_image *best = NULL;
    for (size_t i = 0; i < images->count; i++) {
        const struct fatbin_image *one = &images->items[i];
        if (one->is_ptx && one->target <= most && (!best || one->target > best->target)) best = one;
    }
    return best;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* NVIDIA's libcudadevrt, which serves launches by kernels: those are not executed, whether their
 * functions are defined or not, and it is large. */
static bool is_device_runtime(const char *text)
{
    return strstr(text, "cnpGetDeviceCount") != NULL;
}

/* What is decoded: PTX of all parts for targets up to `top`, each newest. */
struct text {
    FILE *stream;
    char *bytes;
    size_t size;
};

static cudaError_t add_part(struct text *text, const struct images *part, unsigned top,
                            bool may_leave_out)
{
    const struct fatbin_image *image = newest_ptx(part, top);
    if (!image) return cudaErrorNoKernelImageForDevice;
    char *ptx = fatbin_unpack(image);
    if (!ptx) {
        tell("cannot unpack the PTX for sm_%u in the program: corrupt file, or a compression newer "
             "than that of nvcc 13",
             image->target);
        return cudaErrorInvalidKernelImage;
    }
    if (!may_leave_out || !is_device_runtime(ptx)) fprintf(text->stream, "%s\n", ptx);
    free(ptx);
    return cudaSuccess;
}

static cudaError_t decode_text(struct binary *binary, const char *name, const char *text,
                               size_t bytes)
{
    return fail(ws_module_load_memory(runtime.context, name, text, bytes, &binary->module));
}

static cudaError_t decode_parts(struct binary *binary, const struct images *parts, size_t count,
                                unsigned top)
{
    struct text text = {0};
    char name[64];
    cudaError_t error = cudaSuccess;
    text.stream = open_memstream(&text.bytes, &text.size);
    if (!text.stream) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < count && !error; i++)
        error = add_part(&text, &parts[i], top, count > 1);
    if (fclose(text.stream) && !error) error = cudaErrorMemoryAllocation;
    snprintf(name, sizeof name, count > 1 ? "linked PTX" : "PTX for sm_%u", top);
    if (!error)
        error = fail(
            ws_module_load_memory(runtime.context, name, text.bytes, text.size, &binary->module));
    free(text.bytes);
    return error;
}

/* Newest first: the text for the highest target that can be decoded is taken. */
static cudaError_t decode(struct binary *binary, const struct images *parts, size_t count)
{
    cudaError_t error = cudaErrorNoKernelImageForDevice;
    for (unsigned most = UINT32_MAX; most;) {
        unsigned top = 0;
        for (size_t i = 0; i < count; i++) {
            const struct fatbin_image *image = newest_ptx(&parts[i], most);
            if (image && image->target > top) top = image->target;
        }
        if (!top) break;
        error = decode_parts(binary, parts, count, top);
        if (!error) break;
        most = top - 1;
    }
    return error;
}

/* ---- machine code ---------------------------------------------------------------------------- */

static void tell_no_ptx(const struct binary *binary, const struct images *images)
{
    unsigned target = 0;
    for (size_t i = 0; i < images->count; i++)
        if (images->items[i].target > target) target = images->items[i].target;
    tell("the program embeds machine code for sm_%u but no PTX, which warpsage executes: compile "
         "%s with -arch=sm_%u, or add -gencode arch=compute_%u,code=compute_%u to nvcc's "
         "options%s",
         target, binary->parts ? "all its .cu files" : "it", target, target, target,
         binary->parts ? ", and relink" : "");
}

/* Register counts of the machine code that lies beside the PTX. */
static void take_registers(struct binary *binary, const struct images *images)
{
    size_t kernels = ws_module_kernel_count(binary->module);
    binary->registers = calloc(kernels + 1, sizeof *binary->registers);
    for (size_t i = 0; i < images->count && binary->registers; i++) {
        const struct fatbin_image *image = &images->items[i];
        size_t at = binary->target_count;
        if (image->is_ptx || at == sizeof binary->targets / sizeof *binary->targets) continue;
        char *elf = fatbin_unpack(image);
        binary->targets[binary->target_count++] = image->target;
        for (size_t k = 0; elf && k < kernels; k++) {
            unsigned registers =
                fatbin_registers(elf, image->size, ws_module_kernel_name(binary->module, k));
            binary->registers[k][at] = registers;
            if (registers) ws_module_set_registers(binary->module, k, image->target, registers);
        }
        free(elf);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static size_t count_parts(const struct binary *binary)
{
    size_t count = 0;
    while (binary->parts && binary->parts[count] && count < PARTS_MAX)
        count++;
    return count;
}

static cudaError_t load_fatbin(struct binary *binary)
{
    size_t part_count = count_parts(binary), count = part_count ? part_count : 1;
    struct images *parts = calloc(count, sizeof *parts), whole = {.count = 0};
    list_images(binary->image, binary->image_bytes, &whole);
    if (!whole.count && !part_count) {
        tell("a fat binary of the program is empty or corrupt");
        free(parts);
        return cudaErrorInvalidKernelImage;
    }
    if (!parts) return cudaErrorMemoryAllocation;
    parts[0] = whole;
    for (size_t i = 0; i < part_count; i++)
        list_images(binary->parts[i], SIZE_MAX, &parts[i]);
    bool lacks = false;
    for (size_t i = 0; i < count && !lacks; i++) {
        lacks = parts[i].count && !newest_ptx(&parts[i], UINT32_MAX);
        if (lacks) tell_no_ptx(binary, &parts[i]);
    }
    cudaError_t error = decode(binary, parts, count);
    if (!error) take_registers(binary, &whole);
    free(parts);
    return error;
}

void binary_load(struct binary *binary)
{
    if (binary->loaded) return;
    binary->loaded = true;
    binary->failure = binary->text ? decode_text(binary, "PTX", binary->text, strlen(binary->text))
                                   : load_fatbin(binary);
}

/* ---- images that a program gives --------------------------------------------------------------- */

static cudaError_t refuse_machine_code(void)
{
    tell("the program loads a module of machine code (a cubin), but warpsage executes PTX: build "
         "it with nvcc -ptx or -fatbin and a -gencode arch=...,code=compute_...");
    return cudaErrorNoKernelImageForDevice;
}

cudaError_t binary_create(const void *image, size_t bytes, struct binary **out)
{
    static const char elf[] = "\x7f"
                              "ELF",
                      wrapped[] = "\xb1\x43\x62\x46", plain[] = "\x50\xed\x55\xba";
    struct binary made = {.image_bytes = bytes};
    if (!image) return cudaErrorInvalidValue;
    if (!strncmp(image, elf, 4)) return refuse_machine_code();
    if (!strncmp(image, wrapped, 4)) {
        if (bytes != SIZE_MAX) return cudaErrorInvalidKernelImage; /* pointers of another process */
        made.image = ((const struct fatbin_wrapper *)image)->data;
    } else if (!strncmp(image, plain, 4)) {
        made.image = image;
    } else {
        made.text = image;
    }
    *out = handle_create(HANDLE_MODULE, sizeof **out);
    if (!*out) return cudaErrorMemoryAllocation;
    **out = made;
    return cudaSuccess;
}
