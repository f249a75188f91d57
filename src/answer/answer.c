// SPDX-License-Identifier: Apache-2.0
#include "answer/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct answer_owned {
    struct answer_owned *next;
    answer_release_fn *release;
    void *what;
};

/* ---- life ------------------------------------------------------------------------------------ */

struct answer *answer_create(const struct question *question)
{
    struct answer *answer = mem_zalloc(1, sizeof *answer);
    answer->references = 1;
    answer->question = question;
    return answer;
}

void answer_own(struct answer *answer, answer_release_fn *release, void *what)
{
    struct answer_owned *owned = ARENA_ARRAY(&answer->arena, struct answer_owned, 1);
    *owned = (struct answer_owned){answer->owned, release, what};
    answer->owned = owned;
}

struct answer *answer_keep(struct answer *answer)
{
    __atomic_add_fetch(&answer->references, 1, __ATOMIC_RELAXED);
    return answer;
}

void answer_destroy(struct answer *answer)
{
    if (!answer || __atomic_sub_fetch(&answer->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    for (struct answer_owned *owned = answer->owned; owned; owned = owned->next)
        owned->release(owned->what);
    arena_clear(&answer->arena);
    mem_free(answer);
}

/* ---- making nodes ---------------------------------------------------------------------------- */

static void fill_section(struct node *node, const struct record *record, const void *at,
                         struct arena *arena);

static void fill_elements(struct node *node, const struct figure *figure, struct arena *arena)
{
    size_t count = node->value.item_count;
    struct node *elements = ARENA_ARRAY(arena, struct node, count);
    for (size_t i = 0; i < count; i++) {
        const void *at = (const char *)node->value.items + i * figure->of->size;
        elements[i].id = figure->of->key(at, arena);
        fill_section(&elements[i], figure->of, at, arena);
    }
    node->children = elements;
    node->child_count = count;
}

static void fill_measured(struct node *node, const struct measured *measured)
{
    node->kind = FIGURE_IS_MEASURED;
    node->measured = measured;
    node->origin = measured->origin;
    node->value.number = measured->is_count ? (double)measured->count : measured->value;
    node->value.count = measured->count;
}

static void fill_measureds(struct node *node, const struct figure *figure, struct arena *arena)
{
    const struct measured *all = node->value.items;
    struct node *children = ARENA_ARRAY(arena, struct node, node->value.item_count);
    for (size_t i = 0; i < node->value.item_count; i++) {
        children[i].id = all[i].id;
        children[i].figure = figure;
        fill_measured(&children[i], &all[i]);
    }
    node->children = children;
    node->child_count = node->value.item_count;
}

static void fill_figure(struct node *node, const struct figure *figure, struct arena *arena)
{
    node->kind = figure->kind;
    if (node->value.is_absent) return;
    if (figure->may_be_word && node->value.text) node->kind = FIGURE_IS_WORD;
    switch (figure->kind) {
    case FIGURE_IS_SECTION:
        if (node->value.items)
            fill_section(node, figure->of ? figure->of : node->value.of, node->value.items, arena);
        break;
    case FIGURE_IS_LIST:
    case FIGURE_IS_MAP:
        fill_elements(node, figure, arena);
        break;
    case FIGURE_IS_MEASUREDS:
        fill_measureds(node, figure, arena);
        break;
    case FIGURE_IS_MEASURED:
        fill_measured(node, node->value.items);
        break;
    default:
        break;
    }
}

static void fill_section(struct node *node, const struct record *record, const void *at,
                         struct arena *arena)
{
    struct node *children = ARENA_ARRAY(arena, struct node, record->figure_count);
    node->kind = FIGURE_IS_SECTION;
    node->record = record;
    node->value.items = at;
    node->children = children;
    for (size_t i = 0; i < record->figure_count; i++) {
        const struct figure *figure = &record->figures[i];
        struct node *child = &children[node->child_count];
        *child = (struct node){.id = figure->id, .figure = figure, .origin = record->origin};
        child->value.number = NAN;
        figure->get(at, arena, &child->value);
        if (child->value.is_absent && figure->when == FIGURE_MAY_BE_OMITTED) continue;
        fill_figure(child, figure, arena);
        node->child_count++;
    }
}

void answer_complete(struct answer *answer, const struct record *record, const void *at)
{
    fill_section(&answer->root, record, at, &answer->arena);
}

struct node node_row(const struct node *table, size_t index, struct arena *arena)
{
    const struct record *record = table->figure->of;
    struct node row = {0};
    fill_section(&row, record, (const char *)table->value.items + index * record->size, arena);
    return row;
}

static double cell_number(const struct figure *figure, const void *row)
{
    struct node cell = {.kind = figure->kind, .value.number = NAN};
    bool is_scalar = figure->kind == FIGURE_IS_NUMBER || figure->kind == FIGURE_IS_COUNT ||
                     figure->kind == FIGURE_IS_FLAG;
    if (!is_scalar) return NAN;
    figure->get(row, NULL, &cell.value);
    return node_value(&cell);
}

void node_column(const struct node *table, const char *id, double *out)
{
    const struct record *record = table->figure->of;
    size_t column = 0;
    while (column < record->figure_count && strcmp(record->figures[column].id, id) != 0)
        column++;
    for (size_t i = 0; i < table->value.item_count; i++)
        out[i] = column == record->figure_count
                     ? NAN
                     : cell_number(&record->figures[column],
                                   (const char *)table->value.items + i * record->size);
}

/* ---- walking --------------------------------------------------------------------------------- */

const struct node *node_child(const struct node *node, const char *id)
{
    for (size_t i = 0; node && i < node->child_count; i++)
        if (node->children[i].id && !strcmp(node->children[i].id, id)) return &node->children[i];
    return NULL;
}

/* Does the step of a path, `length` bytes, name this id? */
static bool step_is(const char *step, size_t length, const char *id)
{
    const char *end = step + length;
    for (; step < end && *id; step++, id++) {
        char c = *step;
        if (c == '~' && step + 1 < end) c = *++step == '1' ? '/' : '~';
        if (c != *id) return false;
    }
    return step == end && !*id;
}

static const struct node *find_step(const struct node *node, const char *step, size_t length)
{
    for (size_t i = 0; i < node->child_count; i++)
        if (node->children[i].id && step_is(step, length, node->children[i].id))
            return &node->children[i];
    if (node->kind != FIGURE_IS_LIST || !length || step[0] < '0' || step[0] > '9') return NULL;
    char *end;
    unsigned long long index = strtoull(step, &end, 10);
    return end == step + length && index < node->child_count ? &node->children[index] : NULL;
}

const struct node *node_find(const struct node *node, const char *path)
{
    while (node && *path) {
        size_t length = strcspn(path, "/");
        node = find_step(node, path, length);
        path += length;
        if (*path == '/') path++;
    }
    return node;
}

bool node_is_known(const struct node *node)
{
    if (!node || node->value.is_absent) return false;
    switch (node->kind) {
    case FIGURE_IS_NUMBER:
        return isfinite(node->value.number);
    case FIGURE_IS_MEASURED:
        return node->measured->is_count || isfinite(node->value.number);
    case FIGURE_IS_WORD:
        return node->value.text != NULL;
    case FIGURE_IS_SECTION:
        return node->value.items != NULL;
    default:
        return true;
    }
}

bool node_is_numeric(const struct node *node)
{
    return node->kind == FIGURE_IS_NUMBER || node->kind == FIGURE_IS_COUNT ||
           node->kind == FIGURE_IS_MEASURED;
}

double node_value(const struct node *node)
{
    if (!node_is_known(node)) return NAN;
    if (node->kind == FIGURE_IS_NUMBER || node->kind == FIGURE_IS_MEASURED)
        return node->value.number;
    return node->kind == FIGURE_IS_COUNT || node->kind == FIGURE_IS_FLAG ? (double)node->value.count
                                                                         : NAN;
}

double node_number(const struct node *node, const char *id)
{
    return node_value(node_child(node, id));
}

uint64_t node_count(const struct node *node, const char *id)
{
    const struct node *child = node_child(node, id);
    return node_is_known(child) ? child->value.count : 0;
}

bool node_flag(const struct node *node, const char *id)
{
    return node_count(node, id) != 0;
}

const char *node_word(const struct node *node, const char *id)
{
    const struct node *child = node_child(node, id);
    return child && child->kind == FIGURE_IS_WORD ? child->value.text : NULL;
}

const char *node_unit(const struct node *node)
{
    if (node->measured) return node->measured->unit;
    return node->figure && node->figure->unit ? node->figure->unit : "";
}

const char *node_text(const struct node *node)
{
    if (node->measured && node->measured->text) return node->measured->text;
    return node->figure ? node->figure->text : node->record ? node->record->text : NULL;
}
