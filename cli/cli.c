// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct cli_block {
    struct cli_block *next;
    _Alignas(16) unsigned char data[];
};

struct cli cli_scope(const struct cli *cli)
{
    return (struct cli){.context = cli->context,
                        .tool_path = cli->tool_path,
                        .quiet = true,
                        .keeps_errors = true,
                        .inputs = cli->inputs};
}

void cli_scope_end(struct cli *cli)
{
    if (cli->free_matrix) cli->free_matrix(cli);
    while (cli->blocks) {
        struct cli_block *next = cli->blocks->next;
        free(cli->blocks);
        cli->blocks = next;
    }
}

void cli_clear(struct cli *cli)
{
    cli_hide_progress(cli);
    cli_scope_end(cli);
    ws_context_destroy(cli->context);
}

void *cli_alloc(struct cli *cli, size_t bytes)
{
    struct cli_block *block = calloc(1, sizeof *block + bytes);
    if (!block) exit(cli_out_of_memory(cli, bytes));
    block->next = cli->blocks;
    cli->blocks = block;
    return block->data;
}

int cli_out_of_memory(struct cli *cli, size_t bytes)
{
    char text[96] = "out of host memory";
    if (bytes) snprintf(text, sizeof text, "out of host memory: cannot allocate %zu bytes", bytes);
    cli_hide_progress(cli);
    fflush(stdout);
    fprintf(stderr, "warpsage: %s\n", text);
    return EXIT_USAGE;
}

char *cli_copy(struct cli *cli, const char *text)
{
    return strcpy(cli_alloc(cli, strlen(text) + 1), text);
}

static char *format_list(struct cli *cli, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    size_t length = (size_t)vsnprintf(NULL, 0, format, list);
    char *text = cli_alloc(cli, length + 1);
    vsnprintf(text, length + 1, format, again);
    va_end(again);
    return text;
}

char *cli_format(struct cli *cli, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = format_list(cli, format, list);
    va_end(list);
    return text;
}

void *cli_grow(struct cli *cli, void *items, size_t count, size_t item_bytes)
{
    bool is_full = count == 0 || (count >= 8 && (count & (count - 1)) == 0);
    if (!is_full) return items;
    void *larger = cli_alloc(cli, (count ? 2 * count : 8) * item_bytes);
    if (count) memcpy(larger, items, count * item_bytes);
    return larger;
}

int cli_error(struct cli *cli, int exit_code, const char *format, ...)
{
    va_list list;
    cli_hide_progress(cli);
    va_start(list, format);
    const char *text = cli_name_inputs(cli, format_list(cli, format, list));
    va_end(list);
    if (cli->keeps_errors) {
        cli->kept_error = text;
        return exit_code;
    }
    fflush(stdout);
    fprintf(stderr, "warpsage: %s\n", text);
    return exit_code;
}

int cli_failed(struct cli *cli, ws_status status)
{
    const char *text = ws_context_error(cli->context);
    if (status == WS_ERR_CANCELLED && cli_is_interrupted())
        return cli_error(cli, cli_stop_code(), "%s", cli_stop_words(cli));
    return cli_error(cli, ws_status_exit_code(status), "%s", *text ? text : ws_status_text(status));
}

const char *cli_hint(struct cli *cli, const char *wanted, const char *const *names, size_t count)
{
    char *near = ws_nearest(wanted, names, count);
    const char *text = near && *near ? cli_format(cli, " (did you mean %s?)", near) : "";
    ws_free(near);
    return text;
}

const char *cli_quantity(struct cli *cli, double value, const char *unit)
{
    char text[64];
    ws_format_quantity(value, unit, text, sizeof text);
    return cli_copy(cli, text);
}

const char *cli_count(struct cli *cli, double count, const char *noun)
{
    char text[64];
    ws_format_count(count, noun, text, sizeof text);
    return cli_copy(cli, text);
}
