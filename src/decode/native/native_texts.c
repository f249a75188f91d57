// SPDX-License-Identifier: Apache-2.0
/* What the instructions of a kernel look like, for those who count them: made when it is first asked for. */
#include <ctype.h>
#include <string.h>

#include "base/memo.h"
#include "base/strbuf.h"
#include "decode/module.h"
#include "decode/native/listing.h"

struct made_texts {
    struct memo_entry entry;
    struct native_texts texts;
};

static void put_insn(const struct module *module, const struct native_place *place,
                     struct strbuf *out)
{
    const struct native_word word = {place->low, place->high};
    struct native_insn insn;
    if (!native_decode(module->target, word, place->offset, &insn)) return;
    struct native_operand *operand = place->symbol ? listing_relocated_operand(&insn) : NULL;
    if (operand) operand->label = place->symbol;
    native_print_guard(&insn, out);
    native_print(&insn, out);
}

/* A line without its indentation and semicolon; white space is one blank. */
static void put_line(struct strbuf *out, const char *line, const char *end)
{
    enum { MOST = 160 };
    size_t begin = out->length;
    for (; line < end && *line != '\n' && out->length - begin < MOST; line++) {
        bool is_blank = isspace((unsigned char)*line);
        if (!is_blank)
            strbuf_putc(out, *line);
        else if (out->length > begin && out->data[out->length - 1] != ' ')
            strbuf_putc(out, ' ');
    }
    while (out->length > begin && strchr(" ;", out->data[out->length - 1]))
        out->length--;
}

static uint32_t highest_line(const struct function *function)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < function->insn_count; i++)
        if (function->native_code->places[i].ptx_line > highest)
            highest = function->native_code->places[i].ptx_line;
    return highest;
}

/* The lines that instructions name: *out_lines gets their numbers, `out` their texts, a NUL behind each. */
static uint32_t put_ptx(const struct function *function, struct strbuf *out, uint32_t **out_lines)
{
    const struct native_code *code = function->native_code;
    uint32_t highest = highest_line(function), count = 0;
    *out_lines = NULL;
    if (!code->ptx || !highest) return 0;
    const char *at = code->ptx, *end = code->ptx + code->ptx_size;
    bool *is_named = mem_zalloc((size_t)highest + 1, sizeof *is_named);
    *out_lines = mem_zalloc((size_t)function->insn_count + 1, sizeof **out_lines);
    for (uint32_t i = 0; i < function->insn_count; i++)
        is_named[code->places[i].ptx_line] = true;
    for (uint32_t line = 1; line <= highest && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (is_named[line]) {
            (*out_lines)[count++] = line;
            put_line(out, at, end);
            strbuf_putc(out, '\0');
        }
        at = newline ? newline + 1 : end;
    }
    mem_free(is_named);
    return count;
}

/* All in one block. */
static struct made_texts *make(const struct module *module, const struct function *function)
{
    struct strbuf text = {0};
    uint32_t *lines, count = function->insn_count;
    for (uint32_t i = 0; i < count; i++) {
        put_insn(module, &function->native_code->places[i], &text);
        strbuf_putc(&text, '\0');
    }
    uint32_t ptx_count = put_ptx(function, &text, &lines);
    size_t insn_bytes = (size_t)count * sizeof(char *),
           ptx_bytes = ptx_count * sizeof(struct ptx_text);
    struct made_texts *made =
        mem_zalloc(1, sizeof *made + insn_bytes + ptx_bytes + text.length + 1);
    const char **insns = (const char **)(made + 1);
    struct ptx_text *ptx = (struct ptx_text *)(insns + count);
    char *at = (char *)(ptx + ptx_count);
    if (text.length) memcpy(at, text.data, text.length);
    for (uint32_t i = 0; i < count; i++, at += strlen(at) + 1)
        insns[i] = at;
    for (uint32_t i = 0; i < ptx_count; i++, at += strlen(at) + 1)
        ptx[i] = (struct ptx_text){lines[i], at};
    made->texts = (struct native_texts){insns, ptx_count, ptx};
    mem_free(lines);
    strbuf_clear(&text);
    return made;
}

const struct native_texts *module_native_texts(const struct module *module,
                                               const struct function *function)
{
    const struct memo_key key = {{(uint64_t)(function - module->functions)}};
    const struct memo_entry *known = memo_find(module->texts, &key);
    if (!known) {
        struct made_texts *made = make(module, function);
        made->entry.key = key;
        known = memo_add(module->texts, &made->entry);
    }
    return &((const struct made_texts *)(const void *)known)->texts;
}
