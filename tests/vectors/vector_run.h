// SPDX-License-Identifier: Apache-2.0
/* Runs a form of a vector file on the engine and compares all bits. */
#ifndef VECTORS_VECTOR_RUN_H
#define VECTORS_VECTOR_RUN_H

#include <stdio.h>

#include "vector_file.h"

/* On one instruction-set level of the engine, by compiled code if asked for, under every kind of masking and with several
 * masks.
 * True if every row of every run is as expected; else differences go to `report`. */
bool vector_run_form(const struct vector_file *file, const struct vector_form *form, int level,
                     bool compiled, FILE *report);

#endif
