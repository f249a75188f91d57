// SPDX-License-Identifier: Apache-2.0
/* The public API in one page: saxpy over 1 Mi elements, executed on the CPU, its time on a V100.
 *
 *     cc predict.c -lwarpsage && ./a.out saxpy.ptx
 */
#include <stdio.h>
#include <warpsage/warpsage.h>

enum { N = 1 << 20 };

/* The parameter block of saxpy(u32 n, f32 a, u64 x, u64 y), as ws_module_parameter lays it out. */
struct parameters {
    uint32_t n;
    float a;
    uint64_t x, y;
};

static ws_status predict(ws_context *context, const char *path)
{
    ws_module *module = NULL;
    ws_device *device = NULL;
    ws_profile *profile = NULL;
    ws_machine *machine = NULL;
    ws_answer *answer = NULL;
    struct parameters parameters = {.n = N, .a = 2};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {N / 256, 1, 1},
                        .block = {256, 1, 1},
                        .parameters = &parameters,
                        .parameter_bytes = sizeof parameters,
                        .counters = true};
    ws_status s = ws_module_load_file(context, path, &module);
    if (!s) s = ws_device_create(context, NULL, &device);
    if (!s) s = ws_device_alloc(device, N * sizeof(float), &parameters.x);
    if (!s) s = ws_device_alloc(device, N * sizeof(float), &parameters.y);
    if (!s) s = ws_device_fill(device, parameters.x, 0, N * sizeof(float));
    if (!s) s = ws_device_fill(device, parameters.y, 0, N * sizeof(float));
    if (!s) s = ws_device_launch(device, module, &launch, &profile);
    if (!s) s = ws_machine_load(context, "v100", &machine);
    const ws_question question = {.size = sizeof question,
                                  .name = "analyze",
                                  .profiles = (const ws_profile *const *)&profile,
                                  .profile_count = 1,
                                  .machines = (const ws_machine *const *)&machine,
                                  .machine_count = 1};
    if (!s) s = ws_ask(context, &question, &answer);
    if (!s)
        printf("%s on %s: %.2f us by %s, limited by %s\n", ws_profile_kernel(profile),
               ws_machine_name(machine), 1e6 * ws_answer_time(answer, 0, 0),
               ws_answer_word(answer, "kernels/0/machines/0/headline/model"),
               ws_answer_limit(answer, 0, 0));
    ws_answer_destroy(answer);
    ws_machine_destroy(machine);
    ws_profile_destroy(profile);
    ws_device_destroy(device);
    ws_module_destroy(module);
    return s;
}

int main(int argc, char **argv)
{
    ws_context *context;
    if (argc != 2 || ws_context_create(&context) != WS_OK) return 2;
    ws_status status = predict(context, argv[1]);
    if (status != WS_OK) fprintf(stderr, "%s\n", ws_context_error(context));
    ws_context_destroy(context);
    return ws_status_exit_code(status);
}
