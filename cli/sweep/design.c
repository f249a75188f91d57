// SPDX-License-Identifier: Apache-2.0
/* The YAML of a design: keys, axes, and which combinations there are. */
#include "cli/sweep/design.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"
#include "cli/options/yaml_input.h"
#include "cli/sweep/design_files.h"

/* Far above what can be computed. */
enum { AXIS_MAX = 1000000, LAUNCHES_MAX = 10000000 };
static const double points_max = 1e10;

struct file {
    struct cli *cli;
    yaml_document_t document;
    struct design *design;
};

typedef int read_key(struct file *file, yaml_node_t *node, const char *place);

static yaml_node_t *node_at(struct file *file, int index)
{
    return yaml_document_get_node(&file->document, index);
}

static const char *place_of(struct file *file, const yaml_node_t *node)
{
    return yaml_input_place(file->cli, file->design->path, &node->start_mark);
}

static int refuse(struct file *file, const char *place, const char *what)
{
    return cli_error(file->cli, EXIT_INPUT, "%s: error: %s", place, what);
}

static int read_text(struct file *file, const yaml_node_t *node, const char **out)
{
    *out = "";
    if (node->type != YAML_SCALAR_NODE)
        return refuse(file, place_of(file, node),
                      "expected a single value, not a list or a mapping");
    *out = cli_copy(file->cli, (const char *)node->data.scalar.value);
    return EXIT_DONE;
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void add_text(struct file *file, struct design_axis *axis, const char *text)
{
    CLI_APPEND(file->cli, axis->texts, axis->count, text);
}

static int read_range_key(struct file *file, yaml_node_t *key, yaml_node_t *value, double range[4])
{
    static const char *const keys[] = {"from", "to", "step", "times"};
    const char *name, *text;
    size_t i = 0;
    CLI_TRY(read_text(file, key, &name));
    CLI_TRY(read_text(file, value, &text));
    while (i < 4 && strcmp(keys[i], name) != 0)
        i++;
    if (i == 4 || !parse_number(text, &range[i]))
        return refuse(file, place_of(file, i == 4 ? key : value),
                      "a range is {from: A, to: B, step: S} or {from: A, to: B, times: F}");
    return EXIT_DONE;
}

/* {from: 1, to: 9, step: 2} or {from: 1, to: 1024, times: 2}. */
static int read_range(struct file *file, yaml_node_t *node, struct design_axis *axis)
{
    double range[4] = {NAN, NAN, NAN, NAN};
    yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++)
        CLI_TRY(read_range_key(file, node_at(file, pair->key), node_at(file, pair->value), range));
    double from = range[0], to = range[1], step = range[2], times = range[3];
    bool adds = step > 0 && isnan(times), multiplies = times > 1 && isnan(step) && from > 0;
    if (!(from <= to) || (!adds && !multiplies))
        return refuse(
            file, axis->place,
            "a range is {from: A, to: B, step: S} or {from: A, to: B, times: F} with A not "
            "above B, S above 0, F above 1");
    for (double at = from; at <= to * (1 + 1e-12) && axis->count <= AXIS_MAX;
         at = adds ? from + step * (double)axis->count : at * times)
        add_text(file, axis, cli_format(file->cli, "%.15g", at));
    return EXIT_DONE;
}

static int read_axis(struct file *file, yaml_node_t *node, struct design_axis *axis)
{
    axis->place = place_of(file, node);
    if (node->type == YAML_MAPPING_NODE) CLI_TRY(read_range(file, node, axis));
    if (node->type == YAML_SCALAR_NODE)
        add_text(file, axis, cli_copy(file->cli, (const char *)node->data.scalar.value));
    if (node->type == YAML_SEQUENCE_NODE) {
        yaml_node_item_t *item = node->data.sequence.items.start;
        for (; item < node->data.sequence.items.top; item++) {
            const char *text;
            CLI_TRY(read_text(file, node_at(file, *item), &text));
            add_text(file, axis, text);
        }
    }
    if (axis->count > 0 && axis->count <= AXIS_MAX) return EXIT_DONE;
    return refuse(file, axis->place,
                  axis->count ? "a million values at most" : "the list has no value");
}

static int read_axes(struct file *file, yaml_node_t *node, const char *place,
                     struct design_axes *axes)
{
    if (node->type != YAML_MAPPING_NODE)
        return refuse(file, place, "expected {NAME: [VALUE, ...]}");
    yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        struct design_axis axis = {0};
        CLI_TRY(read_text(file, node_at(file, pair->key), &axis.name));
        CLI_TRY(read_axis(file, node_at(file, pair->value), &axis));
        CLI_APPEND(file->cli, axes->items, axes->count, axis);
    }
    return EXIT_DONE;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static int read_vary(struct file *file, yaml_node_t *node, const char *place)
{
    return read_axes(file, node, place, &file->design->vary);
}

