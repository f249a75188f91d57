// SPDX-License-Identifier: Apache-2.0
/* A CPU as a file that machine_load reads back: figures in SI units. */
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "machine/machine.h"

/* As a YAML scalar in double quotes. */
static void put_quoted(struct strbuf *out, const char *text)
{
    strbuf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') strbuf_putc(out, '\\');
        strbuf_putc(out, (unsigned char)*text < ' ' ? ' ' : *text);
    }
    strbuf_putc(out, '"');
}

static void put_figure(struct strbuf *out, enum machine_key key, const struct machine_value *value)
{
    const char *unit = dimension_unit((enum dimension)machine_key_infos[key].dimension);
    const char *leaf = strrchr(machine_key_infos[key].path, '.');
    strbuf_printf(out, "  %s: {value: %.17g", leaf + 1, value->value);
    if (*unit) strbuf_printf(out, ", unit: %s", unit);
    if (value->assumed)
        strbuf_puts(out, ", from: assumed}\n");
    else
        strbuf_printf(out, ", source: %s}\n", value->source);
}

/* The figures of one section stand together in the table of keys. */
static void put_figures(struct strbuf *out, const struct machine *machine)
{
    const char *section = "";
    for (unsigned key = 0; key < MACHINE_KEY_COUNT; key++) {
        const char *path = machine_key_infos[key].path;
        size_t length = strcspn(path, ".");
        if (!machine->values[key].known || !path[length]) continue;
        if (strncmp(path, section, length + 1) != 0)
            strbuf_printf(out, "%.*s:\n", (int)length, path);
        section = path;
        put_figure(out, (enum machine_key)key, &machine->values[key]);
    }
}

ws_status machine_save_cpu(struct diag *diag, const struct machine *machine, const char *path)
{
    struct strbuf out = {0};
    strbuf_puts(&out, "name: ");
    put_quoted(&out, machine->name);
    strbuf_printf(&out, "\nkind: %s\n", machine_kind_words[machine->kind]);
    if (machine->note_count) strbuf_puts(&out, "notes:\n");
    for (size_t i = 0; i < machine->note_count; i++) {
        strbuf_puts(&out, "  - ");
        put_quoted(&out, machine->notes[i]);
        strbuf_putc(&out, '\n');
    }
    put_figures(&out, machine);
    ws_status status = text_write_file(diag, path, out.data, out.length);
    strbuf_clear(&out);
    return status;
}
