// SPDX-License-Identifier: Apache-2.0
#include "emulate/semantics.h"

const struct semantics semantics_base = SEMANTICS("baseline", 0);
