// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_POWER_TEXT_H
#define CLI_POWER_TEXT_H

#include "cli/commands/power.h"

void power_write_text(FILE *out, struct cli *cli, const struct power_request *request,
                      const struct power_answer *answers, size_t count);

#endif
