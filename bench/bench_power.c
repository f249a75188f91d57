// SPDX-License-Identifier: Apache-2.0
/* How long it takes to predict power for every number of active SMs: 20 profiles x 30 SMs of a
 * GTX 280. The goal is below a second. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <warpsage/warpsage.h>

enum { KERNELS = 20, SMS = 30 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(ws_context *context, ws_status status)
{
    if (status == WS_OK) return;
    fprintf(stderr, "%s\n", ws_context_error(context));
    exit(1);
}

/* A profile by hand, as it would be saved. */
static void write_profile(const char *path, int k)
{
    FILE *file = fopen(path, "w");
    double warps = 60 * 16, loads = (10 + k) * warps, all = loads + (20 + 10 * k) * warps;
    if (!file) exit(1);
    fprintf(file,
            "{\"schema\": \"warpsage.profile/1\", \"kernel\": \"k%d\", \"launch\": {\"grid\": "
            "[60, 1, 1], \"block\": [512, 1, 1]}, \"registers\": [{\"target\": 0, \"value\": 16, "
            "\"from\": "
            "\"user\"}], \"counters\": {\"inst.warp\": %.0f, \"inst.unit.fds\": %.0f, "
            "\"inst.unit.reg\": %.0f, \"inst.unit.fp\": %.0f, \"inst.unit.global\": %.0f, "
            "\"mem.global.load.requests\": %.0f, \"mem.global.load.bytes_requested\": %.0f, "
            "\"mem.global.load.coalesced_cc12\": %.0f, \"mem.global.load.uncoalesced_cc12\": 0, "
            "\"mem.global.load.bytes_cc12\": %.0f}}",
            k, all, all, all, all - loads, loads, loads, 128 * loads, loads, 128 * loads);
    fclose(file);
}

int main(void)
{
    char path[] = "/tmp/bench_power_XXXXXX";
    int file = mkstemp(path);
    ws_context *context;
    ws_machine *machine;
    const ws_input inputs[] = {{"no_clocks", 1, NULL}};
    double reading = 0, sweeping = 0;
    if (file < 0 || ws_context_create(&context) != WS_OK) return 1;
    need(context, ws_machine_load(context, SOURCE_DIR "/data/machines/gtx280.yaml", &machine));
    for (int k = 0; k < KERNELS; k++) {
        ws_profile *profile;
        ws_answer *answer;
        write_profile(path, k);
        double start = now();
        need(context, ws_profile_load(context, path, &profile));
        reading += now() - start;
        start = now();
        const ws_question question = {.size = sizeof question,
                                      .name = "power",
                                      .profiles = (const ws_profile *const[]){profile},
                                      .profile_count = 1,
                                      .machines = (const ws_machine *const[]){machine},
                                      .machine_count = 1,
                                      .inputs = inputs,
                                      .input_count = 1};
        need(context, ws_ask(context, &question, &answer));
        ws_node points = ws_node_find(ws_answer_root(answer), "machines/0/cores/points");
        if (ws_node_count(points) != SMS) return 1;
        ws_answer_destroy(answer);
        sweeping += now() - start;
        ws_profile_destroy(profile);
    }
    printf("%d profiles read in %.4f s, %d x %d predictions of time and power in %.4f s\n", KERNELS,
           reading, KERNELS, SMS, sweeping);
    remove(path);
    ws_machine_destroy(machine);
    ws_context_destroy(context);
    return 0;
}
