// SPDX-License-Identifier: Apache-2.0
#include "measure/lane_math_loops.h"

const struct lane_math lane_math_base = LANE_MATH;

const struct lane_math *lane_math_at(int level)
{
#if defined(__x86_64__)
    if (level == 2) return &lane_math_v4;
    if (level == 1) return &lane_math_v3;
#endif
    (void)level;
    return &lane_math_base;
}
