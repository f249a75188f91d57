// SPDX-License-Identifier: Apache-2.0
#include "decode/native/word.h"

const char *native_special_name(unsigned target, unsigned number)
{
    static const struct {
        uint16_t number, since, until;
        const char *name;
    } names[] = {
#define SPECIAL(number, since, until, name) {number, since, until, name},
#include "decode/native/specials.def"
#undef SPECIAL
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number && names[i].since <= target && target <= names[i].until)
            return names[i].name;
    return NULL;
}
