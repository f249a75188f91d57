// SPDX-License-Identifier: Apache-2.0
/* A saved profile from anywhere: it is read or refused with a message. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <warpsage/warpsage.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The library reads files: a file in memory that lives as long as `*out_descriptor`. */
static void memory_file(const uint8_t *data, size_t size, char path[64], int *out_descriptor)
{
    int descriptor = memfd_create("fuzz.json", 0);
    assert(descriptor >= 0);
    assert(write(descriptor, data, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    *out_descriptor = descriptor;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor;
    ws_context *context = NULL;
    if (ws_context_create(&context) != WS_OK) return 0;
    memory_file(data, size, path, &descriptor);
    ws_profile *profile = NULL;
    if (ws_profile_load(context, path, &profile) == WS_OK) {
        double value;
        (void)!ws_profile_get(profile, "inst.warp", &value);
        assert(ws_profile_kernel(profile) != NULL);
    } else {
        assert(profile == NULL);
        assert(strlen(ws_context_error(context)) > 0);
    }
    ws_profile_destroy(profile);
    close(descriptor);
    ws_context_destroy(context);
    return 0;
}