static int read_machine(struct file *file, yaml_node_t *node, const char *place)
{
    return read_axes(file, node, place, &file->design->fields);
}

static int read_gpu(struct file *file, yaml_node_t *node, const char *place)
{
    struct design_axis axis = {.name = "gpu"};
    if (node->type == YAML_MAPPING_NODE) return refuse(file, place, "expected [GPU, ...]");
    CLI_TRY(read_axis(file, node, &axis));
    CLI_APPEND(file->cli, file->design->gpus.items, file->design->gpus.count, axis);
    return EXIT_DONE;
}

static int read_texts(struct file *file, yaml_node_t *node, const char ***out, size_t *count,
                      const char ***out_places)
{
    struct design_axis axis = {0};
    if (node->type == YAML_MAPPING_NODE)
        return refuse(file, place_of(file, node), "expected a list");
    CLI_TRY(read_axis(file, node, &axis));
    *out = axis.texts;
    *count = axis.count;
    for (size_t i = 0; out_places && i < axis.count; i++) {
        size_t known = i;
        yaml_node_t *item = node;
        if (node->type == YAML_SEQUENCE_NODE)
            item = node_at(file, node->data.sequence.items.start[i]);
        CLI_APPEND(file->cli, *out_places, known, place_of(file, item));
    }
    return EXIT_DONE;
}

static int read_where(struct file *file, yaml_node_t *node, const char *place)
{
    (void)place;
    return read_texts(file, node, &file->design->where, &file->design->where_count,
                      &file->design->where_places);
}

static void add_define(struct file *file, const char *name, const char *text)
{
    struct design *design = file->design;
    size_t same = design->define_count;
    CLI_APPEND(file->cli, design->define_texts, same, text);
    CLI_APPEND(file->cli, design->defines, design->define_count, name);
}

/* Names of axes, or {NAME: TEXT}. */
static int read_defines(struct file *file, yaml_node_t *node, const char *place)
{
    (void)place;
    const char **names = NULL;
    size_t count = 0;
    if (node->type != YAML_MAPPING_NODE) CLI_TRY(read_texts(file, node, &names, &count, NULL));
    for (size_t i = 0; i < count; i++)
        add_define(file, names[i], NULL);
    yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; node->type == YAML_MAPPING_NODE && pair < node->data.mapping.pairs.top; pair++) {
        const char *name, *text;
        CLI_TRY(read_text(file, node_at(file, pair->key), &name));
        CLI_TRY(read_text(file, node_at(file, pair->value), &text));
        add_define(file, name, text);
    }
    return EXIT_DONE;
}

static int read_launches(struct file *file, yaml_node_t *node, const char *place)
{
    (void)place;
    file->design->entry_count =
        node->type == YAML_SEQUENCE_NODE
            ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
            : 1;
    return file->design->entry_count ? EXIT_DONE : refuse(file, place, "the list has no launch");
}

static int read_model(struct file *file, yaml_node_t *node, const char *place)
{
    (void)place;
    return read_text(file, node, &file->design->model);
}

static int read_model_options(struct file *file, yaml_node_t *node, const char *place)
{
    (void)place;
    return read_text(file, node, &file->design->model_options);
}

static int read_problem_size(struct file *file, yaml_node_t *node, const char *place)
{
    (void)place;
    return read_text(file, node, &file->design->problem_size);
}

static int read_l2(struct file *file, yaml_node_t *node, const char *place)
{
    (void)place;
    return read_text(file, node, &file->design->l2);
}

static const struct key {
    const char *name;
    read_key *read;
} keys[] = {
    {"launches", read_launches},
    {"vary", read_vary},
    {"where", read_where},
    {"defines", read_defines},
    {"gpu", read_gpu},
    {"machine", read_machine},
    {"model", read_model},
    {"l2", read_l2},
    {"model_options", read_model_options},
    {"problem_size", read_problem_size},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static int read_keys(struct file *file, yaml_node_t *root)
{
    bool seen[KEY_COUNT] = {false};
    const char *names[KEY_COUNT];
    for (size_t i = 0; i < KEY_COUNT; i++)
        names[i] = keys[i].name;
    yaml_node_pair_t *pair = root->data.mapping.pairs.start;
    for (; pair < root->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = yaml_document_get_node(&file->document, pair->key);
        yaml_node_t *value = yaml_document_get_node(&file->document, pair->value);
        size_t i;
        CLI_TRY(yaml_input_key(file->cli, file->design->path, key, names, KEY_COUNT, seen, &i));
        CLI_TRY(keys[i].read(file, value, place_of(file, value)));
    }
    return EXIT_DONE;
}

/* ---- which launches there are ---------------------------------------------------------------- */

/* An axis and a column of the results have one name space (sweep_store.c). */
static int check_names(struct file *file)
{
    const struct design *design = file->design;
    const struct design_axes *all[] = {&design->vary, &design->gpus, &design->fields};
    const char **names = NULL;
    size_t count = 0;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < all[k]->count; i++) {
            const struct design_axis *axis = &all[k]->items[i];
            for (size_t n = 0; n < count; n++)
                if (!strcasecmp(names[n], axis->name))
                    return refuse(file, axis->place,
                                  cli_format(file->cli, "the name '%s' stands twice", axis->name));
            CLI_APPEND(file->cli, names, count, axis->name);
        }
    for (size_t i = 0; i < design->define_count; i++) {
        size_t k = 0;
        while (k < design->vary.count &&
               strcmp(design->vary.items[k].name, design->defines[i]) != 0)
            k++;
        if (k == design->vary.count && !design->define_texts[i])
            return cli_error(file->cli, EXIT_INPUT, "%s: error: defines: no name '%s' under `vary`",
                             design->path, design->defines[i]);
    }
    return EXIT_DONE;
}

