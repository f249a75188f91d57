// SPDX-License-Identifier: Apache-2.0
/* The question `analyze` about one profile on one machine. */
#ifndef TESTS_ANALYZE_ONE_H
#define TESTS_ANALYZE_ONE_H

#include <warpsage/warpsage.h>

/* Words that are NULL are left out; `model`: no other is asked. Times alone, without gains and advice. */
ws_status analyze_one(ws_context *context, const ws_profile *profile, const ws_machine *machine,
                      const char *model_options, const char *without, const char *model,
                      ws_answer **out);

/* The same with what the launch finds in the L2, and with its spilled registers or not. */
ws_status analyze_one_with(ws_context *context, const ws_profile *profile,
                           const ws_machine *machine, const char *model_options,
                           const char *without, const char *model, const char *l2,
                           const char *spills, ws_answer **out);

#endif
