// SPDX-License-Identifier: Apache-2.0
#include "compile/code_memory.h"

#include <string.h>
#include <sys/mman.h>

struct code_memory code_memory_make(const unsigned char *bytes, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return (struct code_memory){0};
    memcpy(memory, bytes, size);
    if (mprotect(memory, size, PROT_READ | PROT_EXEC)) {
        munmap(memory, size);
        return (struct code_memory){0};
    }
    return (struct code_memory){memory, size};
}

void code_memory_free(struct code_memory *memory)
{
    if (memory->bytes) munmap(memory->bytes, memory->size);
    memory->bytes = NULL;
}
