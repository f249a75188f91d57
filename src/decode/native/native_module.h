// SPDX-License-Identifier: Apache-2.0
/* A cubin as a module (decode/module.h): kernels with all code that they may reach, variables, banks. */
#ifndef DECODE_NATIVE_NATIVE_MODULE_H
#define DECODE_NATIVE_NATIVE_MODULE_H

#include "decode/module.h"
#include "decode/native/cubin.h"

/* Fills a module made by module_create; everything is copied. */
ws_status native_module_fill(struct diag *diag, const struct cubin *cubin, struct module *out);

#endif
