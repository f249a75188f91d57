// SPDX-License-Identifier: Apache-2.0
#include "support/native_run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

void native_run(struct run *run, const struct native_launch *launch)
{
    static const uint32_t words[NATIVE_WORDS];
    run_begin(run, launch->ptx, launch->kernel, 1);
    run_shape(run, 1, launch->threads);
    run_input(run, words, sizeof words);
    run_int(run, launch->value);
    run->launch.isa_view = launch->view;
    run->launch.dynamic_shared_bytes = launch->dynamic_shared_bytes;
    run_launch(run);
}

unsigned native_wrong(struct run *run, const char *kernel, const char *id, uint64_t expected)
{
    uint64_t got = run_counter(run, id);
    if (got == expected) return 0;
    print_error("%s: %s: %llu, expected %llu\n", kernel, id, (unsigned long long)got,
                (unsigned long long)expected);
    return 1;
}
