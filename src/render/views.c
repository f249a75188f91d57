// SPDX-License-Identifier: Apache-2.0
#include "render/views.h"

#include <string.h>

#define VIEW(name) extern const struct view view_##name;
#include "render/views.def"
#undef VIEW

const struct view *view_find(const struct question *question)
{
    static const struct view *const views[] = {
#define VIEW(name) &view_##name,
#include "render/views.def"
#undef VIEW
    };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (!strcmp(views[i]->question, question->name)) return views[i];
    return NULL;
}
