// SPDX-License-Identifier: Apache-2.0
#include "answer/input_parts.h"

#include <math.h>
#include <string.h>

struct reading {
    const struct asked *asked;
    const struct part_list *list;
    char *whole;
    char *room[PARTS_MAX];    /* for the next element of each part */
    char *current[PARTS_MAX]; /* NULL: none has begun */
};

static const struct input_info *input_at(const struct reading *reading, size_t index)
{
    return &reading->asked->question->inputs[index];
}

static size_t index_of(const struct reading *reading, const char *name)
{
    size_t i = 0;
    while (strcmp(input_at(reading, i)->name, name) != 0) /* asked_check knows it */
        i++;
    return i;
}

static bool begins(const struct reading *reading, size_t index)
{
    const struct part_member *members = reading->list->members;
    return index == 0 || members[index].part != members[index - 1].part;
}

static void make_room(struct reading *reading)
{
    const struct asked *asked = reading->asked;
    size_t counts[PARTS_MAX] = {0};
    for (size_t i = 0; i < asked->input_count; i++) {
        size_t index = index_of(reading, asked->inputs[i].name);
        counts[reading->list->members[index].part] += begins(reading, index);
    }
    for (unsigned part = 0; part < reading->list->part_count; part++)
        reading->room[part] =
            arena_zalloc(&asked->answer->arena, counts[part] + 1, reading->list->parts[part].size);
}

static const char *word_at(const char *element, size_t offset)
{
    const char *word;
    memcpy(&word, element + offset, sizeof word);
    return word;
}

/* The last element of a part has begun; is everything there that it needs? */
static ws_status check_needed(const struct reading *reading, unsigned part)
{
    const struct asked *asked = reading->asked;
    const struct part_member *members = reading->list->members;
    const char *element = reading->current[part];
    for (size_t i = 0, first = 0; element && i < asked->question->input_count; i++) {
        if (begins(reading, i)) first = i;
        if (members[i].part != part || !members[i].is_needed ||
            input_at(reading, i)->kind != INPUT_WORD || word_at(element, members[i].offset))
            continue;
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "'%s' requires the input '%s' of the %s '%s'", asked->question->name,
                          input_at(reading, i)->name, input_at(reading, first)->name,
                          word_at(element, members[first].offset));
    }
    return WS_OK;
}

/* Of this part and those behind it, which are in it or follow it. */
static ws_status end_from(struct reading *reading, unsigned part)
{
    for (; part < reading->list->part_count; part++) {
        TRY(check_needed(reading, part));
        reading->current[part] = NULL;
    }
    return WS_OK;
}

static ws_status out_of_place(const struct reading *reading, const char *input)
{
    return diag_error(reading->asked->diag, WS_ERR_ARGUMENT,
                      "input '%s' of '%s' does not belong to a preceding input", input,
                      reading->asked->question->name);
}

/* The next element of a part, its numbers NAN. */
static ws_status begin(struct reading *reading, unsigned part, const char *input)
{
    const struct part_info *info = &reading->list->parts[part];
    char *around = info->around == PART_WHOLE ? reading->whole : reading->current[info->around];
    if (!around) return out_of_place(reading, input);
    TRY(end_from(reading, part));
    char *element = reading->current[part] = reading->room[part];
    reading->room[part] += info->size;
    size_t *count = (size_t *)(void *)(around + info->count);
    if (!(*count)++) memcpy(around + info->items, &element, sizeof element);
    for (size_t i = 0; i < reading->asked->question->input_count; i++)
        if (reading->list->members[i].part == part && input_at(reading, i)->kind != INPUT_WORD)
            *(double *)(void *)(element + reading->list->members[i].offset) = NAN;
    return WS_OK;
}

ws_status input_parts_read(const struct asked *asked, const struct part_list *list, void *whole)
{
    struct reading reading = {.asked = asked, .list = list, .whole = whole};
    make_room(&reading);
    for (size_t i = 0; i < asked->input_count; i++) {
        const ws_input *input = &asked->inputs[i];
        size_t index = index_of(&reading, input->name);
        const struct part_member *member = &list->members[index];
        if (begins(&reading, index)) TRY(begin(&reading, member->part, input->name));
        char *element = reading.current[member->part];
        if (!element) return out_of_place(&reading, input->name);
        if (input->word)
            *(const char **)(void *)(element + member->offset) =
                arena_copy(&asked->answer->arena, input->word);
        else
            *(double *)(void *)(element + member->offset) = input->value;
    }
    return end_from(&reading, 0);
}
