// SPDX-License-Identifier: Apache-2.0
/* Functions of libcudadevrt: who calls the engine does them. */
#include "emulate/builtin.h"

static const char *const names[] = {
#define BUILTIN(name, text, parameters, results, bytes)
#define DEVICE_CALL(name, text, parameters, bytes) [BUILTIN_##name] = text,
#include "decode/builtins.def"
#undef BUILTIN
    [BUILTIN_SET_CONDITION] = "GraphSetConditional", /* the one without a result */
};

static bool has_result(enum builtin builtin)
{
    return builtin != BUILTIN_SET_CONDITION;
}

/* Does the address lie at the begin of its code? (Native code.) */
static bool begins_at(const struct native_code *code, uint64_t address)
{
    const struct code_range *range = code_range_find(code->ranges, code->range_count, address);
    return range && !range->first_insn && range->address == address;
}

/* The kernel at an address, among those that the module defines; UINT64_MAX: there is none. */
static uint64_t kernel_at(const struct module *module, uint64_t address)
{
    uint64_t kernel = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct function *function = &module->functions[f];
        if (!function->is_entry || !function->is_defined) continue;
        if (function->native_code ? begins_at(function->native_code, address) : address == f + 1u)
            return kernel;
        kernel++;
    }
    return UINT64_MAX;
}

/* As ws_device_call.arguments tells. */
static void take_arguments(const struct caller *caller, enum builtin builtin, uint64_t *out)
{
    const struct module *module = caller->x->launch->program->module;
    uint32_t sizes[3];
    for (unsigned k = 0; caller->places[k + has_result(builtin)]; k++) {
        switch (caller->places[k]) {
        case 'd':
            builtin_dim3(caller, k, sizes);
            for (unsigned i = 0; i < 3; i++)
                *out++ = sizes[i];
            break;
        case 'k':
            *out++ = kernel_at(module, builtin_argument(caller, k));
            break;
        default:
            *out++ = builtin_argument(caller, k);
            break;
        }
    }
}

bool ws_device_call_write(const ws_device_call *call, uint64_t address, const void *from,
                          uint32_t bytes)
{
    return builtin_write(call->caller, address, from, bytes);
}

void ws_device_call_renew(const ws_device_call *call, uint64_t address, uint64_t bytes)
{
    builtin_renew(call->caller, address, bytes);
}

bool builtin_device(const struct caller *caller, enum builtin builtin)
{
    enum { VALUES_MOST = 16 }; /* of a call; LaunchDevice has 10 */
    const struct exec *x = caller->x;
    const struct device *device = x->launch->device;
    uint64_t arguments[VALUES_MOST];
    take_arguments(caller, builtin, arguments);
    const ws_device_call call = {.function = names[builtin],
                                 .arguments = arguments,
                                 .block = x->block->index,
                                 .thread = x->warp->index * WARP_LANES + caller->lane,
                                 .caller = caller};
    uint64_t result = device->call(device->call_user, &call);
    if (x->fault.kind) return false;
    if (has_result(builtin)) builtin_result(caller, result);
    return true;
}
