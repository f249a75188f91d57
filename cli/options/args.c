// SPDX-License-Identifier: Apache-2.0
#include "cli/options/args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/arg_matrix.h"

#define GRAMMAR                                                                                    \
    "an argument is TYPE:VALUE, TYPE[N]=zeros|iota|const:V|random[:SEED]|file:PATH|"               \
    "chase:STRIDE|matrix:LAYOUT:SOURCE, @INDEX, bytes:HEX or local:BYTES"

static int refuse(struct cli *cli, const struct arg *arg, const char *why)
{
    return cli_error(cli, EXIT_USAGE, "%s: argument '%s': %s", arg->source.place, arg->source.text,
                     why);
}

static bool whole_number(const char *text, size_t length, uint64_t *out)
{
    char digits[32], *end;
    if (length == 0 || length >= sizeof digits || !isdigit((unsigned char)*text)) return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    errno = 0;
    *out = strtoull(digits, &end, 0);
    return !*end && !errno;
}

static int parse_hex(struct cli *cli, const char *hex, struct arg *out)
{
    size_t digits = 0;
    out->kind = ARG_BYTES;
    out->bytes = cli_alloc(cli, strlen(hex) / 2 + 1);
    for (; *hex; hex++) {
        if (*hex == ' ' || *hex == '_') continue;
        if (!isxdigit((unsigned char)*hex))
            return refuse(cli, out, "invalid character after bytes: expected hexadecimal digits");
        int lower = tolower((unsigned char)*hex);
        int digit = lower >= 'a' ? lower - 'a' + 10 : lower - '0';
        out->bytes[digits / 2] = (uint8_t)(out->bytes[digits / 2] << 4 | digit);
        digits++;
    }
    if (digits == 0 || digits % 2)
        return refuse(cli, out,
                      "odd number of digits after bytes: expected two hexadecimal digits per byte");
    out->byte_count = digits / 2;
    return EXIT_DONE;
}

/* What OpenCL's hosts give as a size without a pointer. */
static int parse_local(struct cli *cli, const char *bytes, struct arg *out)
{
    out->kind = ARG_LOCAL;
    if (whole_number(bytes, strlen(bytes), &out->count) && out->count > 0 &&
        out->count <= UINT32_MAX)
        return EXIT_DONE;
    return refuse(cli, out,
                  "expected local:BYTES, a size of local (shared) memory of at least 1 byte");
}

const char *arg_from_folder(struct cli *cli, const struct arg_text *text, const char *path)
{
    if (*path == '/' || !strcmp(path, "-") || !text->folder) return path;
    return cli_format(cli, "%s/%s", text->folder, path);
}

/* STRIDE[:JUMP]. */
static int parse_chase(struct cli *cli, const char *text, struct arg *out)
{
    size_t length = strcspn(text, ":");
    uint64_t jump = 1;
    if (!whole_number(text, length, &out->stride) ||
        (text[length] && !whole_number(text + length + 1, strlen(text + length + 1), &jump)))
        return refuse(cli, out, "expected chase:STRIDE or chase:STRIDE:JUMP, whole numbers");
    if (out->type.bits != 64 || value_type_is_float(&out->type))
        return refuse(cli, out, "a chase holds addresses: expected u64[N]=chase:STRIDE");
    if (!out->stride || out->stride % 8 || out->stride > arg_bytes(out))
        return refuse(cli, out,
                      "the stride of a chase is a multiple of 8 bytes, at most the whole buffer");
    out->init = INIT_CHASE;
    out->chased = arg_bytes(out) / out->stride;
    out->jump = jump % out->chased;
    return EXIT_DONE;
}

