// SPDX-License-Identifier: Apache-2.0
/* Matrix Market exchange format, coordinate form (Boisvert, Pozo, Remington, NIST IR 5935, 1996):
 *     %%MatrixMarket matrix coordinate FIELD SYMMETRY
 *     % comments
 *     ROWS COLUMNS ENTRIES
 *     ROW COLUMN [VALUE [IMAGINARY]]       counted from 1; with symmetry one triangle only */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/options/sparse.h"

enum field { FIELD_REAL, FIELD_INTEGER, FIELD_COMPLEX, FIELD_PATTERN, FIELD_COUNT };
enum symmetry { GENERAL, SYMMETRIC, SKEW_SYMMETRIC, HERMITIAN, SYMMETRY_COUNT };

/* Guess, far above what programs write (doc/limits.md). */
enum { LINE_BYTES_MAX = 4096 };

struct reader {
    FILE *file;
    char line[LINE_BYTES_MAX + 2]; /* with the end of the line */
    size_t number;                 /* of the line, from 1 */
    enum field field;
    enum symmetry symmetry;
    size_t stored; /* entries that the file promises */
    size_t room;   /* of the matrix, in entries */
    struct sparse *matrix;
    struct sparse_problem *problem;
};

static bool refuse(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    reader->problem->line = reader->number;
    vsnprintf(reader->problem->text, sizeof reader->problem->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n")];
}

/* False at the end of the file, or if the line cannot be read: *out_refused. */
static bool read_line(struct reader *reader, bool *out_refused)
{
    *out_refused = false;
    if (!fgets(reader->line, sizeof reader->line, reader->file)) {
        *out_refused = ferror(reader->file);
        return *out_refused ? refuse(reader, "cannot read") : false;
    }
    reader->number++;
    size_t length = strlen(reader->line);
    if (length <= LINE_BYTES_MAX || reader->line[length - 1] == '\n') return true;
    *out_refused = true;
    return refuse(reader, "line too long: at most %d bytes", LINE_BYTES_MAX);
}

/* The next line that is neither empty nor a comment. */
static bool next_line(struct reader *reader, const char *wanted)
{
    for (;;) {
        bool refused;
        if (!read_line(reader, &refused))
            return refused ? false : refuse(reader, "unexpected end of file: expected %s", wanted);
        if (reader->number == 1 || (*reader->line != '%' && !is_blank(reader->line))) return true;
    }
}

static size_t find_word(const char *word, const char *const *words, size_t count)
{
    size_t i = 0;
    while (i < count && strcasecmp(word, words[i]) != 0)
        i++;
    return i;
}

static bool read_banner(struct reader *reader)
{
    static const char *const fields[] = {"real", "integer", "complex", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    char object[32], format[32], field[32], symmetry[32];
    if (!next_line(reader, "'%%MatrixMarket'")) return false;
    if (sscanf(reader->line, "%%%%MatrixMarket %31s %31s %31s %31s", object, format, field,
               symmetry) != 4)
        return refuse(reader, "missing header: expected '%%%%MatrixMarket matrix coordinate ...'");
    if (strcasecmp(object, "matrix") != 0 || strcasecmp(format, "coordinate") != 0)
        return refuse(reader, "'%s %s' is not supported: expected 'matrix coordinate'", object,
                      format);
    size_t f = find_word(field, fields, FIELD_COUNT);
    size_t s = find_word(symmetry, symmetries, SYMMETRY_COUNT);
    if (f == FIELD_COUNT)
        return refuse(reader, "unknown field '%s': expected real, integer, complex or pattern",
                      field);
    if (s == SYMMETRY_COUNT)
        return refuse(
            reader,
            "unknown symmetry '%s': expected general, symmetric, skew-symmetric or hermitian",
            symmetry);
    reader->field = (enum field)f;
    reader->symmetry = (enum symmetry)s;
    return true;
}

/* A whole number from `least` to `most`, and what follows it. */
static bool read_count(const char **at, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    const char *text = *at + strspn(*at, " \t");
    errno = 0;
    *out = strtoull(text, &end, 10);
    *at = end;
    return isdigit((unsigned char)*text) && !errno && *out >= least && *out <= most &&
           (!*end || isspace((unsigned char)*end));
}

static bool read_size(struct reader *reader)
{
    uint64_t rows, columns, count;
    if (!next_line(reader, "'ROWS COLUMNS ENTRIES'")) return false;
    const char *at = reader->line;
    if (!read_count(&at, 1, SPARSE_MAX, &rows) || !read_count(&at, 1, SPARSE_MAX, &columns) ||
        !read_count(&at, 0, SPARSE_MAX, &count) || !is_blank(at))
        return refuse(reader, "expected 'ROWS COLUMNS ENTRIES', rows and columns from 1 to %u",
                      SPARSE_MAX);
    if (reader->symmetry != GENERAL && rows != columns)
        return refuse(reader, "a symmetric matrix must be square (got %llu x %llu)",
                      (unsigned long long)rows, (unsigned long long)columns);
    reader->matrix->rows = (uint32_t)rows;
    reader->matrix->columns = (uint32_t)columns;
    reader->stored = count;
    return true;
}

static bool read_value(const char **at, double *out)
{
    char *end;
    *out = strtod(*at, &end);
    bool good = end != *at && (!*end || isspace((unsigned char)*end));
    *at = end;
    return good;
}

static bool read_entry(struct reader *reader, struct sparse_entry *out)
{
    uint64_t row, column;
    double imaginary;
    if (!next_line(reader, "another entry")) return false;
    const char *at = reader->line;
    if (!read_count(&at, 1, reader->matrix->rows, &row) ||
        !read_count(&at, 1, reader->matrix->columns, &column))
        return refuse(reader,
                      "invalid entry: expected a row from 1 to %u and a column from 1 to %u",
                      reader->matrix->rows, reader->matrix->columns);
    *out = (struct sparse_entry){(uint32_t)row - 1, (uint32_t)column - 1, 1.0};
    bool good = reader->field == FIELD_PATTERN || read_value(&at, &out->value);
    if (good && reader->field == FIELD_COMPLEX) good = read_value(&at, &imaginary);
    if (!good || !is_blank(at))
        return refuse(
            reader, "invalid entry: the value does not match the matrix field, or text follows it");
    if (reader->symmetry == SKEW_SYMMETRIC && row == column)
        return refuse(reader, "a skew-symmetric matrix must not have diagonal entries");
    return true;
}

/* What the file promises may be more than it has: room grows with what is read. */
static bool append(struct reader *reader, struct sparse_entry entry)
{
    enum { LEAST = 1024 };
    struct sparse *matrix = reader->matrix;
    if (matrix->count == reader->room) {
        size_t room = reader->room ? 2 * reader->room : LEAST;
        struct sparse_entry *entries = realloc(matrix->entries, room * sizeof *entries);
        if (!entries) return refuse(reader, "out of memory");
        matrix->entries = entries;
        reader->room = room;
    }
    matrix->entries[matrix->count++] = entry;
    return true;
}

static bool read_entries(struct reader *reader)
{
    for (size_t i = 0; i < reader->stored; i++) {
        struct sparse_entry entry = {0};
        if (!read_entry(reader, &entry) || !append(reader, entry)) return false;
        if (reader->symmetry == GENERAL || entry.row == entry.column) continue;
        double value = reader->symmetry == SKEW_SYMMETRIC ? -entry.value : entry.value;
        if (!append(reader, (struct sparse_entry){entry.column, entry.row, value})) return false;
    }
    bool refused;
    while (read_line(reader, &refused))
        if (*reader->line != '%' && !is_blank(reader->line))
            return refuse(reader, "too many entries: the header declares %zu", reader->stored);
    return !refused;
}

static int compare_entries(const void *a, const void *b)
{
    const struct sparse_entry *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static bool order_entries(struct reader *reader)
{
    struct sparse *matrix = reader->matrix;
    if (matrix->count)
        qsort(matrix->entries, matrix->count, sizeof *matrix->entries, compare_entries);
    reader->number = 0;
    for (size_t i = 1; i < matrix->count; i++)
        if (compare_entries(&matrix->entries[i - 1], &matrix->entries[i]) == 0)
            return refuse(reader, "duplicate entry: row %u, column %u%s",
                          matrix->entries[i].row + 1, matrix->entries[i].column + 1,
                          reader->symmetry == GENERAL ? "" : " (or its mirrored entry)");
    return true;
}

bool sparse_read_matrix_market(FILE *file, struct sparse *out, struct sparse_problem *problem)
{
    struct reader reader = {.file = file, .matrix = out, .problem = problem};
    *out = (struct sparse){0};
    *problem = (struct sparse_problem){0};
    bool done = read_banner(&reader) && read_size(&reader) && read_entries(&reader) &&
                order_entries(&reader);
    if (!done) sparse_clear(out);
    return done;
}
