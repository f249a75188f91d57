// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/arena.h"
#include "base/float_state.h"
#include "base/strbuf.h"

static ws_module *wrap_module(ws_context *context, struct module *module)
{
    ws_module *handle = mem_zalloc(1, sizeof *handle);
    handle->context = context;
    handle->module = module;
    handle->entries = mem_zalloc(module->function_count, sizeof *handle->entries);
    handle->registers = mem_zalloc(1, sizeof *handle->registers);
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i].is_entry && module->functions[i].is_defined)
            handle->entries[handle->entry_count++] = i;
    return handle;
}

ws_status ws_module_load_file(ws_context *context, const char *path, ws_module **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct module *module;
    TRY(module_load_file(&context->diag, path, context->tool_path, &module));
    *out = wrap_module(context, module);
    return WS_OK;
}

bool ws_module_recognises(const char *path)
{
    return module_recognises(path);
}

ws_status ws_module_load_memory(ws_context *context, const char *name, const void *bytes,
                                size_t size, ws_module **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct module *module;
    TRY(module_load_memory(&context->diag, name, bytes, size, &module));
    *out = wrap_module(context, module);
    return WS_OK;
}

bool ws_module_can_compile(const ws_module *ptx)
{
    module_find_ptxas(ptx->module, ptx->context->tool_path);
    return !ptx->module->native && ptx->module->ptxas;
}

ws_status ws_module_compile(const ws_module *ptx, unsigned target, ws_module **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(ptx->context, out)
    struct module *module;
    module_find_ptxas(ptx->module, ptx->context->tool_path);
    TRY(module_compile_native(&ptx->context->diag, ptx->module, target, &module));
    *out = wrap_module(ptx->context, module);
    return WS_OK;
}

bool ws_module_is_native(const ws_module *module)
{
    return module->module->native != NULL;
}

ws_status ws_module_check_kernel(const ws_module *module, size_t kernel)
{
    API_CALL(module->context)
    if (kernel >= module->entry_count)
        return diag_error(&module->context->diag, WS_ERR_ARGUMENT,
                          "kernel index %zu is out of range: %s has %zu kernels", kernel,
                          module->module->path, module->entry_count);
    return module_check_supported(&module->context->diag, module->module, module->entries[kernel],
                                  program_executes, false);
}

void ws_module_destroy(ws_module *module)
{
    if (!module) return;
    for (ws_device *device = module->context->devices; device; device = device->next)
        device_forget_module(device->device, module->module);
    module_destroy(module->module);
    mem_free(module->registers->answers);
    mem_free(module->registers);
    mem_free(module->entries);
    mem_free(module);
}

size_t ws_module_kernel_count(const ws_module *module)
{
    return module->entry_count;
}

static const struct function *kernel_function(const ws_module *module, size_t index)
{
    return index < module->entry_count ? &module->module->functions[module->entries[index]] : NULL;
}

const char *ws_module_kernel_name(const ws_module *module, size_t index)
{
    const struct function *function = kernel_function(module, index);
    return function ? function->name : NULL;
}

const char *ws_module_kernel_display_name(const ws_module *module, size_t index)
{
    const struct function *function = kernel_function(module, index);
    return function ? function->display_name : NULL;
}

ws_status ws_module_find_kernel(const ws_module *module, const char *name, size_t *out_index)
{
    API_CALL(module->context)
    uint32_t function;
    *out_index = 0;
    TRY(module_find_entry(&module->context->diag, module->module, name, &function));
    while (module->entries[*out_index] != function)
        ++*out_index;
    return WS_OK;
}

size_t ws_module_parameter_count(const ws_module *module, size_t kernel)
{
    const struct function *function = kernel_function(module, kernel);
    return function ? function->parameter_count : 0;
}

/* Does the instruction use one of the registers as an address? */
static bool is_address_in(const struct insn *insn, const bool *derived)
{
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (source->kind == OPERAND_ADDRESS && source->reg >= 0 && derived[source->reg])
            return true;
    }
    return false;
}

/* An address plus something, moved or made generic is an address still. */
static bool keeps_address(const struct insn *insn, const bool *derived)
{
    bool moves = insn->op == OP_ADD || insn->op == OP_SUB || insn->op == OP_MOV ||
                 insn->op == OP_CVTA || insn->op == OP_CVT || insn->op == OP_SELP;
    bool adds_product = insn->op == OP_MAD || insn->op == OP_MAD24;
    for (unsigned i = adds_product ? 2 : 0; (moves || adds_product) && i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (source->kind == OPERAND_REGISTER && derived[source->reg]) return true;
    }
    return false;
}

/* A hint: what the parameter is loaded into, or what follows from it by additions, is an address. */
static bool used_as_address(const struct function *function, int32_t symbol)
{
    bool *derived = mem_zalloc(function->vreg_count, sizeof *derived), found = false;
    for (uint32_t i = 0; i < function->insn_count && !found; i++) {
        const struct insn *insn = &function->insns[i];
        bool from_parameter = insn->op == OP_LD && insn->space == SPACE_PARAM && insn->nsrc > 0 &&
                              insn->vector == 1 && insn_source(insn, 0)->symbol == symbol;
        found = is_address_in(insn, derived);
        if (insn->ndst && insn->operands[0].kind == OPERAND_REGISTER &&
            (from_parameter || keeps_address(insn, derived)))
            derived[insn->operands[0].reg] = true;
    }
    mem_free(derived);
    return found;
}

