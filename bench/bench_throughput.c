// SPDX-License-Identifier: Apache-2.0
/* How many estimates of the throughput model a second, from a program in memory: 16 numbers of SMs x 48
 * numbers of warps, many times in one call. The goal is a million. Prints, judges nothing. */
#include <stdio.h>
#include <time.h>
#include <warpsage/warpsage.h>

enum { SMS = 16, WARPS = 48, POINTS = SMS * WARPS * 16, ROUNDS = 125 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    static const char *const varied[] = {"sms", "n"};
    static const char *const figures[] = {"perf_flop_per_s", "warps_per_s", "category"};
    static const ws_input inputs[] = {
        {.name = "fp_fused_insts", .value = 48},  {.name = "int_insts", .value = 10},
        {.name = "mem_insts", .value = 2},        {.name = "mem_indep_strength", .value = 2},
        {.name = "bytes_per_thread", .value = 4}, {.name = "n", .value = 32}};
    static double in[POINTS][2], out[POINTS][3];
    ws_context *context;
    ws_machine *machine = NULL;
    if (ws_context_create(&context) != WS_OK) return 1;
    ws_status status = ws_machine_load(context, SOURCE_DIR "/data/machines/gtx580.yaml", &machine);
    const ws_machine *machines[] = {machine};
    const ws_question question = {.size = sizeof question,
                                  .name = "throughput",
                                  .machines = machines,
                                  .machine_count = 1,
                                  .inputs = inputs,
                                  .input_count = sizeof inputs / sizeof *inputs};
    for (int i = 0; i < POINTS; i++) {
        in[i][0] = i % SMS + 1;
        in[i][1] = i / SMS % WARPS + 1;
    }
    double start = now();
    for (int i = 0; i < ROUNDS && status == WS_OK; i++)
        status = ws_ask_points(context, &question, varied, 2, in[0], figures, 3, out[0], POINTS);
    double seconds = now() - start;
    if (status == WS_OK)
        printf("throughput: %.2f million estimates/s\n", (double)POINTS * ROUNDS / seconds / 1e6);
    else
        fprintf(stderr, "%s\n", ws_context_error(context));
    ws_machine_destroy(machine);
    ws_context_destroy(context);
    return status != WS_OK;
}
