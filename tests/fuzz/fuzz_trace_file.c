// SPDX-License-Identifier: Apache-2.0
/* A saved trace from anywhere: a file, or (if it is none) what stands in one behind right checksums. It
 * is read or refused with a message; what was read can be walked. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "measure/trace_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct trace *trace)
{
    for (uint32_t b = 0; b < trace->block_count; b++)
        for (uint32_t w = 0; w < trace->head.warps_per_block; w++) {
            struct trace_cursor cursor;
            struct trace_step step;
            uint64_t steps = 0;
            trace_cursor_init(&cursor, trace, &trace->blocks[b], w);
            for (; trace_cursor_next(&cursor, &step); steps++)
                for (uint32_t i = 0; i < step.access_count; i++) {
                    uint64_t addresses[32];
                    trace_lanes(trace, &step.accesses[i], addresses);
                }
            assert(steps == trace->blocks[b].warps[w].step_count);
            trace_cursor_clear(&cursor);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag diag = {0};
    struct profile *profile = NULL;
    struct trace *trace = NULL;
    ws_status status;
    if (trace_file_recognises(data, size)) {
        status = trace_file_read(&diag, "fuzz", data, size, &profile);
        if (status == WS_OK) walk(profile->trace);
    } else {
        status = trace_decode(&diag, "fuzz", data, size, &trace);
        if (status == WS_OK) walk(trace);
    }
    assert(status == WS_OK || (diag.text && strlen(diag.text) > 0));
    profile_destroy(profile);
    trace_destroy(trace);
    diag_clear(&diag);
    return 0;
}
