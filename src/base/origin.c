// SPDX-License-Identifier: Apache-2.0
#include "base/origin.h"

const struct origin_info origin_infos[ORIGIN_COUNT] = {
#define ORIGIN(name, id, text) [ORIGIN_##name] = {id, text},
    ORIGINS(ORIGIN)
#undef ORIGIN
};
