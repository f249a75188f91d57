// SPDX-License-Identifier: Apache-2.0
/* Memory that the device runtime gives to kernels: parameters of launches until these are asked for, and texts of errors. */
#ifndef RUNTIME_DEVICE_MEMORY_H
#define RUNTIME_DEVICE_MEMORY_H

#include "runtime.h"

/* Before a kernel that asks for any runs; once. */
cudaError_t device_memory_place(void);
/* A grid begins: what an earlier one took and launched nothing with is free. */
void device_memory_clear(void);
/* A buffer for parameters; launch: what they are for, NULL: not told yet. Its address; 0: there is no room. */
uint64_t device_memory_take(uint64_t bytes, const struct kernel_work *launch);
/* What the buffer at the address is for; NULL: there is none, or it was not told. */
const struct kernel_work *device_memory_launch(uint64_t address);
/* What the kernel wrote into the buffer; false: there is none. */
bool device_memory_read(uint64_t address, void *out, size_t bytes);
void device_memory_give(uint64_t address);
/* Address of the name or the words of an error. */
uint64_t device_memory_text(cudaError_t error, bool is_name);

#endif
