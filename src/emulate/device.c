// SPDX-License-Identifier: Apache-2.0
/* The device: its memory, host copies, and the module-level variables placed in it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "emulate/defined.h"
#include "emulate/launch_kit.h"

/* Variables of one module, placed on first use. */
struct placement {
    uint64_t module_id;
    uint32_t count;
    uint64_t *addresses; /* by variable; 0: not in device memory */
    struct arena names;  /* of the variables: may be asked for when the module is gone */
};

int device_isa_levels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return 3;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return 2;
#endif
    return 1;
}

const struct semantics *semantics_at(int level)
{
#if defined(__x86_64__)
    if (level == 2) return &semantics_v4;
    if (level == 1) return &semantics_v3;
#endif
    (void)level;
    return &semantics_base;
}

const char *device_isa_name(int level)
{
    return semantics_at(level)->name;
}

ws_status device_isa_find(struct diag *diag, const char *word, int *out)
{
    static const char *const words[] = {"base", "v3", "v4"};
    static const char *const choices[] = {"base", "base or v3", "base, v3 or v4"};
    enum { WORDS = sizeof words / sizeof *words };
    int levels = device_isa_levels(), level = 0;
    while (level < WORDS && strcmp(word, words[level]) != 0)
        level++;
    *out = -1;
    if (level == WORDS)
        return diag_error(diag, WS_ERR_ARGUMENT, "unknown host ISA level '%s': expected %s", word,
                          choices[levels - 1]);
    if (level >= levels)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "this host does not support x86-64-%s instructions: use %s", word,
                          choices[levels - 1]);
    *out = level;
    return WS_OK;
}

static bool checks_memory(const struct checker *check)
{
    return check && check->tools & CHECK_MEMORY;
}

ws_status device_create(struct diag *diag, const struct device_options *options,
                        struct device **out)
{
    *out = NULL;
    int levels = device_isa_levels(), level = options->isa_level;
    if (level >= levels)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "instruction-set level %d is out of range: this host supports 0 to %d",
                          level, levels - 1);
    struct device *device = mem_zalloc(1, sizeof *device);
    bool tracks = options->check && options->check->tools & CHECK_INIT;
    ws_status status =
        devmem_init(diag, &device->memory,
                    &(struct devmem_options){.max_bytes = options->max_bytes,
                                             .host_addresses = options->host_addresses,
                                             .as_hardware = options->as_hardware,
                                             .red_zones = checks_memory(options->check),
                                             .tracks = tracks});
    if (status != WS_OK) {
        mem_free(device);
        return status;
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    device->keeps_programs = options->keep_programs;
    device->check = options->check;
    device->threads = options->threads ? options->threads : cores > 0 ? (unsigned)cores : 1;
    device->semantics = semantics_at(level < 0 ? levels - 1 : level);
    device->engine = options->engine;
    device->call = options->call;
    device->call_user = options->call_user;
    device->compile_after = options->compile_after;
    heap_init(&device->heap);
    *out = device;
    return WS_OK;
}

static void placement_clear(struct placement *placement)
{
    mem_free(placement->addresses);
    arena_clear(&placement->names);
}

void device_destroy(struct device *device)
{
    if (!device) return;
    for (uint32_t i = 0; i < device->placement_count; i++)
        placement_clear(&device->placements[i]);
    mem_free(device->placements);
    for (uint32_t i = 0; i < device->program_count; i++)
        program_destroy(device->programs[i]);
    mem_free(device->programs);
    mem_free(device->textures);
    heap_clear(&device->heap);
    devmem_clear(&device->memory);
    partial_clear(device->partial);
    defined_computed_clear(device);
    mem_free(device);
}

/* Reports call it by its number. */
static void number_allocation(struct device *device, uint64_t address)
{
    if (!device->check) return;
    struct allocation *allocation = devmem_find(&device->memory, address);
    allocation->number = ++device->memory.numbered;
    order_cleared(device, address, allocation->bytes);
}

ws_status device_alloc(struct diag *diag, struct device *device, uint64_t bytes, uint64_t *out)
{
    TRY(devmem_alloc(diag, &device->memory, bytes, out));
    number_allocation(device, *out);
    return WS_OK;
}

ws_status device_free(struct diag *diag, struct device *device, uint64_t address)
{
    return devmem_free(diag, &device->memory, address);
}

ws_status device_alloc_host(struct diag *diag, struct device *device, uint64_t bytes, uint64_t *out)
{
    TRY(devmem_alloc_host(diag, &device->memory, bytes, out));
    number_allocation(device, *out);
    return WS_OK;
}

ws_status device_adopt(struct diag *diag, struct device *device, void *host, uint64_t bytes)
{
    TRY(devmem_adopt(diag, &device->memory, host, bytes));
    number_allocation(device, (uint64_t)(uintptr_t)host);
    return WS_OK;
}

