// SPDX-License-Identifier: Apache-2.0
/* malloc and free of kernels with the tool memory (check_heap.c). Shared by the files of emulate/ only. */
#ifndef EMULATE_CHECK_HEAP_H
#define EMULATE_CHECK_HEAP_H

#include "emulate/exec.h"

enum { HEAP_UNIT_BYTES = 16 };

/* Bytes that the heap gets for `bytes` bytes that malloc may hand out. */
uint64_t check_heap_room(uint64_t bytes);
/* When the heap has its place; false: the host has no memory. */
bool check_heap_place(struct heap *heap);
void check_heap_clear(struct heap *heap);
/* As malloc: 0: no room. */
uint64_t check_heap_take(struct exec *x, const struct insn *insn, uint64_t bytes);
/* False: it is not the address of a block that lives. */
bool check_heap_give(struct exec *x, const struct insn *insn, uint64_t address);
/* Why free does not take an address. */
void check_heap_refusal(const struct heap *heap, uint64_t address, struct strbuf *out);
bool check_heap_is_freed(const struct heap *heap, uint64_t address);
/* The block at or around an address in words, and its range; false: there is none. */
bool check_heap_describe(const struct heap *heap, uint64_t address, struct strbuf *out,
                         uint64_t *begin, uint64_t *end);

#endif
