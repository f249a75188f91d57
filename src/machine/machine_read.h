// SPDX-License-Identifier: Apache-2.0
/* A machine file from memory, and the tags of its sources. Private to machine and its tests. */
#ifndef MACHINE_MACHINE_READ_H
#define MACHINE_MACHINE_READ_H

#include "machine/machine.h"
#include "machine/yaml_tree.h"

struct source_list {
    size_t count;
    const char **tags; /* in the arena of the caller */
};
/* A SOURCES.yaml: TAG: {title: ..., where: ...}. */
ws_status source_list_read(struct diag *diag, struct arena *arena, const char *path,
                           const char *text, size_t size, struct source_list *out);

/* Names that files of the folder answer to: their ids and their aliases. */
struct machine_name {
    const char *name, *id;
};
struct machine_names {
    size_t count, capacity;
    struct machine_name *items; /* malloc'ed */
};

struct machine_reader {
    struct diag *diag;
    const struct source_list *sources;
    const struct machine_names *taken; /* NULL: aliases are not compared with those of others */
};

/* Reads one file, without what it inherits: `*out` then lacks what only the base gives, and
 * machine_check_complete has to be called after merging. `text` is not kept. */
ws_status machine_read(const struct machine_reader *reader, const char *id, const char *path,
                       const char *text, size_t size, struct machine **out);
/* The aliases of a parsed file, in the arena; a wrong structure gives none. */
size_t machine_read_aliases(struct arena *arena, struct yaml_tree *tree, const char ***out);

/* Loads the machine of the file `dir`/`id`.yaml as machine_load does, without listing the folder again;
 * `arena` keeps what was read. */
ws_status machine_load_listed(struct diag *diag, struct arena *arena, const char *dir,
                              const struct machine_names *names, const char *id,
                              struct machine **out);

/* The machine that a name means which is neither an id nor an alias (machine_spelling.c): *out_id NULL if
 * none; WS_ERR_ARGUMENT with the choice if it fits several or is an architecture. */
ws_status machine_spelled(struct diag *diag, struct arena *arena, const char *dir,
                          const struct machine_names *names, const char *name, const char **out_id);

#endif
