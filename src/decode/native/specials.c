// SPDX-License-Identifier: Apache-2.0
#include "decode/native/word.h"

const char *native_special_name(unsigned number)
{
    static const char *const names[256] = {
#define SPECIAL(number, name) [number] = name,
#include "decode/native/specials.def"
#undef SPECIAL
    };
    return number < 256 ? names[number] : NULL;
}
