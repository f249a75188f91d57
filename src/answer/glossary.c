// SPDX-License-Identifier: Apache-2.0
/* Every figure that an answer may have, for the pages of `explain`. */
#include <stdlib.h>
#include <string.h>

#include "answer/question.h"

struct glossary {
    struct arena *arena;
    struct glossary_entry *entries;
    size_t count, capacity;
    const struct record **seen;
    size_t seen_count, seen_capacity;
};

static bool see(struct glossary *glossary, const struct record *record)
{
    for (size_t i = 0; i < glossary->seen_count; i++)
        if (glossary->seen[i] == record) return false;
    GROW(glossary->seen, glossary->seen_count, glossary->seen_capacity);
    glossary->seen[glossary->seen_count++] = record;
    return true;
}

static void add_record(struct glossary *glossary, const struct record *record, const char *question)
{
    if (!record || !see(glossary, record)) return;
    for (size_t i = 0; i < record->figure_count; i++) {
        const struct figure *figure = &record->figures[i];
        GROW(glossary->entries, glossary->count, glossary->capacity);
        glossary->entries[glossary->count++] = (struct glossary_entry){
            figure->id, figure->text, figure->unit ? figure->unit : "", record->text, question};
        add_record(glossary, figure->of, question);
        for (size_t k = 0; figure->choice && figure->choice(k); k++)
            add_record(glossary, figure->choice(k), question);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct glossary_entry *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    if (!order) order = strcmp(x->text, y->text);
    return order ? order : strcmp(x->of, y->of);
}

size_t question_glossary(struct arena *arena, const struct glossary_entry **out)
{
    struct glossary glossary = {.arena = arena};
    for (size_t i = 0; i < question_count; i++)
        add_record(&glossary, questions[i]->record, questions[i]->name);
    struct glossary_entry *kept = ARENA_ARRAY(arena, struct glossary_entry, glossary.count + 1);
    size_t count = 0;
    qsort(glossary.entries, glossary.count, sizeof *glossary.entries, by_id);
    for (size_t i = 0; i < glossary.count; i++)
        if (!count || strcmp(kept[count - 1].id, glossary.entries[i].id) != 0 ||
            strcmp(kept[count - 1].text, glossary.entries[i].text) != 0)
            kept[count++] = glossary.entries[i];
    mem_free(glossary.entries);
    mem_free(glossary.seen);
    *out = kept;
    return count;
}
