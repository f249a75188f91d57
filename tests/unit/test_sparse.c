// SPDX-License-Identifier: Apache-2.0
/* The program's sparse matrices: Matrix Market files good and bad, blocked ELLPACK read back entry by
 * entry, the lattice against its definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options/sparse.h"

/* ---- Matrix Market -------------------------------------------------------------------- */

static bool read_text(const char *text, struct sparse *out, struct sparse_problem *problem)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    bool done = sparse_read_matrix_market(file, out, problem);
    fclose(file);
    return done;
}

static void expect_matrix(const char *text, uint32_t rows, uint32_t columns,
                          const struct sparse_entry *entries, size_t count)
{
    struct sparse matrix;
    struct sparse_problem problem;
    if (!read_text(text, &matrix, &problem))
        fail_msg("%s: line %zu: %s", text, problem.line, problem.text);
    assert_int_equal(matrix.rows, rows);
    assert_int_equal(matrix.columns, columns);
    assert_int_equal(matrix.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(matrix.entries[i].row, entries[i].row);
        assert_int_equal(matrix.entries[i].column, entries[i].column);
        assert_true(matrix.entries[i].value == entries[i].value);
    }
    sparse_clear(&matrix);
}

static void test_fields(void **state)
{
    (void)state;
    const struct sparse_entry real[] = {{0, 1, -2.5}, {1, 0, 1e3}, {1, 2, 0.125}};
    expect_matrix("%%MatrixMarket matrix coordinate real general\n% comment\n\n2 3 3\n"
                  "2 3 .125\n1 2 -2.5\n% between\n2 1 1e3\n",
                  2, 3, real, 3);
    expect_matrix("%%MatrixMarket MATRIX Coordinate Complex GENERAL\r\n2 3 3\r\n"
                  "2 3 0.125 7\r\n1 2 -2.5 -1\r\n2 1 1000 0\r\n",
                  2, 3, real, 3);
    const struct sparse_entry whole[] = {{0, 0, 7}, {1, 1, -3}};
    expect_matrix("%%MatrixMarket matrix coordinate integer general\n2 2 2\n2 2 -3\n1 1 7", 2, 2,
                  whole, 2);
    const struct sparse_entry pattern[] = {{0, 0, 1}, {3, 1, 1}};
    expect_matrix("%%MatrixMarket matrix coordinate pattern general\n4 2 2\n1 1\n4 2\n", 4, 2,
                  pattern, 2);
    expect_matrix("%%MatrixMarket matrix coordinate real general\n5 4 0\n", 5, 4, NULL, 0);
}

static void test_symmetries(void **state)
{
    (void)state;
    const struct sparse_entry even[] = {{0, 0, 1}, {0, 2, 5}, {2, 0, 5}};
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 1\n3 1 5\n", 3, 3,
                  even, 3);
    expect_matrix("%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n1 1 1 0\n3 1 5 2\n",
                  3, 3, even, 3);
    const struct sparse_entry odd[] = {{0, 2, -5}, {2, 0, 5}};
    expect_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 5\n", 3, 3, odd,
                  2);
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t line;
        const char *says;
    } bad[] = {
        {"\n", 1, "missing header"},
        {"3 3 1\n1 1 1\n", 1, "missing header"},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n", 1, "array"},
        {"%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n", 1, "quaternion"},
        {"%%MatrixMarket matrix coordinate real upper\n1 1 0\n", 1, "upper"},
        {BANNER, 1, "ROWS COLUMNS ENTRIES"},
        {BANNER "3 3\n", 2, "ROWS COLUMNS ENTRIES"},
        {BANNER "0 3 0\n", 2, "ROWS COLUMNS ENTRIES"},
        {BANNER "3 -3 0\n", 2, "ROWS COLUMNS ENTRIES"},
        {BANNER "3 3 99999999999\n", 2, "ROWS COLUMNS ENTRIES"},
        {BANNER "3 3 2\n1 1 1\n", 3, "another entry"},
        {BANNER "3 3 1\n4 1 1\n", 3, "row from 1 to 3"},
        {BANNER "3 3 1\n0 1 1\n", 3, "row from 1 to 3"},
        {BANNER "3 3 1\n1 1.5 1\n", 3, "column"},
        {BANNER "3 3 1\n1 1\n", 3, "value"},
        {BANNER "3 3 1\n1 1 1 1\n", 3, "invalid entry"},
        {BANNER "3 3 1\n1 1 1x\n", 3, "value"},
        {BANNER "3 3 1\n1 1 1\n\n2 2 2\n", 5, "the header declares 1"},
        {BANNER "3 3 2\n2 3 1\n2 3 1\n", 0, "duplicate entry: row 2, column 3"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 2 0\n", 2, "square"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1\n1 2 1\n", 0, "duplicate"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n", 3, "diagonal"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sparse matrix;
        struct sparse_problem problem;
        if (read_text(bad[i].text, &matrix, &problem)) fail_msg("was read:\n%s", bad[i].text);
        if (problem.line != bad[i].line || !strstr(problem.text, bad[i].says))
            fail_msg("%s: line %zu: %s", bad[i].text, problem.line, problem.text);
        assert_null(matrix.entries);
    }
}

