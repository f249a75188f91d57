// SPDX-License-Identifier: Apache-2.0
/* Modules out of fat binaries: PTX or machine code, parts linked, register counts of machine code.
 *
 * A .cu file compiled as usual has one fat binary. With -rdc=true each has a fat binary of relocatable
 * code; nvlink makes machine code of them, but the program keeps theirs, too, and registers all of them
 * with it. Their PTX, one text after the other, is decoded here, or nvlink's machine code is. */
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What is wrong with an image is told. */
static cudaError_t image_error(ws_status status)
{
    cudaError_t error = fail(status);
    return status == WS_ERR_INPUT ? cudaErrorInvalidKernelImage : error;
}

static unsigned target_of(const ws_images *images, size_t index)
{
    ws_image image = {.size = sizeof image};
    return ws_images_get(images, index, &image) == WS_OK ? image.target : 0;
}

static cudaError_t add_part(struct text *text, const ws_images *part, unsigned top,
                            bool may_leave_out)
{
    size_t index, size;
    void *ptx;
    if (!ws_images_find_ptx(part, top, &index)) return cudaErrorNoKernelImageForDevice;
    ws_status status = ws_images_unpack(part, index, &ptx, &size);
    if (status != WS_OK) return image_error(status);
    if (!may_leave_out || !is_device_runtime(ptx)) fprintf(text->stream, "%s\n", (char *)ptx);
    ws_free(ptx);
    return cudaSuccess;
}

static cudaError_t decode_parts(struct binary *binary, ws_images *const *parts, size_t count,
                                unsigned top)
{
    struct text text = {0};
    char name[64];
    cudaError_t error = cudaSuccess;
    text.stream = open_memstream(&text.bytes, &text.size);
    if (!text.stream) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < count && !error; i++)
        error = add_part(&text, parts[i], top, count > 1);
    if (fclose(text.stream) && !error) error = cudaErrorMemoryAllocation;
    snprintf(name, sizeof name, count > 1 ? "linked PTX" : "PTX for sm_%u", top);
    if (!error)
        error = fail(
            ws_module_load_memory(runtime.context, name, text.bytes, text.size, &binary->module));
    free(text.bytes);
    return error;
}

/* Newest first: the text for the highest target that can be decoded is taken. */
static cudaError_t decode(struct binary *binary, ws_images *const *parts, size_t count)
{
    cudaError_t error = cudaErrorNoKernelImageForDevice;
    for (unsigned most = UINT32_MAX; most;) {
        unsigned top = 0;
        for (size_t i = 0; i < count; i++) {
            size_t index;
            unsigned target =
                ws_images_find_ptx(parts[i], most, &index) ? target_of(parts[i], index) : 0;
            if (target > top) top = target;
        }
        if (!top) break;
        error = decode_parts(binary, parts, count, top);
        if (!error) break;
        most = top - 1;
    }
    return error;
}

/* ---- machine code ---------------------------------------------------------------------------- */

/* Register counts of the machine code that lies beside the PTX; what cannot be read tells none. */
static void take_registers(struct binary *binary, const ws_images *images)
{
    enum { TARGETS = sizeof binary->targets / sizeof *binary->targets };
    size_t kernels = ws_module_kernel_count(binary->module);
    unsigned *found = calloc(kernels + 1, sizeof *found);
    binary->registers = calloc(kernels + 1, sizeof *binary->registers);
    for (size_t i = 0; found && binary->registers && i < ws_images_count(images); i++) {
        ws_image image = {.size = sizeof image};
        size_t at = binary->target_count;
        if (ws_images_get(images, i, &image) != WS_OK || image.is_ptx || at == TARGETS ||
            ws_images_registers(images, i, binary->module, found) != WS_OK)
            continue;
        binary->targets[binary->target_count++] = image.target;
        for (size_t k = 0; k < kernels; k++) {
            binary->registers[k][at] = found[k];
            if (found[k]) ws_module_set_registers(binary->module, k, image.target, found[k]);
        }
    }
    free(found);
}

static cudaError_t load_machine_code(struct binary *binary, const ws_images *images, size_t index)
{
    char name[64];
    void *bytes;
    size_t size;
    unsigned target = target_of(images, index);
    ws_status status = ws_images_unpack(images, index, &bytes, &size);
    if (status != WS_OK) return image_error(status);
    snprintf(name, sizeof name, "machine code for sm_%u", target);
    status = ws_module_load_memory(runtime.context, name, bytes, size, &binary->module);
    ws_free(bytes);
    if (status == WS_OK)
        note("The program's machine code for sm_%u was executed%s.", target,
             runtime.options.isa == ISA_NATIVE ? " (--isa native)" : ": it contains no PTX");
    return image_error(status);
}

