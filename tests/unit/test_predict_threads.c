// SPDX-License-Identifier: Apache-2.0
/* One profile, predicted in several threads at once: every thread gets what a thread alone gets, and
 * the profile keeps the caches of each geometry once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>
#include <pthread.h>

#include "api/pipeline.h"
#include "measure/cache_section.h"
#include "support/analyze_one.h"

enum { THREADS = 4, ROUNDS = 2, MACHINES = 3, ELEMENTS = 4096, ESTIMATES_MAX = 16 };

static const char *const names[MACHINES] = {"v100", "a100-sxm4-40gb", "gtx980"};

struct found {
    size_t count;
    double seconds[ESTIMATES_MAX];
    uint64_t dram_read;
};
struct job {
    const ws_profile *profile;
    unsigned first; /* of the machines: threads begin with different ones */
    struct found answers[MACHINES];
};

static struct found predict(ws_context *context, const ws_profile *profile, const char *name)
{
    struct found found = {0};
    ws_machine *machine = NULL;
    ws_answer *answer = NULL;
    if (ws_machine_load(context, name, &machine) == WS_OK &&
        analyze_one(context, profile, machine, NULL, NULL, NULL, &answer) == WS_OK) {
        ws_node estimates = ws_node_find(ws_answer_root(answer), "kernels/0/machines/0/estimates");
        found.count = ws_node_count(estimates);
        for (size_t i = 0; i < found.count; i++) {
            ws_value time = {.size = sizeof time};
            if (ws_node_value(ws_node_find(ws_node_child(estimates, i), "time_s"), &time))
                found.seconds[i] = time.number;
        }
        double read = ws_answer_number(answer, "kernels/0/machines/0/caches/sectors/dram_read");
        if (!isnan(read)) found.dram_read = (uint64_t)read;
    }
    ws_answer_destroy(answer);
    ws_machine_destroy(machine);
    return found;
}

/* Also writes the profile while the other threads predict. */
static void *work(void *argument)
{
    struct job *job = argument;
    ws_context *context;
    if (ws_context_create(&context) != WS_OK) return NULL;
    for (unsigned i = 0; i < ROUNDS * MACHINES; i++) {
        unsigned at = (job->first + i) % MACHINES;
        job->answers[at] = predict(context, job->profile, names[at]);
        mem_free(profile_to_json(job->profile->profile));
    }
    ws_context_destroy(context);
    return NULL;
}

static ws_profile *run_saxpy(ws_context *context)
{
    ws_device_options options = {.size = sizeof options, .threads = 1};
    ws_module *module;
    ws_device *device;
    ws_profile *profile;
    static float values[ELEMENTS];
    struct {
        uint32_t n;
        float a;
        uint64_t x, y;
    } parameters = {ELEMENTS, 2, 0, 0};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {ELEMENTS / 256, 1, 1},
                        .block = {256, 1, 1},
                        .parameters = &parameters,
                        .parameter_bytes = sizeof parameters,
                        .counters = true};
    assert_int_equal(ws_module_load_file(context, TESTS_DIR "/cli/data/saxpy.ptx", &module), WS_OK);
    assert_int_equal(ws_device_create(context, &options, &device), WS_OK);
    assert_int_equal(ws_device_alloc(device, sizeof values, &parameters.x), WS_OK);
    assert_int_equal(ws_device_alloc(device, sizeof values, &parameters.y), WS_OK);
    assert_int_equal(ws_device_copy_in(device, parameters.x, values, sizeof values), WS_OK);
    assert_int_equal(ws_device_copy_in(device, parameters.y, values, sizeof values), WS_OK);
    assert_int_equal(ws_device_launch(device, module, &launch, &profile), WS_OK);
    ws_device_destroy(device);
    ws_module_destroy(module);
    return profile;
}

static unsigned count_caches(const ws_profile *profile)
{
    unsigned count = 0;
    const struct cache_section *section = NULL;
    while ((section = profile_next_caches(profile->profile, section)) != NULL)
        count++;
    return count;
}

static void test_threads_share_a_profile(void **state)
{
    (void)state;
    ws_context *context;
    pthread_t threads[THREADS];
    struct job jobs[THREADS] = {{0}};
    assert_int_equal(ws_context_create(&context), WS_OK);
    ws_profile *alone = run_saxpy(context), *shared = run_saxpy(context);
    for (unsigned i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.profile = shared, .first = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned m = 0; m < MACHINES; m++) {
        struct found expected = predict(context, alone, names[m]);
        assert_true(expected.count > 0 && expected.dram_read > 0);
        for (unsigned i = 0; i < THREADS; i++)
            assert_memory_equal(&jobs[i].answers[m], &expected, sizeof expected);
    }
    assert_int_equal(count_caches(alone), MACHINES);
    assert_int_equal(count_caches(shared), MACHINES);
    ws_profile_destroy(alone);
    ws_profile_destroy(shared);
    ws_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_share_a_profile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
