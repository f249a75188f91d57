// SPDX-License-Identifier: Apache-2.0
/* How functions that the engine has itself see their caller: builtin.c and builtin_device.c. */
#ifndef EMULATE_BUILTIN_H
#define EMULATE_BUILTIN_H

#include "emulate/exec.h"

/* One lane that calls. */
struct caller {
    struct exec *x;
    const struct code *code;
    uint32_t lane;
    const char *places; /* bytes of the arguments and of the result (decode/builtins.def) */
};

/* Argument k, which is no dim3; 0 behind its bytes. */
uint64_t builtin_argument(const struct caller *caller, unsigned k);
/* One that is. */
void builtin_dim3(const struct caller *caller, unsigned k, uint32_t out[3]);
void builtin_result(const struct caller *caller, uint64_t value);
/* Host bytes of a generic address and how many follow it; NULL if there are none. */
unsigned char *builtin_bytes(const struct caller *caller, uint64_t address, uint64_t *room);
/* The function writes to memory of the caller; false: a fault. */
bool builtin_write(const struct caller *caller, uint64_t address, const void *from, uint32_t bytes);

/* The function gives memory that may have been another's. */
void builtin_renew(const struct caller *caller, uint64_t address, uint64_t bytes);

/* builtin_device.c: of BUILTINS_OF_DEVICE. */
bool builtin_device(const struct caller *caller, enum builtin builtin);

#endif
