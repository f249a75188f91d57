// SPDX-License-Identifier: Apache-2.0
#include "teg_kernel.h"
#include "support/analyze_one.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

static char *write_kernel(kernel_body *body, unsigned count, size_t *out_size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, out_size);
    assert_non_null(out);
    fputs(".version 7.0\n.target sm_70\n.address_size 64\n"
          ".visible .entry timed(.param .u64 buffer)\n{\n"
          ".reg .f32 %f<64>;\n.reg .f64 %d<32>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n"
          ".reg .pred %p<8>;\n.shared .align 128 .b8 words[16384];\n"
          "ld.param.u64 %rd0, [buffer];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
          "mov.f32 %f0, 0f3f800000;\nmov.f32 %f1, 0f3f800000;\n"
          "mov.f64 %d0, 0d3ff0000000000000;\nmov.f64 %d1, 0d3ff0000000000000;\n",
          out);
    body(out, count);
    fputs("ret;\n}\n", out);
    fclose(out);
    return text;
}

static void check(ws_context *context, ws_status status)
{
    if (status != WS_OK) fail_msg("%s", ws_context_error(context));
}

static uint64_t make_buffer(ws_context *context, ws_device *device, const struct kernel_run *run)
{
    uint64_t bytes = run->bytes ? run->bytes : 256, address = 0;
    uint64_t step = run->step ? run->step : 8;
    uint64_t *words = calloc(bytes / 8, 8);
    assert_non_null(words);
    check(context, ws_device_alloc(device, bytes, &address));
    for (uint64_t i = 0; i < bytes / 8; i++)
        words[i] = address + (i * 8 + step) % bytes;
    check(context, ws_device_copy_in(device, address, words, bytes));
    free(words);
    return address;
}

static ws_profile *execute(ws_context *context, const struct kernel_run *run,
                           const ws_machine *machine, const char *text, size_t size)
{
    ws_module *module;
    ws_device *device;
    ws_profile *profile;
    ws_device_options options = {.size = sizeof options, .threads = 1};
    check(context, ws_module_load_memory(context, "timed.ptx", text, size, &module));
    check(context, ws_device_create(context, &options, &device));
    uint64_t address = make_buffer(context, device, run);
    ws_launch launch = {.size = sizeof launch,
                        .grid = {run->grid ? run->grid : 1, 1, 1},
                        .block = {run->block ? run->block : 32, 1, 1},
                        .parameters = &address,
                        .parameter_bytes = sizeof address,
                        .counters = true,
                        .trace_blocks = 4};
    /* Instructions as they are written, unless the order of native code is asked for. */
    bool is_native = run->options && strstr(run->options, "order=native");
    launch.isa_view = is_native ? NULL : "ptx";
    check(context, ws_machine_prepare_launch(machine, &launch));
    check(context, ws_device_launch(device, module, &launch, &profile));
    check(context, ws_profile_set_registers(profile, 16));
    check(context, ws_profile_set_spills(profile, 4 * run->spilled_stores, 4 * run->spilled_loads));
    check(context,
          ws_profile_set_shared(profile, 0)); /* `words` is for addresses, not for the occupancy */
    ws_device_destroy(device);
    ws_module_destroy(module);
    return profile;
}

void kernel_independent(FILE *out, unsigned count, const char *format, unsigned registers)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, format, 2 + i % registers);
}

static double predict(ws_context *context, const struct kernel_run *run, const ws_profile *profile,
                      const ws_machine *machine, const char *path)
{
    ws_answer *answer;
    const char *given = run->options ? run->options : "";
    char options[200];
    bool says_order = strstr(given, "order=") != NULL;
    snprintf(options, sizeof options, "%s%s%s", given, says_order || !*given ? "" : ",",
             says_order ? "" : "order=ptx");
    char without[64];
    snprintf(without, sizeof without, "fetch%s%s", run->without ? "," : "",
             run->without ? run->without : "");
    check(context, analyze_one_with(context, profile, machine, options, without, "teg", run->l2,
                                    run->spills, &answer));
    char whole[120];
    snprintf(whole, sizeof whole, "kernels/0/machines/0/%s", path);
    double figure = ws_answer_number(answer, whole);
    ws_answer_destroy(answer);
    if (isnan(figure)) fail_msg("the answer has no %s", whole);
    return figure;
}

double kernel_figure(const struct kernel_run *run, kernel_body *body, unsigned count,
                     const char *path)
{
    ws_context *context;
    ws_machine *machine;
    size_t size;
    assert_int_equal(ws_context_create(&context), WS_OK);
    check(context, ws_context_set_machine_dir(context, SOURCE_DIR "/data/machines"));
    check(context, ws_machine_load(context, run->gpu, &machine));
    for (unsigned i = 0; i < KERNEL_CHANGES_MAX && run->changes[i]; i++) {
        char key[64];
        size_t length = strcspn(run->changes[i], "=");
        assert_true(length < sizeof key);
        memcpy(key, run->changes[i], length);
        key[length] = '\0';
        check(context, ws_machine_set(machine, key, run->changes[i] + length));
    }
    char *text = write_kernel(body, count, &size);
    ws_profile *profile = execute(context, run, machine, text, size);
    double figure = predict(context, run, profile, machine, path);
    free(text);
    ws_profile_destroy(profile);
    ws_machine_destroy(machine);
    ws_context_destroy(context);
    return figure;
}

double kernel_cycles(const struct kernel_run *run, kernel_body *body, unsigned count)
{
    return kernel_figure(run, body, count, "estimates/teg/cycles");
}

double kernel_slope(const struct kernel_run *run, kernel_body *body, unsigned count)
{
    return (kernel_cycles(run, body, 2 * count) - kernel_cycles(run, body, count)) / count;
}
