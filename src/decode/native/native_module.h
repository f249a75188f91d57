// SPDX-License-Identifier: Apache-2.0
/* Cubins as a module (decode/module.h): kernels with all code that they may reach, variables, banks. */
#ifndef DECODE_NATIVE_NATIVE_MODULE_H
#define DECODE_NATIVE_NATIVE_MODULE_H

#include "decode/module.h"
#include "decode/native/cubin.h"

/* Fills a module made by module_create from cubins of one target, at least one, each with data of its own; everything
 * is copied. Kernels of several cubins may have equal names. */
ws_status native_module_fill(struct diag *diag, struct cubin *const *cubins, size_t count,
                             struct module *out);

#endif
