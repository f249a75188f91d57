// SPDX-License-Identifier: Apache-2.0
/* Memory. Operands of an instruction: rows_memory.def. */
#include "decode/native/lower.h"

bool lower_load(struct lowering *l)
{
    (void)l;
    return false;
}

bool lower_store(struct lowering *l)
{
    (void)l;
    return false;
}
