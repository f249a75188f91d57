// SPDX-License-Identifier: Apache-2.0
#include "support/analyze_one.h"

ws_status analyze_one_with(ws_context *context, const ws_profile *profile,
                           const ws_machine *machine, const char *model_options,
                           const char *without, const char *model, const char *l2,
                           const char *spills, ws_answer **out)
{
    const ws_input words[] = {{.name = "model_options", .word = model_options},
                              {.name = "without", .word = without},
                              {.name = "model", .word = model},
                              {.name = "l2", .word = l2},
                              {.name = "spills", .word = spills}};
    ws_input inputs[6] = {{.name = "times_only", .value = 1}};
    size_t count = 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].word) inputs[count++] = words[i];
    const ws_question question = {.size = sizeof question,
                                  .name = "analyze",
                                  .profiles = &profile,
                                  .profile_count = 1,
                                  .machines = &machine,
                                  .machine_count = 1,
                                  .inputs = inputs,
                                  .input_count = count};
    return ws_ask(context, &question, out);
}

ws_status analyze_one(ws_context *context, const ws_profile *profile, const ws_machine *machine,
                      const char *model_options, const char *without, const char *model,
                      ws_answer **out)
{
    return analyze_one_with(context, profile, machine, model_options, without, model, NULL, NULL,
                            out);
}
