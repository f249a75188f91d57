// SPDX-License-Identifier: Apache-2.0
/* One machine file: the table of keys over the YAML tree (doc/machines.md). */
#include "machine/machine_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/machine_leaf.h"
#include "machine/machine_units.h"

/* ---- names ----------------------------------------------------------------------------------- */

static ws_status check_alias(struct reading *reading, const yaml_node_t *node, const char *alias)
{
    const struct machine_names *taken = reading->reader->taken;
    for (const char *c = alias; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.+", *c))
            LEAF_FAIL(reading, node,
                      "invalid alias '%s': expected letters, digits, '-', '_', '.' and '+'", alias);
    for (size_t i = 0; taken && i < taken->count; i++) {
        const struct machine_name *other = &taken->items[i];
        if (strcmp(other->name, alias) != 0 || !strcmp(other->id, reading->machine->id)) continue;
        LEAF_FAIL(reading, node, "alias '%s' is already used by %s.yaml: choose another", alias,
                  other->id);
    }
    return WS_OK;
}

static ws_status read_aliases(struct reading *reading, const yaml_node_t *node)
{
    struct machine *machine = reading->machine;
    TRY(leaf_text_list(reading, "aliases", node, &machine->aliases, &machine->alias_count));
    for (size_t i = 0; i < machine->alias_count; i++) {
        int id = node->data.sequence.items.start[i];
        const yaml_node_t *item = yaml_tree_node(reading->tree, id);
        TRY(check_alias(reading, item, machine->aliases[i]));
        for (size_t j = 0; j < i; j++)
            if (!strcmp(machine->aliases[i], machine->aliases[j]))
                LEAF_FAIL(reading, item, "duplicate alias '%s'", machine->aliases[i]);
    }
    return WS_OK;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* [low, high] around the value; 0, 0: not given. */
static ws_status read_interval(struct reading *reading, const struct leaf *leaf, double value,
                               double out[2])
{
    const yaml_node_t *node = yaml_tree_find(reading->tree, leaf->node, "interval");
    out[0] = out[1] = 0;
    if (!node) return WS_OK;
    if (!leaf->measured)
        LEAF_FAIL(reading, node, "%s has an interval, but is not measured: add 'from: measured'",
                  leaf->path);
    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top - node->data.sequence.items.start != 2)
        LEAF_FAIL(reading, node, "the interval of %s must be two numbers, [low, high]", leaf->path);
    for (size_t i = 0; i < 2; i++) {
        int id = node->data.sequence.items.start[i];
        TRY(leaf_number(reading, leaf->path, yaml_tree_node(reading->tree, id), &out[i]));
    }
    if (!(out[0] <= value && value <= out[1]))
        LEAF_FAIL(reading, node, "the value of %s is not in its interval", leaf->path);
    return WS_OK;
}

static ws_status read_figure(struct reading *reading, enum machine_key key,
                             const yaml_node_t *key_node, const yaml_node_t *node)
{
    struct machine_value *value = &reading->machine->values[key];
    const char *path = machine_key_infos[key].path;
    struct leaf leaf;
    double number, factor;
    if (!machine_key_is_for(key, reading->machine->kind))
        LEAF_FAIL(reading, key_node, "'%s' does not apply to a %s%s", path,
                  reading->machine->kind == MACHINE_IS_CPU ? "CPU" : "GPU",
                  reading->machine->kind == MACHINE_IS_CPU ? ": CPU keys begin with cpu."
                                                           : " (add 'kind: cpu' for a CPU)");
    if (value->known)
        LEAF_FAIL(reading, key_node, "duplicate key '%s': first given in line %u", path,
                  value->line);
    TRY(leaf_read(reading, path, node, &leaf));
    TRY(leaf_number(reading, path, leaf.value, &number));
    TRY(leaf_unit(reading, &leaf, machine_key_infos[key].dimension, &factor));
    /* 4.8 TB/s and the like: a product must not miss its whole number by rounding. */
    double si = number * factor;
    if (fabs(si - nearbyint(si)) <= fabs(si) * 1e-12) si = nearbyint(si);
    const char *fault = figure_fault(key, si);
    if (fault) LEAF_FAIL(reading, leaf.value, "%s = %s %s", path, yaml_text(leaf.value), fault);
    double interval[2];
    TRY(read_interval(reading, &leaf, number, interval));
    *value = (struct machine_value){.value = si,
                                    .known = true,
                                    .source = leaf.source,
                                    .assumed = leaf.assumed,
                                    .measured = leaf.measured,
                                    .low = interval[0] * factor,
                                    .high = interval[1] * factor,
                                    .line = (uint32_t)key_node->start_mark.line + 1};
    return WS_OK;
}

/* ---- identity -------------------------------------------------------------------------------- */

static ws_status read_capability(struct reading *reading, const yaml_node_t *node)
{
    struct machine *machine = reading->machine;
    struct leaf leaf;
    if (machine->kind == MACHINE_IS_CPU)
        LEAF_FAIL(reading, node, "a CPU has no compute_capability");
    TRY(leaf_read(reading, "compute_capability", node, &leaf));
    if (leaf.unit) LEAF_FAIL(reading, leaf.unit, "compute_capability has no unit: remove it");
    const char *text = yaml_text(leaf.value);
    int end = 0;
    size_t length = strlen(text);
    bool shape = length <= 5 && isdigit((unsigned char)text[0]) &&
                 isdigit((unsigned char)text[length - 1]) &&
                 sscanf(text, "%u.%u%n", &machine->cc_major, &machine->cc_minor, &end) == 2 &&
                 (size_t)end == length;
    if (!shape || machine->cc_major < 1 || machine->cc_minor > 9)
        LEAF_FAIL(reading, leaf.value, "compute_capability '%s': write it as \"7.0\"", text);
    machine->cc_source = leaf.source;
    return WS_OK;
}

/* Before anything else: it says what the other keys may be. A GPU unless said. */
static ws_status read_kind(struct reading *reading)
{
    const yaml_node_t *node = yaml_tree_find(reading->tree, yaml_tree_root(reading->tree), "kind");
    const char *word;
    if (!node) return WS_OK;
    TRY(leaf_text(reading, "kind", node, &word));
    for (unsigned kind = 0; kind < MACHINE_KIND_COUNT; kind++) {
        reading->machine->kind = kind;
        if (!strcmp(word, machine_kind_words[kind])) return WS_OK;
    }
    LEAF_FAIL(reading, node, "unknown kind '%s': expected gpu or cpu", word);
}

static ws_status read_chip(struct reading *reading, const yaml_node_t *node)
{
    struct leaf leaf;
    TRY(leaf_read(reading, "chip", node, &leaf));
    if (leaf.unit) LEAF_FAIL(reading, leaf.unit, "chip is a name: remove the unit");
    reading->machine->chip_source = leaf.source;
    return leaf_text(reading, "chip", leaf.value, &reading->machine->chip);
}

/* ---- keys ------------------------------------------------------------------------------------ */

#define TEXT_KEYS(KEY)                                                                             \
    KEY(NAME, "name")                                                                              \
    KEY(KIND, "kind")                                                                              \
    KEY(VENDOR, "vendor")                                                                          \
    KEY(CHIP, "chip")                                                                              \
    KEY(CAPABILITY, "compute_capability")                                                          \
    KEY(ALIASES, "aliases")                                                                        \
    KEY(NOTES, "notes")                                                                            \
    KEY(INHERITS, "inherits") KEY(FLOORPLAN, "floorplan")
enum text_key {
#define KEY(name, text) TEXT_##name,
    TEXT_KEYS(KEY)
#undef KEY
        TEXT_KEY_COUNT
};
static const char *const text_keys[TEXT_KEY_COUNT] = {
#define KEY(name, text) [TEXT_##name] = text,
    TEXT_KEYS(KEY)
#undef KEY
};

static ws_status read_text_key(struct reading *reading, enum text_key key, const yaml_node_t *node)
{
    struct machine *machine = reading->machine;
    switch (key) {
    case TEXT_NAME:
        return leaf_text(reading, "name", node, &machine->name);
    case TEXT_VENDOR:
        return leaf_text(reading, "vendor", node, &machine->vendor);
    case TEXT_CHIP:
        return read_chip(reading, node);
    case TEXT_CAPABILITY:
        return read_capability(reading, node);
    case TEXT_ALIASES:
        return read_aliases(reading, node);
    case TEXT_NOTES:
        return leaf_text_list(reading, "notes", node, &machine->notes, &machine->note_count);
    case TEXT_INHERITS:
        machine->inherits_line = (uint32_t)node->start_mark.line + 1;
        return leaf_text(reading, "inherits", node, &machine->inherits);
    case TEXT_FLOORPLAN:
        if (machine->kind == MACHINE_IS_CPU)
            LEAF_FAIL(reading, node, "a floorplan applies to GPUs only, this is a CPU");
        return machine_read_floorplan(reading, node, &machine->floorplan);
    default:
        return WS_OK;
    }
}

/* True if keys begin with `path` and a dot: it is a section such as "sm". */
static bool is_section(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < MACHINE_KEY_COUNT; i++)
        if (!strncmp(machine_key_infos[i].path, path, length) &&
            machine_key_infos[i].path[length] == '.')
            return true;
    return !strcmp(path, "curve");
}

