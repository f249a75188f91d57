// SPDX-License-Identifier: Apache-2.0
/* What the compiler's start-up code registers; its modules are decoded on first use. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

enum { BUCKETS = 4096 };

struct entry {
    const void *host;
    struct kernel *kernel; /* or */
    struct variable *variable;
    struct entry *next;
};
static struct entry *buckets[BUCKETS];

static struct entry **bucket(const void *host)
{
    uint64_t bits = (uint64_t)(uintptr_t)host;
    return &buckets[(bits >> 4 ^ bits >> 16) % BUCKETS];
}

static struct entry *find(const void *host)
{
    struct entry *entry = *bucket(host);
    while (entry && entry->host != host)
        entry = entry->next;
    return entry;
}

static struct entry *add(const void *host)
{
    struct entry **place = bucket(host), *entry = calloc(1, sizeof *entry);
    if (!entry) out_of_memory(sizeof *entry);
    *entry = (struct entry){.host = host, .next = *place};
    *place = entry;
    return entry;
}

struct kernel *kernel_find(const void *host_or_handle)
{
    const struct entry *entry = find(host_or_handle);
    return entry ? entry->kernel : NULL;
}

struct kernel *kernel_add(const void *host, const char *name, struct binary *binary)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) out_of_memory(sizeof *kernel);
    *kernel = (struct kernel){.host = host, .name = name, .binary = binary};
    if (host) add(host)->kernel = kernel;
    add(kernel)->kernel = kernel; /* a cudaKernel_t or CUfunction is a kernel, too */
    return kernel;
}

void kernel_remove(struct kernel *kernel)
{
    struct entry **place = bucket(kernel);
    while (*place && (*place)->host != kernel)
        place = &(*place)->next;
    struct entry *entry = *place;
    if (entry) *place = entry->next;
    free(entry);
    kernel->resolved = true;
    kernel->failure = cudaErrorInvalidResourceHandle;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* In the machine code for the target nearest to the GPU, else from the PTX. */
static unsigned native_registers(const struct kernel *kernel)
{
    const struct binary *binary = kernel->binary;
    unsigned wanted = ws_machine_target(runtime.machine), nearest = UINT32_MAX;
    unsigned registers = kernel->info.registers;
    for (size_t i = 0; i < binary->target_count && binary->registers; i++) {
        unsigned target = binary->targets[i];
        unsigned distance = target > wanted ? target - wanted : wanted - target;
        if (!binary->registers[kernel->index][i] || distance >= nearest) continue;
        nearest = distance;
        registers = binary->registers[kernel->index][i];
    }
    return registers;
}

static cudaError_t find_in_module(struct kernel *kernel)
{
    struct binary *binary = kernel->binary;
    binary_load(binary);
    if (binary->failure) return binary->failure;
    if (ws_module_find_kernel(binary->module, kernel->name, &kernel->index) != WS_OK) {
        tell("the program's %s has no kernel %s",
             ws_module_is_native(binary->module) ? "machine code" : "PTX", kernel->name);
        return cudaErrorInvalidDeviceFunction;
    }
    kernel->info.size = sizeof kernel->info;
    ws_status status = ws_module_kernel_info(binary->module, kernel->index, &kernel->info);
    if (status != WS_OK) return fail(status);
    kernel->registers = native_registers(kernel);
    kernel->parameter_count = ws_module_parameter_count(binary->module, kernel->index);
    kernel->parameter_bytes = ws_module_parameter_bytes(binary->module, kernel->index);
    kernel->parameters = calloc(kernel->parameter_count + 1, sizeof *kernel->parameters);
    for (size_t i = 0; kernel->parameters && i < kernel->parameter_count; i++) {
        status = ws_module_parameter(binary->module, kernel->index, i, &kernel->parameters[i]);
        if (status != WS_OK) return fail(status);
    }
    return kernel->parameters ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t kernel_resolve(struct kernel *kernel)
{
    if (kernel->resolved) return kernel->failure;
    kernel->resolved = true;
    kernel->failure = find_in_module(kernel);
    return kernel->failure;
}

/* The host may know kernels that the module lacks: those of libcudadevrt. */
static void list_kernel(struct binary *binary, size_t count, struct kernel *kernel)
{
    size_t i = 0;
    while (i < count && strcmp(ws_module_kernel_name(binary->module, i), kernel->name) != 0)
        i++;
    if (i < count && !kernel_resolve(kernel)) binary->kernels[kernel->index] = kernel;
}

/* Those that the host knows, too, and those that it does not. */
static void list_kernels(struct binary *binary, size_t count)
{
    binary->kernels = calloc(count + 1, sizeof *binary->kernels);
    if (!binary->kernels) out_of_memory((count + 1) * sizeof *binary->kernels);
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct entry *entry = buckets[i]; entry; entry = entry->next)
            if (entry->kernel && entry->kernel->binary == binary)
                list_kernel(binary, count, entry->kernel);
    for (size_t i = 0; i < count; i++)
        if (!binary->kernels[i])
            list_kernel(binary, count,
                        kernel_add(NULL, ws_module_kernel_name(binary->module, i), binary));
}

struct kernel *kernel_in(struct binary *binary, size_t index)
{
    size_t count = ws_module_kernel_count(binary->module);
    if (index >= count) return NULL;
    if (!binary->kernels) list_kernels(binary, count);
    return binary->kernels[index];
}

/* ---- variables ------------------------------------------------------------------------------- */

static cudaError_t place(struct variable *variable)
{
    size_t bytes;
    struct binary *binary = variable->binary;
    if (variable->address) return cudaSuccess;
    binary_load(binary);
    if (binary->failure) return binary->failure;
    ws_status status = ws_device_symbol(runtime.device, binary->module, variable->name,
                                        &variable->address, &bytes);
    /* What no kernel uses, the compiler may have dropped. */
    if (status != WS_OK) return cudaErrorInvalidSymbol;
    if (variable->managed) memcpy(variable->managed, &variable->address, sizeof(void *));
    if (variable->managed) ws_device_open(runtime.device, variable->address);
    runtime.has_managed |= variable->managed != NULL;
    return cudaSuccess;
}

cudaError_t variable_find(const void *host, struct variable **out)
{
    const struct entry *entry = find(host);
    *out = entry ? entry->variable : NULL;
    return *out ? place(*out) : cudaErrorInvalidSymbol;
}

bool variable_is_managed(uint64_t address)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct entry *entry = buckets[i]; entry; entry = entry->next)
            if (entry->variable && entry->variable->managed && entry->variable->address &&
                address - entry->variable->address < entry->variable->size)
                return true;
    return false;
}

