// SPDX-License-Identifier: Apache-2.0
/* The cache file of Kernel Tuner (github.com/KernelTuner), which its tools read: a time for each configuration. */
#ifndef CLI_SWEEP_KERNEL_TUNER_H
#define CLI_SWEEP_KERNEL_TUNER_H

#include "cli/sweep/sweep_store.h"

/* Of a sweep over one GPU: the last row of each configuration counts. */
int kernel_tuner_write(struct sweep_store *store, const struct design *design, const char *path);

#endif
