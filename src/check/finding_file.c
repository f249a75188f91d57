// SPDX-License-Identifier: Apache-2.0
#include "check/finding_file.h"

#include <string.h>

#include "base/memory.h"

#define WORD(type, key)                                                                            \
    {                                                                                              \
#key, MEMBER_WORD, offsetof(struct type, key), 0, NULL                                     \
    }
#define COUNT(type, key)                                                                           \
    {                                                                                              \
#key, MEMBER_COUNT, offsetof(struct type, key), 0, NULL                                    \
    }
#define FRAMES(type, key)                                                                          \
    {                                                                                              \
#key, MEMBER_FRAMES, offsetof(struct type, key), 0, NULL                                   \
    }
#define TRIPLE(type, key, present)                                                                 \
    {                                                                                              \
#key, MEMBER_TRIPLE, offsetof(struct type, key), offsetof(struct type, present), NULL      \
    }
#define PART(type, key, members)                                                                   \
    {                                                                                              \
#key, MEMBER_PART, offsetof(struct type, key), offsetof(struct type, has_##key), members   \
    }

const struct member finding_frame_members[] = {
    WORD(finding_frame, function),
    WORD(finding_frame, file),
    COUNT(finding_frame, line),
    COUNT(finding_frame, column),
    {0},
};

static const struct member side_members[] = {
    WORD(finding_side, action),
    WORD(finding_side, kernel),
    COUNT(finding_side, launch),
    WORD(finding_side, file),
    COUNT(finding_side, line),
    FRAMES(finding_side, frames),
    WORD(finding_side, instruction),
    COUNT(finding_side, ptx_line),
    TRIPLE(finding_side, block, has_thread),
    TRIPLE(finding_side, thread, has_thread),
    COUNT(finding_side, warp),
    COUNT(finding_side, lane),
    WORD(finding_side, value),
    FRAMES(finding_side, host),
    {0},
};

static const struct member memory_members[] = {
    WORD(finding_memory, name),
    WORD(finding_memory, space),
    WORD(finding_memory, where),
    COUNT(finding_memory, bytes),
    FRAMES(finding_memory, created),
    FRAMES(finding_memory, freed),
    {0},
};

const struct member finding_members[] = {
    WORD(finding_words, code),
    WORD(finding_words, tool),
    WORD(finding_words, grade),
    WORD(finding_words, title),
    WORD(finding_words, message),
    WORD(finding_words, advice),
    COUNT(finding_words, count),
    WORD(finding_words, address),
    WORD(finding_words, space),
    COUNT(finding_words, bytes),
    PART(finding_words, here, side_members),
    PART(finding_words, other, side_members),
    PART(finding_words, memory, memory_members),
    FRAMES(finding_words, host),
    {0},
};

/* Each text once, and no more than `most`. */
#define ADD_ONCE(list, count, room, most, text)                                                    \
    do {                                                                                           \
        for (size_t i = 0; i < (count); i++)                                                       \
            if (!strcmp((list)[i], text)) return;                                                  \
        if ((count) == (most)) return;                                                             \
        GROW(list, count, room);                                                                   \
        (list)[(count)++] = text;                                                                  \
    } while (0)

void finding_list_note(struct finding_list *findings, const char *text)
{
    ADD_ONCE(findings->notes, findings->note_count, findings->note_room, FINDING_NOTES_MOST, text);
}

void finding_list_kernel(struct finding_list *findings, const char *name)
{
    ADD_ONCE(findings->kernels, findings->kernel_count, findings->kernel_room, SIZE_MAX, name);
}

void finding_list_unchecked(struct finding_list *findings, const char *kernel)
{
    ADD_ONCE(findings->unchecked_kernels, findings->unchecked_count, findings->unchecked_room,
             SIZE_MAX, kernel);
}

void finding_list_free(struct finding_list *findings)
{
    mem_free(findings->items);
    mem_free(findings->notes);
    mem_free(findings->kernels);
    mem_free(findings->unchecked_kernels);
    *findings = (struct finding_list){0};
}