/* The axes as digits of a number, the last one fastest. */
static void choose_texts(const struct design_axes *axes, uint64_t index, const char **out)
{
    for (size_t i = axes->count; i-- > 0;) {
        out[i] = axes->items[i].texts[index % axes->items[i].count];
        index /= axes->items[i].count;
    }
}

static double axes_size(const struct design_axes *axes)
{
    double size = 1;
    for (size_t i = 0; i < axes->count; i++)
        size *= (double)axes->items[i].count;
    return size;
}

static int is_possible(struct file *file, const struct sweep_values *values, bool *out)
{
    const struct design *design = file->design;
    *out = true;
    for (size_t i = 0; i < design->where_count && *out; i++) {
        double value;
        CLI_TRY(
            expression_value(file->cli, design->where_places[i], design->where[i], values, &value));
        *out = value != 0;
    }
    return EXIT_DONE;
}

static void design_values(struct cli *cli, const struct design *design, const char *const *texts,
                          struct sweep_values *out)
{
    struct sweep_value *items = cli_alloc(cli, (design->vary.count + 1) * sizeof *items);
    for (size_t i = 0; i < design->vary.count; i++)
        items[i] = (struct sweep_value){design->vary.items[i].name, texts[i]};
    *out = (struct sweep_values){items, design->vary.count};
}

static int list_launches(struct file *file)
{
    struct design *design = file->design;
    struct cli *cli = file->cli;
    double combinations = axes_size(&design->vary);
    if (combinations * (double)design->entry_count > LAUNCHES_MAX)
        return cli_error(cli, EXIT_INPUT, "%s: error: %.3g launches: at most %d", design->path,
                         combinations * (double)design->entry_count, LAUNCHES_MAX);
    for (size_t entry = 0; entry < design->entry_count; entry++)
        for (uint64_t i = 0; i < (uint64_t)combinations; i++) {
            struct design_launch launch = {
                .entry = entry,
                .texts = cli_alloc(cli, (design->vary.count + 1) * sizeof *launch.texts)};
            struct sweep_values values;
            bool possible;
            choose_texts(&design->vary, i, launch.texts);
            design_values(cli, design, launch.texts, &values);
            CLI_TRY(is_possible(file, &values, &possible));
            if (possible) CLI_APPEND(cli, design->launches, design->launch_count, launch);
        }
    double machines = axes_size(&design->gpus) * axes_size(&design->fields);
    if (!design->launch_count)
        return cli_error(cli, EXIT_INPUT, "%s: error: `where` leaves no launch", design->path);
    if (machines * (double)design->launch_count > points_max)
        return cli_error(cli, EXIT_INPUT, "%s: error: %.3g points: at most %.0e", design->path,
                         machines * (double)design->launch_count, points_max);
    design->machine_count = (uint64_t)machines;
    return EXIT_DONE;
}

static int read_document(struct file *file)
{
    yaml_node_t *root = yaml_document_get_root_node(&file->document);
    struct design *design = file->design;
    if (!root || root->type != YAML_MAPPING_NODE)
        return cli_error(file->cli, EXIT_INPUT,
                         "%s:1:1: error: expected a mapping with launches, gpu, vary, machine ...",
                         design->path);
    CLI_TRY(read_keys(file, root));
    if (!design->entry_count || !design->gpus.count)
        return cli_error(file->cli, EXIT_INPUT, "%s: error: a design names `%s`", design->path,
                         design->entry_count ? "gpu" : "launches");
    CLI_TRY(check_names(file));
    return list_launches(file);
}

