// SPDX-License-Identifier: Apache-2.0
/* One launch in many orders of its threads, on the interpreter of this folder. */
#ifndef REFERENCE_ORDERS_H
#define REFERENCE_ORDERS_H

#include "support/litmus.h"

struct module;

/* The first of `count` orders (from 2 on) that does not end as the first one does: with other memory, or not at all;
 * 0: none. *fault: why one does not end, "" otherwise; valid until the next call. */
unsigned orders_find(const struct module *module, const struct litmus *litmus, unsigned count,
                     const char **fault);

#endif
