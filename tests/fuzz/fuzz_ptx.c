// SPDX-License-Identifier: Apache-2.0
/* PTX text from anywhere: it is decoded or refused, and never breaks the decoder. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <warpsage/warpsage.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_context *context = NULL;
    if (ws_context_create(&context) != WS_OK) return 0;
    ws_module *module = NULL;
    ws_status status = ws_module_load_memory(context, "fuzz.ptx", data, size, &module);
    if (status == WS_OK) {
        for (size_t k = 0; k < ws_module_kernel_count(module); k++) {
            assert(ws_module_kernel_name(module, k) != NULL);
            ws_free(ws_module_describe_parameters(module, k));
        }
    } else {
        assert(module == NULL);
        assert(strlen(ws_context_error(context)) > 0);
    }
    ws_module_destroy(module);
    ws_context_destroy(context);
    return 0;
}