static int parse_init(struct cli *cli, const char *init, struct arg *out)
{
    if (!strcmp(init, "zeros")) {
        out->init = INIT_ZEROS;
    } else if (!strcmp(init, "iota")) {
        out->init = INIT_IOTA;
    } else if (!strncmp(init, "const:", 6)) {
        out->init = INIT_CONST;
        if (!value_parse(&out->type, init + 6, &out->bits))
            return refuse(cli, out,
                          "the value after const: is malformed or out of range for the type");
    } else if (!strcmp(init, "random") || !strncmp(init, "random:", 7)) {
        out->init = INIT_RANDOM;
        out->bits = 1;
        if (init[6] && !whole_number(init + 7, strlen(init + 7), &out->bits))
            return refuse(cli, out, "the seed after random: must be a whole number");
    } else if (!strncmp(init, "file:", 5) && init[5]) {
        out->init = INIT_FILE;
        return cli_input(cli, arg_from_folder(cli, &out->source, init + 5), &out->path);
    } else if (!strncmp(init, "chase:", 6)) {
        return parse_chase(cli, init + 6, out);
    } else if (!strncmp(init, "matrix:", 7)) {
        return arg_matrix_parse(cli, init + 7, out);
    } else {
        return refuse(cli, out,
                      "expected zeros, iota, const:V, random[:SEED], file:PATH, chase:STRIDE or "
                      "matrix:LAYOUT:SOURCE after =");
    }
    return EXIT_DONE;
}

/* Of one byte each. */
#define DEVICE_ELEMENTS_MAX 68719476736.0

/* What a size means that is written as a product, with an exponent, or with separators: 1024*1024,
 * 1e6, 1_000_000. false: none of these. */
static bool meant_number(const char *text, double *out)
{
    char plain[64];
    size_t length = 0;
    *out = 1;
    for (const char *c = text; *c; c++) {
        if (*c == '_' || *c == ' ' || *c == '\'' || *c == ',') continue;
        if (length + 1 == sizeof plain) return false;
        plain[length++] = *c == 'x' ? '*' : *c;
    }
    plain[length] = '\0';
    char *rest = plain;
    for (char *factor; (factor = strsep(&rest, "*")) != NULL;) {
        char *end;
        if (!isdigit((unsigned char)*factor)) return false;
        *out *= strtod(factor, &end);
        if (*end) return false;
    }
    return *out >= 1 && *out == floor(*out);
}

/* "; write 1048576" for a number that is not written as one; "" if it makes no sense. */
static const char *instead(struct cli *cli, const char *text)
{
    double meant;
    if (!meant_number(text, &meant) || meant > (double)(UINT64_MAX / 64)) return "";
    return cli_format(cli, "; write %.0f", meant);
}

static int refuse_count(struct cli *cli, const struct arg *arg, const char *count)
{
    double meant;
    if (!*count) return refuse(cli, arg, "missing number of elements between [ and ]");
    if (meant_number(count, &meant) && meant > (double)(UINT64_MAX / 64))
        return refuse(cli, arg, cli_format(cli, "%s elements exceed the address space", count));
    if (meant_number(count, &meant) && meant > DEVICE_ELEMENTS_MAX)
        return refuse(cli, arg,
                      cli_format(cli, "%s elements take %s: the limit is 64 GiB of device memory",
                                 count, cli_quantity(cli, meant * arg->type.bits / 8, "B")));
    return refuse(
        cli, arg,
        cli_format(cli, "'%s' is not a whole number of elements%s", count, instead(cli, count)));
}

/* TYPE[N] or TYPE[N]=INIT; `bracket` is where the [ stands. */
static int parse_buffer(struct cli *cli, const char *bracket, struct arg *out)
{
    const char *close = strchr(bracket, ']');
    out->kind = ARG_BUFFER;
    if (!close) return refuse(cli, out, "missing ] after [");
    const char *count = cli_format(cli, "%.*s", (int)(close - bracket - 1), bracket + 1);
    if (!whole_number(count, strlen(count), &out->count)) return refuse_count(cli, out, count);
    if (out->count == 0) return refuse(cli, out, "a buffer must have at least 1 element");
    if (out->count > UINT64_MAX / 64) return refuse_count(cli, out, count);
    if (!close[1]) return EXIT_DONE;
    if (close[1] != '=')
        return refuse(cli, out, "unexpected text after ]: expected =INIT or nothing");
    return parse_init(cli, close + 2, out);
}