int design_read(struct cli *cli, const char *path, struct design *out)
{
    struct file file = {.cli = cli, .design = out};
    *out = (struct design){.path = path};
    CLI_TRY(design_text(cli, path, &out->text));
    CLI_TRY(yaml_input_load(cli, path, &file.document));
    int exit_code = read_document(&file);
    yaml_document_delete(&file.document);
    if (exit_code == EXIT_DONE) exit_code = design_digest(cli, out);
    return exit_code;
}

/* ---- a launch -------------------------------------------------------------------------------- */

/* Values in all texts of the document from `node` on. */
static int fill_nodes(struct file *file, const char *path, int index,
                      const struct sweep_values *values, bool *seen)
{
    yaml_node_t *node = node_at(file, index);
    if (seen[index]) return EXIT_DONE;
    seen[index] = true;
    if (node->type == YAML_SCALAR_NODE) {
        const char *filled;
        const char *place = yaml_input_place(file->cli, path, &node->start_mark);
        CLI_TRY(expression_fill(file->cli, place, (const char *)node->data.scalar.value, values,
                                &filled));
        free(node->data.scalar.value);
        node->data.scalar.value = (yaml_char_t *)strdup(filled);
        node->data.scalar.length = strlen(filled);
        if (!node->data.scalar.value) return cli_out_of_memory(file->cli, strlen(filled));
    }
    yaml_node_item_t *item = node->data.sequence.items.start;
    for (; node->type == YAML_SEQUENCE_NODE && item < node->data.sequence.items.top; item++)
        CLI_TRY(fill_nodes(file, path, *item, values, seen));
    yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; node->type == YAML_MAPPING_NODE && pair < node->data.mapping.pairs.top; pair++)
        CLI_TRY(fill_nodes(file, path, pair->value, values, seen));
    return EXIT_DONE;
}

static int read_filled(struct file *file, const char *path, int index,
                       const struct sweep_values *values, struct request *out)
{
    size_t nodes = (size_t)(file->document.nodes.top - file->document.nodes.start);
    bool *seen = cli_alloc(file->cli, (nodes + 1) * sizeof *seen);
    CLI_TRY(fill_nodes(file, path, index, values, seen));
    return launchfile_read_node(file->cli, path, &file->document, node_at(file, index), out);
}

/* The index of the node of an entry under `launches`. */
static int find_entry(struct file *file, size_t entry)
{
    yaml_node_t *root = yaml_document_get_root_node(&file->document);
    yaml_node_pair_t *pair = root->data.mapping.pairs.start;
    while (strcmp((const char *)node_at(file, pair->key)->data.scalar.value, "launches") != 0)
        pair++;
    yaml_node_t *list = node_at(file, pair->value);
    return list->type == YAML_SEQUENCE_NODE ? list->data.sequence.items.start[entry] : pair->value;
}

static int read_entry(struct file *file, size_t entry, const struct sweep_values *values,
                      struct request *out)
{
    int index = find_entry(file, entry);
    yaml_node_t *node = node_at(file, index);
    if (node->type != YAML_SCALAR_NODE)
        return read_filled(file, file->design->path, index, values, out);
    const char *place = place_of(file, node), *name;
    struct file launch = {.cli = file->cli, .design = file->design};
    CLI_TRY(
        expression_fill(file->cli, place, (const char *)node->data.scalar.value, values, &name));
    const char *path = design_beside(file->cli, file->design->path, name);
    CLI_TRY(yaml_input_load(file->cli, path, &launch.document));
    int exit_code = read_filled(&launch, path, 1, values, out);
    yaml_document_delete(&launch.document);
    return exit_code;
}

int design_request(struct cli *cli, const struct design *design, size_t launch, const char *folder,
                   struct request *out)
{
    const struct design_launch *at = &design->launches[launch];
    struct design copy = *design;
    struct file file = {.cli = cli, .design = &copy};
    struct sweep_values values;
    *out = (struct request){.effort = {EFFORT_FULL, 1}, .details = WS_DETAILS_QUIET};
    design_values(cli, design, at->texts, &values);
    CLI_TRY(yaml_input_load(cli, design->path, &file.document));
    int exit_code = read_entry(&file, at->entry, &values, out);
    yaml_document_delete(&file.document);
    CLI_TRY(exit_code);
    if (out->save_count || out->print_count)
        return cli_error(cli, EXIT_INPUT, "%s: error: a launch of a sweep neither saves nor prints",
                         design->path);
    out->gpu_count = out->cpu_count = 0;
    out->model_options = design->model_options;
    out->l2 = design->l2;
    return design->define_count ? design_define(cli, design, &values, folder, out) : EXIT_DONE;
}

void design_machine(const struct design *design, uint64_t point, const char **out)
{
    uint64_t figures = (uint64_t)axes_size(&design->fields);
    choose_texts(&design->gpus, point / figures, out);
    choose_texts(&design->fields, point % figures, out + 1);
}

uint64_t design_point_count(const struct design *design)
{
    return design->launch_count * design->machine_count;
}
