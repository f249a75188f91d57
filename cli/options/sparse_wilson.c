// SPDX-License-Identifier: Apache-2.0
/* Sum over the directions mu of (1 - gamma_mu) U delta(x + mu) + (1 + gamma_mu) U delta(x - mu).
 * With Dirac's matrices gamma_4 is diagonal, so that a spin has one neighbour in time, ahead or
 * behind; gamma_1 and gamma_2 exchange spins s and 3 - s, gamma_3 exchanges s and s xor 2: that makes
 * 3 * 2 * 2 + 1 = 13 blocks of 3 x 3 colours, 39 entries a row, as the matrices D of the set QCD in the
 * Matrix Market have (math.nist.gov/MatrixMarket/data/misc/qcd: 3072 rows, 119808 entries on
 * 4 x 4 x 4 x 4 sites; its gamma_5 is off the diagonal, as with Dirac's matrices). */
#include <stdlib.h>

#include "cli/options/sparse.h"
#include "cli/options/values.h"

enum { SPINS = 4, COLOURS = 3, TIME = 3, BLOCKS_PER_ROW = 13, LEAST_EXTENT = 3 };

static uint32_t site_index(const uint32_t extents[4], const uint32_t at[4])
{
    return ((at[3] * extents[2] + at[2]) * extents[1] + at[1]) * extents[0] + at[0];
}

static uint32_t neighbour(const uint32_t extents[4], const uint32_t at[4], int direction,
                          bool ahead)
{
    uint32_t to[4] = {at[0], at[1], at[2], at[3]}, extent = extents[direction];
    to[direction] = (to[direction] + (ahead ? 1 : extent - 1)) % extent;
    return site_index(extents, to);
}

/* The columns of blocks (site, spin) of one row of blocks, ascending. */
static void list_blocks(const uint32_t extents[4], const uint32_t at[4], uint32_t spin,
                        uint32_t out[BLOCKS_PER_ROW])
{
    static const uint32_t exchange[TIME] = {3, 3, 2}; /* partner: spin xor this; 3 - s = s xor 3 */
    size_t count = 0;
    for (int direction = 0; direction < TIME; direction++)
        for (int ahead = 0; ahead < 2; ahead++) {
            uint32_t site = neighbour(extents, at, direction, ahead);
            out[count++] = site * SPINS + spin;
            out[count++] = site * SPINS + (spin ^ exchange[direction]);
        }
    out[count] = neighbour(extents, at, TIME, spin >= 2) * SPINS + spin;
    qsort(out, BLOCKS_PER_ROW, sizeof *out, sparse_compare_columns);
}

static void add_block_row(struct sparse *matrix, const uint32_t blocks[BLOCKS_PER_ROW])
{
    static const struct value_type f32 = {VALUE_FLOAT, 32, "f32"};
    uint32_t first = (uint32_t)(matrix->count / (BLOCKS_PER_ROW * COLOURS));
    for (uint32_t row = first; row < first + COLOURS; row++)
        for (size_t i = 0; i < BLOCKS_PER_ROW * COLOURS; i++) {
            double value = value_to_double(&f32, value_random(&f32, 1, matrix->count));
            uint32_t column = blocks[i / COLOURS] * COLOURS + (uint32_t)(i % COLOURS);
            matrix->entries[matrix->count++] = (struct sparse_entry){row, column, value};
        }
}

bool sparse_wilson(const uint32_t extents[4], struct sparse *out, struct sparse_problem *problem)
{
    uint64_t sites = 1;
    *out = (struct sparse){0};
    *problem = (struct sparse_problem){0};
    for (int i = 0; i < 4; i++) {
        if (extents[i] < LEAST_EXTENT)
            snprintf(problem->text, sizeof problem->text,
                     "a lattice has at least %d sites in each direction", LEAST_EXTENT);
        sites = sites > SPARSE_MAX ? sites : sites * extents[i];
    }
    uint64_t rows = sites * SPINS * COLOURS, count = rows * BLOCKS_PER_ROW * COLOURS;
    if (!*problem->text && count > SPARSE_MAX)
        snprintf(problem->text, sizeof problem->text, "the lattice is too large");
    if (*problem->text) return false;
    out->entries = malloc(count * sizeof *out->entries);
    if (!out->entries) {
        snprintf(problem->text, sizeof problem->text, "out of memory");
        return false;
    }
    out->rows = out->columns = (uint32_t)rows;
    for (uint32_t site = 0; site < sites; site++) {
        uint32_t at[4], rest = site, blocks[BLOCKS_PER_ROW];
        for (int i = 0; i < 4; rest /= extents[i++])
            at[i] = rest % extents[i];
        for (uint32_t spin = 0; spin < SPINS; spin++) {
            list_blocks(extents, at, spin, blocks);
            add_block_row(out, blocks);
        }
    }
    return true;
}
