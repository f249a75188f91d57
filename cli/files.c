// SPDX-License-Identifier: Apache-2.0
/* The files that the user names: `-` and pipes as inputs, outputs that replace their target when they
 * are whole, and no output over an input. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* A pipe may have no end. */
#define PIPE_BYTES_MAX (UINT64_C(1) << 28)

struct cli_input {
    struct cli_input *next;
    dev_t device;
    ino_t inode;
    const char *named, *opened; /* they differ for a copy of a pipe */
};

struct cli_output {
    struct cli_output *next;
    const char *path;
};

static void add_input(struct cli *cli, const char *named, const char *opened,
                      const struct stat *status)
{
    struct cli_input *input = cli_alloc(cli, sizeof *input);
    *input = (struct cli_input){cli->inputs, status->st_dev, status->st_ino, named, opened};
    cli->inputs = input;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

static int copy_pipe(struct cli *cli, const char *name, int from, int to)
{
    char *block = cli_alloc(cli, 1 << 16);
    uint64_t total = 0;
    for (;;) {
        ssize_t got = read(from, block, 1 << 16);
        if (got < 0 && errno == EINTR && !cli_is_interrupted()) continue;
        if (got < 0)
            return cli_error(cli, EXIT_INPUT, "%s: cannot read: %s", name, strerror(errno));
        if (got == 0) return EXIT_DONE;
        total += (uint64_t)got;
        if (total > PIPE_BYTES_MAX)
            return cli_error(cli, EXIT_INPUT, "%s: file too large: at most %llu bytes", name,
                             (unsigned long long)PIPE_BYTES_MAX);
        if (!write_all(to, block, (size_t)got))
            return cli_error(cli, EXIT_USAGE, "%s: cannot copy to memory: %s", name,
                             strerror(errno));
    }
}

/* Readers open their file more than once, which a pipe does not allow: they get a copy in memory. */
static int take_copy(struct cli *cli, const char *named, const char **out)
{
    bool is_stdin = !strcmp(named, "-");
    const char *name = is_stdin ? "standard input" : named;
    struct stat status;
    int from = is_stdin ? STDIN_FILENO : open(named, O_RDONLY | O_CLOEXEC);
    if (from < 0) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", name, strerror(errno));
    int to = memfd_create("input", MFD_CLOEXEC); /* open until the program ends */
    int exit_code =
        to < 0 ? cli_error(cli, EXIT_USAGE, "%s: cannot copy to memory: %s", name, strerror(errno))
               : copy_pipe(cli, name, from, to);
    if (!is_stdin) close(from);
    if (exit_code != EXIT_DONE || fstat(to, &status) != 0) return exit_code;
    *out = cli_format(cli, "/proc/self/fd/%d", to);
    add_input(cli, name, *out, &status);
    return EXIT_DONE;
}

int cli_input(struct cli *cli, const char *named, const char **out)
{
    struct stat status;
    bool is_stdin = !strcmp(named, "-");
    const char *name = is_stdin ? "standard input" : named;
    *out = named;
    for (const struct cli_input *input = cli->inputs; input; input = input->next)
        if (!strcmp(input->named, name)) {
            *out = input->opened;
            return EXIT_DONE;
        }
    if (!is_stdin && (stat(named, &status) != 0 || S_ISDIR(status.st_mode)))
        return EXIT_DONE; /* who opens it knows what was expected */
    if (is_stdin || !S_ISREG(status.st_mode)) return take_copy(cli, named, out);
    add_input(cli, named, named, &status);
    return EXIT_DONE;
}

void cli_note_input(struct cli *cli, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) add_input(cli, path, path, &status);
}

bool cli_is_copy(const char *path)
{
    return !strncmp(path, "/proc/self/fd/", 14);
}

const char *cli_name_inputs(struct cli *cli, const char *text)
{
    for (const struct cli_input *input = cli->inputs; input; input = input->next) {
        if (input->opened == input->named) continue;
        for (const char *at; (at = strstr(text, input->opened)) != NULL;)
            text = cli_format(cli, "%.*s%s%s", (int)(at - text), text, input->named,
                              at + strlen(input->opened));
    }
    return text;
}

