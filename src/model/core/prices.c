// SPDX-License-Identifier: Apache-2.0
#include "model/core/prices.h"

#include <math.h>

double price_issue_cycles(const struct machine *machine)
{
    return machine_get(machine, MACHINE_ISSUE_CYCLES, 1) /
           machine_get(machine, MACHINE_ISSUE_SCHEDULERS, 1);
}

bool price_by_throughput(enum insn_class id)
{
    return id < CLASS_CONTROL || id == CLASS_SHUFFLE || id == CLASS_VOTE || id == CLASS_TENSOR ||
           id == CLASS_OTHER;
}

double price_active_sms(const struct model_input *input)
{
    return fmin((double)profile_blocks(input->profile),
                machine_get(input->machine, MACHINE_SM_COUNT, 1));
}
