// SPDX-License-Identifier: Apache-2.0
/* What a kernel keeps busy or waits for (components.def). */
#ifndef MODEL_COMPONENT_H
#define MODEL_COMPONENT_H

enum component {
    COMPONENT_NONE, /* id and words are "" */
#define COMPONENT(name, id, words, sentence) COMPONENT_##name,
#include "model/core/components.def"
#undef COMPONENT
    COMPONENT_COUNT
};
struct component_info {
    const char *id, *words;
};
extern const struct component_info component_infos[COMPONENT_COUNT];

static inline const char *component_words(enum component component)
{
    return component_infos[component].words;
}

#endif
