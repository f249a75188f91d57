// SPDX-License-Identifier: Apache-2.0
/* What happens to buffers after the launch: --print, --save, --check. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/request.h"

enum { CHUNK_BYTES = 1 << 20 };

int results_check_options(struct cli *cli, const struct request *request, const struct arg *args)
{
    const struct arg *buffer;
    size_t count = request->arg_count;
    for (size_t i = 0; i < request->print_count; i++)
        CLI_TRY(args_find_buffer(cli, args, count, request->prints[i], "--print", &buffer));
    for (size_t i = 0; i < request->save_count; i++)
        CLI_TRY(args_find_buffer(cli, args, count, request->saves[i].index, "--save", &buffer));
    for (size_t i = 0; i < request->check_count; i++)
        CLI_TRY(args_find_buffer(cli, args, count, request->checks[i].index, "--check", &buffer));
    bool has_results = request->print_count || request->save_count || request->check_count;
    if (has_results && request->effort.kind != EFFORT_FULL)
        return cli_error(cli, EXIT_USAGE,
                         "--print, --save and --check require every block to run: they cannot be "
                         "combined with --effort %s",
                         request->effort.kind == EFFORT_SECONDS ? "auto or Ns" : "N%");
    if (request->print_count && request->format != WS_FORMAT_TEXT && !request->output)
        return cli_error(
            cli, EXIT_USAGE,
            "--print and the report would both go to standard output: add -o FILE or use --save");
    return EXIT_DONE;
}

static int copy_out(struct cli *cli, ws_device *device, const struct arg *buffer, uint64_t at,
                    size_t bytes, uint8_t *to)
{
    ws_status status = ws_device_copy_out(device, to, buffer->address + at, bytes);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

/* ---- print ----------------------------------------------------------------------------------- */

static int print_range(struct cli *cli, ws_device *device, const struct arg *buffer, uint64_t first,
                       uint64_t count)
{
    enum { PER_LINE = 8 };
    size_t width = buffer->type.bits / 8;
    uint8_t *bytes = cli_alloc(cli, count * width);
    CLI_TRY(copy_out(cli, device, buffer, first * width, count * width, bytes));
    for (uint64_t i = 0; i < count; i++) {
        char text[64];
        value_print(&buffer->type, value_load(&buffer->type, bytes + i * width), text, sizeof text);
        if (i % PER_LINE == 0) printf("  [%llu]", (unsigned long long)(first + i));
        printf(" %s%s", text, i % PER_LINE == PER_LINE - 1 || i + 1 == count ? "\n" : "");
    }
    return EXIT_DONE;
}

/* All of a small buffer, both ends of a large one. */
static int print_buffer(struct cli *cli, const char *kernel, ws_device *device, size_t index,
                        const struct arg *buffer)
{
    enum { WHOLE = 64, HEAD = 32, TAIL = 16 };
    printf("%s%sargument %zu, %s\n", kernel ? kernel : "", kernel ? ": " : "", index,
           buffer->source.text);
    if (buffer->count <= WHOLE) return print_range(cli, device, buffer, 0, buffer->count);
    CLI_TRY(print_range(cli, device, buffer, 0, HEAD));
    printf("  ... %llu elements; --save %zu=FILE writes them all\n",
           (unsigned long long)buffer->count, index);
    return print_range(cli, device, buffer, buffer->count - TAIL, TAIL);
}

/* ---- save ------------------------------------------------------------------------------------ */

