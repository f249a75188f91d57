// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_parallel.h"

#include "base/parallel.h"

struct batch {
    const struct teg_setup *setups;
    struct teg_result *out;
};

static ws_status run_one(struct diag *diag, void *argument, size_t i)
{
    struct batch *batch = argument;
    return teg_run(diag, &batch->setups[i], &batch->out[i]);
}

ws_status teg_run_all(struct diag *diag, const struct teg_setup *setups, size_t count,
                      struct teg_result *out)
{
    struct batch batch = {setups, out};
    ws_status status = parallel_each(diag, count, run_one, &batch);
    for (size_t i = 0; i < count && status != WS_OK; i++)
        teg_result_clear(&out[i]);
    return status;
}
