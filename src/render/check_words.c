// SPDX-License-Identifier: Apache-2.0
#include "render/check_words.h"

#include <string.h>

#include "base/quantity.h"

bool check_same_word(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* In front of all but the first part. */
static void put_comma(struct strbuf *out)
{
    if (out->length) strbuf_puts(out, ", ");
}

static void put_line_of(struct strbuf *out, const char *lead, const char *file, uint64_t line)
{
    if (!file) return;
    strbuf_printf(out, "%s%s", lead, file);
    if (line) strbuf_printf(out, ":%llu", (unsigned long long)line);
}

void check_put_place(struct strbuf *out, const struct node *finding)
{
    const struct node *here = node_child(finding, "here");
    const char *file = node_word(finding, "file");
    const char *kernel = node_is_known(here) ? node_word(here, "kernel") : NULL;
    if (file)
        put_line_of(out, "", file, node_count(finding, "line"));
    else
        strbuf_puts(out, kernel ? kernel : "host");
    if (!file && kernel && node_count(here, "ptx_line"))
        strbuf_printf(out, ":%llu (PTX)", (unsigned long long)node_count(here, "ptx_line"));
}

static void put_triple(struct strbuf *out, const char *noun, const struct node *triple)
{
    const uint64_t *values = triple->value.items;
    put_comma(out);
    strbuf_printf(out, "%s (%llu,%llu,%llu)", noun, (unsigned long long)values[0],
                  (unsigned long long)values[1], (unsigned long long)values[2]);
}

void check_put_side(struct strbuf *out, const struct node *side)
{
    const struct node *block = node_child(side, "block"), *thread = node_child(side, "thread");
    const char *action = node_word(side, "action"), *value = node_word(side, "value"),
               *kernel = node_word(side, "kernel"), *instruction = node_word(side, "instruction");
    struct strbuf text = {0};
    if (action) strbuf_puts(&text, action);
    if (value) strbuf_printf(&text, "%svalue %s", text.length ? ", " : "", value);
    put_comma(&text);
    if (kernel) strbuf_printf(&text, "kernel %s", kernel);
    if (kernel && node_count(side, "launch"))
        strbuf_printf(&text, " (launch %llu)", (unsigned long long)node_count(side, "launch"));
    if (node_is_known(block)) put_triple(&text, "block", block);
    if (node_is_known(thread)) put_triple(&text, "thread", thread);
    if (node_is_known(thread))
        strbuf_printf(&text, ", warp %llu, lane %llu", (unsigned long long)node_count(side, "warp"),
                      (unsigned long long)node_count(side, "lane"));
    put_line_of(&text, " at ", node_word(side, "file"), node_count(side, "line"));
    if (instruction) {
        strbuf_printf(&text, " (%s", instruction);
        if (node_count(side, "ptx_line"))
            strbuf_printf(&text, ", PTX line %llu",
                          (unsigned long long)node_count(side, "ptx_line"));
        strbuf_putc(&text, ')');
    }
    if (text.data) strbuf_puts(out, text.data);
    strbuf_clear(&text);
}

static void put_frame(struct strbuf *out, const struct node *frame)
{
    const char *function = node_word(frame, "function");
    strbuf_puts(out, function ? function : "?");
    put_line_of(out, " at ", node_word(frame, "file"), node_count(frame, "line"));
}

void check_put_inlined(struct strbuf *out, const struct node *side)
{
    const struct node *frames = node_child(side, "frames");
    if (frames->child_count < 2) return;
    for (size_t i = 0; i < frames->child_count; i++) {
        if (i) strbuf_puts(out, ", inlined into ");
        put_frame(out, &frames->children[i]);
    }
}

void check_put_frames(struct strbuf *out, const struct node *frames)
{
    for (size_t i = 0; i < frames->child_count; i++) {
        if (i) strbuf_puts(out, ", from ");
        put_frame(out, &frames->children[i]);
    }
}

void check_put_memory(struct strbuf *out, const struct node *memory)
{
    const char *name = node_word(memory, "name"), *space = node_word(memory, "space"),
               *where = node_word(memory, "where");
    struct strbuf text = {0};
    if (name) strbuf_puts(&text, name);
    if (node_count(memory, "bytes")) {
        put_comma(&text);
        strbuf_printf(&text, "%s%s%s",
                      quantity_of((double)node_count(memory, "bytes"), "byte").text,
                      space ? " of " : "", space ? space : "");
        if (space) strbuf_puts(&text, " memory");
    }
    if (where) {
        if (text.length) strbuf_puts(&text, "; ");
        strbuf_puts(&text, where);
    }
    if (text.data) strbuf_puts(out, text.data);
    strbuf_clear(&text);
}

typedef void words_fn(struct strbuf *out, const struct node *node);

struct fact_reader {
    check_fact_fn *read;
    void *user;
};

static void read_fact(const struct fact_reader *reader, const char *name, words_fn *words,
                      const struct node *node)
{
    struct strbuf text = {0};
    if (node_is_known(node)) words(&text, node);
    if (text.length) reader->read(reader->user, name, text.data);
    strbuf_clear(&text);
}

void check_each_fact(const struct node *finding, check_fact_fn *read, void *user)
{
    const struct fact_reader reader = {read, user};
    const struct node *here = node_child(finding, "here"), *memory = node_child(finding, "memory");
    const char *message = node_word(finding, "message"), *advice = node_word(finding, "advice");
    if (message) read(user, "what", message);
    read_fact(&reader, "where", check_put_side, here);
    if (node_is_known(here)) read_fact(&reader, "inlined", check_put_inlined, here);
    read_fact(&reader, "and", check_put_side, node_child(finding, "other"));
    read_fact(&reader, "memory", check_put_memory, memory);
    if (node_is_known(memory))
        read_fact(&reader, "allocated", check_put_frames, node_child(memory, "created"));
    if (node_is_known(memory))
        read_fact(&reader, "freed", check_put_frames, node_child(memory, "freed"));
    read_fact(&reader, "host", check_put_frames, node_child(finding, "host"));
    if (advice) read(user, "do", advice);
}

static void put_sentence(void *out, const char *name, const char *text)
{
    if (strcmp(name, "what") != 0)
        strbuf_printf(out, "\n%s: %s", name, text);
    else
        strbuf_printf(out, "\n%s", text);
}

void check_put_message(struct strbuf *out, const struct node *finding)
{
    check_each_fact(finding, put_sentence, out);
}

void check_put_checked(struct strbuf *out, const struct node *check)
{
    const struct node *tools = node_child(check, "tools");
    double kernels = (double)(node_child(check, "kernels")->value.item_count -
                              node_child(check, "unchecked_kernels")->value.item_count);
    strbuf_printf(out, "Checked %s of %s",
                  quantity_of((double)node_count(check, "launches"), "launch").text,
                  quantity_of(kernels, "kernel").text);
    if (node_count(check, "processes") > 1)
        strbuf_printf(out, " in %s",
                      quantity_of((double)node_count(check, "processes"), "process").text);
    strbuf_puts(out, " with");
    const char *comma = " ";
    for (size_t i = 0; i < tools->child_count; i++) {
        if (!node_flag(&tools->children[i], "on")) continue;
        strbuf_printf(out, "%s%s", comma, node_word(&tools->children[i], "tool"));
        comma = ", ";
    }
    strbuf_puts(out, ".");
}

size_t check_list_notes(const struct node *check, struct arena *arena, const char *const **out)
{
    const struct node *notes = node_child(check, "notes");
    const char *const *texts = notes->value.items;
    const char **all = ARENA_ARRAY(arena, const char *, notes->value.item_count + 3);
    uint64_t unchecked = node_count(check, "unchecked_launches"),
             left_out = node_count(check, "left_out");
    size_t count = 0;
    if (!node_count(check, "launches")) all[count++] = "No launch was checked.";
    if (unchecked)
        all[count++] =
            arena_format(arena, "%s not checked.", quantity_of((double)unchecked, "launch").text);
    if (left_out)
        all[count++] = arena_format(arena, "%s at further places had no room here.",
                                    quantity_of((double)left_out, "finding").text);
    for (size_t i = 0; i < notes->value.item_count; i++)
        all[count++] = texts[i];
    *out = all;
    return count;
}
