// SPDX-License-Identifier: Apache-2.0
#include "cli/options/named_values.h"

#include <string.h>

#include "cli/options/options.h"
#include "cli/options/yaml_input.h"

static void put(struct cli *cli, struct named_values *values, struct named_value value)
{
    value.is_number = parse_number(value.text, &value.number);
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->items[i].name, value.name)) {
            values->items[i] = value;
            return;
        }
    CLI_APPEND(cli, values->items, values->count, value);
}

int named_values_parse(struct cli *cli, const char *operand, struct named_values *values)
{
    char *name = cli_copy(cli, operand), *equals = strchr(name, '=');
    if (!equals || equals == name || !equals[1])
        return cli_error(cli, EXIT_USAGE,
                         "invalid operand '%s': expected NAME=VALUE or a .yaml file", operand);
    *equals = '\0';
    put(cli, values, (struct named_value){.name = name, .text = equals + 1, .place = operand});
    return EXIT_DONE;
}

static const struct named_value *find_value(const struct named_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->items[i].name, name)) return &values->items[i];
    return NULL;
}

/* ---- YAML ------------------------------------------------------------------------------------ */

struct file {
    struct cli *cli;
    const char *path;
    yaml_document_t document;
    struct named_values *values;
};

static const char *place_of(const struct file *file, const yaml_node_t *node)
{
    return yaml_input_place(file->cli, file->path, &node->start_mark);
}

enum {
    DEPTH_MAX = 4,
    VALUES_MAX = 10000
}; /* also ends a mapping that holds itself through an alias */

static int read_mapping(struct file *file, const yaml_node_t *node, const char *prefix,
                        unsigned depth)
{
    if (node->type != YAML_MAPPING_NODE || depth > DEPTH_MAX)
        return cli_error(file->cli, EXIT_INPUT,
                         "%s: error: expected a mapping of names to values (NAME: 1)",
                         place_of(file, node));
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&file->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&file->document, pair->value);
        if (key->type != YAML_SCALAR_NODE)
            return cli_error(file->cli, EXIT_INPUT, "%s: error: a name must be a scalar",
                             place_of(file, key));
        const char *name =
            cli_format(file->cli, "%s%s%s", prefix, *prefix ? "." : "", key->data.scalar.value);
        if (value->type != YAML_SCALAR_NODE) {
            CLI_TRY(read_mapping(file, value, name, depth + 1));
            continue;
        }
        const struct named_value *before = find_value(file->values, name);
        if (before)
            return cli_error(file->cli, EXIT_INPUT,
                             "%s: error: duplicate key '%s': first given at %s",
                             place_of(file, key), name, before->place);
        if (file->values->count >= VALUES_MAX)
            return cli_error(file->cli, EXIT_INPUT,
                             "%s: error: too many values: at most %d per file", place_of(file, key),
                             VALUES_MAX);
        put(file->cli, file->values,
            (struct named_value){.name = name,
                                 .text =
                                     cli_copy(file->cli, (const char *)value->data.scalar.value),
                                 .place = place_of(file, value)});
    }
    return EXIT_DONE;
}

int named_values_read(struct cli *cli, const char *path, struct named_values *values)
{
    CLI_TRY(cli_input(cli, path, &path));
    struct file file = {.cli = cli, .path = path, .values = values};
    CLI_TRY(yaml_input_load(cli, path, &file.document));
    const yaml_node_t *root = yaml_document_get_root_node(&file.document);
    int exit_code = root ? read_mapping(&file, root, "", 0)
                         : cli_error(cli, EXIT_INPUT, "%s:1:1: error: the file is empty", path);
    yaml_document_delete(&file.document);
    return exit_code;
}