/* ---- blocked ELLPACK ------------------------------------------------------------------ */

/* Sums what the arrays hold into a dense matrix. */
static double *expand(const struct sparse_ell *ell, uint32_t rows, uint32_t columns)
{
    double *dense = calloc((size_t)rows * columns, sizeof *dense);
    assert_non_null(dense);
    for (uint32_t r = 0; r < ell->block_rows; r++)
        for (uint32_t e = 0; e < ell->width; e++)
            for (uint32_t i = 0; i < ell->block * ell->block; i++) {
                double value = ell->values[(e * ell->block * ell->block + i) * ell->pitch + r];
                uint32_t row = r * ell->block + i / ell->block;
                uint32_t column = ell->columns[e * ell->pitch + r] * ell->block + i % ell->block;
                if (row < rows && column < columns) dense[row * columns + column] += value;
                if (row >= rows || column >= columns) assert_true(value == 0);
            }
    return dense;
}

static void expect_layout(const struct sparse *matrix, uint32_t block, uint32_t width,
                          uint32_t pitch)
{
    struct sparse_ell ell;
    assert_true(sparse_ell_make(matrix, block, &ell));
    assert_int_equal(ell.block_rows, (matrix->rows + block - 1) / block);
    assert_int_equal(ell.width, width);
    assert_int_equal(ell.pitch, pitch);
    double *dense = expand(&ell, matrix->rows, matrix->columns);
    for (size_t i = 0; i < matrix->count; i++) {
        double *at = &dense[matrix->entries[i].row * matrix->columns + matrix->entries[i].column];
        assert_true(*at == matrix->entries[i].value);
        *at = 0;
    }
    for (size_t i = 0; i < (size_t)matrix->rows * matrix->columns; i++)
        assert_true(dense[i] == 0);
    free(dense);
    sparse_ell_clear(&ell);
}

/*    . 1 . . 2
 *    . . . . .     rows of 2, 0, 3, 1 and 1 entries; blocks of 2 x 2 (filled up with zeros):
 *    3 4 . 5 .     2, 2 and 1; of 3 x 3: 2 and 1
 *    . . 6 . .
 *    . . . . 7  */
static void test_ell(void **state)
{
    (void)state;
    struct sparse matrix;
    struct sparse_problem problem;
    assert_true(read_text(BANNER "5 5 7\n1 2 1\n1 5 2\n3 1 3\n3 2 4\n3 4 5\n4 3 6\n5 5 7\n",
                          &matrix, &problem));
    expect_layout(&matrix, 1, 3, 32);
    expect_layout(&matrix, 2, 2, 32);
    expect_layout(&matrix, 3, 2, 32);
    struct sparse_ell ell;
    assert_true(sparse_ell_make(&matrix, 1, &ell));
    assert_int_equal(ell.columns[0 * 32 + 0], 1);
    assert_int_equal(ell.columns[1 * 32 + 0], 4);
    assert_int_equal(ell.columns[2 * 32 + 0], 4); /* the last one again, with a zero */
    assert_true(ell.values[2 * 32 + 0] == 0);
    assert_true(ell.values[1 * 32 + 2] == 4);
    sparse_ell_clear(&ell);
    sparse_clear(&matrix);
}