/* ---- outputs --------------------------------------------------------------------------------- */

void cli_claim_output(struct cli *cli, const char *path)
{
    struct cli_output *output = cli_alloc(cli, sizeof *output);
    *output = (struct cli_output){cli->outputs, path};
    cli->outputs = output;
}

static int check_output(struct cli *cli, const struct cli_output *output)
{
    struct stat status;
    bool exists = stat(output->path, &status) == 0 && S_ISREG(status.st_mode);
    for (const struct cli_input *input = cli->inputs; exists && input; input = input->next)
        if (input->device == status.st_dev && input->inode == status.st_ino)
            return cli_error(cli, EXIT_USAGE,
                             "%s is also an input: choose another name for the output",
                             output->path);
    for (const struct cli_output *other = output->next; other; other = other->next)
        if (!strcmp(other->path, output->path) && strncmp(output->path, "/dev/", 5) != 0)
            return cli_error(cli, EXIT_USAGE, "two outputs use %s: give each its own name",
                             output->path);
    return EXIT_DONE;
}

int cli_check_outputs(struct cli *cli)
{
    for (const struct cli_output *output = cli->outputs; output; output = output->next)
        CLI_TRY(check_output(cli, output));
    return EXIT_DONE;
}

int cli_write_failed(struct cli *cli, int problem)
{
    cli->stdout_failed = true;
    return cli_error(cli, EXIT_INPUT, "standard output: cannot write: %s", strerror(problem));
}

static int write_stdout(struct cli *cli, const void *bytes, size_t size)
{
    errno = 0;
    int problem = fwrite(bytes, 1, size, stdout) == size ? 0 : errno;
    if (fflush(stdout) != 0 && !problem) problem = errno;
    return problem ? cli_write_failed(cli, problem) : EXIT_DONE;
}

int cli_write(struct cli *cli, const char *path, const void *bytes, size_t size)
{
    ws_output *output;
    if (!path) return write_stdout(cli, bytes, size);
    CLI_TRY(cli_check_outputs(cli));
    ws_status status = ws_output_open(cli->context, path, &output);
    if (status == WS_OK) {
        ws_output_write(output, bytes, size);
        status = ws_output_close(output);
    }
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

int cli_text_open(struct cli *cli, struct cli_text *text)
{
    *text = (struct cli_text){0};
    text->out = open_memstream(&text->bytes, &text->size);
    return text->out ? EXIT_DONE : cli_out_of_memory(cli, 0);
}

int cli_text_close(struct cli *cli, struct cli_text *text, const char *path)
{
    bool is_whole = !ferror(text->out);
    /* glibc's fclose succeeds even if it had no memory for the text. */
    is_whole = fclose(text->out) == 0 && text->bytes && is_whole;
    int exit_code =
        is_whole ? cli_write(cli, path, text->bytes, text->size) : cli_out_of_memory(cli, 0);
    free(text->bytes);
    return exit_code;
}

int cli_write_fitted(struct cli *cli, const char *text)
{
    unsigned columns = cli_columns(stdout);
    char *fitted = columns ? ws_text_fit(text, columns) : NULL;
    if (columns && !fitted) return cli_out_of_memory(cli, 0);
    int exit_code = cli_write(cli, NULL, fitted ? fitted : text, strlen(fitted ? fitted : text));
    ws_free(fitted);
    return exit_code;
}

int cli_text_close_fitted(struct cli *cli, struct cli_text *text)
{
    bool is_whole = !ferror(text->out);
    is_whole = fclose(text->out) == 0 && text->bytes && is_whole;
    int exit_code = is_whole ? cli_write_fitted(cli, text->bytes) : cli_out_of_memory(cli, 0);
    free(text->bytes);
    return exit_code;
}

void cli_text_drop(struct cli_text *text)
{
    fclose(text->out);
    free(text->bytes);
}
