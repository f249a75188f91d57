// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "cli/options/sparse.h"

enum { WARP = 32 };

void sparse_clear(struct sparse *matrix)
{
    free(matrix->entries);
    *matrix = (struct sparse){0};
}

void sparse_ell_clear(struct sparse_ell *ell)
{
    free(ell->columns);
    free(ell->values);
    *ell = (struct sparse_ell){0};
}

/* One row of blocks: the entries it starts with, and the columns of blocks that it has. */
struct block_row {
    const struct sparse_entry *first, *end;
    uint32_t *columns; /* ascending */
    uint32_t count;
};

int sparse_compare_columns(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The row of blocks that starts at `first`; `columns` has room for one column an entry. */
static struct block_row read_block_row(const struct sparse *matrix, uint32_t block, uint32_t index,
                                       const struct sparse_entry *first, uint32_t *columns)
{
    struct block_row row = {first, first, columns, 0};
    if (matrix->count == 0) return row; /* then there are no entries to point into */
    const struct sparse_entry *all = matrix->entries + matrix->count;
    size_t count = 0;
    for (; row.end < all && row.end->row / block == index; row.end++)
        columns[count++] = row.end->column / block;
    if (count) qsort(columns, count, sizeof *columns, sparse_compare_columns);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || columns[i] != columns[i - 1]) columns[row.count++] = columns[i];
    return row;
}

static void fill_block_row(const struct block_row *row, struct sparse_ell *ell, uint32_t index)
{
    for (uint32_t e = 0; e < ell->width && row->count; e++) {
        uint32_t last = e < row->count ? e : row->count - 1;
        ell->columns[(size_t)e * ell->pitch + index] = row->columns[last];
    }
    for (const struct sparse_entry *entry = row->first; entry < row->end; entry++) {
        uint32_t column = entry->column / ell->block;
        const uint32_t *found =
            bsearch(&column, row->columns, row->count, sizeof column, sparse_compare_columns);
        size_t e = (size_t)(found - row->columns);
        size_t at = (e * ell->block + entry->row % ell->block) * ell->block;
        at += entry->column % ell->block;
        ell->values[at * ell->pitch + index] = entry->value;
    }
}

/* Fills the rows, or finds the width as long as there are no arrays. */
static void visit_rows(const struct sparse *matrix, struct sparse_ell *ell, uint32_t *columns)
{
    const struct sparse_entry *entry = matrix->entries;
    for (uint32_t index = 0; index < ell->block_rows; index++) {
        struct block_row row = read_block_row(matrix, ell->block, index, entry, columns);
        if (ell->columns)
            fill_block_row(&row, ell, index);
        else if (row.count > ell->width)
            ell->width = row.count;
        entry = row.end;
    }
}

bool sparse_ell_make(const struct sparse *matrix, uint32_t block, struct sparse_ell *out)
{
    *out = (struct sparse_ell){.block = block, .block_rows = (matrix->rows + block - 1) / block};
    out->pitch = (out->block_rows + WARP - 1) / WARP * WARP;
    uint32_t *columns = malloc((matrix->count + 1) * sizeof *columns);
    if (!columns) return false;
    visit_rows(matrix, out, columns);
    out->columns = calloc(sparse_ell_columns(out) + 1, sizeof *out->columns);
    out->values = calloc(sparse_ell_values(out) + 1, sizeof *out->values);
    bool done = out->columns && out->values;
    if (done)
        visit_rows(matrix, out, columns);
    else
        sparse_ell_clear(out);
    free(columns);
    return done;
}
