// SPDX-License-Identifier: Apache-2.0
/* What profilers and debuggers are told of compiled code, if the environment asks for it (doc/engine.md):
 * WARPSAGE_PERF_MAP   lines of /tmp/perf-PID.map, which `perf report` reads
 * WARPSAGE_GDB        symbols and unwind information through gdb's interface for just-in-time compilers
 * Private to compile/. */
#ifndef COMPILE_CODE_DEBUG_H
#define COMPILE_CODE_DEBUG_H

#include "emulate/exec.h"

/* A function of the code, as places in it. */
struct code_extent {
    uint32_t begin, end;
    const char
        *stub; /* its name, of one that others call; NULL: of a code block or path, and then: */
    uint32_t saved;    /* rax has the stack pointer that all registers were pushed to, */
    uint32_t framed;   /* then the frame has it, */
    uint32_t unframed; /* then it is rsp again */
    uint32_t block;    /* the code block with which it begins */
    bool is_path, is_part;
};

struct code_debug;

/* NULL: nobody asked. */
struct code_debug *code_debug_create(const struct program *program, const unsigned char *code,
                                     const struct code_extent *ranges, uint32_t count);
void code_debug_destroy(struct code_debug *debug);

#endif
