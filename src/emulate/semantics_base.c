// SPDX-License-Identifier: Apache-2.0
#define SEMANTICS_TABLE semantics_base
#define SEMANTICS_LEVEL 0
#define SEMANTICS_NAME "baseline"
#include "emulate/semantics.inc"
