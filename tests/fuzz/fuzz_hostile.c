// SPDX-License-Identifier: Apache-2.0
/* Valid PTX with hostile addresses, frames and calls (hostile_program.h), executed at every level of
 * the host's instructions: each must end with the same status, message, memory, printed text and counts.
 *
 * HOSTILE_SHOW=1 in the environment prints the program. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <warpsage/warpsage.h>

#include "hostile_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INSTRUCTIONS_MAX = 20000, MESSAGE_BYTES = 2048, PRINTED_BYTES = 4096 };

static const char *const counters[] = {
    "inst.warp",
    "inst.thread",
    "branch.divergent",
    "mem.global.load.sectors32",
    "mem.global.store.transactions_cc12",
    "mem.global.atomic.requests",
    "mem.shared.load.wavefronts32",
    "mem.shared.store.wavefronts16",
    "mem.local.load.sectors32",
};
enum { COUNTERS = sizeof counters / sizeof *counters };

/* All that may be seen of a launch. */
struct seen {
    ws_status status;
    char message[MESSAGE_BYTES];
    unsigned char buffer[HOSTILE_BUFFER_BYTES], small[HOSTILE_SMALL_BYTES];
    char printed[PRINTED_BYTES];
    size_t printed_bytes;
    double counts[COUNTERS];
};

static bool keep_printed(void *user, const char *bytes, size_t size)
{
    struct seen *seen = user;
    if (size > sizeof seen->printed - seen->printed_bytes)
        size = sizeof seen->printed - seen->printed_bytes;
    memcpy(seen->printed + seen->printed_bytes, bytes, size);
    seen->printed_bytes += size;
    return true;
}

static void must(ws_context *context, ws_status status)
{
    if (status == WS_OK) return;
    fprintf(stderr, "%s\n", ws_context_error(context));
    abort();
}

static uint64_t texture_of(ws_context *context, ws_device *device, uint64_t address)
{
    const ws_texture texture = {.size = sizeof texture,
                                .kind = WS_TEXTURE_LINEAR_MEMORY,
                                .address = address,
                                .width = HOSTILE_SMALL_BYTES / 4,
                                .channels = 1,
                                .channel_bits = 32,
                                .channel_kind = WS_CHANNEL_SIGNED};
    uint64_t handle;
    must(context, ws_device_texture_create(device, &texture, &handle));
    return handle;
}

static void launch_and_look(ws_context *context, ws_device *device, const ws_module *module,
                            const struct hostile_launch *how, struct seen *seen)
{
    unsigned char parameters[HOSTILE_PARAMETER_BYTES] = {0};
    uint64_t words[5] = {0, 0, 0, how->words[0], how->words[1]};
    ws_profile *profile = NULL;
    must(context, ws_device_alloc(device, HOSTILE_BUFFER_BYTES, &words[0]));
    must(context, ws_device_alloc(device, HOSTILE_SMALL_BYTES, &words[1]));
    must(context, ws_device_fill(device, words[0], 0x11, HOSTILE_BUFFER_BYTES));
    must(context, ws_device_fill(device, words[1], 0x22, HOSTILE_SMALL_BYTES));
    words[2] = texture_of(context, device, words[1]);
    memcpy(parameters, words, sizeof words);
    ws_launch launch = {.size = sizeof launch,
                        .grid = {how->grid, 1, 1},
                        .block = {how->block, 1, 1},
                        .dynamic_shared_bytes = how->shared_bytes,
                        .parameters = parameters,
                        .parameter_bytes = ws_module_parameter_bytes(module, 0),
                        .max_instructions = INSTRUCTIONS_MAX,
                        .counters = true,
                        .all_rules = true,
                        .trace_blocks = how->traces ? 0 : WS_TRACE_NONE};
    assert(launch.parameter_bytes <= sizeof parameters);
    seen->status = ws_device_launch(device, module, &launch, &profile);
    assert(seen->status != WS_ERR_INTERNAL);
    assert((seen->status == WS_OK) == (profile != NULL));
    if (seen->status != WS_OK)
        snprintf(seen->message, sizeof seen->message, "%s", ws_context_error(context));
    for (size_t i = 0; i < COUNTERS && profile; i++)
        must(context, ws_profile_get(profile, counters[i], &seen->counts[i]));
    must(context, ws_device_copy_out(device, seen->buffer, words[0], sizeof seen->buffer));
    must(context, ws_device_copy_out(device, seen->small, words[1], sizeof seen->small));
    ws_profile_destroy(profile);
}

/* False: this host does not have the level. engine: NULL: the interpreter. */
static bool run_at(ws_context *context, const ws_module *module, const char *level,
                   const char *engine, const struct hostile_launch *how, struct seen *seen)
{
    ws_device *device;
    const ws_device_options options = {.size = sizeof options,
                                       .max_bytes = 1 << 24,
                                       .threads = 1,
                                       .as_hardware = how->as_hardware,
                                       .host_isa = level,
                                       .engine = engine};
    if (ws_device_create(context, &options, &device) != WS_OK) return false;
    memset(seen, 0, sizeof *seen);
    ws_context_set_print(context, keep_printed, seen);
    must(context, ws_device_set_heap(device, 1 << 16));
    launch_and_look(context, device, module, how, seen);
    ws_device_destroy(device);
    return true;
}

static void expect_same(const struct seen *a, const struct seen *b, const char *level)
{
    if (memcmp(a, b, sizeof *a) == 0) return;
    fprintf(stderr, "base and %s differ: status %d and %d%s%s%s\n%s\n%s\n", level, (int)a->status,
            (int)b->status, memcmp(a->buffer, b->buffer, sizeof a->buffer) ? ", memory" : "",
            memcmp(a->counts, b->counts, sizeof a->counts) ? ", counts" : "",
            memcmp(a->printed, b->printed, sizeof a->printed) ? ", printed text" : "", a->message,
            b->message);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[HOSTILE_TEXT_BYTES];
    static struct seen first, other;
    struct hostile_launch how;
    ws_context *context;
    ws_module *module;
    if (ws_context_create(&context) != WS_OK) return 0;
    size_t length = hostile_write(data, size, text, &how);
    if (getenv("HOSTILE_SHOW")) fwrite(text, 1, length, stdout);
    if (ws_module_load_memory(context, "hostile.ptx", text, length, &module) == WS_OK) {
        run_at(context, module, "base", NULL, &how, &first);
        if (run_at(context, module, "v3", NULL, &how, &other)) expect_same(&first, &other, "v3");
        if (run_at(context, module, "v4", NULL, &how, &other)) expect_same(&first, &other, "v4");
        if (run_at(context, module, NULL, "compiled", &how, &other))
            expect_same(&first, &other, "compiled");
    }
    if (getenv("HOSTILE_SHOW"))
        printf("// %s; status %d, %.0f instructions\n%s\n", ws_context_error(context),
               (int)first.status, first.counts[0], first.message);
    ws_module_destroy(module);
    ws_context_destroy(context);
    return 0;
}
