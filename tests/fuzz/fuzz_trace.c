// SPDX-License-Identifier: Apache-2.0
/* A recorded trace from anywhere: it is replayed or refused with a message. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <warpsage/warpsage.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(ws_context *context, const char *path)
{
    ws_trace *trace;
    ws_profile *profile;
    double value;
    if (ws_trace_open(context, path, &trace) != WS_OK) {
        assert(strlen(ws_context_error(context)) > 0);
        return;
    }
    if (ws_trace_replay(trace, 0, NULL, &profile) == WS_OK) {
        assert(ws_profile_get(profile, "inst.warp", &value) == WS_OK && value > 0);
        ws_profile_destroy(profile);
    } else {
        assert(profile == NULL);
        assert(strlen(ws_context_error(context)) > 0);
    }
    ws_trace_destroy(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    ws_context *context = NULL;
    if (ws_context_create(&context) != WS_OK) return 0;
    int descriptor = memfd_create("fuzz.traceg", 0);
    assert(descriptor >= 0);
    assert(write(descriptor, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    replay(context, path);
    close(descriptor);
    ws_context_destroy(context);
    return 0;
}