/* Of the PTX that was decoded. */
static cudaError_t compile(struct binary *binary)
{
    unsigned target = ws_native_target(ws_machine_target(runtime.machine));
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
static const ws_images *first_images(const ws_images *whole, ws_images *const *parts, size_t count)
{
    for (size_t i = 0; i < count && !ws_images_count(whole); i++)
        whole = parts[i];
    return whole;
}

static bool is_cubin(const void *image)
{
    return !memcmp(image, ELFMAG, SELFMAG);
}

/* What makes PTX of the program's source. A cubin that the program loads by itself has not been compiled by nvcc. */
static void advise_ptx(const struct binary *binary, unsigned target, char *out, size_t room)
{
    if (!target)
        snprintf(out, room, "with nvcc 11 or newer");
    else if (is_cubin(binary->image))
        snprintf(out, room,
                 "to PTX: with NVRTC by --gpu-architecture=compute_%u and nvrtcGetPTX instead of "
                 "nvrtcGetCUBIN, with nvcc by -ptx",
                 target);
    else
        snprintf(out, room, "with PTX: -gencode arch=compute_%u,code=compute_%u%s", target, target,
                 binary->parts ? ", and relink" : "");
}

static void tell_no_image(const struct binary *binary, const ws_images *images)
{
    char *contents = ws_images_describe(images), compile[160];
    unsigned target = 0;
    for (size_t i = 0; i < ws_images_count(images); i++)
        if (target_of(images, i) > target) target = target_of(images, i);
    const char *what = contents ? contents : "other code";
    const char *whole = binary->parts ? "all its .cu files" : "it";
    advise_ptx(binary, target, compile, sizeof compile);
    if (runtime.options.isa == ISA_PTX)
        tell("--isa ptx: the program contains %s and no PTX: use --isa auto, or compile %s %s",
             what, whole, compile);
    else
        tell("the program contains %s, which %s (sm_%u) cannot execute here: warpsage executes "
             "PTX, or machine code of sm_75, 80, 86, 89 and 90 on a GPU of its generation. Choose "
             "a GPU that the code is for (--gpu; warpsage machines), or compile %s %s",
             what, ws_machine_id(runtime.machine), ws_machine_target(runtime.machine), whole,
             compile);
    ws_free(contents);
}

/* Each part that has anything has PTX. */
static bool has_ptx(ws_images *const *parts, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        size_t index;
        bool has = ws_images_find_ptx(parts[i], UINT_MAX, &index);
        if (ws_images_count(parts[i]) && !has) return false;
        found |= has;
    }
    return found;
}

static cudaError_t load_images(struct binary *binary, const ws_images *whole,
                               ws_images *const *parts, size_t count)
{
    enum isa isa = runtime.options.isa;
    size_t code;
    bool has_code =
        isa != ISA_PTX && ws_images_find_code(whole, ws_machine_target(runtime.machine), &code);
    bool is_ptx = has_ptx(parts, count);
    if (is_ptx && (isa != ISA_NATIVE || !has_code)) {
        cudaError_t error = decode(binary, parts, count);
        if (!error && isa == ISA_NATIVE) return compile(binary);
        if (!error) take_registers(binary, whole);
        if (!error || !has_code) return error;
    }
    if (has_code) return load_machine_code(binary, whole, code);
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

static cudaError_t read_images(const void *bytes, size_t size, ws_images **out)
{
    return image_error(ws_images_read(runtime.context, "an image with GPU code", bytes, size, out));
}

static cudaError_t tell_empty(const ws_images *images)
{
    char *contents = ws_images_describe(images);
    if (contents && *contents)
        tell("an image with GPU code of the program contains %s only: link it (nvcc -dlto), or "
             "compile it to PTX (code=compute_XX instead of code=lto_XX)",
             contents);
    else
        tell("an image with GPU code of the program is empty");
    ws_free(contents);
    return cudaErrorInvalidKernelImage;
}

/* Those of nvlink's output, or of the one fat binary, first; then those of the parts. */
static cudaError_t load_fatbin(struct binary *binary)
{
    size_t count = count_parts(binary);
    ws_images **all = calloc(count + 1, sizeof *all);
    if (!all) return cudaErrorMemoryAllocation;
    cudaError_t error = read_images(binary->image, binary->image_bytes, &all[0]);
    for (size_t i = 0; i < count && !error; i++)
        error = read_images(binary->parts[i], SIZE_MAX, &all[i + 1]);
    if (!error && !count && !ws_images_count(all[0])) error = tell_empty(all[0]);
    if (!error) error = load_images(binary, all[0], count ? all + 1 : all, count ? count : 1);
    for (size_t i = 0; i <= count; i++)
        ws_images_destroy(all[i]);
    free(all);
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
    static const char wrapped[] = "\xb1\x43\x62\x46", plain[] = "\x50\xed\x55\xba";
    struct binary made = {.image_bytes = bytes};
    if (!image) return cudaErrorInvalidValue;
    if (!strncmp(image, wrapped, 4)) {
        if (bytes != SIZE_MAX) return cudaErrorInvalidKernelImage; /* pointers of another process */
        made.image = ((const struct fatbin_wrapper *)image)->data;
    } else if (!strncmp(image, plain, 4) || !strncmp(image, ELFMAG, SELFMAG)) {
        made.image = image;
    } else {
        made.text = image;
    }
    *out = handle_create(HANDLE_MODULE, sizeof **out);
    if (!*out) return cudaErrorMemoryAllocation;
    **out = made;
    return cudaSuccess;
}
