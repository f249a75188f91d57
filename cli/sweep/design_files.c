// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/design_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a: not against malice, but against a kernel that was changed between two runs. */
static uint64_t digest_bytes(uint64_t digest, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static int read_all(struct cli *cli, const char *path, FILE *stream, struct cli_text *text)
{
    char block[1 << 14];
    for (size_t got; (got = fread(block, 1, sizeof block, stream)) > 0;)
        fwrite(block, 1, got, text->out);
    if (!ferror(stream)) return EXIT_DONE;
    return cli_error(cli, EXIT_INPUT, "%s: cannot read: %s", path, strerror(errno));
}

static int load(struct cli *cli, const char *path, struct cli_text *out)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", path, strerror(errno));
    int exit_code = cli_text_open(cli, out);
    if (exit_code == EXIT_DONE) {
        exit_code = read_all(cli, path, stream, out);
        if (fflush(out->out) != 0 && exit_code == EXIT_DONE) exit_code = cli_out_of_memory(cli, 0);
        if (exit_code != EXIT_DONE) cli_text_drop(out);
    }
    fclose(stream);
    return exit_code;
}

int design_text(struct cli *cli, const char *path, const char **out)
{
    struct cli_text text;
    CLI_TRY(load(cli, path, &text));
    *out = cli_copy(cli, text.bytes);
    cli_text_drop(&text);
    return EXIT_DONE;
}

const char *design_beside(struct cli *cli, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    if (*name == '/' || !slash || cli_is_copy(path)) return name;
    return cli_format(cli, "%.*s/%s", (int)(slash - path), path, name);
}

/* ---- the digest ------------------------------------------------------------------------------ */

static int add_file(struct cli *cli, const char *path, uint64_t *digest)
{
    struct cli_text text;
    CLI_TRY(load(cli, path, &text));
    *digest = digest_bytes(*digest, text.bytes, text.size);
    cli_text_drop(&text);
    return EXIT_DONE;
}

static bool is_among(const char *const *paths, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(paths[i], path)) return true;
    return false;
}

static double count_threads(const struct request *request)
{
    double threads = 1;
    for (unsigned i = 0; i < 3; i++)
        threads *= (double)request->grid[i] * request->block[i];
    return threads;
}

int design_digest(struct cli *cli, struct design *design)
{
    uint64_t digest =
        digest_bytes(UINT64_C(0xcbf29ce484222325), design->text, strlen(design->text));
    const char **paths = NULL;
    size_t count = 0, defines = design->define_count;
    design->define_count = 0; /* the sources themselves */
    for (size_t i = 0; i < design->launch_count; i++) {
        struct request request;
        CLI_TRY(design_request(cli, design, i, NULL, &request));
        if (!request.kernel_file)
            return cli_error(cli, EXIT_INPUT, "%s: error: a launch names no kernel_file",
                             design->path);
        design->launches[i].threads = count_threads(&request);
        if (is_among(paths, count, request.kernel_file)) continue;
        CLI_APPEND(cli, paths, count, request.kernel_file);
        CLI_TRY(add_file(cli, request.kernel_file, &digest));
    }
    design->define_count = defines;
    snprintf(design->digest, sizeof design->digest, "%016llx", (unsigned long long)digest);
    return EXIT_DONE;
}

/* ---- sources with values --------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

static int write_defines(struct cli *cli, const struct design *design,
                         const struct sweep_values *values, FILE *out)
{
    for (size_t i = 0; i < design->define_count; i++) {
        const char *name = design->defines[i], *text = design->define_texts[i];
        if (!text) text = cli_format(cli, "${%s}", name);
        CLI_TRY(expression_fill(cli, cli_format(cli, "%s: defines: %s", design->path, name), text,
                                values, &text));
        fprintf(out, "#define %s %s\n", name, text);
    }
    return EXIT_DONE;
}

static int write_source(struct cli *cli, const struct design *design,
                        const struct sweep_values *values, const char *source, const char *path)
{
    struct cli_text text;
    CLI_TRY(cli_text_open(cli, &text));
    int exit_code = write_defines(cli, design, values, text.out);
    fprintf(text.out, "#include \"%s\"\n", source);
    if (exit_code == EXIT_DONE) return cli_text_close(cli, &text, path);
    cli_text_drop(&text);
    return exit_code;
}

const char *design_defined_file(struct cli *cli, const char *folder, const char *suffix)
{
    return cli_format(cli, "%s/defined-%ld%s", folder, (long)getpid(), suffix);
}

int design_define(struct cli *cli, const struct design *design, const struct sweep_values *values,
                  const char *folder, struct request *request)
{
    const char *source = request->kernel_file;
    const char *suffix = ends_with(source, ".cl") ? ".cl" : ends_with(source, ".cu") ? ".cu" : NULL;
    if (!suffix)
        return cli_error(cli, EXIT_INPUT,
                         "%s: error: `defines` needs a kernel_file in CUDA or OpenCL C (got %s)",
                         design->path, source);
    char *whole = realpath(source, NULL);
    if (!whole) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", source, strerror(errno));
    request->kernel_file = design_defined_file(cli, folder, suffix);
    int exit_code = write_source(cli, design, values, whole, request->kernel_file);
    free(whole);
    return exit_code;
}

void design_mark(struct design *design, const char *text)
{
    uint64_t digest = strtoull(design->digest, NULL, 16);
    digest = digest_bytes(digest, text, strlen(text));
    snprintf(design->digest, sizeof design->digest, "%016llx", (unsigned long long)digest);
}
