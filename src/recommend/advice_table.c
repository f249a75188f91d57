// SPDX-License-Identifier: Apache-2.0
#include "recommend/advice.h"

const struct advice_info advice_infos[ADVICE_COUNT] = {
#define ADVICE(code, title, text) {#code, title, text},
#include "recommend/advice.def"
#undef ADVICE
};