static ws_status unknown_key(struct reading *reading, const yaml_node_t *node, const char *path)
{
    const char *names[MACHINE_KEY_COUNT + TEXT_KEY_COUNT + CURVE_COUNT];
    size_t count = 0;
    for (; count < MACHINE_KEY_COUNT; count++)
        names[count] = machine_key_infos[count].path;
    for (size_t i = 0; i < TEXT_KEY_COUNT; i++)
        names[count++] = text_keys[i];
    for (size_t i = 0; i < CURVE_COUNT; i++)
        names[count++] = machine_curve_infos[i].path;
    const char *near = text_hint(&reading->machine->arena, path, names, count);
    LEAF_FAIL(reading, node, "unknown key '%s'%s", path, near);
}

/* `prefix` is "" for the file and "sm" within a section. Sections nest no deeper than the keys of
 * the table: recursion ends even where a YAML alias makes a mapping hold itself. */
static ws_status read_section(struct reading *reading, const char *prefix, const yaml_node_t *node)
{
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key_node = yaml_tree_node(reading->tree, pair->key);
        const yaml_node_t *value = yaml_tree_node(reading->tree, pair->value);
        const char *path = arena_format(&reading->machine->arena, "%s%s%s", prefix,
                                        *prefix ? "." : "", yaml_text(key_node));
        unsigned text_key = 0;
        while (text_key < TEXT_KEY_COUNT && strcmp(text_keys[text_key], path) != 0)
            text_key++;
        int key = machine_key_find(path), curve = machine_curve_find(path);
        if (text_key < TEXT_KEY_COUNT) {
            TRY(read_text_key(reading, text_key, value));
        } else if (key >= 0) {
            TRY(read_figure(reading, (enum machine_key)key, key_node, value));
        } else if (curve >= 0 && reading->machine->kind == MACHINE_IS_CPU) {
            LEAF_FAIL(reading, key_node, "'%s' applies to GPUs only, this is a CPU", path);
        } else if (curve >= 0) {
            TRY(machine_read_curve(reading, (enum machine_curve_id)curve, key_node, value));
        } else if (!is_section(path)) {
            return unknown_key(reading, key_node, path);
        } else if (value->type != YAML_MAPPING_NODE) {
            LEAF_FAIL(reading, value, "'%s' must be a mapping of keys, not %s", path,
                      yaml_kind(value));
        } else {
            TRY(read_section(reading, path, value));
        }
    }
    return WS_OK;
}

