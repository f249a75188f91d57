// SPDX-License-Identifier: Apache-2.0
/* How many estimates of the throughput model a second, from a program in memory: 16 numbers of SMs x 48
 * numbers of warps, again and again. The goal is a million. Prints, judges nothing. */
#include <stdio.h>
#include <time.h>
#include <warpsage/warpsage.h>

enum { SMS = 16, WARPS = 48, ROUNDS = 2000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    static ws_throughput_point points[SMS * WARPS];
    ws_context *context;
    ws_machine *machine;
    ws_throughput answer = {.size = sizeof answer};
    ws_predict_options options = {.size = sizeof options,
                                  .model_options =
                                      "tp.fp_fused_insts=48,tp.int_insts=10,tp.mem_insts=2,"
                                      "tp.mem_indep_strength=2,tp.bytes_per_thread=4,tp.n=32"};
    if (ws_context_create(&context) != WS_OK) return 1;
    ws_status status = ws_machine_load(context, SOURCE_DIR "/data/machines/gtx580.yaml", &machine);
    if (status == WS_OK) status = ws_throughput_predict(context, NULL, machine, &options, &answer);
    for (int i = 0; i < SMS * WARPS; i++)
        points[i] = (ws_throughput_point){.cores = i % SMS + 1, .n = i / SMS + 1};
    double start = now();
    for (int i = 0; i < ROUNDS && status == WS_OK; i++)
        status = ws_throughput_points(context, points, SMS * WARPS);
    double seconds = now() - start;
    if (status == WS_OK)
        printf("throughput: %.2f million estimates/s\n", SMS * WARPS * ROUNDS / seconds / 1e6);
    else
        fprintf(stderr, "%s\n", ws_context_error(context));
    ws_machine_destroy(machine);
    ws_context_destroy(context);
    return status != WS_OK;
}