static void test_pitch(void **state)
{
    (void)state;
    struct sparse matrix;
    struct sparse_problem problem;
    assert_true(read_text(BANNER "97 40 1\n97 40 1\n", &matrix, &problem));
    expect_layout(&matrix, 1, 1, 128);
    expect_layout(&matrix, 3, 1, 64);
    sparse_clear(&matrix);
    assert_true(read_text(BANNER "3 3 0\n", &matrix, &problem));
    expect_layout(&matrix, 1, 0, 32);
    sparse_clear(&matrix);
}

/* ---- the lattice ---------------------------------------------------------------------- */

/* May the block (row, column) be there? Site and spin from the definition: neighbours differ by one
 * step in one direction; gamma in Dirac's representation, rows s, columns s'. */
static bool is_hop(const uint32_t extents[4], uint32_t row, uint32_t column)
{
    static const bool mixes[3][4][4] = {
        {{1, 0, 0, 1}, {0, 1, 1, 0}, {0, 1, 1, 0}, {1, 0, 0, 1}}, /* 1 + gamma_1 */
        {{1, 0, 0, 1}, {0, 1, 1, 0}, {0, 1, 1, 0}, {1, 0, 0, 1}}, /* 1 + gamma_2 */
        {{1, 0, 1, 0}, {0, 1, 0, 1}, {1, 0, 1, 0}, {0, 1, 0, 1}}, /* 1 + gamma_3 */
    };
    uint32_t from = row / 4, to = column / 4, spin = row % 4, other = column % 4;
    int direction = -1;
    bool ahead = false;
    for (int i = 0; i < 4; i++) {
        uint32_t extent = extents[i], step = (to % extent + extent - from % extent) % extent;
        if (step != 0 && direction >= 0) return false;
        if (step != 0) direction = i;
        if (step != 0 && step != 1 && step != extent - 1) return false;
        if (step != 0) ahead = step == 1;
        from /= extent;
        to /= extent;
    }
    if (direction < 0) return false;
    if (direction < 3) return mixes[direction][spin][other];
    return spin == other && ahead == (spin >= 2); /* 1 - gamma_4 ahead, 1 + gamma_4 behind */
}

static void check_lattice(const uint32_t extents[4])
{
    struct sparse matrix;
    struct sparse_problem problem;
    uint32_t rows = 12 * extents[0] * extents[1] * extents[2] * extents[3];
    assert_true(sparse_wilson(extents, &matrix, &problem));
    assert_int_equal(matrix.rows, rows);
    assert_int_equal(matrix.columns, rows);
    assert_int_equal(matrix.count, (size_t)rows * 39);
    for (size_t i = 0; i < matrix.count; i++) {
        const struct sparse_entry *entry = &matrix.entries[i];
        assert_int_equal(entry->row, i / 39);
        assert_true(i % 39 == 0 || entry->column > entry[-1].column);
        assert_true(is_hop(extents, entry->row / 3, entry->column / 3));
        assert_true(entry->value >= 0 && entry->value < 1);
    }
    struct sparse_ell ell;
    assert_true(sparse_ell_make(&matrix, 3, &ell));
    assert_int_equal(ell.width, 13); /* so all blocks are full */
    sparse_ell_clear(&ell);
    sparse_clear(&matrix);
}

static void test_wilson(void **state)
{
    (void)state;
    check_lattice((const uint32_t[4]){4, 4, 4, 4});
    check_lattice((const uint32_t[4]){3, 5, 4, 6});
    struct sparse matrix;
    struct sparse_problem problem;
    assert_false(sparse_wilson((const uint32_t[4]){4, 2, 4, 4}, &matrix, &problem));
    assert_non_null(strstr(problem.text, "at least 3"));
    assert_false(sparse_wilson((const uint32_t[4]){9999, 9999, 9999, 9999}, &matrix, &problem));
    assert_non_null(strstr(problem.text, "too large"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),    cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_bad_files), cmocka_unit_test(test_ell),
        cmocka_unit_test(test_pitch),     cmocka_unit_test(test_wilson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