int arg_parse(struct cli *cli, const struct arg_text *text, struct arg *out)
{
    const char *at = text->text;
    *out = (struct arg){.source = *text};
    if (*at == '@') {
        out->kind = ARG_SAME;
        if (whole_number(at + 1, strlen(at + 1), &out->bits)) return EXIT_DONE;
        return refuse(cli, out, "expected @INDEX, the index of an earlier argument (from 0)");
    }
    if (!strncmp(at, "local:", 6)) return parse_local(cli, at + 6, out);
    if (!strncmp(at, "bytes:", 6)) return parse_hex(cli, at + 6, out);
    size_t length = strcspn(at, ":[");
    if (!at[length]) return refuse(cli, out, GRAMMAR);
    if (!value_type_parse(at, length, &out->type))
        return refuse(
            cli, out,
            "unknown type: expected s, u, b or i with 8, 16, 32 or 64, or f16, bf16, f32, "
            "f64");
    if (at[length] == '[') return parse_buffer(cli, at + length, out);
    out->kind = ARG_SCALAR;
    if (value_parse(&out->type, at + length + 1, &out->bits)) return EXIT_DONE;
    return refuse(cli, out,
                  cli_format(cli, "'%s' is malformed or out of range for the type%s",
                             at + length + 1,
                             value_type_is_float(&out->type) ? "" : instead(cli, at + length + 1)));
}

/* ---- against the kernel ---------------------------------------------------------------------- */

static const char *describe_given(struct cli *cli, const struct arg *args, size_t count)
{
    static const char *const kinds[] = {[ARG_SCALAR] = "a value",
                                        [ARG_BUFFER] = "a buffer",
                                        [ARG_SAME] = "the same buffer",
                                        [ARG_BYTES] = "raw bytes",
                                        [ARG_LOCAL] = "local memory"};
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        size_t bytes = args[i].kind == ARG_SCALAR  ? args[i].type.bits / 8
                       : args[i].kind == ARG_BYTES ? args[i].byte_count
                                                   : 8;
        text = cli_format(cli, "%s\n  %zu  %.60s  %s, %s", text, i, args[i].source.text,
                          kinds[args[i].kind], cli_count(cli, (double)bytes, "byte"));
    }
    return *text ? text : "\n  none";
}

static int mismatch(struct cli *cli, const ws_module *module, size_t kernel, const struct arg *args,
                    size_t count, const char *what)
{
    char *parameters = ws_module_describe_parameters(module, kernel);
    cli_error(cli, EXIT_USAGE, "%s: %s\nparameters of the kernel:\n%sgiven:%s",
              ws_module_kernel_display_name(module, kernel), what, parameters ? parameters : "",
              describe_given(cli, args, count));
    ws_free(parameters);
    return EXIT_USAGE;
}

/* NULL if the argument goes with the parameter, else why not. */
static const char *kind_problem(const struct arg *arg, const ws_parameter *parameter)
{
    bool is_float_type = *parameter->type == 'f';
    switch (arg->kind) {
    case ARG_BYTES:
        return arg->byte_count == parameter->size ? NULL : "size mismatch";
    case ARG_LOCAL:
    case ARG_BUFFER:
    case ARG_SAME:
        if (parameter->size != 8 && !(parameter->size == 4 && parameter->is_pointer))
            return "type mismatch: the argument is a buffer (pointer), the parameter is not a "
                   "pointer";
        return is_float_type
                   ? "type mismatch: the argument is a buffer (pointer), the parameter is a float"
                   : NULL;
    case ARG_SCALAR:
        break;
    }
    if (arg->type.bits / 8 != parameter->size) return "size mismatch";
    if (arg->type.kind == VALUE_BITS || *parameter->type == 'b') return NULL;
    if (value_type_is_float(&arg->type) == is_float_type) return NULL;
    return is_float_type ? "type mismatch: the parameter is a float, the value an integer"
                         : "type mismatch: the parameter is an integer, the value a float";
}

