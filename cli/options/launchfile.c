// SPDX-License-Identifier: Apache-2.0
/* launch.yaml by libyaml's document API, whose nodes know their line and column. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"
#include "cli/options/request.h"
#include "cli/options/yaml_input.h"

struct launchfile {
    struct cli *cli;
    const char *path, *folder;
    yaml_document_t *document;
    struct request *request;
};

typedef int read_key(struct launchfile *file, yaml_node_t *node, const char *place);

static const char *place_of(struct launchfile *file, const yaml_node_t *node)
{
    return yaml_input_place(file->cli, file->path, &node->start_mark);
}

static int refuse(struct launchfile *file, const char *place, const char *what)
{
    return cli_error(file->cli, EXIT_INPUT, "%s: error: %s", place, what);
}

/* A value that is wrong in a file is bad input (3) where the option would be a bad option (2). */
static int as_input(int exit_code)
{
    return exit_code == EXIT_USAGE ? EXIT_INPUT : exit_code;
}

static const char *scalar(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static int need_scalar(struct launchfile *file, yaml_node_t *node, const char *place,
                       const char **out)
{
    *out = scalar(node);
    return *out ? EXIT_DONE
                : refuse(file, place, "expected a single value, found a list or mapping");
}

static char *in_folder(struct launchfile *file, const char *path)
{
    if (*path == '/' || !file->folder) return cli_copy(file->cli, path);
    return cli_format(file->cli, "%s/%s", file->folder, path);
}

static int read_kernel_file(struct launchfile *file, yaml_node_t *node, const char *place)
{
    const char *text;
    CLI_TRY(need_scalar(file, node, place, &text));
    return cli_input(file->cli, in_folder(file, text), &file->request->kernel_file);
}

static int read_kernel(struct launchfile *file, yaml_node_t *node, const char *place)
{
    const char *text;
    CLI_TRY(need_scalar(file, node, place, &text));
    file->request->kernel = cli_copy(file->cli, text);
    return EXIT_DONE;
}

/* [x, y, z], or a scalar "x,y,z". */
static int read_shape(struct launchfile *file, yaml_node_t *node, const char *place,
                      uint32_t out[3])
{
    const char *text = scalar(node);
    if (node->type == YAML_MAPPING_NODE) return refuse(file, place, "expected [x, y, z]");
    if (node->type == YAML_SEQUENCE_NODE) {
        text = "";
        yaml_node_item_t *item = node->data.sequence.items.start;
        for (; item < node->data.sequence.items.top; item++) {
            const char *part = scalar(yaml_document_get_node(file->document, *item));
            bool is_fourth = item - node->data.sequence.items.start == 3;
            if (!part || is_fourth) return refuse(file, place, "expected [x, y, z]");
            text = cli_format(file->cli, "%s%s%s", text, *text ? "," : "", part);
        }
    }
    return as_input(request_set_shape(file->cli, place, text, out));
}

static int read_grid(struct launchfile *file, yaml_node_t *node, const char *place)
{
    file->request->has_grid = true;
    return read_shape(file, node, place, file->request->grid);
}

static int read_global(struct launchfile *file, yaml_node_t *node, const char *place)
{
    file->request->has_global = true;
    return read_shape(file, node, place, file->request->global);
}

static int read_block(struct launchfile *file, yaml_node_t *node, const char *place)
{
    file->request->has_block = true;
    return read_shape(file, node, place, file->request->block);
}

static int read_cluster(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return read_shape(file, node, place, file->request->cluster);
}

static int read_number(struct launchfile *file, yaml_node_t *node, const char *place, uint64_t *out)
{
    const char *text;
    CLI_TRY(need_scalar(file, node, place, &text));
    return as_input(parse_unsigned(file->cli, place, text, UINT64_MAX, out));
}

static int read_shared(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return read_number(file, node, place, &file->request->dynamic_shared_bytes);
}

static int read_seed(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return read_number(file, node, place, &file->request->seed);
}

static int read_max_instructions(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return read_number(file, node, place, &file->request->max_instructions);
}

static int read_registers(struct launchfile *file, yaml_node_t *node, const char *place)
{
    const char *text;
    CLI_TRY(need_scalar(file, node, place, &text));
    return as_input(parse_small(file->cli, place, text, &file->request->registers));
}

static int read_isa_view(struct launchfile *file, yaml_node_t *node, const char *place)
{
    const char *text;
    CLI_TRY(need_scalar(file, node, place, &text));
    file->request->isa_view = cli_copy(file->cli, text);
    return EXIT_DONE;
}

static int read_effort(struct launchfile *file, yaml_node_t *node, const char *place)
{
    const char *text;
    CLI_TRY(need_scalar(file, node, place, &text));
    return as_input(request_set_effort(file->cli, text, &file->request->effort));
}

/* Calls `each` for the items of a list, or for a single scalar. */
static int for_items(struct launchfile *file, yaml_node_t *node, const char *place,
                     int (*each)(struct launchfile *file, const char *text, const char *place))
{
    if (node->type == YAML_SCALAR_NODE) return each(file, scalar(node), place);
    if (node->type != YAML_SEQUENCE_NODE) return refuse(file, place, "expected a list");
    yaml_node_item_t *item = node->data.sequence.items.start;
    for (; item < node->data.sequence.items.top; item++) {
        yaml_node_t *value = yaml_document_get_node(file->document, *item);
        const char *text, *at = place_of(file, value);
        CLI_TRY(need_scalar(file, value, at, &text));
        CLI_TRY(each(file, text, at));
    }
    return EXIT_DONE;
}

static int add_arg(struct launchfile *file, const char *text, const char *place)
{
    struct arg_text arg = {cli_copy(file->cli, text), file->folder, place};
    CLI_APPEND(file->cli, file->request->args, file->request->arg_count, arg);
    return EXIT_DONE;
}

static int add_gpu(struct launchfile *file, const char *text, const char *place)
{
    (void)place;
    return request_add_gpus(file->cli, file->request, text);
}

static int add_cpu(struct launchfile *file, const char *text, const char *place)
{
    (void)place;
    return request_add_cpus(file->cli, file->request, text);
}

static int add_print(struct launchfile *file, const char *text, const char *place)
{
    return as_input(request_add_print(file->cli, place, text, file->request));
}

static int read_args(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return for_items(file, node, place, add_arg);
}

static int read_gpu(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return for_items(file, node, place, add_gpu);
}

static int read_cpu(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return for_items(file, node, place, add_cpu);
}

static int read_print(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return for_items(file, node, place, add_print);
}

/* {2: file} or {2: "file,1e-5"} */
static int read_files(struct launchfile *file, yaml_node_t *node, const char *place,
                      bool may_tolerate, struct buffer_file **list, size_t *count)
{
    if (node->type != YAML_MAPPING_NODE) return refuse(file, place, "expected {INDEX: file}");
    yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = yaml_document_get_node(file->document, pair->key);
        yaml_node_t *value = yaml_document_get_node(file->document, pair->value);
        const char *index, *name, *at = place_of(file, key);
        CLI_TRY(need_scalar(file, key, at, &index));
        CLI_TRY(need_scalar(file, value, at, &name));
        CLI_TRY(
            as_input(request_add_file(file->cli, at, cli_format(file->cli, "%s=%s", index, name),
                                      file->folder, may_tolerate, list, count)));
    }
    return EXIT_DONE;
}

