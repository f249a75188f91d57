// SPDX-License-Identifier: Apache-2.0
#include "support/native_twin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

bool twin_has_ptxas(void)
{
    return system("ptxas --version >/dev/null 2>&1") == 0;
}

unsigned twin_target(size_t i)
{
    static const unsigned targets[] = {75, 80, 86, 89, 90};
    const char *wanted = getenv("WARPSAGE_TARGETS");
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        char number[8];
        snprintf(number, sizeof number, "%u", targets[t]);
        if (wanted && !strstr(wanted, number)) continue;
        if (i-- == 0) return targets[t];
    }
    return 0;
}

static void must(struct native_twin *twin, ws_status status, const char *what)
{
    if (status != WS_OK) fail_msg("%s: %s", what, ws_context_error(twin->context));
}

/* Through a file, since ptxas is found for those alone. */
static void load_text(struct native_twin *twin, const struct strbuf *text)
{
    char path[] = P_tmpdir "/warpsage-native-XXXXXX.ptx";
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
    fclose(file);
    ws_status status = ws_module_load_file(twin->context, path, &twin->ptx);
    unlink(path);
    must(twin, status, "load");
}

void twin_begin(struct native_twin *twin, unsigned target, const struct strbuf *text,
                size_t in_bytes, size_t out_bytes)
{
    *twin = (struct native_twin){.out_bytes = out_bytes};
    assert_int_equal(ws_context_create(&twin->context), WS_OK);
    must(twin, ws_context_set_tool_path(twin->context, getenv("PATH")), "PATH");
    load_text(twin, text);
    must(twin, ws_module_compile(twin->ptx, target, &twin->native), "ptxas");
    ws_device_options options = {
        .size = sizeof options, .threads = 1, .host_isa = getenv("WARPSAGE_HOST_ISA")};
    must(twin, ws_device_create(twin->context, &options, &twin->device), "device");
    must(twin, ws_device_alloc(twin->device, in_bytes, &twin->in), "alloc");
    must(twin, ws_device_alloc(twin->device, out_bytes, &twin->out), "alloc");
}

void twin_input(struct native_twin *twin, const void *data, size_t bytes)
{
    must(twin, ws_device_copy_in(twin->device, twin->in, data, bytes), "copy in");
}

bool twin_run(struct native_twin *twin, bool as_native, const char *kernel, uint32_t blocks,
              uint32_t threads, void *out)
{
    uint64_t parameters[3] = {twin->in, twin->out, UINT64_C(0x4008000040490fdb)};
    ws_module *module = as_native ? twin->native : twin->ptx;
    ws_profile *profile = NULL;
    ws_launch launch = {.size = sizeof launch,
                        .grid = {blocks, 1, 1},
                        .block = {threads, 1, 1},
                        .parameters = parameters,
                        .parameter_bytes = sizeof parameters};
    memset(out, 0, twin->out_bytes);
    must(twin, ws_device_copy_in(twin->device, twin->out, out, twin->out_bytes), "copy in");
    must(twin, ws_module_find_kernel(module, kernel, &launch.kernel), kernel);
    launch.parameter_bytes = ws_module_parameter_bytes(module, launch.kernel);
    ws_status status = ws_device_launch(twin->device, module, &launch, &profile);
    if (status != WS_OK)
        snprintf(twin->error, sizeof twin->error, "%s", ws_context_error(twin->context));
    must(twin, ws_device_copy_out(twin->device, out, twin->out, twin->out_bytes), "copy out");
    ws_profile_destroy(profile);
    return status == WS_OK;
}

void twin_end(struct native_twin *twin)
{
    ws_device_destroy(twin->device);
    ws_module_destroy(twin->native);
    ws_module_destroy(twin->ptx);
    ws_context_destroy(twin->context);
}
