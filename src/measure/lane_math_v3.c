// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define LANE_MATH lane_math_v3
#include "measure/lane_math.inc"
#else
typedef int no_lane_math_here; /* this level exists on x86-64 only */
#endif
