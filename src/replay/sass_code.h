// SPDX-License-Identifier: Apache-2.0
/* The code of a kernel as its trace shows it: the static instructions, found by address and text,
 * and the basic blocks that follow from who came behind whom.
 *
 * A trace knows no control flow graph. Two instructions are of one block if the second always came
 * next after the first, the first always just before the second, and the first is no branch, barrier
 * or other place where lanes may part or meet. */
#ifndef REPLAY_SASS_CODE_H
#define REPLAY_SASS_CODE_H

#include "isa/sass.h"
#include "replay/traceg.h"

/* Where its recorded addresses belong. */
enum code_route {
    ROUTE_NONE,    /* not counted: prefetches, cache control, unknown opcodes */
    ROUTE_SPACE,   /* the space of the instruction */
    ROUTE_GENERIC, /* the windows tell */
    ROUTE_COPY,    /* LDGSTS: a global address, and perhaps a line with its shared one */
};

#define CODE_NONE UINT32_MAX
#define CODE_MANY (UINT32_MAX - 1)
#define CODE_OUTSIDE (UINT32_MAX - 2) /* before the first and behind the last of a warp */

struct code_insn {
    uint64_t pc;
    const char *middle; /* of the line: from destinations to width */
    uint32_t length;
    uint32_t chain; /* next of the same hash value */
    uint8_t flow, route, bytes;
    bool has_addresses;
    bool is_arrival;   /* BAR.ARV */
    bool is_copy_wait; /* DEPBAR */
    uint32_t lanes;    /* whose addresses count: fewer than 32 in LDSM of one or two matrices */
    uint32_t next, previous; /* what was seen: an instruction or CODE_... */
    uint64_t executions;
    uint32_t opcode;       /* in sass_code.opcodes, CODE_NONE: known */
    uint32_t index, block; /* in the launch; set by sass_code_layout */
    bool is_first;         /* of its block */
    struct insn insn;
};

struct sass_code {
    struct arena arena;
    const struct opcode_map *map;
    uint32_t count, capacity;
    struct code_insn *insns;
    uint32_t *buckets, bucket_count;
    struct replay_opcode *opcodes; /* unknown and mapped ones */
    uint32_t opcode_count, opcode_capacity;
    /* set by sass_code_layout */
    struct module module;
    struct function function;
    const struct insn **order; /* by launch index */
    struct code_block *code_blocks;
    uint32_t block_count;
};

void sass_code_init(struct sass_code *code, const struct opcode_map *map);
void sass_code_clear(struct sass_code *code);

/* The instruction of the line that traceg holds; *out_tail: its addresses, or its immediate. With
 * `add`, a new one is entered; else it is an error that the file has changed. `guess` is the likely
 * one, or CODE_NONE. */
ws_status sass_code_find(struct diag *diag, struct sass_code *code, const struct traceg *traceg,
                         uint32_t guess, bool add, uint32_t *out, const char **out_tail);

/* `to` came next behind `from` in a warp; either may be CODE_OUTSIDE. */
void sass_code_follow(struct sass_code *code, uint32_t from, uint32_t to);

/* After all of it has been seen: blocks, a function, a module with the texts of `header`. */
void sass_code_layout(struct sass_code *code, const char *path, const struct replay_header *header);

/* Class by the map: -1 if it has none for this opcode. Defined in opcode_map.c. */
int opcode_map_find(const struct opcode_map *map, const char *opcode);

#endif
