// SPDX-License-Identifier: Apache-2.0
/* From here on a list of figures (base/figure.h) defines its records. Included more than once. */
#include "base/figure.h"
#include "base/figure_undef.h"

#define ALWAYS FIGURE_ALWAYS
#define NULL_UNLESS(condition) FIGURE_MAY_BE_NULL
#define OMIT_UNLESS(condition) FIGURE_MAY_BE_OMITTED
#define RECORD(name, type, origin, text_)                                                          \
    enum { origin_of_##name = ORIGIN_##origin };                                                   \
    static const char text_of_##name[] = text_;                                                    \
    static const struct figure figures_of_##name[] = {
#define RECORD_OF(name, type, key, origin, text) RECORD(name, type, origin, text)
#define END(name)                                                                                  \
    }                                                                                              \
    ;                                                                                              \
    const struct record record_##name = {                                                          \
        .id = #name,                                                                               \
        .text = text_of_##name,                                                                    \
        .origin = (enum origin)origin_of_##name,                                                   \
        .size = sizeof(name##_record_type),                                                        \
        .figures = figures_of_##name,                                                              \
        .figure_count = sizeof figures_of_##name / sizeof *figures_of_##name,                      \
        .key = key_of_##name,                                                                      \
    };
#define FIGURE_ROW(record, id_, kind_, when_, text_, ...)                                          \
    {.id = #id_,                                                                                   \
     .kind = FIGURE_IS_##kind_,                                                                    \
     .when = when_,                                                                                \
     .text = text_,                                                                                \
     .get = get_##record##_##id_,                                                                  \
     __VA_ARGS__},
#define NUMBER(record, id, unit_, when, value, text)                                               \
    FIGURE_ROW(record, id, NUMBER, when, text, .unit = unit_)
#define NUMBER_OR_WORD(record, id, when, value, words, text)                                       \
    FIGURE_ROW(record, id, NUMBER, when, text, .may_be_word = true)
#define COUNT(record, id, unit_, when, value, text)                                                \
    FIGURE_ROW(record, id, COUNT, when, text, .unit = unit_)
#define MORE_NUMBER(record, id, unit_, when, value, text)                                          \
    FIGURE_ROW(record, id, NUMBER, when, text, .unit = unit_, .more_is_better = true)
#define MORE_COUNT(record, id, unit_, when, value, text)                                           \
    FIGURE_ROW(record, id, COUNT, when, text, .unit = unit_, .more_is_better = true)
#define FLAG(record, id, when, value, text) FIGURE_ROW(record, id, FLAG, when, text, .of = NULL)
#define WORD(record, id, when, value, text) FIGURE_ROW(record, id, WORD, when, text, .of = NULL)
#define SECTION(record, id, of_, when, pointer, text)                                              \
    FIGURE_ROW(record, id, SECTION, when, text, .of = &record_##of_)
#define OWN(record, id, when, pointer, record_of_it, choice_, text)                                \
    FIGURE_ROW(record, id, SECTION, when, text, .choice = choice_)
#define LIST(record, id, of_, when, array, number, text)                                           \
    FIGURE_ROW(record, id, LIST, when, text, .of = &record_##of_)
#define MAP(record, id, of_, when, array, number, text)                                            \
    FIGURE_ROW(record, id, MAP, when, text, .of = &record_##of_)
#define TABLE(record, id, of_, when, array, number, text)                                          \
    FIGURE_ROW(record, id, TABLE, when, text, .of = &record_##of_)
#define MATRIX(record, id, of_, width, array, number, text)                                        \
    FIGURE_ROW(record, id, TABLE, FIGURE_ALWAYS, text, .of = &record_##of_, .is_matrix = true)
#define WORDS(record, id, when, array, number, text)                                               \
    FIGURE_ROW(record, id, WORDS, when, text, .of = NULL)
#define COUNTS(record, id, when, array, number, text)                                              \
    FIGURE_ROW(record, id, COUNTS, when, text, .of = NULL)
#define NUMBERS(record, id, unit_, when, array, number, text)                                      \
    FIGURE_ROW(record, id, NUMBERS, when, text, .unit = unit_)
#define FIGURE(record, id, parts_, when, pointer, text)                                            \
    FIGURE_ROW(record, id, MEASURED, when, text, .parts = (enum measured_parts)(parts_))
#define FIGURES(record, id, parts_, when, array, number, text)                                     \
    FIGURE_ROW(record, id, MEASUREDS, when, text, .parts = (enum measured_parts)(parts_))
