// SPDX-License-Identifier: Apache-2.0
/* The part of YAML that data files are written in, read at a tenth of libyaml's time.
 *
 * ASCII; mappings and lists in blocks, with names as keys; on one line each: plain scalars, double quotes
 * without backslashes, lists and mappings in brackets, which may go on in the next lines; folded text (>-) of
 * one paragraph; comments. Of such a text it makes the nodes, with the marks, that libyaml makes. Of any other
 * it makes nothing, also where that has errors: those are libyaml's to tell. */
#ifndef MACHINE_YAML_PLAIN_H
#define MACHINE_YAML_PLAIN_H

#include "machine/yaml_tree.h"

/* Fills nodes, node_count and arena of the tree; false, with all of them empty: the text has something else. */
bool yaml_plain_parse(struct yaml_tree *tree);

#endif
