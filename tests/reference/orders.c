// SPDX-License-Identifier: Apache-2.0
#include "reference/orders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "reference/interpreter.h"

enum { BUFFERS = 2 };
#define BUFFER_ADDRESS(i) (UINT64_C(0x10000000) * ((i) + 1))

/* What a launch leaves. */
struct outcome {
    uint32_t memory[BUFFERS][LITMUS_WORDS];
    char fault[200]; /* "": it ends; else it waits for ever, or does what it must not */
};

static void run(const struct module *module, const struct litmus *litmus, uint64_t schedule,
                struct outcome *out)
{
    struct diag diag = {0};
    uint64_t parameters[BUFFERS];
    struct reference_buffer buffers[BUFFERS];
    memset(out, 0, sizeof *out);
    litmus_fill(out->memory[0], litmus_has(litmus, "inputs"));
    for (unsigned i = 0; i < BUFFERS; i++) {
        parameters[i] = BUFFER_ADDRESS(i);
        buffers[i] =
            (struct reference_buffer){parameters[i], (unsigned char *)out->memory[i], LITMUS_BYTES};
    }
    struct reference_launch launch = {.module = module,
                                      .grid = {litmus->grid, 1, 1},
                                      .block = {litmus->block, 1, 1},
                                      .parameters = (const unsigned char *)parameters,
                                      .buffers = buffers,
                                      .buffer_count = BUFFERS,
                                      .schedule = schedule};
    if (module_find_entry(&diag, module, litmus->kernel, &launch.entry) != WS_OK)
        fail_msg("%s", diag.text);
    if (!reference_run(&launch, out->fault, sizeof out->fault) && !out->fault[0])
        fail_msg("a fault without words");
}

unsigned orders_find(const struct module *module, const struct litmus *litmus, unsigned count,
                     const char **fault)
{
    static struct outcome first, now;
    run(module, litmus, 1, &first);
    for (unsigned schedule = 2; schedule <= count; schedule++) {
        run(module, litmus, schedule, &now);
        *fault = first.fault[0] ? first.fault : now.fault;
        if (memcmp(&first, &now, sizeof first) != 0) return schedule;
    }
    return 0;
}
