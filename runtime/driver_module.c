// SPDX-License-Identifier: Apache-2.0
/* Modules that the program loads itself, their functions and variables; what it links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "virtual_time.h"

/* ---- what the options of a load say ------------------------------------------------------------- */

/* Pairs of option and value; those that only steer a compiler are read past. */
struct jit_options {
    unsigned count;
    const int *keys;
    void **values;
};
enum { WALL_TIME = 2, INFO_BUFFER = 3, INFO_BYTES = 4, ERROR_BUFFER = 5, ERROR_BYTES = 6 };

#define NO_OPTIONS ((struct jit_options){0, NULL, NULL})
#define OPTIONS(count, keys, values) ((struct jit_options){count, keys, values})

static void *option(const struct jit_options *options, int key)
{
    for (unsigned i = 0; options->keys && i < options->count; i++)
        if (options->keys[i] == key) return options->values[i];
    return NULL;
}

/* The value of a number takes the place of the pointer. */
static void answer(const struct jit_options *options, int key, const void *value, size_t bytes)
{
    for (unsigned i = 0; options->keys && i < options->count; i++)
        if (options->keys[i] == key) memcpy(&options->values[i], value, bytes);
}

/* Into the program's buffers for messages; what was begun at `begun` took so many milliseconds. */
static void report(const struct jit_options *options, cudaError_t error, double begun)
{
    const float milliseconds = (float)((host_now() - begun) * 1e3);
    char *info = option(options, INFO_BUFFER), *errors = option(options, ERROR_BUFFER);
    size_t room = (size_t)(uintptr_t)option(options, ERROR_BYTES);
    if (info && option(options, INFO_BYTES)) *info = '\0';
    if (errors && room)
        snprintf(errors, room, "%s", error ? ws_context_error(runtime.context) : "");
    answer(options, WALL_TIME, &milliseconds, sizeof milliseconds);
}

/* ---- modules --------------------------------------------------------------------------------- */

static cudaError_t load(struct binary **out, const void *image, size_t bytes,
                        struct jit_options options)
{
    struct binary *binary;
    cudaError_t error = out ? binary_create(image, bytes, &binary) : cudaErrorInvalidValue;
    if (error) return error;
    api_lock();
    double begun = host_now();
    binary_load(binary);
    error = binary->failure;
    report(&options, error, begun);
    binary->next = runtime.binaries;
    runtime.binaries = binary;
    api_unlock();
    *out = binary;
    return error;
}

/* All of it, and a zero behind. */
static cudaError_t read_file(const char *path, char **out, size_t *out_size)
{
    FILE *file = path ? fopen(path, "rbe") : NULL;
    *out = NULL;
    if (!file) return cudaErrorFileNotFound;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    if (size >= 0) *out = calloc((size_t)size + 1, 1);
    *out_size = *out ? fread(*out, 1, (size_t)size, file) : 0;
    fclose(file);
    if (!*out) return cudaErrorMemoryAllocation;
    if (*out_size) return cudaSuccess;
    tell("%s: the file is empty or cannot be read", path);
    return cudaErrorInvalidKernelImage;
}

static cudaError_t load_file(struct binary **out, const char *path)
{
    char *bytes;
    size_t size;
    cudaError_t error = read_file(path, &bytes, &size);
    if (!error) error = load(out, bytes, size, NO_OPTIONS);
    free(bytes);
    return error;
}