int args_check(struct cli *cli, const ws_module *module, size_t kernel, const struct arg *args,
               size_t count)
{
    size_t wanted = ws_module_parameter_count(module, kernel);
    if (count != wanted)
        return mismatch(cli, module, kernel, args, count,
                        cli_format(cli, "expected %s, got %zu",
                                   cli_count(cli, (double)wanted, "argument"), count));
    for (size_t i = 0; i < count; i++) {
        ws_parameter parameter;
        ws_status status = ws_module_parameter(module, kernel, i, &parameter);
        if (status != WS_OK) return cli_failed(cli, status);
        const struct arg *earlier;
        if (args[i].kind == ARG_SAME)
            CLI_TRY(args_find_buffer(cli, args, i, args[i].bits, args[i].source.text, &earlier));
        const char *problem = kind_problem(&args[i], &parameter);
        if (problem)
            return mismatch(cli, module, kernel, args, count,
                            cli_format(cli, "argument %zu: %s", i, problem));
    }
    return EXIT_DONE;
}

int args_find_buffer(struct cli *cli, const struct arg *args, size_t count, size_t index,
                     const char *option, const struct arg **out)
{
    while (index < count && args[index].kind == ARG_SAME && args[index].bits < index)
        index = args[index].bits;
    if (index >= count)
        return cli_error(cli, EXIT_USAGE,
                         "%s: argument %zu is out of range: it must refer to an earlier argument; "
                         "indices start at 0 and count all arguments",
                         option, index);
    if (args[index].kind != ARG_BUFFER)
        return cli_error(cli, EXIT_USAGE, "%s: argument %zu, '%s', is not a buffer", option, index,
                         args[index].source.text);
    *out = &args[index];
    return EXIT_DONE;
}

/* ---- onto the device ------------------------------------------------------------------------- */

static uint64_t chase_element(const struct arg *arg, uint64_t index)
{
    uint64_t at = index * (arg->type.bits / 8), number = at / arg->stride;
    if (at % arg->stride || number >= arg->chased) return 0;
    return arg->address + (number + arg->jump) % arg->chased * arg->stride;
}

static uint64_t element(const struct arg *arg, uint64_t index)
{
    if (arg->init == INIT_CHASE) return chase_element(arg, index);
    return arg->init == INIT_IOTA ? value_from_index(&arg->type, index)
                                  : arg->bits; /* const; zeros have 0 */
}

static void make_elements(const struct arg *arg, uint64_t first, size_t count, uint8_t *to)
{
    size_t width = arg->type.bits / 8;
    if (arg->init == INIT_RANDOM) {
        values_fill_random(&arg->type, arg->bits, first, count, to);
        return;
    }
    for (size_t i = 0; i < count; i++)
        value_store(&arg->type, element(arg, first + i), to + i * width);
}

/* A ws_make_fn; pages hold whole elements. */
static void make_page(void *user, uint64_t first, size_t bytes, void *to)
{
    const struct arg *arg = user;
    size_t width = arg->type.bits / 8;
    make_elements(arg, first / width, bytes / width, to);
}

