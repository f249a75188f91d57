// SPDX-License-Identifier: Apache-2.0
#include "recommend/advice.h"

const struct advice_info advice_infos[] = {
#define ADVICE(code, title, text) {#code, title, text},
#include "recommend/advice.def"
#undef ADVICE
};
const size_t advice_info_count = sizeof advice_infos / sizeof advice_infos[0];