ws_status machine_read(const struct machine_reader *reader, const char *id, const char *path,
                       const char *text, size_t size, struct machine **out)
{
    struct yaml_tree tree;
    *out = NULL;
    TRY(yaml_tree_parse(reader->diag, &tree, path, text, size));
    struct machine *machine = mem_zalloc(1, sizeof *machine);
    machine->id = arena_copy(&machine->arena, id);
    machine->path = arena_copy(&machine->arena, path);
    struct reading reading = {reader->diag, reader, &tree, machine};
    ws_status status = read_kind(&reading);
    if (status == WS_OK) status = read_section(&reading, "", yaml_tree_root(&tree));
    if (status == WS_OK && !machine->name) {
        struct source_place place = {path, text, size, 1, 1, 1};
        status = diag_error_at(reader->diag, WS_ERR_MACHINE, &place,
                               "the machine has no name: add 'name: ...'");
    }
    yaml_tree_clear(&tree);
    if (status != WS_OK)
        machine_destroy(machine);
    else
        *out = machine;
    return status;
}

size_t machine_read_aliases(struct arena *arena, struct yaml_tree *tree, const char ***out)
{
    yaml_node_t *node = yaml_tree_find(tree, yaml_tree_root(tree), "aliases");
    *out = NULL;
    if (!node || node->type != YAML_SEQUENCE_NODE) return 0;
    const yaml_node_item_t *item = node->data.sequence.items.start;
    size_t count = (size_t)(node->data.sequence.items.top - item), found = 0;
    *out = ARENA_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *text = yaml_text(yaml_tree_node(tree, item[i]));
        if (text) (*out)[found++] = arena_copy(arena, text);
    }
    return found;
}
