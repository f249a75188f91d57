// SPDX-License-Identifier: Apache-2.0
/* The answer to a question: one tree, made from the tables of figures (base/figure.h), that every writer
 * walks. It never changes once it is made; whoever shares it keeps a reference. */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "base/figure.h"

struct node {
    const struct figure *figure; /* NULL: an element of a list, a map or a table, or the root */
    const struct record *record; /* of sections and elements */
    const char *id;              /* of its figure, its key, or of the struct measured; NULL: none */
    enum figure_kind kind;
    enum origin origin;
    struct figure_value value;
    const struct measured *measured; /* of FIGURE_IS_MEASURED */
    size_t child_count;              /* of what has nodes below: not of tables */
    const struct node *children;
};

struct question;

typedef void answer_release_fn(void *what);

struct answer {
    int references;
    const struct question *question;
    struct arena arena;
    struct node root;
    struct answer_owned *owned; /* what nodes point into */
};

/* An answer without a root and one reference; the question fills the arena with its record. */
struct answer *answer_create(const struct question *question);
/* `release` is called with `what` when the last reference goes. */
void answer_own(struct answer *answer, answer_release_fn *release, void *what);
/* Makes the tree of a record that lives as long as the answer. */
void answer_complete(struct answer *answer, const struct record *record, const void *at);
struct answer *answer_keep(struct answer *answer);
void answer_destroy(struct answer *answer);

/* ---- walking --------------------------------------------------------------------------------- */

/* The child of this id or, of lists, with this key; NULL: none, or `node` is NULL. */
const struct node *node_child(const struct node *node, const char *id);
/* By path: ids and keys with '/' between them, in which '~1' is '/' and '~0' is '~' (RFC 6901);
 * elements of lists by key or by index. NULL: none. */
const struct node *node_find(const struct node *node, const char *path);
/* Of a child: the number (NAN: not there, or unknown), the count (0), the flag, the text (NULL). */
double node_number(const struct node *node, const char *id);
uint64_t node_count(const struct node *node, const char *id);
bool node_flag(const struct node *node, const char *id);
const char *node_word(const struct node *node, const char *id);
/* Is there a value, one that is not null? */
bool node_is_known(const struct node *node);
bool node_is_numeric(const struct node *node);
/* The number of a node of any numeric kind; NAN: unknown, or none. */
double node_value(const struct node *node);

/* Row `index` of a table as a node of its own, in the arena. */
struct node node_row(const struct node *table, size_t index, struct arena *arena);

/* A column of a table as numbers, NAN: unknown, or no numbers; `out` has room for all rows. */
void node_column(const struct node *table, const char *id, double *out);

/* Unit, sentence and reason of a node, whatever its kind; NULL or "": none. */
const char *node_unit(const struct node *node);
const char *node_text(const struct node *node);

#endif
