// SPDX-License-Identifier: Apache-2.0
/* PTX that decodes is executed: one warp, no arguments, few instructions. Whatever the kernel does is
 * a fault of the kernel, never one of the emulator. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <warpsage/warpsage.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PARAMETER_BYTES_MAX = 4096 };

static bool ignore(void *user, const char *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static void run_kernel(ws_context *context, ws_device *device, const ws_module *module,
                       size_t kernel)
{
    static const unsigned char zeros[PARAMETER_BYTES_MAX];
    ws_profile *profile = NULL;
    ws_launch launch = {
        .size = sizeof launch,
        .kernel = kernel,
        .grid = {2, 1, 1},
        .block = {40, 1, 1},
        .parameters = zeros,
        .parameter_bytes = ws_module_parameter_bytes(module, kernel),
        .max_instructions = 2000,
        .counters = true,
        .all_rules = true,
    };
    if (launch.parameter_bytes > PARAMETER_BYTES_MAX) return;
    ws_status status = ws_device_launch(device, module, &launch, &profile);
    assert(status == WS_OK ? profile != NULL : strlen(ws_context_error(context)) > 0);
    assert(status != WS_ERR_INTERNAL);
    ws_profile_destroy(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_context *context = NULL;
    ws_module *module = NULL;
    if (ws_context_create(&context) != WS_OK) return 0;
    ws_context_set_print(context, ignore, NULL);
    if (ws_module_load_memory(context, "fuzz.ptx", data, size, &module) == WS_OK) {
        ws_device *device = NULL;
        ws_device_options options = {.size = sizeof options, .max_bytes = 1 << 24, .threads = 1};
        if (ws_device_create(context, &options, &device) == WS_OK)
            for (size_t k = 0; k < ws_module_kernel_count(module) && k < 8; k++)
                run_kernel(context, device, module, k);
        ws_device_destroy(device);
    }
    ws_module_destroy(module);
    ws_context_destroy(context);
    return 0;
}
