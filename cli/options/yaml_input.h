// SPDX-License-Identifier: Apache-2.0
/* YAML files that the user names: launch files, named values. */
#ifndef CLI_YAML_INPUT_H
#define CLI_YAML_INPUT_H

#include <yaml.h>

#include "cli/cli.h"

/* Its first document, to be deleted by yaml_document_delete if EXIT_DONE is returned. Else the error was
 * told, with line and column: not YAML, larger than 16 MiB, nested deeper than 64 levels
 * (doc/limits.md). */
int yaml_input_load(struct cli *cli, const char *path, yaml_document_t *out);
/* "file.yaml:3:7", for messages. */
const char *yaml_input_place(struct cli *cli, const char *path, const yaml_mark_t *mark);

/* Which of `names` the key of a mapping is; EXIT_INPUT: none of them, with the nearest, or it has been seen before. */
int yaml_input_key(struct cli *cli, const char *path, const yaml_node_t *key,
                   const char *const *names, size_t count, bool *seen, size_t *out);

struct request;
/* The launch that a mapping of the document describes (doc/arguments.md#launch-files), added to `request`. Paths in it
 * are relative to the folder of `path`. */
int launchfile_read_node(struct cli *cli, const char *path, yaml_document_t *document,
                         yaml_node_t *node, struct request *request);

#endif
