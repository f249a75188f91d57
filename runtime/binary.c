// SPDX-License-Identifier: Apache-2.0
/* Modules out of fat binaries: PTX or machine code, parts linked, register counts of machine code.
 *
 * A .cu file compiled as usual has one fat binary. With -rdc=true each has a fat binary of relocatable
 * code; nvlink makes machine code of them, but the program keeps theirs, too, and registers all of them
 * with it. Their PTX, one text after the other, is decoded here, or nvlink's machine code is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images.h"
#include "runtime.h"

enum { PARTS_MAX = 4096 };

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
    const struct fatbin_image *image = images_newest_ptx(part, top);
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
            const struct fatbin_image *image = images_newest_ptx(&parts[i], most);
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

static cudaError_t load_machine_code(struct binary *binary, const struct fatbin_image *image)
{
    char name[64];
    char *bytes = fatbin_unpack(image);
    if (!bytes) {
        tell("cannot unpack the machine code for sm_%u in the program: corrupt file, or a "
             "compression newer than that of nvcc 13",
             image->target);
        return cudaErrorInvalidKernelImage;
    }
    snprintf(name, sizeof name, "machine code for sm_%u", image->target);
    ws_status status =
        ws_module_load_memory(runtime.context, name, bytes, image->size, &binary->module);
    free(bytes);
    if (status == WS_OK)
        note("The program's machine code for sm_%u was executed%s.", image->target,
             runtime.options.isa == ISA_NATIVE ? " (--isa native)" : ": it contains no PTX");
    cudaError_t error = fail(status);
    return status == WS_ERR_INPUT ? cudaErrorInvalidKernelImage : error;
}

/* Of the PTX that was decoded. */
static cudaError_t compile(struct binary *binary)
{
    unsigned target = images_compile_target(ws_machine_target(runtime.machine));
    ws_module *ptx = binary->module;
    binary->module = NULL;
    ws_status status = ws_module_compile(ptx, target, &binary->module);
    ws_module_destroy(ptx);
    if (status == WS_OK) {
        note("Native code that ptxas made of the program's PTX for sm_%u was executed "
             "(--isa native).",
             target);
        return cudaSuccess;
    }
    cudaError_t error = fail(status);
    tell("--isa native: the program contains no machine code for sm_%u, and its PTX cannot be "
         "compiled for sm_%u: use --isa auto, or add code=sm_%u to nvcc's -gencode options",
         ws_machine_target(runtime.machine), target, target);
    return status == WS_ERR_COMPARE ? cudaErrorNoKernelImageForDevice : error;
}

/* ---- which of them --------------------------------------------------------------------------- */

/* Without nvlink's machine code: what the objects have. */
static const struct images *first_images(const struct images *whole, const struct images *parts,
                                         size_t count)
{
    for (size_t i = 0; i < count && !whole->count; i++)
        whole = &parts[i];
    return whole;
}

static void tell_no_image(const struct binary *binary, const struct images *images)
{
    char *contents = images_describe(images);
    unsigned target = 0;
    for (size_t i = 0; i < images->count; i++)
        if (images->items[i].target > target) target = images->items[i].target;
    const char *what = contents ? contents : "other code";
    if (runtime.options.isa == ISA_PTX)
        tell("--isa ptx: the program contains %s and no PTX: use --isa auto, or compile %s with "
             "-gencode arch=compute_%u,code=compute_%u",
             what, binary->parts ? "all its .cu files" : "it", target, target);
    else
        tell("the program contains %s, which %s (sm_%u) cannot execute here: warpsage executes "
             "PTX, or machine code of sm_75, 80, 86, 89 and 90 on a GPU of its generation. Choose "
             "a GPU that the code is for (--gpu; warpsage machines), or compile %s with PTX: "
             "-gencode arch=compute_%u,code=compute_%u%s",
             what, ws_machine_id(runtime.machine), ws_machine_target(runtime.machine),
             binary->parts ? "all its .cu files" : "it", target, target,
             binary->parts ? ", and relink" : "");
    free(contents);
}

/* Each part that has anything has PTX. */
static bool has_ptx(const struct images *parts, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        bool has = images_newest_ptx(&parts[i], UINT32_MAX) != NULL;
        if (parts[i].count && !has) return false;
        found |= has;
    }
    return found;
}

static cudaError_t load_images(struct binary *binary, const struct images *whole,
                               const struct images *parts, size_t count)
{
    enum isa isa = runtime.options.isa;
    const struct fatbin_image *code =
        isa == ISA_PTX ? NULL : images_machine_code(whole, ws_machine_target(runtime.machine));
    bool is_ptx = has_ptx(parts, count);
    if (is_ptx && (isa != ISA_NATIVE || !code)) {
        cudaError_t error = decode(binary, parts, count);
        if (!error && isa == ISA_NATIVE) return compile(binary);
        if (!error) take_registers(binary, whole);
        if (!error || !code) return error;
    }
    if (code) return load_machine_code(binary, code);
    tell_no_image(binary, first_images(whole, parts, count));
    return cudaErrorNoKernelImageForDevice;
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
    images_list(binary->image, binary->image_bytes, &whole);
    if (!whole.count && !part_count) {
        tell("an image with GPU code of the program is empty or corrupt");
        free(parts);
        return cudaErrorInvalidKernelImage;
    }
    if (!parts) return cudaErrorMemoryAllocation;
    parts[0] = whole;
    for (size_t i = 0; i < part_count; i++)
        images_list(binary->parts[i], SIZE_MAX, &parts[i]);
    cudaError_t error = load_images(binary, &whole, parts, count);
    free(parts);
    return error;
}

static cudaError_t load_text(struct binary *binary)
{
    const char *text = binary->text;
    cudaError_t error =
        fail(ws_module_load_memory(runtime.context, "PTX", text, strlen(text), &binary->module));
    return error || runtime.options.isa != ISA_NATIVE ? error : compile(binary);
}

void binary_load(struct binary *binary)
{
    if (binary->loaded) return;
    binary->loaded = true;
    binary->failure = binary->text ? load_text(binary) : load_fatbin(binary);
}

/* ---- images that a program gives --------------------------------------------------------------- */

cudaError_t binary_create(const void *image, size_t bytes, struct binary **out)
{
    static const char elf[] = "\x7f"
                              "ELF",
                      wrapped[] = "\xb1\x43\x62\x46", plain[] = "\x50\xed\x55\xba";
    struct binary made = {.image_bytes = bytes};
    if (!image) return cudaErrorInvalidValue;
    if (!strncmp(image, wrapped, 4)) {
        if (bytes != SIZE_MAX) return cudaErrorInvalidKernelImage; /* pointers of another process */
        made.image = ((const struct fatbin_wrapper *)image)->data;
    } else if (!strncmp(image, plain, 4) || !strncmp(image, elf, 4)) {
        made.image = image;
    } else {
        made.text = image;
    }
    *out = handle_create(HANDLE_MODULE, sizeof **out);
    if (!*out) return cudaErrorMemoryAllocation;
    **out = made;
    return cudaSuccess;
}
