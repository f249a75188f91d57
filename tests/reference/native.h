// SPDX-License-Identifier: Apache-2.0
/* Random programs as the native code that ptxas makes of them. */
#ifndef REFERENCE_NATIVE_H
#define REFERENCE_NATIVE_H

#include "decode/module.h"
#include "reference/generate.h"

/* The module compiled for a target by the ptxas of PATH, which must not contract (--fmad false: what the programs leave
 * open otherwise). */
ws_status native_compile(struct diag *diag, struct module *ptx, unsigned target,
                         struct module **out);
/* Sets removed[g] of groups with lines that ptxas does not compile for the target, which has not every instruction;
 * false: it compiles none of it, and *message tells why. */
bool native_fit(const struct program *program, unsigned target, bool *removed, char **message);

#endif
