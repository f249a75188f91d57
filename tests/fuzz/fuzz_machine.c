// SPDX-License-Identifier: Apache-2.0
/* A machine file from anywhere: it is read or refused with a message. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <warpsage/warpsage.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file that each input is written to; made once, removed at exit. */
static char folder[] = P_tmpdir "/fuzz_machine_XXXXXX";
static char path[64];

static void remove_file(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static void write_file(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        assert(mkdtemp(folder) != NULL);
        snprintf(path, sizeof path, "%s/fuzz.yaml", folder);
        atexit(remove_file);
    }
    FILE *file = fopen(path, "wb");
    assert(file != NULL);
    assert(fwrite(data, 1, size, file) == size);
    assert(fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_context *context = NULL;
    write_file(data, size);
    if (ws_context_create(&context) != WS_OK) return 0;
    ws_machine *machine = NULL;
    if (ws_machine_load(context, path, &machine) == WS_OK) {
        char *text = NULL;
        if (ws_machine_describe(machine, WS_FORMAT_JSON, &text) == WS_OK) ws_free(text);
    } else {
        assert(machine == NULL);
        assert(strlen(ws_context_error(context)) > 0);
    }
    ws_machine_destroy(machine);
    ws_context_destroy(context);
    return 0;
}
