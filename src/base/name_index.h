// SPDX-License-Identifier: Apache-2.0
/* The rows of a constant table by name. A table has one static index that is filled once:
 *
 *     static struct name_index index;
 *     static void fill(void) { name_index_fill(&index, &rows[0].name, sizeof *rows, ROW_COUNT); }
 *     ...
 *     pthread_once(&once, fill);
 *     return name_index_find(&index, name); */
#ifndef BASE_NAME_INDEX_H
#define BASE_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_INDEX_SLOTS = 1 << 11, NAME_INDEX_MAX = NAME_INDEX_SLOTS / 2 };

struct name_index {
    const char *const *first;
    size_t row_bytes;
    uint16_t slots[NAME_INDEX_SLOTS]; /* row + 1; 0: free */
};

/* `first` is the name in the first row, those of the others follow at distances of `row_bytes`; at most
 * NAME_INDEX_MAX rows. Of several with one name the first counts. */
void name_index_fill(struct name_index *index, const char *const *first, size_t row_bytes,
                     size_t count);
/* The row, -1: none. */
int name_index_find(const struct name_index *index, const char *name);

#endif
