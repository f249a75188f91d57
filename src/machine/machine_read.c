// SPDX-License-Identifier: Apache-2.0
/* One machine file: the table of keys over the YAML tree (CONTRACT.md section 5). */
#include "machine/machine_reading.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/machine_units.h"

/* ---- texts ----------------------------------------------------------------------------------- */

ws_status reading_text(struct reading *reading, const char *key, const yaml_node_t *node,
                       const char **out)
{
    const char *text = yaml_text(node);
    if (!text) FAIL(reading, node, "%s must be a text, not %s", key, yaml_kind(node));
    if (yaml_is_null(node) || !*text) FAIL(reading, node, "%s is empty: leave it out", key);
    if (strpbrk(text, "\n\t")) FAIL(reading, node, "%s must be one line", key);
    *out = arena_copy(&reading->machine->arena, text);
    return WS_OK;
}

static ws_status read_text_list(struct reading *reading, const char *key, const yaml_node_t *node,
                                const char *const **out, size_t *out_count)
{
    if (node->type != YAML_SEQUENCE_NODE)
        FAIL(reading, node, "%s must be a list, [a, b], not %s", key, yaml_kind(node));
    const yaml_node_item_t *start = node->data.sequence.items.start;
    size_t count = (size_t)(node->data.sequence.items.top - start);
    const char **texts = ARENA_ARRAY(&reading->machine->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        TRY(reading_text(reading, key, yaml_tree_node(reading->tree, start[i]), &texts[i]));
    *out = texts;
    *out_count = count;
    return WS_OK;
}

static ws_status check_alias(struct reading *reading, const yaml_node_t *node, const char *alias)
{
    const struct machine_names *taken = reading->reader->taken;
    for (const char *c = alias; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.+", *c))
            FAIL(reading, node, "alias '%s': letters, digits, '-', '_', '.' and '+' only", alias);
    for (size_t i = 0; taken && i < taken->count; i++) {
        const struct machine_name *other = &taken->items[i];
        if (strcmp(other->name, alias) != 0 || !strcmp(other->id, reading->machine->id)) continue;
        FAIL(reading, node, "alias '%s' is taken by %s.yaml: an alias must name one machine", alias,
             other->id);
    }
    return WS_OK;
}

static ws_status read_aliases(struct reading *reading, const yaml_node_t *node)
{
    struct machine *machine = reading->machine;
    TRY(read_text_list(reading, "aliases", node, &machine->aliases, &machine->alias_count));
    for (size_t i = 0; i < machine->alias_count; i++) {
        int id = node->data.sequence.items.start[i];
        const yaml_node_t *item = yaml_tree_node(reading->tree, id);
        TRY(check_alias(reading, item, machine->aliases[i]));
        for (size_t j = 0; j < i; j++)
            if (!strcmp(machine->aliases[i], machine->aliases[j]))
                FAIL(reading, item, "alias '%s' is given twice", machine->aliases[i]);
    }
    return WS_OK;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static ws_status check_source(struct reading *reading, const yaml_node_t *node, const char *tag)
{
    const struct source_list *sources = reading->reader->sources;
    for (size_t i = 0; i < sources->count; i++)
        if (!strcmp(sources->tags[i], tag)) return WS_OK;
    struct arena *arena = &reading->machine->arena;
    const char *near = text_nearest(arena, tag, sources->tags, sources->count);
    FAIL(reading, node, "source '%s' is not in SOURCES.yaml%s%s: add it there or mend the tag", tag,
         *near ? "; near: " : "", near);
}

ws_status reading_origin(struct reading *reading, struct leaf *leaf)
{
    const yaml_node_t *source = yaml_tree_find(reading->tree, leaf->node, "source");
    const yaml_node_t *from = yaml_tree_find(reading->tree, leaf->node, "from");
    if (source && from)
        FAIL(reading, from, "%s has both a source and 'from': give one", leaf->path);
    if (source) {
        TRY(reading_text(reading, "source", source, &leaf->source));
        return check_source(reading, source, leaf->source);
    }
    if (!from)
        FAIL(reading, leaf->node,
             "%s has no source: add 'source: TAG' (a key of SOURCES.yaml) or 'from: assumed'",
             leaf->path);
    TRY(reading_text(reading, "from", from, &leaf->source));
    if (strcmp(leaf->source, "assumed") != 0)
        FAIL(reading, from, "'from: %s' is not known: write 'from: assumed' or a source",
             leaf->source);
    leaf->assumed = true;
    return WS_OK;
}

/* Only a curve has `warps`, the last of them. */
static ws_status check_leaf_keys(struct reading *reading, const struct leaf *leaf, bool is_curve)
{
    static const char *const known[] = {"value", "unit", "source", "from", "warps"};
    const size_t count = is_curve ? 5 : 4;
    const yaml_node_pair_t *pair = leaf->node->data.mapping.pairs.start;
    for (; pair < leaf->node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_tree_node(reading->tree, pair->key);
        size_t i = 0;
        while (i < count && strcmp(known[i], yaml_text(key)) != 0)
            i++;
        if (i < count) continue;
        const char *near = text_nearest(&reading->machine->arena, yaml_text(key), known, count);
        FAIL(reading, key, "unknown key '%s' in %s%s%s: %svalue, unit, source or from",
             yaml_text(key), leaf->path, *near ? "; perhaps " : "", near,
             is_curve ? "warps, " : "");
    }
    return WS_OK;
}

/* What a figure and a curve have in common. */
static ws_status open_leaf(struct reading *reading, const char *path, const yaml_node_t *node,
                           bool is_curve, struct leaf *leaf)
{
    *leaf = (struct leaf){.path = path, .node = node};
    if (yaml_is_null(node))
        FAIL(reading, node, "%s is null: leave it out if it is not known", path);
    if (node->type != YAML_MAPPING_NODE)
        FAIL(reading, node, "%s must be {%svalue: ..., unit: ..., source: ...}, not %s", path,
             is_curve ? "warps: [...], " : "", yaml_kind(node));
    TRY(check_leaf_keys(reading, leaf, is_curve));
    leaf->value = yaml_tree_find(reading->tree, node, "value");
    leaf->unit = yaml_tree_find(reading->tree, node, "unit");
    if (!leaf->value) FAIL(reading, node, "%s has no value", path);
    return WS_OK;
}

static ws_status read_leaf(struct reading *reading, const char *path, const yaml_node_t *node,
                           struct leaf *leaf)
{
    TRY(open_leaf(reading, path, node, false, leaf));
    if (yaml_is_null(leaf->value))
        FAIL(reading, leaf->value,
             "%s is null: leave it out if it is not known; 0 says that it does not exist", path);
    if (!yaml_text(leaf->value))
        FAIL(reading, leaf->value, "the value of %s must be single, not %s", path,
             yaml_kind(leaf->value));
    return reading_origin(reading, leaf);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Decimal only: strtod alone would take hexadecimal, "inf" and "nan", too. */
ws_status reading_number(struct reading *reading, const char *path, const yaml_node_t *node,
                         double *out)
{
    const char *text = yaml_text(node);
    if (!text) FAIL(reading, node, "%s: a number is needed, not %s", path, yaml_kind(node));
    size_t length = strspn(text, "0123456789+-.eE");
    if (yaml_is_quoted(node))
        FAIL(reading, node, "%s: \"%s\" in quotes is a text: write the number without them", path,
             text);
    if (!text[length] && text_to_double(text, out)) return WS_OK;
    char *rest;
    (void)strtod(text, &rest);
    if (rest != text && *rest)
        FAIL(reading, node,
             "%s: '%s' has '%s' after the number: the value is a bare number, units go to 'unit'",
             path, text, rest);
    FAIL(reading, node, "%s: '%s' is not a number", path, text);
}

static ws_status read_unit(struct reading *reading, const struct leaf *leaf, enum dimension wanted,
                           double *factor)
{
    struct arena *arena = &reading->machine->arena;
    const char *legal = unit_names(arena, wanted), *words = dimension_words(wanted);
    enum dimension given;
    *factor = 1;
    if (!leaf->unit) {
        if (dimension_is_bare(wanted)) return WS_OK;
        FAIL(reading, leaf->node, "%s has no unit: it is %s, in %s", leaf->path, words, legal);
    }
    const char *unit;
    TRY(reading_text(reading, "unit", leaf->unit, &unit));
    if (dimension_is_bare(wanted))
        FAIL(reading, leaf->unit, "%s is %s: leave the unit out", leaf->path, words);
    if (!unit_find(unit, &given, factor))
        FAIL(reading, leaf->unit, "unknown unit '%s': %s is %s, in %s", unit, leaf->path, words,
             legal);
    if (given != wanted)
        FAIL(reading, leaf->unit, "'%s' is the unit of %s, but %s is %s, in %s", unit,
             dimension_words(given), leaf->path, words, legal);
    return WS_OK;
}

static ws_status read_figure(struct reading *reading, enum machine_key key,
                             const yaml_node_t *key_node, const yaml_node_t *node)
{
    struct machine_value *value = &reading->machine->values[key];
    const char *path = machine_key_infos[key].path;
    struct leaf leaf;
    double number, factor;
    if (value->known)
        FAIL(reading, key_node, "duplicate key '%s': it stands in line %u already", path,
             value->line);
    TRY(read_leaf(reading, path, node, &leaf));
    TRY(reading_number(reading, path, leaf.value, &number));
    TRY(read_unit(reading, &leaf, machine_key_infos[key].dimension, &factor));
    /* 4.8 TB/s and the like: a product must not miss its whole number by rounding. */
    double si = number * factor;
    if (fabs(si - nearbyint(si)) <= fabs(si) * 1e-12) si = nearbyint(si);
    const char *fault = figure_fault(key, si);
    if (fault) FAIL(reading, leaf.value, "%s = %s %s", path, yaml_text(leaf.value), fault);
    *value = (struct machine_value){.value = si,
                                    .known = true,
                                    .source = leaf.source,
                                    .assumed = leaf.assumed,
                                    .line = (uint32_t)key_node->start_mark.line + 1};
    return WS_OK;
}

/* ---- curves ---------------------------------------------------------------------------------- */

static int find_curve(const char *path)
{
    for (int i = 0; i < CURVE_COUNT; i++)
        if (!strcmp(machine_curve_infos[i].path, path)) return i;
    return -1;
}

static ws_status read_points(struct reading *reading, const char *path, const yaml_node_t *node,
                             double factor, const double **out, size_t *out_count)
{
    if (node->type != YAML_SEQUENCE_NODE)
        FAIL(reading, node, "%s must be a list of numbers, [1, 2, 3], not %s", path,
             yaml_kind(node));
    const yaml_node_item_t *start = node->data.sequence.items.start;
    *out_count = (size_t)(node->data.sequence.items.top - start);
    double *points = ARENA_ARRAY(&reading->machine->arena, double, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++) {
        const yaml_node_t *item = yaml_tree_node(reading->tree, start[i]);
        TRY(reading_number(reading, path, item, &points[i]));
        points[i] *= factor;
        if (!isfinite(points[i]) || !(points[i] > 0))
            FAIL(reading, item, "%s: '%s' must be above 0", path, yaml_text(item));
    }
    *out = points;
    return WS_OK;
}

/* A curve may be written as measured on the whole GPU, or for one SM and cycle. */
static ws_status read_curve_unit(struct reading *reading, const struct machine_curve_info *info,
                                 const struct leaf *leaf, struct machine_curve *curve,
                                 double *factor)
{
    struct arena *arena = &reading->machine->arena;
    const char *per_sm = unit_names(arena, info->dimension);
    const char *of_gpu = unit_names(arena, info->gpu_dimension);
    enum dimension given;
    if (!leaf->unit)
        FAIL(reading, leaf->node, "%s has no unit: %s of an SM, or %s of the GPU", leaf->path,
             per_sm, of_gpu);
    const char *unit;
    TRY(reading_text(reading, "unit", leaf->unit, &unit));
    bool known = unit_find(unit, &given, factor);
    if (!known || (given != info->dimension && given != info->gpu_dimension))
        FAIL(reading, leaf->unit, "'%s' is no unit of %s: %s of an SM, or %s of the GPU", unit,
             leaf->path, per_sm, of_gpu);
    curve->of_gpu = given == info->gpu_dimension;
    return WS_OK;
}

static ws_status read_curve(struct reading *reading, enum machine_curve_id id,
                            const yaml_node_t *key_node, const yaml_node_t *node)
{
    struct machine_curve *curve = &reading->machine->curves[id];
    const struct machine_curve_info *info = &machine_curve_infos[id];
    struct leaf leaf;
    size_t values;
    double factor;
    if (curve->count)
        FAIL(reading, key_node, "duplicate key '%s': it stands in line %u already", info->path,
             curve->line);
    TRY(open_leaf(reading, info->path, node, true, &leaf));
    const yaml_node_t *warps = yaml_tree_find(reading->tree, node, "warps");
    if (!warps) FAIL(reading, node, "%s has no warps: at how many was it measured?", info->path);
    TRY(reading_origin(reading, &leaf));
    TRY(read_curve_unit(reading, info, &leaf, curve, &factor));
    TRY(read_points(reading, info->path, warps, 1, &curve->warps, &curve->count));
    TRY(read_points(reading, info->path, leaf.value, factor, &curve->values, &values));
    if (values != curve->count || !values)
        FAIL(reading, leaf.value, "%s has %zu values for %zu numbers of warps", info->path, values,
             curve->count);
    for (size_t i = 1; i < curve->count; i++)
        if (!(curve->warps[i] > curve->warps[i - 1]))
            FAIL(reading, warps, "%s: the numbers of warps must increase", info->path);
    curve->source = leaf.source;
    curve->assumed = leaf.assumed;
    curve->line = (uint32_t)key_node->start_mark.line + 1;
    return WS_OK;
}

/* ---- identity -------------------------------------------------------------------------------- */

static ws_status read_capability(struct reading *reading, const yaml_node_t *node)
{
    struct machine *machine = reading->machine;
    struct leaf leaf;
    TRY(read_leaf(reading, "compute_capability", node, &leaf));
    if (leaf.unit) FAIL(reading, leaf.unit, "compute_capability has no unit: leave it out");
    const char *text = yaml_text(leaf.value);
    int end = 0;
    size_t length = strlen(text);
    bool shape = length <= 5 && isdigit((unsigned char)text[0]) &&
                 isdigit((unsigned char)text[length - 1]) &&
                 sscanf(text, "%u.%u%n", &machine->cc_major, &machine->cc_minor, &end) == 2 &&
                 (size_t)end == length;
    if (!shape || machine->cc_major < 1 || machine->cc_minor > 9)
        FAIL(reading, leaf.value, "compute_capability '%s': write it as \"7.0\"", text);
    machine->cc_source = leaf.source;
    return WS_OK;
}

static ws_status read_chip(struct reading *reading, const yaml_node_t *node)
{
    struct leaf leaf;
    TRY(read_leaf(reading, "chip", node, &leaf));
    if (leaf.unit) FAIL(reading, leaf.unit, "chip has no unit: leave it out");
    reading->machine->chip_source = leaf.source;
    return reading_text(reading, "chip", leaf.value, &reading->machine->chip);
}

/* ---- keys ------------------------------------------------------------------------------------ */

#define TEXT_KEYS(KEY)                                                                             \
    KEY(NAME, "name")                                                                              \
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
        return reading_text(reading, "name", node, &machine->name);
    case TEXT_VENDOR:
        return reading_text(reading, "vendor", node, &machine->vendor);
    case TEXT_CHIP:
        return read_chip(reading, node);
    case TEXT_CAPABILITY:
        return read_capability(reading, node);
    case TEXT_ALIASES:
        return read_aliases(reading, node);
    case TEXT_NOTES:
        return read_text_list(reading, "notes", node, &machine->notes, &machine->note_count);
    case TEXT_INHERITS:
        machine->inherits_line = (uint32_t)node->start_mark.line + 1;
        return reading_text(reading, "inherits", node, &machine->inherits);
    case TEXT_FLOORPLAN:
        return reading_floorplan(reading, node, &machine->floorplan);
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
    const char *near = text_nearest(&reading->machine->arena, path, names, count);
    FAIL(reading, node, "unknown key '%s'%s%s", path, *near ? ": perhaps " : "", near);
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
        int key = machine_key_find(path), curve = find_curve(path);
        if (text_key < TEXT_KEY_COUNT) {
            TRY(read_text_key(reading, text_key, value));
        } else if (key >= 0) {
            TRY(read_figure(reading, (enum machine_key)key, key_node, value));
        } else if (curve >= 0) {
            TRY(read_curve(reading, (enum machine_curve_id)curve, key_node, value));
        } else if (!is_section(path)) {
            return unknown_key(reading, key_node, path);
        } else if (value->type != YAML_MAPPING_NODE) {
            FAIL(reading, value, "'%s' must hold keys, not %s", path, yaml_kind(value));
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
    ws_status status = read_section(&reading, "", yaml_tree_root(&tree));
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
