// SPDX-License-Identifier: Apache-2.0
#include "machine/machine_leaf.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/machine_units.h"

/* ---- texts ----------------------------------------------------------------------------------- */

ws_status leaf_text(struct reading *reading, const char *key, const yaml_node_t *node,
                    const char **out)
{
    const char *text = yaml_text(node);
    if (!text) LEAF_FAIL(reading, node, "%s must be a string, not %s", key, yaml_kind(node));
    if (yaml_is_null(node) || !*text) LEAF_FAIL(reading, node, "%s is empty: omit it", key);
    if (strpbrk(text, "\n\t")) LEAF_FAIL(reading, node, "%s must be a single line", key);
    *out = arena_copy(&reading->machine->arena, text);
    return WS_OK;
}

ws_status leaf_text_list(struct reading *reading, const char *key, const yaml_node_t *node,
                         const char *const **out, size_t *out_count)
{
    if (node->type != YAML_SEQUENCE_NODE)
        LEAF_FAIL(reading, node, "%s must be a list, [a, b], not %s", key, yaml_kind(node));
    const yaml_node_item_t *start = node->data.sequence.items.start;
    size_t count = (size_t)(node->data.sequence.items.top - start);
    const char **texts = ARENA_ARRAY(&reading->machine->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        TRY(leaf_text(reading, key, yaml_tree_node(reading->tree, start[i]), &texts[i]));
    *out = texts;
    *out_count = count;
    return WS_OK;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static ws_status check_source(struct reading *reading, const yaml_node_t *node, const char *tag)
{
    const struct source_list *sources = reading->reader->sources;
    for (size_t i = 0; i < sources->count; i++)
        if (!strcmp(sources->tags[i], tag)) return WS_OK;
    struct arena *arena = &reading->machine->arena;
    const char *near = text_hint(arena, tag, sources->tags, sources->count);
    LEAF_FAIL(reading, node,
              "source '%s' is not in SOURCES.yaml%s: add it there or correct the tag", tag, near);
}

/* Who reads the figure must be able to repeat it. */
static ws_status read_measured(struct reading *reading, struct leaf *leaf)
{
    static const char *const needed[] = {"date", "benchmark"};
    const char *words[2];
    for (size_t i = 0; i < 2; i++) {
        const yaml_node_t *node = yaml_tree_find(reading->tree, leaf->node, needed[i]);
        if (!node)
            LEAF_FAIL(reading, leaf->node, "%s is measured but has no %s: add '%s: ...'",
                      leaf->path, needed[i], needed[i]);
        TRY(leaf_text(reading, needed[i], node, &words[i]));
    }
    leaf->source =
        arena_format(&reading->machine->arena, "measured %s, benchmark %s", words[0], words[1]);
    leaf->measured = true;
    return WS_OK;
}

ws_status leaf_origin(struct reading *reading, struct leaf *leaf)
{
    const yaml_node_t *source = yaml_tree_find(reading->tree, leaf->node, "source");
    const yaml_node_t *from = yaml_tree_find(reading->tree, leaf->node, "from");
    if (source && from)
        LEAF_FAIL(reading, from, "%s has both 'source' and 'from': remove one of them", leaf->path);
    if (source) {
        TRY(leaf_text(reading, "source", source, &leaf->source));
        return check_source(reading, source, leaf->source);
    }
    if (!from)
        LEAF_FAIL(reading, leaf->node,
                  "%s has no source: add 'source: TAG' (a key of SOURCES.yaml) or 'from: assumed'",
                  leaf->path);
    TRY(leaf_text(reading, "from", from, &leaf->source));
    if (!strcmp(leaf->source, "measured")) return read_measured(reading, leaf);
    if (strcmp(leaf->source, "assumed") != 0)
        LEAF_FAIL(reading, from,
                  "unknown 'from: %s': use 'from: assumed', 'from: measured' or a source",
                  leaf->source);
    leaf->assumed = true;
    return WS_OK;
}

/* "warps: [...], " of a curve, "" of a figure. */
static const char *axes_words(struct arena *arena, const char *const *axes, const char *list)
{
    const char *words = "";
    for (unsigned i = 0; axes && i < CURVE_AXES && axes[i]; i++)
        words = arena_format(arena, "%s%s%s, ", words, axes[i], list);
    return words;
}

static ws_status check_leaf_keys(struct reading *reading, const struct leaf *leaf,
                                 const char *const *axes)
{
    const char *known[7 + CURVE_AXES] = {"value", "unit",      "source",  "from",
                                         "date",  "benchmark", "interval"};
    size_t count = 7;
    struct arena *arena = &reading->machine->arena;
    for (unsigned i = 0; axes && i < CURVE_AXES && axes[i]; i++)
        known[count++] = axes[i];
    const yaml_node_pair_t *pair = leaf->node->data.mapping.pairs.start;
    for (; pair < leaf->node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_tree_node(reading->tree, pair->key);
        size_t i = 0;
        while (i < count && strcmp(known[i], yaml_text(key)) != 0)
            i++;
        if (i < count) continue;
        const char *near = text_hint(arena, yaml_text(key), known, count);
        LEAF_FAIL(reading, key, "unknown key '%s' in %s%s: expected %svalue, unit, source or from",
                  yaml_text(key), leaf->path, near, axes_words(arena, axes, ""));
    }
    return WS_OK;
}

ws_status leaf_open(struct reading *reading, const char *path, const yaml_node_t *node,
                    const char *const *axes, struct leaf *leaf)
{
    *leaf = (struct leaf){.path = path, .node = node};
    if (yaml_is_null(node)) LEAF_FAIL(reading, node, "%s is null: omit it if unknown", path);
    if (node->type != YAML_MAPPING_NODE)
        LEAF_FAIL(reading, node, "%s must be {%svalue: ..., unit: ..., source: ...}, not %s", path,
                  axes_words(&reading->machine->arena, axes, ": [...]"), yaml_kind(node));
    TRY(check_leaf_keys(reading, leaf, axes));
    leaf->value = yaml_tree_find(reading->tree, node, "value");
    leaf->unit = yaml_tree_find(reading->tree, node, "unit");
    if (!leaf->value) LEAF_FAIL(reading, node, "%s has no value", path);
    return WS_OK;
}

ws_status leaf_read(struct reading *reading, const char *path, const yaml_node_t *node,
                    struct leaf *leaf)
{
    TRY(leaf_open(reading, path, node, NULL, leaf));
    if (yaml_is_null(leaf->value))
        LEAF_FAIL(reading, leaf->value,
                  "%s is null: omit it if unknown; use 0 if it does not exist", path);
    if (!yaml_text(leaf->value))
        LEAF_FAIL(reading, leaf->value, "the value of %s must be a scalar, not %s", path,
                  yaml_kind(leaf->value));
    return leaf_origin(reading, leaf);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Decimal only: strtod alone would take hexadecimal, "inf" and "nan", too. */
ws_status leaf_number(struct reading *reading, const char *path, const yaml_node_t *node,
                      double *out)
{
    const char *text = yaml_text(node);
    if (!text) LEAF_FAIL(reading, node, "%s: expected a number, found %s", path, yaml_kind(node));
    size_t length = strspn(text, "0123456789+-.eE");
    if (yaml_is_quoted(node))
        LEAF_FAIL(reading, node, "%s: \"%s\" in quotes is a string: remove the quotes", path, text);
    if (!text[length] && text_to_double(text, out)) return WS_OK;
    char *rest;
    (void)strtod(text, &rest);
    if (rest != text && *rest)
        LEAF_FAIL(
            reading, node,
            "%s: '%s' has '%s' after the number: write a plain number and put the unit in 'unit'",
            path, text, rest);
    LEAF_FAIL(reading, node, "%s: '%s' is not a number", path, text);
}

ws_status leaf_unit(struct reading *reading, const struct leaf *leaf, enum dimension wanted,
                    double *factor)
{
    struct arena *arena = &reading->machine->arena;
    const char *legal = unit_names(arena, wanted), *words = dimension_words(wanted);
    enum dimension given;
    *factor = 1;
    if (!leaf->unit) {
        if (dimension_is_bare(wanted)) return WS_OK;
        LEAF_FAIL(reading, leaf->node, "%s lacks a unit: it is %s, in %s", leaf->path, words,
                  legal);
    }
    const char *unit;
    TRY(leaf_text(reading, "unit", leaf->unit, &unit));
    if (dimension_is_bare(wanted))
        LEAF_FAIL(reading, leaf->unit, "%s is %s: remove the unit", leaf->path, words);
    if (!unit_find(unit, &given, factor))
        LEAF_FAIL(reading, leaf->unit, "unknown unit '%s': %s is %s, in %s", unit, leaf->path,
                  words, legal);
    if (given != wanted)
        LEAF_FAIL(reading, leaf->unit, "'%s' is the unit of %s, but %s is %s, in %s", unit,
                  dimension_words(given), leaf->path, words, legal);
    return WS_OK;
}
