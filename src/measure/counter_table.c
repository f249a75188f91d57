// SPDX-License-Identifier: Apache-2.0
/* The table of counters, expanded from counters.def, classes.def and PTX_UNITS. */
#include <pthread.h>

#include "base/name_index.h"
#include "measure/profile.h"

const struct counter_info counter_infos[COUNTER_COUNT] = {
#define COUNTER(name, id, unit, staged, text, ncu) {id, unit, text, ncu, staged},
#include "measure/counters.def"
#define CLASS(name, id) {"inst.warp." id, "1", "Warp instructions of class " id ".", NULL, true},
#include "isa/classes.def"
#undef CLASS
#define UNIT(name, id)                                                                             \
    {"inst.unit." id, "1", "Warp instructions that use the unit " id " of the power model.", NULL, \
     true},
    PTX_UNITS(UNIT)
#undef UNIT
};

static struct name_index ids;

static void fill_ids(void)
{
    name_index_fill(&ids, &counter_infos[0].id, sizeof *counter_infos, COUNTER_COUNT);
}

int counter_find(const char *id)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_ids);
    return name_index_find(&ids, id);
}

bool counter_more_is_better(enum counter counter)
{
    static const bool answers[COUNTER_COUNT] = {
#define MORE_IS_BETTER(name) [COUNTER_##name] = true,
#include "measure/counters.def"
    };
    return answers[counter];
}
