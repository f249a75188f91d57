// SPDX-License-Identifier: Apache-2.0
/* Where the program called the API: stacks of return addresses, each kept once. Only while checks are on. */
#ifndef RUNTIME_HOST_STACK_H
#define RUNTIME_HOST_STACK_H

#include <stdint.h>

/* Of the call that goes on, with the lock; 0: unknown. */
uint32_t host_stack_take(void);
/* Frames of the program, innermost first, a line each (see host_lines.h); NULL: unknown. Lives as long as the process. */
const char *host_stack_text(uint32_t stack);

#endif
