// SPDX-License-Identifier: Apache-2.0
/* Inputs that describe parts one after the other, as rows of a table and what is in them: an input that
 * begins a part is followed by those about it, and by the parts in it.
 *
 *     MEMBER(row, WORD, ROW, struct row, id, true, "begins a row: its id")
 *     MEMBER(measured, NUMBER, ROW, struct row, measured, true, "...")
 *
 * makes of the inputs row=a, measured=1, row=b, measured=2 an array of two rows. */
#ifndef ANSWER_INPUT_PARTS_H
#define ANSWER_INPUT_PARTS_H

#include <limits.h>
#include <stddef.h>

#include "answer/question.h"

/* An input, in the order of question.inputs: the first one of a part begins it. Words are copied, numbers
 * (INPUT_NUMBER, INPUT_FLAG) are doubles: NAN unless given. */
struct part_member {
    unsigned part;
    size_t offset;
    bool is_needed; /* of words */
};

/* Rows of `struct input_info` and `struct part_member` of a list of
 * MEMBER(input, kind, part, its struct, member, needed, text). */
#define PART_INPUT(name, kind, part, type, member, needed, text) {#name, INPUT_##kind, "", text},
#define PART_MEMBER(name, kind, part, type, member, needed, text)                                  \
    {part, offsetof(type, member), needed},

/* A part: its size, and where the part around it, or the whole, keeps its elements and their number. */
struct part_info {
    size_t size;
    unsigned around; /* PART_WHOLE: the whole */
    size_t items, count;
};
#define PART_WHOLE UINT_MAX
enum { PARTS_MAX = 12 };

struct part_list {
    const struct part_member *members; /* by input of the question */
    const struct part_info *parts;     /* a part comes behind the part around it */
    unsigned part_count;               /* at most PARTS_MAX */
};

/* Fills `whole` from the inputs, in the answer's arena. WS_ERR_ARGUMENT: an input stands where no part
 * holds it, or a word that is needed is missing. */
ws_status input_parts_read(const struct asked *asked, const struct part_list *list, void *whole);

#endif