void device_open(struct device *device, uint64_t address)
{
    struct allocation *found = devmem_find(&device->memory, address);
    if (found) devmem_open(found);
}

bool device_find(const struct device *device, uint64_t address, struct device_range *out)
{
    const struct allocation *found = devmem_find(&device->memory, address);
    *out = (struct device_range){0};
    if (!found) return false;
    *out = (struct device_range){.address = found->address,
                                 .bytes = found->bytes,
                                 .is_host = found->uncounted,
                                 .name = found->name};
    return true;
}

bool device_find_from(const struct device *device, uint64_t address, struct device_range *out)
{
    const struct devmem *memory = &device->memory;
    for (uint32_t i = 0; i < memory->count; i++) {
        const struct allocation *one = &memory->allocations[i];
        if (one->freed || one->address + one->bytes <= address) continue;
        return device_find(device, one->address, out);
    }
    return false;
}

uint64_t device_limit_bytes(const struct device *device)
{
    return device->memory.limit;
}

uint64_t device_live_bytes(const struct device *device)
{
    return device->memory.live;
}

static ws_status host_range(struct diag *diag, struct device *device, uint64_t address,
                            size_t bytes, struct allocation **out)
{
    *out = devmem_find(&device->memory, address);
    if (*out && bytes <= (*out)->bytes - (address - (*out)->address)) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "0x%llx + %zu bytes is not within one device allocation",
                      (unsigned long long)address, bytes);
}

static void touch(const struct device *device, const struct allocation *allocation,
                  uint64_t address, uint64_t bytes)
{
    if (allocation->rule)
        devmem_touch(&device->memory, allocation, address - allocation->address, bytes);
}

ws_status device_copy_in(struct diag *diag, struct device *device, uint64_t to, const void *from,
                         size_t bytes)
{
    struct allocation *allocation;
    if (bytes == 0) return WS_OK;
    TRY(host_range(diag, device, to, bytes, &allocation));
    touch(device, allocation, to, bytes);
    memmove(devmem_host(&device->memory, to), from, bytes);
    if (!device->memory.tracks || !defined_copy(device, to, from, bytes))
        devmem_written(allocation, to, bytes);
    return WS_OK;
}

ws_status device_copy_out(struct diag *diag, struct device *device, void *to, uint64_t from,
                          size_t bytes)
{
    struct allocation *allocation;
    if (bytes == 0) return WS_OK;
    TRY(host_range(diag, device, from, bytes, &allocation));
    touch(device, allocation, from, bytes);
    memmove(to, devmem_host(&device->memory, from), bytes);
    if (device->memory.tracks) defined_copy_out(device, from, bytes);
    return WS_OK;
}

ws_status device_fill(struct diag *diag, struct device *device, uint64_t to, uint8_t value,
                      size_t bytes)
{
    struct allocation *allocation;
    if (bytes == 0) return WS_OK;
    TRY(host_range(diag, device, to, bytes, &allocation));
    if (bytes == allocation->bytes) devmem_drop_rule(allocation);
    touch(device, allocation, to, bytes);
    unsigned char *host = devmem_host(&device->memory, to);
    enum { LARGE_FILL = 16 << 20 };
    /* Fresh pages are zero already and need not be touched. */
    bool fresh = value == 0 && allocation->shadow && bytes == allocation->bytes;
    for (uint64_t w = 0; fresh && w < (bytes + 63) / 64; w++)
        fresh = allocation->shadow[w] == 0;
    if (!fresh && value == 0 && bytes >= LARGE_FILL) {
        /* Zeros by the page are what the host gives anew. */
        unsigned char *low = (unsigned char *)(((uintptr_t)host + 4095) & ~(uintptr_t)4095);
        unsigned char *high = (unsigned char *)((uintptr_t)(host + bytes) & ~(uintptr_t)4095);
        fresh = !allocation->adopted && madvise(low, (size_t)(high - low), MADV_DONTNEED) == 0;
        if (fresh) {
            memset(host, 0, (size_t)(low - host));
            memset(high, 0, (size_t)(host + bytes - high));
        }
    }
    if (!fresh) memset(host, value, bytes);
    devmem_written(allocation, to, bytes);
    return WS_OK;
}

ws_status device_fill_by(struct diag *diag, struct device *device, uint64_t address,
                         device_make_fn *make, void *user)
{
    struct allocation *found = devmem_find(&device->memory, address);
    if (!found || found->address != address)
        return diag_error(diag, WS_ERR_ARGUMENT, "0x%llx is not the address of a live allocation",
                          (unsigned long long)address);
    devmem_fill_by(&device->memory, found, make, user);
    return WS_OK;
}

