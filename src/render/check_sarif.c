// SPDX-License-Identifier: Apache-2.0
/* Findings as SARIF: further places are the other side, inlined functions, allocations and calls of the host. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check/findings.h"
#include "render/check_words.h"
#include "render/sarif.h"

/* The rules that results have, each once. */
struct rules {
    struct sarif_rule *items;
    size_t count, room;
};

static const enum sarif_level levels[] = {
    [GRADE_ERROR] = SARIF_ERROR, [GRADE_WARNING] = SARIF_WARNING, [GRADE_NOTE] = SARIF_NOTE};

static enum sarif_level level_of(const struct node *finding)
{
    const char *grade = node_word(finding, "grade");
    return *grade == 'e' ? SARIF_ERROR : *grade == 'w' ? SARIF_WARNING : SARIF_NOTE;
}

static size_t find_rule(const struct rules *rules, const char *code)
{
    size_t i = 0;
    while (i < rules->count && strcmp(rules->items[i].id, code) != 0)
        i++;
    return i;
}

static void add_rule(struct rules *rules, const struct node *finding)
{
    const char *id = node_word(finding, "code");
    unsigned code = check_code_find(id);
    struct sarif_rule rule = {.id = id, .title = node_word(finding, "title"), .tag = "correctness"};
    if (find_rule(rules, id) < rules->count) return;
    if (code < CHECK_CODE_COUNT) {
        rule.help = check_codes[code].advice;
        rule.level = levels[check_codes[code].grade];
        rule.has_level = true;
    }
    GROW(rules->items, rules->count, rules->room);
    rules->items[rules->count++] = rule;
}

/* ---- further places -------------------------------------------------------------------------- */

struct places {
    struct arena arena;
    struct sarif_place *items;
    size_t count, room;
};

static void add_place(struct places *places, const struct node *at, const char *text)
{
    const char *file = node_word(at, "file");
    uint64_t line = node_count(at, "line");
    if (!file) return;
    GROW(places->items, places->count, places->room);
    places->items[places->count++] =
        (struct sarif_place){file, arena_copy(&places->arena, text), (uint32_t)line};
}

static void add_frames(struct places *places, const struct node *frames, const char *what)
{
    for (size_t i = 0; i < frames->child_count; i++) {
        const char *function = node_word(&frames->children[i], "function");
        add_place(places, &frames->children[i],
                  arena_format(&places->arena, "%s%s%s", what, function ? " in " : "",
                               function ? function : ""));
    }
}

static void add_side(struct places *places, const struct node *side, const char *what)
{
    const struct node *frames = node_child(side, "frames");
    if (what) {
        struct strbuf text = {0};
        check_put_side(&text, side);
        add_place(places, side, text.data ? text.data : what);
        strbuf_clear(&text);
    }
    if (frames->child_count > 1) add_frames(places, frames, "inlined");
    add_frames(places, node_child(side, "host"), "launched");
}

static void add_places(struct places *places, const struct node *finding)
{
    const struct node *here = node_child(finding, "here"), *other = node_child(finding, "other"),
                      *memory = node_child(finding, "memory");
    if (node_is_known(other)) add_side(places, other, "other side");
    if (node_is_known(here)) add_side(places, here, NULL);
    if (node_is_known(memory)) {
        add_frames(places, node_child(memory, "created"), "allocated");
        add_frames(places, node_child(memory, "freed"), "freed");
    }
    add_frames(places, node_child(finding, "host"), "called");
}

/* ---- results --------------------------------------------------------------------------------- */

static void put_result(struct sarif *sarif, const struct rules *rules, const struct node *finding)
{
    const struct node *here = node_child(finding, "here");
    bool has_here = node_is_known(here);
    const char *suppressed = node_word(finding, "suppressed");
    const struct sarif_property properties[] = {
        {"tool", node_word(finding, "tool"), NAN},
        {"count", NULL, node_number(finding, "count")},
    };
    struct places places = {0};
    struct strbuf message = {0};
    strbuf_puts(&message, node_word(finding, "title"));
    check_put_message(&message, finding);
    add_places(&places, finding);
    sarif_put(sarif, &(struct sarif_result){
                         .rule = find_rule(rules, node_word(finding, "code")),
                         .level = level_of(finding),
                         .message = message.data,
                         .file = node_word(finding, "file"),
                         .line = (uint32_t)node_count(finding, "line"),
                         .column = has_here ? (uint32_t)node_count(here, "column") : 0,
                         .function = has_here ? node_word(here, "kernel") : NULL,
                         .properties = properties,
                         .property_count = sizeof properties / sizeof *properties,
                         .related = places.items,
                         .related_count = places.count,
                         .is_suppressed = suppressed != NULL,
                         .in_source = suppressed && !strncmp(suppressed, "comment", 7),
                         .justification = node_word(finding, "reason"),
                     });
    mem_free(places.items);
    arena_clear(&places.arena);
    strbuf_clear(&message);
}

void render_check_sarif(const struct answer *answer, const struct render_options *options,
                        struct strbuf *out)
{
    const struct node *findings = node_child(&answer->root, "findings"),
                      *notes = node_child(&answer->root, "notes");
    struct sarif sarif = {.root = options->source_root};
    struct rules rules = {0};
    for (size_t i = 0; i < findings->child_count; i++)
        add_rule(&rules, &findings->children[i]);
    sarif_begin(&sarif, out, rules.items, rules.count);
    for (size_t i = 0; i < findings->child_count; i++)
        put_result(&sarif, &rules, &findings->children[i]);
    sarif_end(&sarif,
              &(struct sarif_invocation){.is_successful = !node_flag(&answer->root, "incomplete"),
                                         .notes = notes->value.items,
                                         .note_count = notes->value.item_count});
    mem_free(rules.items);
}
