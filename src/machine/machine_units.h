// SPDX-License-Identifier: Apache-2.0
/* Units that a machine file or a what-if may write, and what a figure may be. Private to machine.
 */
#ifndef MACHINE_MACHINE_UNITS_H
#define MACHINE_MACHINE_UNITS_H

#include "machine/machine.h"

/* Finds a unit of any dimension; false: no such unit. SI value = written value * *factor. */
bool unit_find(const char *text, enum dimension *dimension, double *factor);
/* "Hz, kHz, MHz, GHz"; in the arena. */
const char *unit_names(struct arena *arena, enum dimension dimension);
/* What is measured: "a clock rate". */
const char *dimension_words(enum dimension dimension);
/* A figure without unit. */
bool dimension_is_bare(enum dimension dimension);

/* NULL if the SI value is possible for this key, else what is wrong: "must be a whole number". */
const char *figure_fault(enum machine_key key, double value);

#endif
