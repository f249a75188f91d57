// SPDX-License-Identifier: Apache-2.0
/* From here on a list of figures (base/figure.h) defines their getters. Included more than once. */
#include "base/figure.h"
#include "base/figure_undef.h"

#define ALWAYS true
#define NULL_UNLESS(condition) (condition)
#define OMIT_UNLESS(condition) (condition)
#define RECORD(name, type, origin, text) RECORD_OF(name, type, NULL, origin, text)
#define RECORD_OF(name, type, key, origin, text)                                                   \
    typedef type name##_record_type;                                                               \
    extern const struct record record_##name;                                                      \
    static const char *key_of_##name(const void *element, struct arena *arena)                     \
    {                                                                                              \
        const name##_record_type *at = element;                                                    \
        (void)at, (void)arena;                                                                     \
        return key;                                                                                \
    }
#define END(name)
#define FIGURE_GETTER(record_name, id, when, fill)                                                 \
    static void get_##record_name##_##id(const void *record, struct arena *arena,                  \
                                         struct figure_value *out)                                 \
    {                                                                                              \
        const record_name##_record_type *at = record;                                              \
        (void)at, (void)arena;                                                                     \
        out->is_absent = !(when);                                                                  \
        if (out->is_absent) return;                                                                \
        fill;                                                                                      \
    }
#define NUMBER(record, id, unit, when, value, text)                                                \
    FIGURE_GETTER(record, id, when, out->number = (value))
#define NUMBER_OR_WORD(record, id, when, value, words, says)                                       \
    FIGURE_GETTER(record, id, when, out->number = (value); out->text = (words))
#define COUNT(record, id, unit, when, value, text)                                                 \
    FIGURE_GETTER(record, id, when, out->count = (value))
#define MORE_NUMBER(record, id, unit, when, value, text) NUMBER(record, id, unit, when, value, text)
#define MORE_COUNT(record, id, unit, when, value, text) COUNT(record, id, unit, when, value, text)
#define FLAG(record, id, when, value, text) FIGURE_GETTER(record, id, when, out->count = (value))
#define WORD(record, id, when, value, words) FIGURE_GETTER(record, id, when, out->text = (value))
#define SECTION(record, id, of, when, pointer, text)                                               \
    FIGURE_GETTER(record, id, when, out->items = (pointer); out->item_count = out->items != NULL)
#define OWN(record, id, when, pointer, record_of_it, choice, text)                                 \
    FIGURE_GETTER(record, id, when, out->items = (pointer); out->item_count = out->items != NULL;  \
                  out->of = (record_of_it))
#define LIST(record, id, of, when, array, number, text)                                            \
    FIGURE_GETTER(record, id, when, out->items = (array); out->item_count = (number))
#define MAP(record, id, of, when, array, number, text)                                             \
    LIST(record, id, of, when, array, number, text)
#define TABLE(record, id, of, when, array, number, text)                                           \
    LIST(record, id, of, when, array, number, text)
#define MATRIX(record, id, of, width, array, number, text)                                         \
    FIGURE_GETTER(record, id, true, out->items = (array); out->item_count = (number);              \
                  out->count = (width))
#define WORDS(record, id, when, array, number, text) LIST(record, id, , when, array, number, text)
#define COUNTS(record, id, when, array, number, text) LIST(record, id, , when, array, number, text)
#define NUMBERS(record, id, unit, when, array, number, text)                                       \
    LIST(record, id, , when, array, number, text)
#define FIGURE(record, id, parts, when, pointer, text) LIST(record, id, , when, pointer, 1, text)
#define FIGURES(record, id, parts, when, array, number, text)                                      \
    LIST(record, id, , when, array, number, text)
