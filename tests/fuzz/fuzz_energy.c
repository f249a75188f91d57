// SPDX-License-Identifier: Apache-2.0
/* A YAML file of `warpsage energy` from anywhere: it is read or refused with one message that has a place;
 * what was read is asked about, and answered in every format or refused. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/options/named_values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS = 64 };

static bool forget(void *user, const char *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static void ask(struct cli *cli, const struct named_values *values)
{
    static const ws_format formats[] = {WS_FORMAT_TEXT, WS_FORMAT_JSON, WS_FORMAT_CSV};
    ws_input inputs[INPUTS];
    ws_answer *answer;
    size_t count = 0;
    for (size_t i = 0; i < values->count && count < INPUTS; i++) {
        const struct named_value *value = &values->items[i];
        inputs[count++] =
            (ws_input){value->name, value->number, value->is_number ? NULL : value->text};
    }
    const ws_question question = {
        .size = sizeof question, .name = "energy", .inputs = inputs, .input_count = count};
    if (ws_ask(cli->context, &question, &answer) != WS_OK) {
        assert(*ws_context_error(cli->context));
        return;
    }
    assert(ws_node_count(ws_node_find(ws_answer_root(answer), "curves/0/points")));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const ws_report_options options = {.size = sizeof options, .format = formats[i]};
        assert(ws_answer_write(cli->context, answer, &options, forget, NULL) == WS_OK);
    }
    ws_answer_destroy(answer);
}

static void read_energy(const char *path)
{
    struct cli cli = {.keeps_errors = true};
    struct named_values values = {0};
    if (ws_context_create(&cli.context) != WS_OK) return;
    int exit_code = named_values_read(&cli, path, &values);
    assert(exit_code == EXIT_DONE || exit_code == EXIT_INPUT);
    if (exit_code != EXIT_DONE) assert(cli.kept_error && strstr(cli.kept_error, ": "));
    if (exit_code == EXIT_DONE) ask(&cli, &values);
    cli_clear(&cli);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor = memfd_create("fuzz.yaml", 0);
    assert(descriptor >= 0);
    if (write(descriptor, data, size) == (ssize_t)size) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        read_energy(path);
    }
    close(descriptor);
    return 0;
}
