// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "calibrate/bench.h"

static const struct bench *const lists[] = {
    bench_arithmetic, bench_issue,    bench_shared,    bench_units,  bench_caches,
    bench_memory,     bench_coalesce, bench_departure, bench_launch, bench_power};

const struct bench *bench_at(unsigned index)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct bench *bench = lists[i]; bench->id; bench++)
            if (index-- == 0) return bench;
    return NULL;
}

const struct bench *bench_find(const char *id)
{
    for (unsigned i = 0; bench_at(i); i++)
        if (!strcmp(bench_at(i)->id, id)) return bench_at(i);
    return NULL;
}
