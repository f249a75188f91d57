// SPDX-License-Identifier: Apache-2.0
#include "model/prices.h"

#include <math.h>

double price_lane_share(const struct profile *profile)
{
    /* A guard that is false is no divergence: the branch that closes a loop has no true lane. */
    enum counter lanes = profile_has(profile, COUNTER_INST_THREAD_ACTIVE)
                             ? COUNTER_INST_THREAD_ACTIVE
                             : COUNTER_INST_THREAD;
    double warps = profile_get(profile, COUNTER_INST_WARP);
    double share = profile_get(profile, lanes) / (WARP_LANES * warps);
    return share > 0 && share < 1 ? share : 1;
}

double price_issue_cycles(const struct machine *machine)
{
    return machine_get(machine, MACHINE_ISSUE_CYCLES, 1) /
           machine_get(machine, MACHINE_ISSUE_SCHEDULERS, 1);
}

const char *price_class_name(enum insn_class id)
{
    return counter_infos[COUNTER_INST_WARP_FIRST + id].id + sizeof "inst.warp." - 1;
}

double price_active_sms(const struct model_input *input)
{
    return fmin((double)profile_blocks(input->profile),
                machine_get(input->machine, MACHINE_SM_COUNT, 1));
}
