// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/l2_log.h"
#include "compile/compile.h"

/* Warp instructions that a kernel executes before compiling it is worth while: about what the interpreter executes in
 * the time that it takes. */
enum { COMPILE_AFTER = 20000 };

/* NULL: "auto". */
static ws_status choose_engine(struct diag *diag, const char *word, struct device_options *out)
{
    if (!word) word = "auto";
    bool is_compiled = !strcmp(word, "compiled"), is_auto = !strcmp(word, "auto");
    if (!is_compiled && !is_auto && strcmp(word, "interpreter") != 0)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "unknown engine '%s': expected interpreter, compiled or auto", word);
    if (is_compiled || is_auto) out->engine = compile_engine();
    if (is_auto) out->compile_after = COMPILE_AFTER;
    return WS_OK;
}

ws_status ws_device_create(ws_context *context, const ws_device_options *options, ws_device **out)
{
    API_CALL_OUT(context, out)
    struct device_options inner = {.isa_level = -1};
    struct device *device;
    ws_device_options given = {0};
    if (options) {
        TRY(handle_check_size(&context->diag, "ws_device_options", options->size,
                              offsetof(ws_device_options, host_addresses)));
        memcpy(&given, options, options->size < sizeof given ? options->size : sizeof given);
        inner.max_bytes = given.max_bytes;
        inner.threads = given.threads;
        inner.host_addresses = given.host_addresses;
        inner.as_hardware = given.as_hardware;
        inner.keep_programs = given.keep_programs;
        inner.call = given.call;
        inner.call_user = given.call_user;
        if (given.check) inner.check = &given.check->findings->checker;
        if (given.host_isa) TRY(device_isa_find(&context->diag, given.host_isa, &inner.isa_level));
    }
    TRY(choose_engine(&context->diag, given.engine, &inner));
    ws_device *handle = mem_zalloc(1, sizeof *handle); /* before what is no memory of the call's */
    struct l2_log *l2 = given.l2_history ? l2_log_create() : NULL;
    TRY(device_create(&context->diag, &inner, &device));
    *out = handle;
    **out = (ws_device){.context = context, .next = context->devices, .device = device, .l2 = l2};
    context->devices = *out;
    return WS_OK;
}

void ws_device_destroy(ws_device *device)
{
    if (!device) return;
    ws_device **place = &device->context->devices;
    while (*place != device)
        place = &(*place)->next;
    *place = device->next;
    device_destroy(device->device);
    l2_log_destroy(device->l2);
    mem_free(device);
}

ws_status ws_device_alloc(ws_device *device, uint64_t bytes, uint64_t *out)
{
    API_CALL(device->context)
    device->changes++;
    *out = 0;
    return device_alloc(&device->context->diag, device->device, bytes, out);
}

ws_status ws_device_alloc_host(ws_device *device, uint64_t bytes, uint64_t *out)
{
    API_CALL(device->context)
    device->changes++;
    *out = 0;
    return device_alloc_host(&device->context->diag, device->device, bytes, out);
}

void ws_device_open(ws_device *device, uint64_t address)
{
    device_open(device->device, address);
}

ws_status ws_device_adopt(ws_device *device, void *host, uint64_t bytes)
{
    API_CALL(device->context)
    device->changes++;
    return device_adopt(&device->context->diag, device->device, host, bytes);
}

bool ws_device_find(const ws_device *device, uint64_t address, ws_device_range *out)
{
    struct device_range range;
    bool found = device_find(device->device, address, &range);
    *out = (ws_device_range){range.address, range.bytes, range.is_host, range.name};
    return found;
}

uint64_t ws_device_max_bytes(const ws_device *device)
{
    return device_limit_bytes(device->device);
}

uint64_t ws_device_used_bytes(const ws_device *device)
{
    return device_live_bytes(device->device);
}

void ws_device_check_leaks(ws_device *device)
{
    device_report_leaks(device->device);
}

ws_status ws_device_free(ws_device *device, uint64_t address)
{
    device->changes++;
    return device_free(&device->context->diag, device->device, address);
}

ws_status ws_device_copy_in(ws_device *device, uint64_t to, const void *from, size_t bytes)
{
    device->changes++;
    return device_copy_in(&device->context->diag, device->device, to, from, bytes);
}

ws_status ws_device_copy_out(ws_device *device, void *to, uint64_t from, size_t bytes)
{
    return device_copy_out(&device->context->diag, device->device, to, from, bytes);
}

ws_status ws_device_fill(ws_device *device, uint64_t to, uint8_t value, size_t bytes)
{
    device->changes++;
    return device_fill(&device->context->diag, device->device, to, value, bytes);
}

ws_status ws_device_fill_by(ws_device *device, uint64_t address, ws_make_fn *make, void *user)
{
    API_CALL(device->context)
    device->changes++;
    return device_fill_by(&device->context->diag, device->device, address, make, user);
}

ws_status ws_device_set_heap(ws_device *device, uint64_t bytes)
{
    API_CALL(device->context)
    device->changes++;
    return device_set_heap(&device->context->diag, device->device, bytes);
}

ws_status ws_device_texture_create(ws_device *device, const ws_texture *texture, uint64_t *out)
{
    API_CALL(device->context)
    device->changes++;
    struct diag *diag = &device->context->diag;
    *out = 0;
    TRY(handle_check_size(diag, "ws_texture", texture->size, sizeof *texture));
    return device_texture_create(diag, device->device, texture, out);
}

ws_status ws_device_texture_destroy(ws_device *device, uint64_t handle)
{
    device->changes++;
    return device_texture_destroy(&device->context->diag, device->device, handle);
}

ws_status ws_device_symbol(ws_device *device, const ws_module *module, const char *name,
                           uint64_t *out_address, size_t *out_bytes)
{
    API_CALL(device->context)
    *out_address = 0;
    *out_bytes = 0;
    return device_symbol(&device->context->diag, device->device, module->module, name, out_address,
                         out_bytes);
}

uint64_t ws_device_changes(const ws_device *device)
{
    return device->changes;
}

void ws_device_repeat(ws_device *device, const ws_module *module, const ws_launch *launch)
{
    API_CALL_OR(return )
    l2_log_like(device, module, launch);
}
