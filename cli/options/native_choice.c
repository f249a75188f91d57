// SPDX-License-Identifier: Apache-2.0
#include "cli/options/native_choice.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_GPU = 80 }; /* of --isa native without --gpu */

int native_parse(struct cli *cli, const char *from, const char *text, struct request *request)
{
    request->isa = text;
    if (!strcmp(text, "ptx") || !strcmp(text, "native") || !strcmp(text, "auto")) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "%s: invalid value '%s': expected ptx, native or auto", from,
                     text);
}

/* The target whose code runs on all GPUs: of the same major compute capability and of no greater minor one. 0: none. */
static unsigned common_target(const struct analysis *a)
{
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < a->target_count; i++) {
        unsigned target = ws_native_target(a->targets[i]);
        if (target < least) least = target;
    }
    for (size_t i = 0; i < a->target_count; i++)
        if (a->targets[i] / 10 != least / 10 || a->targets[i] < least) return 0;
    return a->target_count ? least : 0;
}

/* CPUs, views of PTX and Accel-Sim's traces are about PTX. */
static bool needs_ptx(const struct analysis *a)
{
    return a->machine_count > a->target_count || a->request.isa_view ||
           request_saves_foreign_trace(&a->request);
}

/* The chosen kernels in the native module; WS_OK if all can be executed. */
static ws_status find_natives(const struct analysis *a, const ws_module *native, size_t *out)
{
    for (size_t i = 0; i < a->kernel_count; i++) {
        const char *name = ws_module_kernel_name(a->module, a->kernels[i]);
        ws_status status = ws_module_find_kernel(native, name, &out[i]);
        if (status == WS_OK) status = ws_module_check_kernel(native, out[i]);
        if (status != WS_OK) return status;
    }
    return WS_OK;
}

/* The native module, with all chosen kernels; their indices in it are *out_kernels. */
static ws_status make_native(struct analysis *a, unsigned target, ws_module **out,
                             size_t **out_kernels)
{
    *out_kernels = cli_alloc(a->cli, (a->kernel_count + 1) * sizeof **out_kernels);
    ws_status status = ws_module_compile(a->module, target, out);
    return status == WS_OK ? find_natives(a, *out, *out_kernels) : status;
}

/* The module that was not executed so far takes the other's place. */
static void swap_modules(struct analysis *a)
{
    ws_module *module = a->other_module;
    size_t *kernels = a->other_kernels, i = 0;
    while (i + 1 < a->kernel_count && a->kernels[i] != a->kernel)
        i++;
    a->other_module = a->module;
    a->other_kernels = a->kernels;
    a->module = module;
    a->kernels = kernels;
    a->kernel = kernels[i];
}

/* The first line of the message at least. */
static void tell_why(const struct analysis *a, bool whole)
{
    const char *text = ws_context_error(a->cli->context);
    size_t length = whole ? strlen(text) : strcspn(text, "\n");
    if (!a->cli->quiet)
        cli_error(a->cli, EXIT_DONE, "note: PTX is executed instead of native code: %.*s",
                  (int)length, text);
}

int native_choose(struct analysis *a)
{
    const char *preset = getenv("WARPSAGE_ISA");
    if (!a->request.isa)
        CLI_TRY(
            native_parse(a->cli, "WARPSAGE_ISA", preset && *preset ? preset : "auto", &a->request));
    const char *isa = a->request.isa;
    if (ws_module_is_native(a->module) || !strcmp(isa, "ptx")) return EXIT_DONE;
    bool is_auto = !strcmp(isa, "auto");
    unsigned target = is_auto ? common_target(a)
                              : ws_native_target(a->target_count ? a->targets[0] : DEFAULT_GPU);
    if (is_auto && (!target || needs_ptx(a) || !ws_module_can_compile(a->module))) return EXIT_DONE;
    ws_status status = make_native(a, target, &a->other_module, &a->other_kernels);
    if (status == WS_OK) {
        swap_modules(a);
        return EXIT_DONE;
    }
    ws_module_destroy(a->other_module);
    a->other_module = NULL;
    if (!is_auto || status == WS_ERR_CANCELLED || status == WS_ERR_MEMORY)
        return cli_failed(a->cli, status);
    tell_why(a, true);
    return EXIT_DONE;
}

bool native_fall_back(struct analysis *a, ws_status status)
{
    bool is_fault =
        status == WS_ERR_FAULT || status == WS_ERR_DEADLOCK || status == WS_ERR_UNSUPPORTED;
    if (!is_fault || !a->other_module || !ws_module_is_native(a->module) ||
        strcmp(a->request.isa, "auto") != 0)
        return false;
    tell_why(a, false);
    swap_modules(a);
    return true;
}
