// SPDX-License-Identifier: Apache-2.0
/* A launch file from anywhere: it is read or refused with one message that has a place, and so is
 * each of its arguments. Nothing is executed. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/options/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Messages go to standard error: it is a text in memory for as long as a file is read. */
struct messages {
    FILE *before;
    char *text;
    size_t length;
};

static void messages_catch(struct messages *messages)
{
    messages->before = stderr;
    stderr = open_memstream(&messages->text, &messages->length);
    assert(stderr != NULL);
}

static void messages_release(struct messages *messages)
{
    fclose(stderr);
    stderr = messages->before;
}

/* What was refused says why. */
static void check_outcome(int exit_code, const struct messages *messages)
{
    if (exit_code == EXIT_DONE)
        assert(messages->length == 0);
    else
        assert(!strncmp(messages->text, "warpsage: ", 10) &&
               messages->text[messages->length - 1] == '\n');
    assert(exit_code == EXIT_DONE || exit_code == EXIT_USAGE || exit_code == EXIT_INPUT);
}

static int read_arguments(struct cli *cli, const struct request *request)
{
    for (size_t i = 0; i < request->arg_count; i++) {
        struct arg arg;
        CLI_TRY(arg_parse(cli, &request->args[i], &arg));
        assert(arg.kind != ARG_BUFFER || arg.count > 0);
    }
    return EXIT_DONE;
}

static void read_launch(const char *path)
{
    struct cli cli = {0};
    struct request request = {0};
    struct messages messages;
    if (ws_context_create(&cli.context) != WS_OK) return;
    messages_catch(&messages);
    int exit_code = launchfile_read(&cli, path, &request);
    if (exit_code == EXIT_DONE) {
        assert(!request.has_grid || (request.grid[0] && request.grid[1] && request.grid[2]));
        assert(!request.has_block || (request.block[0] && request.block[1] && request.block[2]));
        exit_code = read_arguments(&cli, &request);
    }
    messages_release(&messages);
    check_outcome(exit_code, &messages);
    free(messages.text);
    cli_clear(&cli);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor = memfd_create("fuzz.yaml", 0);
    assert(descriptor >= 0);
    assert(write(descriptor, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    read_launch(path);
    close(descriptor);
    return 0;
}
