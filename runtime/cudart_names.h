// SPDX-License-Identifier: Apache-2.0
#ifndef RUNTIME_CUDART_NAMES_H
#define RUNTIME_CUDART_NAMES_H

#include "runtime.h"

/* A function that is another one: a jump, because the arguments must arrive as they are. */
#if defined(__x86_64__)
#define JUMP "jmp "
#elif defined(__aarch64__)
#define JUMP "b "
#else
#error "runtime/ knows x86-64 and AArch64"
#endif
#define JUMP_TO(result, name, base)                                                                \
    CUDART result name(void);                                                                      \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ": " JUMP #base "\n"     \
            ".size " #name ", .-" #name "\n");

struct cudart_name {
    const char *name;
    void (*function)(void);
};
/* Every function that this library stands in for. */
extern const struct cudart_name cudart_names[];
extern const size_t cudart_name_count;
enum { CUDART_NAMES_MAX = 1 << 11 };

#endif