void registry_place_managed(void)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct entry *entry = buckets[i]; entry; entry = entry->next)
            if (entry->variable && entry->variable->managed && !entry->variable->address)
                place(entry->variable);
}

/* ---- what the compiler's code calls ------------------------------------------------------------ */

CUDART void **__cudaRegisterFatBinary(void *wrapper);
CUDART void __cudaRegisterFatBinaryEnd(void **handle);
CUDART void __cudaUnregisterFatBinary(void **handle);
CUDART void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int thread_limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                                   int *warp_size);
CUDART void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
CUDART void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                     int ext, size_t size, int constant, int global);
CUDART char __cudaInitModule(void **handle);

void **__cudaRegisterFatBinary(void *wrapper)
{
    enum { LINKED = 2 };
    const struct fatbin_wrapper *given = wrapper;
    struct binary *binary = calloc(1, sizeof *binary);
    if (!binary) out_of_memory(sizeof *binary);
    api_lock();
    *binary =
        (struct binary){.image = given->data, .image_bytes = SIZE_MAX, .next = runtime.binaries};
    if (given->version == LINKED) binary->parts = given->filename_or_fatbins;
    runtime.binaries = binary;
    api_unlock();
    return (void **)(void *)binary;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* At exit; other destructors may still ask for its kernels. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                            int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
    (void)warp_size;
    api_lock();
    kernel_add(host, name, (struct binary *)(void *)handle);
    api_unlock();
}

static struct variable *register_variable(void **handle, const void *host, const char *name,
                                          size_t size)
{
    struct variable *variable = calloc(1, sizeof *variable);
    if (!variable) out_of_memory(sizeof *variable);
    *variable = (struct variable){
        .host = host, .name = name, .binary = (struct binary *)(void *)handle, .size = size};
    add(host)->variable = variable;
    return variable;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    api_lock();
    register_variable(handle, host, name, size);
    api_unlock();
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)constant, (void)global;
    api_lock();
    /* The shadow is reached through the pointer, and by its own address in calls with symbols. */
    register_variable(handle, host, name, size)->managed = host;
    api_unlock();
}

/* Before a managed variable is first used. */
char __cudaInitModule(void **handle)
{
    (void)handle;
    cudaError_t error = api_begin();
    if (!error) registry_place_managed();
    api_end(error);
    return error ? 0 : 1;
}