static int read_check(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return read_files(file, node, place, true, &file->request->checks, &file->request->check_count);
}

static int read_save(struct launchfile *file, yaml_node_t *node, const char *place)
{
    return read_files(file, node, place, false, &file->request->saves, &file->request->save_count);
}

static const struct key {
    const char *name;
    read_key *read;
} keys[] = {
    {"kernel_file", read_kernel_file},
    {"kernel", read_kernel},
    {"grid", read_grid},
    {"block", read_block},
    {"global", read_global}, /* OpenCL's words */
    {"local", read_block},
    {"dynamic_shared_bytes", read_shared},
    {"cluster", read_cluster},
    {"registers", read_registers},
    {"isa_view", read_isa_view},
    {"args", read_args},
    {"gpu", read_gpu},
    {"cpu", read_cpu},
    {"check", read_check},
    {"print", read_print},
    {"save", read_save},
    {"effort", read_effort},
    {"seed", read_seed},
    {"max_instructions", read_max_instructions},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static int read_mapping(struct launchfile *file, yaml_node_t *root)
{
    bool seen[KEY_COUNT] = {false};
    const char *names[KEY_COUNT];
    if (!root || root->type != YAML_MAPPING_NODE)
        return cli_error(file->cli, EXIT_INPUT,
                         "%s: error: expected a mapping of launch keys: kernel_file, kernel, "
                         "grid, block, args, ...",
                         root ? place_of(file, root) : cli_format(file->cli, "%s:1:1", file->path));
    for (size_t i = 0; i < KEY_COUNT; i++)
        names[i] = keys[i].name;
    yaml_node_pair_t *pair = root->data.mapping.pairs.start;
    for (; pair < root->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = yaml_document_get_node(file->document, pair->key);
        yaml_node_t *value = yaml_document_get_node(file->document, pair->value);
        size_t i;
        CLI_TRY(yaml_input_key(file->cli, file->path, key, names, KEY_COUNT, seen, &i));
        CLI_TRY(keys[i].read(file, value, place_of(file, value)));
    }
    return EXIT_DONE;
}

int launchfile_read_node(struct cli *cli, const char *path, yaml_document_t *document,
                         yaml_node_t *node, struct request *request)
{
    struct launchfile file = {.cli = cli, .path = path, .document = document, .request = request};
    const char *slash = strrchr(path, '/');
    if (slash && !cli_is_copy(path))
        file.folder = cli_format(cli, "%.*s", (int)(slash - path + (slash == path)), path);
    return read_mapping(&file, node);
}

int launchfile_read(struct cli *cli, const char *path, struct request *request)
{
    yaml_document_t document;
    CLI_TRY(yaml_input_load(cli, path, &document));
    int exit_code =
        launchfile_read_node(cli, path, &document, yaml_document_get_root_node(&document), request);
    yaml_document_delete(&document);
    return exit_code;
}
