// SPDX-License-Identifier: Apache-2.0
#include "support/race_findings.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "emulate/emulate.h"

static void must(struct diag *diag, ws_status status)
{
    if (status != WS_OK) fail_msg("%s", diag->text);
}

static void launch(struct diag *diag, const struct module *module, struct findings *findings,
                   const struct litmus *litmus, int level)
{
    struct device *device;
    struct device_options options = {.isa_level = level, .check = &findings->checker};
    struct launch_options launch = {.grid = {litmus->grid, 1, 1}, .block = {litmus->block, 1, 1}};
    uint64_t arguments[2];
    uint32_t data[LITMUS_WORDS];
    must(diag, device_create(diag, &options, &device));
    for (unsigned k = 0; k < 2; k++)
        must(diag, device_alloc(diag, device, LITMUS_BYTES, &arguments[k]));
    litmus_fill(data, false);
    must(diag, device_copy_in(diag, device, arguments[0], data, sizeof data));
    must(diag, device_fill(diag, device, arguments[1], 0, LITMUS_BYTES));
    must(diag, module_find_entry(diag, module, litmus->kernel, &launch.entry));
    launch.parameters = arguments;
    launch.parameter_bytes = sizeof arguments;
    must(diag, device_launch(diag, device, module, &launch, NULL));
    device_destroy(device);
}

struct findings *race_findings(const struct module *module, const struct litmus *litmus, int level)
{
    struct diag diag = {0};
    struct findings *findings = findings_create(CHECK_RACE);
    launch(&diag, module, findings, litmus, level);
    diag_clear(&diag);
    return findings;
}