static int save_buffer(struct cli *cli, ws_device *device, const struct buffer_file *save,
                       const struct arg *buffer)
{
    ws_output *output;
    ws_status status = ws_output_open(cli->context, save->path, &output);
    if (status != WS_OK) return cli_failed(cli, status);
    char *chunk = cli_alloc(cli, CHUNK_BYTES);
    uint64_t total = arg_bytes(buffer);
    bool ok = true;
    for (uint64_t at = 0; ok && status == WS_OK && at < total; at += CHUNK_BYTES) {
        size_t bytes = total - at < CHUNK_BYTES ? (size_t)(total - at) : CHUNK_BYTES;
        status = ws_device_copy_out(device, chunk, buffer->address + at, bytes);
        if (status == WS_OK) ok = ws_output_write(output, chunk, bytes);
    }
    if (status == WS_OK)
        status = ws_output_close(output);
    else
        ws_output_discard(output);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

/* ---- check ----------------------------------------------------------------------------------- */

struct comparison {
    uint64_t mismatches, first;
    uint64_t first_got, first_want;
    double max_error; /* |got - want| / max(1, |want|) */
};

/* Equal bits are equal, and so are two NaNs; else |got - want| <= tolerance * max(1, |want|).
 * Without a tolerance floats may still be +0 and -0. */
static void compare_element(const struct value_type *type, double tolerance, uint64_t index,
                            uint64_t got, uint64_t want, struct comparison *out)
{
    if (got == want) return;
    double a = value_to_double(type, got), b = value_to_double(type, want);
    if (isnan(a) && isnan(b)) return;
    double error = fabs(a - b) / fmax(1, fabs(b));
    /* 64-bit integers may differ and be the same double. */
    bool differs = !(error <= tolerance) || (!value_type_is_float(type) && tolerance == 0);
    if (error > out->max_error || isnan(error)) out->max_error = isnan(error) ? INFINITY : error;
    if (!differs) return;
    if (out->mismatches++) return;
    out->first = index;
    out->first_got = got;
    out->first_want = want;
}

static int report_check(struct cli *cli, const char *kernel, const struct buffer_file *check,
                        const struct arg *buffer, const struct comparison *result)
{
    char got[64], want[64];
    if (!result->mismatches) return EXIT_DONE;
    value_print(&buffer->type, result->first_got, got, sizeof got);
    value_print(&buffer->type, result->first_want, want, sizeof want);
    return cli_error(
        cli, EXIT_CHECK,
        "check failed: %s%sargument %zu against %s: %llu of %llu elements differ by more "
        "than %g; the first is [%llu]: got %s, want %s; largest error %.3g "
        "(|got - want| / max(1, |want|))",
        kernel ? kernel : "", kernel ? ": " : "", check->index, check->path,
        (unsigned long long)result->mismatches, (unsigned long long)buffer->count, check->tolerance,
        (unsigned long long)result->first, got, want, result->max_error);
}

static int check_stream(struct cli *cli, const char *kernel, ws_device *device,
                        const struct buffer_file *check, const struct arg *buffer, FILE *file)
{
    struct comparison result = {0};
    size_t width = buffer->type.bits / 8;
    uint64_t total = arg_bytes(buffer);
    uint8_t *got = cli_alloc(cli, CHUNK_BYTES), *want = cli_alloc(cli, CHUNK_BYTES);
    for (uint64_t at = 0; at < total; at += CHUNK_BYTES) {
        size_t bytes = total - at < CHUNK_BYTES ? (size_t)(total - at) : CHUNK_BYTES;
        size_t read = fread(want, 1, bytes, file);
        if (read != bytes)
            return cli_error(cli, EXIT_INPUT,
                             "%s: size mismatch: the file has %llu bytes, argument %zu has %llu",
                             check->path, (unsigned long long)(at + read), check->index,
                             (unsigned long long)total);
        CLI_TRY(copy_out(cli, device, buffer, at, bytes, got));
        for (size_t i = 0; i < bytes; i += width)
            compare_element(&buffer->type, check->tolerance, (at + i) / width,
                            value_load(&buffer->type, got + i), value_load(&buffer->type, want + i),
                            &result);
    }
    if (fgetc(file) != EOF)
        return cli_error(cli, EXIT_INPUT,
                         "%s: size mismatch: the file has more than the %llu bytes of argument %zu",
                         check->path, (unsigned long long)total, check->index);
    return report_check(cli, kernel, check, buffer, &result);
}

static int check_buffer(struct cli *cli, const char *kernel, ws_device *device,
                        const struct buffer_file *check, const struct arg *buffer)
{
    FILE *file = fopen(check->path, "rb");
    if (!file)
        return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", check->path, strerror(errno));
    int exit_code = check_stream(cli, kernel, device, check, buffer, file);
    fclose(file);
    return exit_code;
}

int results_deliver(struct cli *cli, const char *kernel, ws_device *device,
                    const struct request *request, const struct arg *args)
{
    const struct arg *buffer;
    size_t count = request->arg_count;
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < request->print_count; i++) {
        CLI_TRY(args_find_buffer(cli, args, count, request->prints[i], "--print", &buffer));
        CLI_TRY(print_buffer(cli, kernel, device, request->prints[i], buffer));
    }
    for (size_t i = 0; i < request->save_count; i++) {
        CLI_TRY(args_find_buffer(cli, args, count, request->saves[i].index, "--save", &buffer));
        CLI_TRY(save_buffer(cli, device, &request->saves[i], buffer));
    }
    for (size_t i = 0; i < request->check_count; i++) {
        CLI_TRY(args_find_buffer(cli, args, count, request->checks[i].index, "--check", &buffer));
        int one = check_buffer(cli, kernel, device, &request->checks[i], buffer);
        if (one > exit_code) exit_code = one; /* all checks are made; the report still comes */
    }
    return exit_code;
}
