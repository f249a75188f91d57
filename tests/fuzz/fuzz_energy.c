// SPDX-License-Identifier: Apache-2.0
/* A YAML file of `warpsage energy` from anywhere: it is read or refused with one message that has a place;
 * what was read goes into the closed forms, which answer with finite numbers or refuse. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/options/named_values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS = 64, TERMS = 16 };

static void evaluate(struct cli *cli, const char *function, const struct named_values *values)
{
    ws_input inputs[INPUTS];
    ws_term terms[TERMS];
    size_t count = 0, found = 0;
    for (size_t i = 0; i < values->count && count < INPUTS; i++) {
        const struct named_value *value = &values->items[i];
        inputs[count++] =
            (ws_input){value->name, value->number, value->is_number ? NULL : value->text};
    }
    ws_status status =
        ws_model_evaluate(cli->context, function, inputs, count, terms, TERMS, &found);
    if (status != WS_OK) {
        assert(*ws_context_error(cli->context));
        return;
    }
    assert(found > 0 && found <= TERMS);
}

static void read_energy(const char *path)
{
    static const char *const functions[] = {"energy_eff", "appA_eff", "appA_hetero"};
    struct cli cli = {.keeps_errors = true};
    struct named_values values = {0};
    if (ws_context_create(&cli.context) != WS_OK) return;
    int exit_code = named_values_read(&cli, path, &values);
    assert(exit_code == EXIT_DONE || exit_code == EXIT_INPUT);
    if (exit_code != EXIT_DONE) assert(cli.kept_error && strstr(cli.kept_error, ": "));
    for (size_t i = 0; exit_code == EXIT_DONE && i < 3; i++)
        evaluate(&cli, functions[i], &values);
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
