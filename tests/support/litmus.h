// SPDX-License-Identifier: Apache-2.0
/* The kernels of tests/checks/ptx_race/litmus.cu and what its comments say of them. */
#ifndef SUPPORT_LITMUS_H
#define SUPPORT_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module;

enum { LITMUS_BYTES = 1 << 14, LITMUS_WORDS = LITMUS_BYTES / 4 };

struct litmus {
    char kernel[64], words[128]; /* codes, then marks */
    unsigned grid, block;
};

/* WARPSAGE_RACE_CU and WARPSAGE_RACE_PTX name other files than those of the folder. The source is to be freed, the module
 * to be destroyed. */
char *litmus_source(void);
struct module *litmus_module(void);
/* The next line `//! KERNEL GRID BLOCK ...` from *at on, which moves behind it; false: no more. */
bool litmus_next(const char **at, struct litmus *out);
bool litmus_has(const struct litmus *litmus, const char *word);
/* The buffers that a kernel gets are zeros, but for the second half of the first: numbers from 100 on; has_inputs: its
 * first half has numbers, too. */
void litmus_fill(uint32_t data[LITMUS_WORDS], bool has_inputs);

#endif