ws_status ws_module_parameter(const ws_module *module, size_t kernel, size_t index,
                              ws_parameter *out)
{
    API_CALL(module->context)
    const struct function *function = kernel_function(module, kernel);
    *out = (ws_parameter){0};
    if (!function || index >= function->parameter_count)
        return diag_error(&module->context->diag, WS_ERR_ARGUMENT,
                          "kernel %zu has no parameter %zu: %s", kernel, index,
                          function ? "ws_module_parameter_count returns their number"
                                   : "kernel index out of range");
    const struct variable *variable = &module->module->variables[function->parameters[index]];
    *out = (ws_parameter){
        .name = variable->name,
        .offset = variable->offset,
        .size = variable->bytes,
        .alignment = variable->alignment,
        .is_float = type_infos[variable->type].kind == KIND_FLOAT,
        .type = type_infos[variable->type].suffix,
    };
    out->is_pointer = out->size == module->module->address_bits / 8 && !out->is_float &&
                      used_as_address(function, function->parameters[index]);
    return WS_OK;
}

char *ws_module_describe_parameters(const ws_module *module, size_t kernel)
{
    API_CALL_OR(return NULL)
    const struct function *function = kernel_function(module, kernel);
    if (!function) return NULL;
    struct strbuf text = {0};
    for (size_t i = 0; i < function->parameter_count; i++) {
        ws_parameter parameter;
        if (ws_module_parameter(module, kernel, i, &parameter) != WS_OK) continue;
        size_t element = type_infos[module->module->variables[function->parameters[i]].type].bits;
        strbuf_printf(&text, "  %zu  %-6s %zu bytes", i, parameter.type, parameter.size);
        if (parameter.is_pointer) strbuf_puts(&text, "  a pointer");
        if (parameter.size * 8 != element) strbuf_puts(&text, "  a struct: bytes:HEX");
        strbuf_printf(&text, "  (%s)\n", parameter.name);
    }
    if (!function->parameter_count) strbuf_puts(&text, "  none\n");
    return strbuf_take(&text);
}

const char *ws_module_ptx(const ws_module *module)
{
    return module->module->ptx;
}

unsigned ws_module_target(const ws_module *module)
{
    return module->module->target;
}

static unsigned most_threads(const struct function *function)
{
    const uint32_t *n =
        function->required_threads[0] ? function->required_threads : function->max_threads;
    return n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

ws_status ws_module_kernel_info(const ws_module *module, size_t kernel, ws_kernel_info *out)
{
    API_CALL(module->context)
    struct diag *diag = &module->context->diag;
    const struct function *function = kernel_function(module, kernel);
    TRY(handle_check_size(diag, "ws_kernel_info", out->size,
                          offsetof(ws_kernel_info, follows_data)));
    if (!function)
        return diag_error(diag, WS_ERR_ARGUMENT, "kernel index %zu is out of range", kernel);
    uint64_t *offsets = mem_zalloc(module->module->variable_count + 1, sizeof *offsets);
    const uint32_t *cluster = function->required_cluster;
    const ws_kernel_info info = {
        .size = out->size,
        .static_shared_bytes =
            function->native_code
                ? function->native_code->shared_bytes
                : module_shared_layout(module->module, module->entries[kernel], offsets),
        .local_bytes = function->local_bytes,
        .registers = function->max_live_registers,
        .max_threads_per_block = most_threads(function),
        .ordered = function->ordered,
        .follows_data = function_follows_data(function),
        .reads_clock = module_reads_clock(module->module, module->entries[kernel]),
        .required_cluster = {cluster[0], cluster[1], cluster[2]},
        .calls_device_runtime =
            module_calls(module->module, module->entries[kernel], BUILTINS_OF_DEVICE),
    };
    memcpy(out, &info, out->size < sizeof info ? out->size : sizeof info);
    mem_free(offsets);
    return WS_OK;
}

uint64_t ws_kernel_shared_bytes(const ws_kernel_info *info, uint64_t dynamic_shared_bytes)
{
    return shared_block_bytes(info->static_shared_bytes, dynamic_shared_bytes);
}

void ws_module_set_registers(ws_module *module, size_t kernel, unsigned target, unsigned registers)
{
    API_CALL_OR(return )
    struct register_cache *cache = module->registers;
    if (kernel >= module->entry_count) return;
    GROW(cache->answers, cache->count, cache->capacity);
    cache->answers[cache->count++] = (struct register_answer){.entry = module->entries[kernel],
                                                              .wanted = target,
                                                              .known = true,
                                                              .target = target,
                                                              .registers = {.count = registers}};
}

size_t ws_module_parameter_bytes(const ws_module *module, size_t kernel)
{
    const struct function *function = kernel_function(module, kernel);
    return function ? function->parameter_bytes : 0;
}
