// SPDX-License-Identifier: Apache-2.0
/* A Matrix Market file from anywhere: it is refused with a reason, or its entries are inside the
 * matrix and in order, and blocked ELLPACK has places for them. */
#include <assert.h>
#include <stdint.h>

#include "cli/options/sparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entries(const struct sparse *matrix)
{
    for (size_t i = 0; i < matrix->count; i++) {
        const struct sparse_entry *entry = &matrix->entries[i];
        assert(entry->row < matrix->rows && entry->column < matrix->columns);
        if (i == 0) continue;
        assert(entry->row > entry[-1].row ||
               (entry->row == entry[-1].row && entry->column > entry[-1].column));
    }
}

/* Of each value that is not 0, there is one in the arrays. */
static void check_layout(const struct sparse *matrix, uint32_t block)
{
    struct sparse_ell ell;
    size_t left = 0;
    if (!sparse_ell_make(matrix, block, &ell)) return;
    for (size_t i = 0; i < matrix->count; i++)
        left += matrix->entries[i].value != 0;
    for (size_t i = 0; i < sparse_ell_values(&ell); i++)
        left -= ell.values[i] != 0;
    assert(left == 0);
    for (size_t i = 0; i < sparse_ell_columns(&ell); i++)
        assert(ell.columns[i] <= (matrix->columns - 1) / block);
    sparse_ell_clear(&ell);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SMALL = 1 << 12 }; /* rows to lay out: a file of few bytes may have millions */
    struct sparse matrix;
    struct sparse_problem problem;
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");
    if (!file) return 0; /* of no bytes */
    if (sparse_read_matrix_market(file, &matrix, &problem)) {
        check_entries(&matrix);
        if (matrix.rows <= SMALL) {
            check_layout(&matrix, 1);
            check_layout(&matrix, 3);
        }
        sparse_clear(&matrix);
    } else {
        assert(*problem.text && !matrix.entries);
    }
    fclose(file);
    return 0;
}
