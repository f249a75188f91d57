// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include "measure/lane_math_loops.h"

const struct lane_math lane_math_v3 = LANE_MATH;
#else
typedef int no_lane_math_here; /* this level exists on x86-64 only */
#endif