static int fill_by_rule(struct cli *cli, ws_device *device, const struct arg *arg)
{
    struct arg *rule = cli_alloc(cli, sizeof *rule);
    *rule = *arg;
    ws_status status = ws_device_fill_by(device, arg->address, make_page, rule);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

static int fill_from_file(struct cli *cli, ws_device *device, const struct arg *arg)
{
    enum { CHUNK = 1 << 20 };
    FILE *file = fopen(arg->path, "rb");
    if (!file) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", arg->path, strerror(errno));
    uint64_t wanted = arg_bytes(arg), got = 0;
    uint8_t *chunk = malloc(CHUNK);
    ws_status status = WS_OK;
    for (size_t n;
         chunk && status == WS_OK && got <= wanted && (n = fread(chunk, 1, CHUNK, file)) > 0;
         got += n) /* one piece more than it takes: then the file is known to be too long */
        if (got + n <= wanted) status = ws_device_copy_in(device, arg->address + got, chunk, n);
    bool unreadable = ferror(file) != 0, has_memory = chunk;
    free(chunk);
    fclose(file);
    if (!has_memory) return cli_out_of_memory(cli, CHUNK);
    if (unreadable) return cli_error(cli, EXIT_INPUT, "%s: cannot read", arg->path);
    if (status != WS_OK) return cli_failed(cli, status);
    if (got == wanted) return EXIT_DONE;
    return cli_error(cli, EXIT_INPUT,
                     "%s: size mismatch: the file has %s%s, %s requires exactly %llu", arg->path,
                     got > wanted ? "at least " : "", cli_count(cli, (double)got, "byte"),
                     arg->source.text, (unsigned long long)wanted);
}

static int place_buffer(struct cli *cli, ws_device *device, struct arg *arg)
{
    ws_status status = ws_device_alloc(device, arg_bytes(arg), &arg->address);
    if (status != WS_OK)
        return cli_error(cli, ws_status_exit_code(status), "%s: argument '%s' takes %s: %s",
                         arg->source.place, arg->source.text,
                         cli_quantity(cli, (double)arg_bytes(arg), "B"),
                         ws_context_error(cli->context));
    if (arg->init == INIT_NONE) return EXIT_DONE;
    if (arg->init == INIT_FILE) return fill_from_file(cli, device, arg);
    if (arg->init == INIT_MATRIX) return arg_matrix_fill(cli, device, arg);
    if (arg->init != INIT_ZEROS) return fill_by_rule(cli, device, arg);
    status = ws_device_fill(device, arg->address, 0, arg_bytes(arg));
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

enum { LOCAL_ALIGNMENT = 16 }; /* that of dynamic shared memory, which follows the static */

static uint64_t align_local(uint64_t bytes)
{
    return (bytes + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;
}

uint64_t args_local_bytes(const struct arg *args, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (args[i].kind == ARG_LOCAL) bytes += align_local(args[i].count);
    return bytes;
}

/* Addresses within a block's shared memory, in the order of the arguments. */
static int place_local(struct cli *cli, const ws_module *module, size_t kernel, struct arg *args,
                       size_t count)
{
    ws_kernel_info info = {.size = sizeof info};
    ws_status status = ws_module_kernel_info(module, kernel, &info);
    uint64_t at = align_local(info.static_shared_bytes);
    if (status != WS_OK) return cli_failed(cli, status);
    for (size_t i = 0; i < count; i++) {
        if (args[i].kind != ARG_LOCAL) continue;
        args[i].address = at;
        at += align_local(args[i].count);
    }
    return EXIT_DONE;
}

int args_place(struct cli *cli, ws_device *device, const ws_module *module, size_t kernel,
               struct arg *args, size_t count, uint8_t **out_block, size_t *out_bytes)
{
    static const struct value_type pointer = {VALUE_UNSIGNED, 64, "u64"};
    static const struct value_type pointer32 = {VALUE_UNSIGNED, 32, "u32"};
    *out_bytes = ws_module_parameter_bytes(module, kernel);
    *out_block = cli_alloc(cli, *out_bytes + 8);
    CLI_TRY(place_local(cli, module, kernel, args, count));
    for (size_t i = 0; i < count; i++) {
        struct arg *arg = &args[i];
        ws_parameter parameter;
        ws_status status = ws_module_parameter(module, kernel, i, &parameter);
        if (status != WS_OK) return cli_failed(cli, status);
        uint8_t *to = *out_block + parameter.offset;
        if (arg->kind == ARG_BUFFER) CLI_TRY(place_buffer(cli, device, arg));
        if (arg->kind == ARG_SAME) arg->address = args[arg->bits].address;
        if (arg->kind == ARG_BYTES)
            memcpy(to, arg->bytes, arg->byte_count);
        else if (arg->kind == ARG_SCALAR)
            value_store(&arg->type, arg->bits, to);
        else
            value_store(parameter.size == 4 ? &pointer32 : &pointer, arg->address, to);
    }
    return EXIT_DONE;
}
