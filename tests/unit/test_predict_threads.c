// SPDX-License-Identifier: Apache-2.0
/* One profile, predicted in several threads at once: every thread gets what a thread alone gets, and
 * the profile keeps each cache replay once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>
#include <pthread.h>

#include "api/pipeline.h"
#include "measure/cache_replay.h"

enum { THREADS = 4, ROUNDS = 2, MACHINES = 3, ELEMENTS = 4096, ESTIMATES_MAX = 16 };

static const char *const names[MACHINES] = {"v100", "a100-sxm4-40gb", "gtx980"};

struct answer {
    size_t count;
    double seconds[ESTIMATES_MAX];
    uint64_t dram_read;
};
struct job {
    const ws_profile *profile;
    unsigned first; /* of the machines: threads begin with different ones */
    struct answer answers[MACHINES];
};

static struct answer predict(ws_context *context, const ws_profile *profile, const char *name)
{
    struct answer answer = {0};
    ws_machine *machine = NULL;
    struct prediction *prediction = NULL;
    if (ws_machine_load(context, name, &machine) == WS_OK &&
        pipeline_predict(context, profile, machine, NULL, true, &prediction) == WS_OK) {
        answer.count = prediction->estimate_count;
        for (size_t i = 0; i < answer.count; i++)
            answer.seconds[i] = prediction->estimates[i].time_seconds;
        if (prediction->caches)
            answer.dram_read = prediction->caches->counts[CACHE_COUNT_DRAM_READ];
    }
    prediction_destroy(prediction);
    ws_machine_destroy(machine);
    return answer;
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
        struct answer expected = predict(context, alone, names[m]);
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
