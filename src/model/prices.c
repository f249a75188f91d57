// SPDX-License-Identifier: Apache-2.0
#include "model/prices.h"

#include <math.h>

double price_issue_cycles(const struct machine *machine)
{
    return machine_get(machine, MACHINE_ISSUE_CYCLES, 1) /
           machine_get(machine, MACHINE_ISSUE_SCHEDULERS, 1);
}

double price_active_sms(const struct model_input *input)
{
    return fmin((double)profile_blocks(input->profile),
                machine_get(input->machine, MACHINE_SM_COUNT, 1));
}