static cudaError_t check(const struct binary *binary)
{
    bool lives = handle_is(HANDLE_MODULE, binary) && binary->module;
    return lives ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* Its variables go with it. What nodes of graphs and the table hold of its kernels stays: they fail. */
static cudaError_t unload(struct binary *binary)
{
    cudaError_t error = check(binary);
    if (error) return error;
    api_lock();
    for (struct kernel *kernel = binary->functions; kernel; kernel = kernel->next)
        kernel_remove(kernel);
    struct binary **place = &runtime.binaries;
    while (*place && *place != binary)
        place = &(*place)->next;
    if (*place) *place = binary->next;
    ws_module_destroy(binary->module);
    binary->module = NULL;
    binary->failure = cudaErrorInvalidResourceHandle;
    handle_destroy(HANDLE_MODULE, binary);
    api_unlock();
    return cudaSuccess;
}

static bool has_kernel(const ws_module *module, const char *name, size_t *out)
{
    size_t count = ws_module_kernel_count(module);
    for (*out = 0; *out < count; ++*out)
        if (!strcmp(ws_module_kernel_name(module, *out), name)) return true;
    return false;
}

/* One handle a name. */
static struct kernel *function_of(struct binary *binary, size_t index)
{
    const char *name = ws_module_kernel_name(binary->module, index);
    struct kernel *kernel = binary->functions;
    while (kernel && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    if (kernel) return kernel;
    const char *copy = strdup(name); /* outlives the module: the table has it */
    if (!copy) return NULL;
    kernel = kernel_add(NULL, copy, binary);
    kernel->next = binary->functions;
    binary->functions = kernel;
    return kernel;
}

static cudaError_t get_function(struct kernel **out, struct binary *binary, const char *name)
{
    size_t index;
    if (check(binary)) return check(binary);
    if (!out || !name) return cudaErrorInvalidValue;
    *out = NULL;
    if (!has_kernel(binary->module, name, &index)) return cudaErrorSymbolNotFound;
    api_lock();
    *out = function_of(binary, index);
    cudaError_t error = *out ? kernel_resolve(*out) : cudaErrorMemoryAllocation;
    api_unlock();
    return error;
}

static cudaError_t count_functions(unsigned *out, const struct binary *binary)
{
    if (check(binary)) return check(binary);
    *out = (unsigned)ws_module_kernel_count(binary->module);
    return cudaSuccess;
}

static cudaError_t list_functions(struct kernel **out, unsigned room, struct binary *binary)
{
    if (check(binary)) return check(binary);
    api_lock();
    for (unsigned i = 0; i < room && i < ws_module_kernel_count(binary->module); i++)
        out[i] = function_of(binary, i);
    api_unlock();
    return cudaSuccess;
}

static cudaError_t get_global(uint64_t *out, size_t *out_bytes, const struct binary *binary,
                              const char *name)
{
    uint64_t address;
    size_t bytes;
    if (check(binary)) return check(binary);
    if (!name) return cudaErrorInvalidValue;
    api_lock();
    ws_status status = ws_device_symbol(runtime.device, binary->module, name, &address, &bytes);
    api_unlock();
    if (status != WS_OK) return cudaErrorSymbolNotFound;
    if (out) *out = address;
    if (out_bytes) *out_bytes = bytes;
    return cudaSuccess;
}

DRIVER(cuModuleLoad, (struct binary * *out, const char *path), load_file(out, path))
DRIVER(cuModuleLoadData, (struct binary * *out, const void *image),
       load(out, image, SIZE_MAX, NO_OPTIONS))
DRIVER(cuModuleLoadDataEx,
       (struct binary * *out, const void *image, unsigned count, const int *keys, void **values),
       load(out, image, SIZE_MAX, OPTIONS(count, keys, values)))
DRIVER(cuModuleLoadFatBinary, (struct binary * *out, const void *image),
       load(out, image, SIZE_MAX, NO_OPTIONS))
DRIVER(cuModuleUnload, (struct binary * binary), unload(binary))
DRIVER(cuModuleGetFunction, (struct kernel * *out, struct binary *binary, const char *name),
       get_function(out, binary, name))
DRIVER(cuModuleGetFunctionCount, (unsigned *out, const struct binary *binary),
       count_functions(out, binary))
DRIVER(cuModuleEnumerateFunctions, (struct kernel * *out, unsigned room, struct binary *binary),
       list_functions(out, room, binary))
DRIVER(cuModuleGetGlobal_v2,
       (uint64_t * out, size_t *out_bytes, const struct binary *binary, const char *name),
       get_global(out, out_bytes, binary, name))

/* ---- libraries: modules that need no context ----------------------------------------------------- */

static cudaError_t same_binary(struct binary **out, struct binary *binary)
{
    *out = binary;
    return check(binary);
}

static cudaError_t same_kernel(struct kernel **out, struct kernel *kernel)
{
    *out = kernel;
    return kernel_find(kernel) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

DRIVER_ANY(cuLibraryLoadData,
           (struct binary * *out, const void *image, const int *keys, void **values, unsigned count,
            const int *other_keys, void *const *other_values, unsigned others),
           ((void)other_keys, (void)other_values, (void)others,
            load(out, image, SIZE_MAX, OPTIONS(count, keys, values))))
DRIVER_ANY(cuLibraryLoadFromFile,
           (struct binary * *out, const char *path, const int *keys, void *const *values,
            unsigned count, const int *other_keys, void *const *other_values, unsigned others),
           ((void)keys, (void)values, (void)count, (void)other_keys, (void)other_values,
            (void)others, load_file(out, path)))
DRIVER_ANY(cuLibraryUnload, (struct binary * binary), unload(binary))
DRIVER_ANY(cuLibraryGetKernel, (struct kernel * *out, struct binary *binary, const char *name),
           get_function(out, binary, name))
DRIVER_ANY(cuLibraryGetKernelCount, (unsigned *out, const struct binary *binary),
           count_functions(out, binary))
DRIVER_ANY(cuLibraryEnumerateKernels, (struct kernel * *out, unsigned room, struct binary *binary),
           list_functions(out, room, binary))
DRIVER_ANY(cuLibraryGetModule, (struct binary * *out, struct binary *binary),
           same_binary(out, binary))
DRIVER_ANY(cuLibraryGetGlobal,
           (uint64_t * out, size_t *out_bytes, const struct binary *binary, const char *name),
           get_global(out, out_bytes, binary, name))
DRIVER_ANY(cuKernelGetFunction, (struct kernel * *out, struct kernel *kernel),
           same_kernel(out, kernel))

/* ---- functions ------------------------------------------------------------------------------- */

CUDART cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *host);
CUDART cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value);
CUDART cudaError_t cudaFuncSetCacheConfig(const void *host, int configuration);
CUDART cudaError_t cudaGetKernel(struct kernel **out, const void *host);
CUDART cudaError_t cudaGetFuncBySymbol(struct kernel **out, const void *host);

/* CUfunction_attribute */
static cudaError_t get_attribute(int *out, int attribute, struct kernel *kernel)
{
    struct cudaFuncAttributes all = {0};
    cudaError_t error = cudaFuncGetAttributes(&all, kernel);
    const int values[] = {all.maxThreadsPerBlock,
                          (int)all.sharedSizeBytes,
                          (int)all.constSizeBytes,
                          (int)all.localSizeBytes,
                          all.numRegs,
                          all.ptxVersion,
                          all.binaryVersion,
                          all.cacheModeCA,
                          all.maxDynamicSharedSizeBytes,
                          all.preferredShmemCarveout,
                          all.clusterDimMustBeSet,
                          all.requiredClusterWidth,
                          all.requiredClusterHeight,
                          all.requiredClusterDepth,
                          all.nonPortableClusterSizeAllowed,
                          0};
    if (error) return error;
    if (attribute < 0 || (size_t)attribute >= sizeof values / sizeof *values)
        return cudaErrorInvalidValue;
    *out = values[attribute];
    return cudaSuccess;
}

static cudaError_t get_name(const char **out, const struct kernel *kernel)
{
    const struct kernel *found = kernel_find(kernel);
    *out = found ? found->name : NULL;
    return found ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t get_module(struct binary **out, const struct kernel *kernel)
{
    const struct kernel *found = kernel_find(kernel);
    *out = found ? found->binary : NULL;
    return found ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t get_parameter(const struct kernel *kernel, size_t index, size_t *out_offset,
                                 size_t *out_bytes)
{
    struct kernel *found = kernel_find(kernel);
    if (!found) return cudaErrorInvalidResourceHandle;
    api_lock();
    cudaError_t error = kernel_resolve(found);
    if (!error && index >= found->parameter_count) error = cudaErrorInvalidValue;
    if (!error && out_offset) *out_offset = found->parameters[index].offset;
    if (!error && out_bytes) *out_bytes = found->parameters[index].size;
    api_unlock();
    return error;
}

DRIVER(cuFuncGetParamInfo,
       (const struct kernel *kernel, size_t index, size_t *out_offset, size_t *out_bytes),
       get_parameter(kernel, index, out_offset, out_bytes))
DRIVER(cuKernelGetParamInfo,
       (const struct kernel *kernel, size_t index, size_t *out_offset, size_t *out_bytes),
       get_parameter(kernel, index, out_offset, out_bytes))
DRIVER(cuFuncGetAttribute, (int *out, int attribute, struct kernel *kernel),
       get_attribute(out, attribute, kernel))
DRIVER(cuFuncSetAttribute, (struct kernel * kernel, int attribute, int value),
       cudaFuncSetAttribute(kernel, attribute, value))
DRIVER(cuFuncSetCacheConfig, (struct kernel * kernel, int configuration),
       cudaFuncSetCacheConfig(kernel, configuration))
DRIVER(cuFuncSetSharedMemConfig, (struct kernel * kernel, int configuration),
       cudaFuncSetCacheConfig(kernel, configuration))
DRIVER(cuFuncGetName, (const char **out, const struct kernel *kernel), get_name(out, kernel))
DRIVER(cuFuncGetModule, (struct binary * *out, const struct kernel *kernel),
       get_module(out, kernel))
DRIVER_ANY(cuKernelGetName, (const char **out, const struct kernel *kernel), get_name(out, kernel))

cudaError_t cudaGetFuncBySymbol(struct kernel **out, const void *host)
{
    return cudaGetKernel(out, host);
}

/* ---- linking: PTX texts, one behind the other; one cubin, as it is; the rest by nvlink ------------- */

struct linker {
    ws_link_input *inputs;
    size_t count;
    bool has_code; /* not only PTX */
    bool done;
    void *image;
    struct jit_options options;
};
enum { INPUT_CUBIN = 0, INPUT_PTX = 1, INPUT_FATBINARY, INPUT_OBJECT, INPUT_LIBRARY, INPUT_NVVM };

static cudaError_t link_create(struct linker **out, struct jit_options options)
{
    struct linker *linker = handle_create(HANDLE_LINKER, sizeof *linker);
    if (!linker) return cudaErrorMemoryAllocation;
    linker->options = options; /* the program keeps its arrays until the end */
    *out = linker;
    return cudaSuccess;
}

static bool is_open(const struct linker *linker)
{
    return handle_is(HANDLE_LINKER, linker) && !linker->done;
}

/* A copy: the program's may go. */
static cudaError_t link_add(struct linker *linker, int kind, const char *data, size_t bytes)
{
    if (!is_open(linker) || !data) return cudaErrorInvalidResourceHandle;
    if (kind < INPUT_CUBIN || kind >= INPUT_NVVM) {
        tell("cuLinkAddData and cuLinkAddFile support no NVVM IR: add PTX or machine code");
        return cudaErrorNotSupported;
    }
    if (kind == INPUT_PTX) bytes = strnlen(data, bytes);
    ws_link_input *inputs = realloc(linker->inputs, (linker->count + 1) * sizeof *linker->inputs);
    char *copy = malloc(bytes + 1);
    if (inputs) linker->inputs = inputs;
    if (!inputs || !copy) {
        free(copy);
        return cudaErrorMemoryAllocation;
    }
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    linker->inputs[linker->count++] = (ws_link_input){copy, bytes};
    linker->has_code |= kind != INPUT_PTX;
    return cudaSuccess;
}

static cudaError_t link_add_file(struct linker *linker, int kind, const char *path)
{
    char *text;
    size_t bytes;
    cudaError_t error = read_file(path, &text, &bytes);
    if (!error) error = link_add(linker, kind, text, bytes);
    free(text);
    return error;
}

static cudaError_t join_texts(struct linker *linker, size_t *out_bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, out_bytes);
    if (!stream) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < linker->count; i++)
        fprintf(stream, "%s\n", (const char *)linker->inputs[i].bytes);
    if (fclose(stream)) {
        free(text);
        return cudaErrorMemoryAllocation;
    }
    linker->image = text;
    return cudaSuccess;
}

static cudaError_t copy_image(struct linker *linker, const void *bytes, size_t size)
{
    linker->image = malloc(size + 1);
    if (!linker->image) return cudaErrorMemoryAllocation;
    memcpy(linker->image, bytes, size);
    ((char *)linker->image)[size] = '\0';
    return cudaSuccess;
}

static cudaError_t link_by_tool(struct linker *linker, size_t *out_bytes)
{
    unsigned target = ws_native_target(ws_machine_target(runtime.machine));
    void *cubin;
    ws_status status =
        ws_link(runtime.context, target, linker->inputs, linker->count, &cubin, out_bytes);
    if (status == WS_OK) {
        cudaError_t error = copy_image(linker, cubin, *out_bytes);
        ws_free(cubin);
        return error;
    }
    cudaError_t error = fail(status);
    return status == WS_ERR_COMPARE ? cudaErrorNotSupported : error;
}

/* What is wrong with the image is told here, as by a linker. */
static cudaError_t link_complete(struct linker *linker, void **out, size_t *out_bytes)
{
    ws_module *module = NULL;
    size_t bytes = 0;
    if (!is_open(linker)) return cudaErrorInvalidResourceHandle;
    linker->done = true;
    if (!linker->count) return cudaErrorInvalidValue;
    api_lock();
    double begun = host_now();
    cudaError_t error;
    if (!linker->has_code)
        error = join_texts(linker, &bytes);
    else if (linker->count == 1)
        error = copy_image(linker, linker->inputs[0].bytes, bytes = linker->inputs[0].size);
    else
        error = link_by_tool(linker, &bytes);
    if (!error)
        error = fail(ws_module_load_memory(runtime.context,
                                           linker->has_code ? "linked machine code" : "linked PTX",
                                           linker->image, bytes, &module));
    report(&linker->options, error, begun);
    ws_module_destroy(module);
    api_unlock();
    *out = linker->image;
    if (out_bytes) *out_bytes = bytes + 1;
    return error;
}

static cudaError_t link_destroy(struct linker *linker)
{
    if (!handle_is(HANDLE_LINKER, linker)) return cudaErrorInvalidResourceHandle;
    for (size_t i = 0; i < linker->count; i++)
        free((void *)(uintptr_t)linker->inputs[i].bytes);
    free(linker->inputs);
    free(linker->image);
    handle_destroy(HANDLE_LINKER, linker);
    return cudaSuccess;
}

DRIVER(cuLinkCreate_v2, (unsigned count, const int *keys, void **values, struct linker **out),
       link_create(out, OPTIONS(count, keys, values)))
DRIVER(cuLinkAddData_v2,
       (struct linker * linker, int kind, const void *data, size_t bytes, const char *name,
        unsigned count, const int *keys, void *const *values),
       ((void)name, (void)count, (void)keys, (void)values, link_add(linker, kind, data, bytes)))
DRIVER(cuLinkAddFile_v2,
       (struct linker * linker, int kind, const char *path, unsigned count, const int *keys,
        void *const *values),
       ((void)count, (void)keys, (void)values, link_add_file(linker, kind, path)))
DRIVER(cuLinkComplete, (struct linker * linker, void **out, size_t *out_bytes),
       link_complete(linker, out, out_bytes))
DRIVER(cuLinkDestroy, (struct linker * linker), link_destroy(linker))
