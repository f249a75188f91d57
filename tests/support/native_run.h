// SPDX-License-Identifier: Apache-2.0
/* Kernels counted by a view of their instructions, against what another program made of the same text. */
#ifndef TESTS_NATIVE_RUN_H
#define TESTS_NATIVE_RUN_H

#include "support/kernel_run.h"

enum { NATIVE_WORDS = 4096 };

struct native_launch {
    const char *ptx, *kernel, *view;
    uint32_t threads;
    uint32_t dynamic_shared_bytes;
    int value; /* the kernel's second argument; the first is NATIVE_WORDS words of zeros */
};

/* Executes one block; run_end it. */
void native_run(struct run *run, const struct native_launch *launch);
/* 1 if the counter is not as expected, which is printed; else 0. */
unsigned native_wrong(struct run *run, const char *kernel, const char *id, uint64_t expected);

#endif
