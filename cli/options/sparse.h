// SPDX-License-Identifier: Apache-2.0
/* Sparse matrices for the arguments of kernels (doc/arguments.md, `matrix:`): read from a Matrix
 * Market file or generated, then laid out for the GPU. Knows nothing of the program around it: tests
 * make their input with it, too. */
#ifndef CLI_SPARSE_H
#define CLI_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Rows, columns and entries of a matrix are limited to this. */
#define SPARSE_MAX (UINT32_C(1) << 27)

struct sparse_entry {
    uint32_t row, column; /* from 0 */
    double value;
};

/* Entries in the order of rows, in a row of columns; no place twice. */
struct sparse {
    uint32_t rows, columns;
    size_t count;
    struct sparse_entry *entries;
};
void sparse_clear(struct sparse *matrix);

/* What is wrong with an input, and in which line; 0: nowhere in particular. */
struct sparse_problem {
    size_t line;
    char text[160];
};

/* matrix_market.c: coordinate format, real, integer, complex (the real part) or pattern (ones),
 * general or with symmetry, which is written out. *out is to be cleared if true is returned. */
bool sparse_read_matrix_market(FILE *file, struct sparse *out, struct sparse_problem *problem);

/* The hopping term of Wilson fermions on a periodic lattice of X x Y x Z x T sites (x runs fastest),
 * 4 spins and 3 colours: dense 3 x 3 blocks, 13 in a row of blocks, none on the diagonal. False if
 * an extent is below 3 or the matrix is too large. Values are those of `random:1`, in the order of
 * the entries: a model counts where they are, not what. */
bool sparse_wilson(const uint32_t extents[4], struct sparse *out, struct sparse_problem *problem);

/* ELLPACK of square blocks, block 1 being plain ELLPACK. For block row r and its entry e:
 *     columns[e * pitch + r]                             column of blocks
 *     values[((e * block + i) * block + j) * pitch + r]  row i, column j of the block
 * Entries follow their columns; a row with fewer than `width` repeats its last one with zeros. */
struct sparse_ell {
    uint32_t block, block_rows;
    uint32_t pitch; /* block_rows, rounded up to whole warps */
    uint32_t width; /* entries of the longest row of blocks */
    uint32_t *columns;
    double *values;
};
/* False if memory does not suffice. */
bool sparse_ell_make(const struct sparse *matrix, uint32_t block, struct sparse_ell *out);
void sparse_ell_clear(struct sparse_ell *ell);
/* For qsort and bsearch in columns. */
int sparse_compare_columns(const void *a, const void *b);
static inline uint64_t sparse_ell_columns(const struct sparse_ell *ell)
{
    return (uint64_t)ell->width * ell->pitch;
}
static inline uint64_t sparse_ell_values(const struct sparse_ell *ell)
{
    return sparse_ell_columns(ell) * ell->block * ell->block;
}

#endif
