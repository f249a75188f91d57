// SPDX-License-Identifier: Apache-2.0
/* The host as a machine: what must hold of any computer. No test asserts a speed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/host.h"
#include "host/host_loops.h"

static struct machine *measure(void)
{
    struct diag diag = {0};
    struct machine *machine = NULL;
    if (host_measure(&diag, &machine) != WS_OK) fail_msg("%s", diag.text);
    return machine;
}

static void gives_what_the_models_need(void **state)
{
    (void)state;
    static const enum machine_key keys[] = {
        MACHINE_CPU_SOCKETS,      MACHINE_CPU_CORES,        MACHINE_CPU_VECTOR_UNITS,
        MACHINE_CPU_VECTOR_WIDTH, MACHINE_CPU_INST_LATENCY, MACHINE_CPU_FP_UNITS,
        MACHINE_CLOCK_CORE,       MACHINE_DRAM_BANDWIDTH,   MACHINE_DRAM_LATENCY};
    struct machine *machine = measure();
    assert_int_equal(machine->kind, MACHINE_IS_CPU);
    assert_string_equal(machine->id, "host");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!(machine_get(machine, keys[i], 0) > 0))
            fail_msg("%s is not known", machine_key_infos[keys[i]].path);
    assert_true(machine_has(machine, MACHINE_CPU_FMA));
    for (unsigned key = 0; key < MACHINE_KEY_COUNT; key++)
        if (machine_has(machine, key)) assert_true(machine_key_is_for(key, MACHINE_IS_CPU));
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    assert_true(machine_get(machine, MACHINE_CPU_CORES, 0) <= (double)online);
    assert_true(machine->note_count >= 6);
    machine_destroy(machine);
}

static void is_read_back_as_saved(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct machine *machine = measure(), *again = NULL;
    char path[] = "/tmp/warpsage-host-XXXXXX.yaml";
    int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(machine_save_cpu(&diag, machine, path), WS_OK);
    if (machine_load(&diag, SOURCE_DIR "/data/machines", path, &again) != WS_OK)
        fail_msg("%s", diag.text);
    assert_string_equal(again->name, machine->name);
    assert_int_equal(again->note_count, machine->note_count);
    for (unsigned key = 0; key < MACHINE_KEY_COUNT; key++) {
        const struct machine_value *a = &machine->values[key], *b = &again->values[key];
        assert_int_equal(a->known, b->known);
        if (!a->known) continue;
        assert_true(a->value == b->value && a->assumed == b->assumed);
        assert_string_equal(a->source, b->source);
    }
    unlink(path);
    machine_destroy(again);
    machine_destroy(machine);
}

/* The loops do the work that their times are divided by. */
static void loops_do_their_work(void **state)
{
    (void)state;
    enum { COUNT = 1024 };
    static _Alignas(64) float ones[COUNT];
    const void *ring[3] = {&ring[2], &ring[0], &ring[1]};
    for (size_t i = 0; i < COUNT; i++)
        ones[i] = 1;
    assert_true(host_loops_base.read(ones, COUNT) == COUNT);
    assert_true(host_add_chain(3) == 3 * HOST_ADDS);
    assert_ptr_equal(host_chase(&ring[0], 4), &ring[2]);
    /* x m + a from 1, m = 0.999999, a = 1e-6: stays 1. */
    assert_true(host_loops_base.chain(1000) > 0.999f && host_loops_base.chain(1000) < 1.001f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_what_the_models_need),
        cmocka_unit_test(is_read_back_as_saved),
        cmocka_unit_test(loops_do_their_work),
    };
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
