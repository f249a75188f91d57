// SPDX-License-Identifier: Apache-2.0
#include "model/core/class_mix.h"

double class_flops(enum insn_class id)
{
    switch (id) {
    case CLASS_FP32_FMA:
    case CLASS_FP64_FMA:
        return 2;
    case CLASS_FP32_ADD:
    case CLASS_FP32_MUL:
    case CLASS_FP32_MINMAX:
    case CLASS_FP32_DIV:
    case CLASS_FP64_ADD:
    case CLASS_FP64_MUL:
    case CLASS_FP64_MINMAX:
    case CLASS_FP64_DIV:
    case CLASS_FP16:
    case CLASS_BF16:
        return 1;
    default:
        return 0;
    }
}

bool class_is_integer(enum insn_class id)
{
    return (id >= CLASS_INT_ADD && id <= CLASS_INT_MINMAX) || id == CLASS_LOGIC ||
           id == CLASS_SHIFT || id == CLASS_CMP;
}

bool class_is_memory(enum insn_class id)
{
    return (id >= CLASS_MEM_GLOBAL_LOAD && id <= CLASS_MEM_GLOBAL_ATOMIC) ||
           (id >= CLASS_MEM_LOCAL_LOAD && id <= CLASS_MEM_LOCAL_ATOMIC);
}