static bool lives_in_memory(const struct variable *variable)
{
    return variable->bytes && !variable->part_of &&
           (variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST);
}

static void write_relocations(const struct variable *variable, const uint64_t *addresses,
                              unsigned char *host)
{
    for (uint32_t r = 0; r < variable->relocation_count; r++) {
        const struct relocation *relocation = &variable->relocations[r];
        uint64_t value = relocation->is_function
                             ? (uint64_t)relocation->symbol + 1
                             : addresses[relocation->symbol] + (uint64_t)relocation->addend;
        value >>= relocation->shift;
        memcpy(host + relocation->offset, &value, relocation->bytes);
    }
}

static ws_status place_variables(struct diag *diag, struct device *device,
                                 const struct module *module, struct placement *placement)
{
    uint64_t *addresses = placement->addresses;
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (lives_in_memory(&module->variables[v]))
            TRY(devmem_alloc(diag, &device->memory, module->variables[v].bytes, &addresses[v]));
    for (uint32_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = &module->variables[v];
        if (variable->part_of) addresses[v] = addresses[variable->part_of - 1] + variable->offset;
    }
    for (uint32_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = &module->variables[v];
        if (!lives_in_memory(variable)) continue;
        unsigned char *host = devmem_host(&device->memory, addresses[v]);
        if (variable->init) memcpy(host, variable->init, variable->bytes);
        write_relocations(variable, addresses, host);
        struct allocation *allocation = devmem_find(&device->memory, addresses[v]);
        devmem_written(allocation, addresses[v], variable->bytes);
        allocation->read_only = variable->space == SPACE_CONST;
        allocation->name = arena_copy(&placement->names, variable->name);
    }
    return WS_OK;
}

/* Frees what was placed (parts with what they are part of), in the reverse order, so that the address space is handed out again. */
static void displace(struct device *device, struct placement *placement)
{
    struct diag ignored = {0};
    for (uint32_t v = placement->count; v-- > 0;)
        if (placement->addresses[v] &&
            devmem_free(&ignored, &device->memory, placement->addresses[v]) != WS_OK)
            diag_clear(&ignored); /* the caller has freed it, against the rules */
    placement_clear(placement);
}

/* A placement in the making. */
struct placing {
    struct device *device;
    struct placement *placement;
};

static void give_up(void *of)
{
    const struct placing *placing = of;
    displace(placing->device, placing->placement);
}

ws_status device_place(struct diag *diag, struct device *device, const struct module *module,
                       const uint64_t **out_addresses)
{
    *out_addresses = NULL;
    for (uint32_t i = 0; i < device->placement_count; i++)
        if (device->placements[i].module_id == module->id) {
            *out_addresses = device->placements[i].addresses;
            return WS_OK;
        }
    struct placement made = {.module_id = module->id, .count = module->variable_count};
    struct placing placing = {device, &made};
    struct mem_guard guard;
    made.addresses = mem_zalloc(module->variable_count, sizeof *made.addresses);
    mem_guard_begin(&guard, give_up, &placing);
    ws_status status = place_variables(diag, device, module, &made);
    if (status != WS_OK) {
        mem_guard_end(&guard);
        displace(device, &made);
        return status;
    }
    GROW(device->placements, device->placement_count, device->placement_room);
    mem_guard_end(&guard);
    mem_keep(device->placements);
    mem_keep(made.addresses);
    arena_keep(&made.names);
    device->placements[device->placement_count++] = made;
    *out_addresses = made.addresses;
    return WS_OK;
}

void device_forget_module(struct device *device, const struct module *module)
{
    for (uint32_t i = 0; i < device->placement_count; i++)
        if (device->placements[i].module_id == module->id) {
            displace(device, &device->placements[i]);
            device->placements[i] = device->placements[--device->placement_count];
            break;
        }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < device->program_count; i++) {
        struct program *program = device->programs[i];
        if (program->module_id != module->id) {
            device->programs[kept++] = program;
            continue;
        }
        kit_forget(device, program);
        program_destroy(program);
    }
    device->program_count = kept;
}

ws_status device_symbol(struct diag *diag, struct device *device, const struct module *module,
                        const char *name, uint64_t *out_address, size_t *out_bytes)
{
    *out_address = 0;
    *out_bytes = 0;
    const uint64_t *addresses;
    TRY(device_place(diag, device, module, &addresses));
    for (uint32_t v = 0; v < module->variable_count; v++) {
        bool is_known = addresses[v] && module->variables[v].function < 0;
        if (!is_known || strcmp(module->variables[v].name, name) != 0) continue;
        *out_address = addresses[v];
        *out_bytes = module->variables[v].bytes;
        return WS_OK;
    }
    return diag_error(diag, WS_ERR_ARGUMENT, "the module has no .global or .const variable '%s'",
                      name);
}
