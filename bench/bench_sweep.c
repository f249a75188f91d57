// SPDX-License-Identifier: Apache-2.0
/* How many predictions of one launch a second and core, over figures of a GPU: each closed form, and for comparison
 * whole answers. The goal is 100,000. Prints, judges nothing. */
#include <stdio.h>
#include <time.h>
#include <warpsage/warpsage.h>

enum { POINTS = 20000, ANSWERS = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ws_status count_profile(ws_context *context, ws_profile **out)
{
    enum { N = 1 << 16 };
    struct parameters {
        uint32_t n;
        float a;
        uint64_t x, y;
    };
    ws_module *module;
    ws_device *device = NULL;
    ws_device_options options = {.size = sizeof options, .threads = 1};
    uint64_t x = 0, y = 0;
    ws_status status =
        ws_module_load_file(context, SOURCE_DIR "/examples/kernels/saxpy/saxpy.ptx", &module);
    if (status == WS_OK) status = ws_device_create(context, &options, &device);
    if (status == WS_OK) status = ws_device_alloc(device, N * sizeof(float), &x);
    if (status == WS_OK) status = ws_device_alloc(device, N * sizeof(float), &y);
    const struct parameters parameters = {N, 2, x, y};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {N / 256, 1, 1},
                        .block = {256, 1, 1},
                        .parameters = (const unsigned char *)&parameters,
                        .parameter_bytes = sizeof parameters,
                        .counters = true,
                        .rules = WS_RULE_CC12};
    if (status == WS_OK) status = ws_device_fill(device, x, 0, N * sizeof(float));
    if (status == WS_OK) status = ws_device_fill(device, y, 0, N * sizeof(float));
    if (status == WS_OK) status = ws_device_launch(device, module, &launch, out);
    ws_device_destroy(device);
    ws_module_destroy(module);
    return status;
}

static double points_a_second(ws_context *context, const ws_question *question)
{
    static const char *const varied[] = {"sm.count", "dram.bandwidth"};
    static const char *const figures[] = {"time_s"};
    static double in[POINTS][2], out[POINTS];
    for (int i = 0; i < POINTS; i++) {
        in[i][0] = 1 + i % 100;
        in[i][1] = 1e11 + 1e9 * (i / 100);
    }
    double begun = now();
    if (ws_ask_points(context, question, varied, 2, in[0], figures, 1, out, POINTS) != WS_OK) {
        printf("  %s\n", ws_context_error(context));
        return 0;
    }
    return POINTS / (now() - begun);
}

static double answers_a_second(ws_context *context, const ws_question *question)
{
    double begun = now();
    for (int i = 0; i < ANSWERS; i++) {
        ws_answer *answer;
        if (ws_ask(context, question, &answer) != WS_OK) return 0;
        ws_answer_destroy(answer);
    }
    return ANSWERS / (now() - begun);
}

int main(void)
{
    static const char *const models[] = {"speed-of-light", "mwp-cwp", "quantitative", "throughput"};
    static const char *const gpus[] = {"gtx280", "gtx580", "v100"};
    ws_context *context;
    ws_profile *profile = NULL;
    if (ws_context_create(&context) != WS_OK) return 1;
    ws_status status = ws_context_set_machine_dir(context, SOURCE_DIR "/data/machines");
    if (status == WS_OK) status = count_profile(context, &profile);
    for (size_t g = 0; g < 3 && status == WS_OK; g++) {
        ws_machine *machine;
        status = ws_machine_load(context, gpus[g], &machine);
        for (size_t m = 0; m < 4 && status == WS_OK; m++) {
            const ws_profile *profiles[] = {profile};
            const ws_machine *machines[] = {machine};
            const ws_input inputs[] = {{.name = "model", .word = models[m]},
                                       {.name = "times_only", .value = 1}};
            const ws_question question = {.size = sizeof question,
                                          .name = "analyze",
                                          .profiles = profiles,
                                          .profile_count = 1,
                                          .machines = machines,
                                          .machine_count = 1,
                                          .inputs = inputs,
                                          .input_count = 2};
            double points = points_a_second(context, &question);
            printf("%-8s %-16s %8.0f points/s  %8.0f answers/s\n", gpus[g], models[m], points,
                   answers_a_second(context, &question));
        }
        ws_machine_destroy(machine);
    }
    if (status != WS_OK) fprintf(stderr, "%s\n", ws_context_error(context));
    ws_profile_destroy(profile);
    ws_context_destroy(context);
    return status != WS_OK;
}
