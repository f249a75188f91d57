// SPDX-License-Identifier: Apache-2.0
#include "cli/options/arg_matrix.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/sparse.h"

enum { BLOCK_MAX = 16 };

static int refuse(struct cli *cli, const struct arg *arg, const char *why)
{
    return cli_error(cli, EXIT_USAGE, "%s: argument '%s': %s", arg->source.place, arg->source.text,
                     why);
}

/* A whole number that fits into 32 bits, and what follows it. */
static bool read_number(const char **at, uint32_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**at)) return false;
    errno = 0;
    unsigned long value = strtoul(*at, &end, 10);
    *at = end;
    *out = (uint32_t)value;
    return !errno && value <= UINT32_MAX;
}

/* "ell.values", "ell.columns", "bell3.values" ... and the colon behind it. */
static bool parse_layout(const char **at, struct arg_matrix *out)
{
    out->block = 1;
    if (**at == 'b') {
        *at += strlen("bell");
        if (!read_number(at, &out->block) || out->block < 2 || out->block > BLOCK_MAX) return false;
    } else {
        *at += strlen("ell");
    }
    out->is_columns = !strncmp(*at, ".columns:", 9);
    if (!out->is_columns && strncmp(*at, ".values:", 8) != 0) return false;
    *at = strchr(*at, ':') + 1;
    return true;
}

/* "8x8x8x8" */
static bool parse_extents(const char *at, uint32_t out[4])
{
    for (int i = 0; i < 4; i++)
        if (!read_number(&at, &out[i]) || *at++ != (i < 3 ? 'x' : '\0')) return false;
    return true;
}

int arg_matrix_parse(struct cli *cli, const char *text, struct arg *arg)
{
    struct arg_matrix *matrix = cli_alloc(cli, sizeof *matrix);
    arg->init = INIT_MATRIX;
    arg->matrix = matrix;
    bool has_layout = !strncmp(text, "ell.", 4) || !strncmp(text, "bell", 4);
    if (!has_layout || !parse_layout(&text, matrix))
        return refuse(cli, arg,
                      "after matrix: expected ell.values, ell.columns, bellK.values or "
                      "bellK.columns (K from 2 to 16), then : and a source");
    if (!strncmp(text, "file:", 5) && text[5])
        CLI_TRY(cli_input(cli, arg_from_folder(cli, &arg->source, text + 5), &matrix->path));
    else if (strncmp(text, "wilson:", 7) != 0 || !parse_extents(text + 7, matrix->extents))
        return refuse(cli, arg, "unknown matrix source: expected file:PATH or wilson:XxYxZxT");
    if (value_type_is_float(&arg->type) == matrix->is_columns)
        return refuse(cli, arg,
                      "type mismatch: matrix values are floats, matrix columns are integers");
    return EXIT_DONE;
}

static int read_file(struct cli *cli, const char *path, struct sparse *out)
{
    struct sparse_problem problem;
    FILE *file = fopen(path, "rb");
    if (!file) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", path, strerror(errno));
    bool done = sparse_read_matrix_market(file, out, &problem);
    fclose(file);
    if (done) return EXIT_DONE;
    if (!problem.line) return cli_error(cli, EXIT_INPUT, "%s: error: %s", path, problem.text);
    return cli_error(cli, EXIT_INPUT, "%s:%zu:1: error: %s", path, problem.line, problem.text);
}

static int make_matrix(struct cli *cli, const struct arg *arg, struct sparse *out)
{
    struct sparse_problem problem;
    if (arg->matrix->path) return read_file(cli, arg->matrix->path, out);
    if (sparse_wilson(arg->matrix->extents, out, &problem)) return EXIT_DONE;
    return refuse(cli, arg, problem.text);
}

static int check_count(struct cli *cli, const struct arg *arg, const struct sparse_ell *ell)
{
    uint64_t wanted = arg->matrix->is_columns ? sparse_ell_columns(ell) : sparse_ell_values(ell);
    if (arg->count == wanted) return EXIT_DONE;
    return cli_error(cli, EXIT_INPUT,
                     "%s: argument '%s': size mismatch: the buffer has %s, the matrix requires "
                     "exactly %llu (%u rows%s, pitch %u, width %u)",
                     arg->source.place, arg->source.text,
                     cli_count(cli, (double)arg->count, "element"), (unsigned long long)wanted,
                     ell->block_rows, ell->block > 1 ? " of blocks" : "", ell->pitch, ell->width);
}

static int copy_in(struct cli *cli, ws_device *device, const struct arg *arg,
                   const struct sparse_ell *ell)
{
    size_t width = arg->type.bits / 8;
    uint8_t *bytes = malloc(arg->count * width);
    if (!bytes) return cli_out_of_memory(cli, arg->count * width);
    for (uint64_t i = 0; i < arg->count; i++) {
        uint64_t bits = arg->matrix->is_columns ? value_from_index(&arg->type, ell->columns[i])
                                                : value_from_double(&arg->type, ell->values[i]);
        value_store(&arg->type, bits, bytes + i * width);
    }
    ws_status status = ws_device_copy_in(device, arg->address, bytes, arg->count * width);
    free(bytes);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* Values and columns are two buffers of one matrix, and `papers` executes a launch several times. */
struct made_matrix {
    struct arg_matrix source;
    struct sparse_ell ell;
};

static bool is_same(const struct arg_matrix *a, const struct arg_matrix *b)
{
    if (a->block != b->block || !a->path != !b->path) return false;
    if (a->path) return !strcmp(a->path, b->path);
    return !memcmp(a->extents, b->extents, sizeof a->extents);
}

static void free_made(struct cli *cli)
{
    if (cli->matrix) sparse_ell_clear(&cli->matrix->ell);
    free(cli->matrix);
    cli->matrix = NULL;
}

/* Owned by cli, until another matrix is asked for. */
static int find_made(struct cli *cli, const struct arg *arg, const struct sparse_ell **out)
{
    struct sparse matrix;
    if (!cli->matrix || !is_same(&cli->matrix->source, arg->matrix)) {
        free_made(cli);
        CLI_TRY(make_matrix(cli, arg, &matrix));
        struct made_matrix *made = malloc(sizeof *made);
        bool is_made = made && sparse_ell_make(&matrix, arg->matrix->block, &made->ell);
        sparse_clear(&matrix);
        if (!is_made) {
            free(made);
            return cli_out_of_memory(cli, 0);
        }
        made->source = *arg->matrix;
        cli->matrix = made;
        cli->free_matrix = free_made;
    }
    *out = &cli->matrix->ell;
    return EXIT_DONE;
}

int arg_matrix_fill(struct cli *cli, ws_device *device, const struct arg *arg)
{
    const struct sparse_ell *ell = NULL;
    CLI_TRY(find_made(cli, arg, &ell));
    CLI_TRY(check_count(cli, arg, ell));
    return copy_in(cli, device, arg, ell);
}
