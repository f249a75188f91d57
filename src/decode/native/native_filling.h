// SPDX-License-Identifier: Apache-2.0
/* What the files share that make a module of cubins: variables (native_variables.c), code (native_code.c), its
 * blocks (native_blocks.c), waiting loops (native_polls.c), and the functions and the whole (native_module.c). */
#ifndef DECODE_NATIVE_NATIVE_FILLING_H
#define DECODE_NATIVE_NATIVE_FILLING_H

#include "decode/module.h"
#include "decode/native/cubin.h"
#include "decode/native/lower.h"

struct placed_symbol {
    int32_t section;
    uint32_t symbol;
    uint64_t offset;
};

struct filling {
    struct diag *diag;
    struct module *module;
    struct arena *arena;
    /* Of the cubin that is read. */
    const struct cubin *cubin;
    uint64_t *code_address;       /* by section */
    int32_t *section_variable;    /* by section: the variable that is the whole section; -1 */
    int32_t *symbol_variable;     /* by symbol; -1 */
    struct placed_symbol *placed; /* symbols that are variables, by section and offset */
    uint32_t placed_count;
    uint32_t first_file; /* of its source files, in `files` */
    const char *ptx;     /* that it was compiled from; NULL: it has none */
    /* Where the dynamic shared memory of the kernel that is read begins. */
    uint64_t dynamic_shared;
    /* Of all cubins. */
    const struct vreg *vregs;
    uint64_t code_end;
    struct variable *variables;
    struct function *functions;
    const struct cubin_function **from; /* by function; NULL: of one cubin only (a static kernel) */
    const char **files;
    uint32_t variable_count, function_count, file_count;
    const char **texts; /* of opcodes, each once, sorted */
    uint32_t text_count, text_room;
};

/* A kernel with all code that it may reach. */
struct kernel {
    const struct cubin_function *function;
    int32_t banks[NATIVE_BANKS];
    int32_t *sections; /* of code, its own first */
    uint32_t section_count;
    struct insn *insns;
    struct native_place *places;
    uint64_t *targets; /* by instruction: code address, UINT64_MAX: none */
    bool *leads;
    uint32_t insn_count, range_count;
    struct code_range *ranges;
    struct unsupported *unsupported;
    uint32_t unsupported_count;
};

/* What a relocation's symbol and addend mean. */
struct meaning {
    int32_t variable; /* -1: `value` is all */
    int64_t value;    /* else in the variable */
};

/* ---- native_variables.c ---------------------------------------------------------------------- */

/* Gives sections of code of the cubin their addresses. */
void filling_place_code(struct filling *f);
/* Constants and global data of the cubin become variables, and what they refer to is filled in. */
ws_status filling_add_data(struct filling *f);
struct variable *filling_add_variable(struct filling *f, const char *name, enum mem_space space,
                                      uint64_t bytes);
/* What goes to the place of a relocation; false: nothing that the file defines. */
bool filling_understand(const struct filling *f, const struct cubin_relocation *relocation,
                        struct meaning *out);
ws_status filling_refuse(struct filling *f, const struct cubin_relocation *relocation);
/* BUILTIN_NONE: none that the engine has. */
enum builtin builtin_of_symbol(const struct cubin_symbol *symbol);

/* ---- native_code.c --------------------------------------------------------------------------- */

/* Finds the sections and banks of a kernel and reads its words. */
ws_status kernel_read_code(struct filling *f, struct kernel *k);

/* ---- native_blocks.c ------------------------------------------------------------------------- */

/* A branch to insn.target. */
bool native_is_jump(const struct insn *insn);
/* Every instruction that a jump may reach begins a block; jumps get their targets, -1: out of the code. */
void kernel_find_leaders(const struct filling *f, struct kernel *k);
void kernel_make_blocks(const struct filling *f, const struct kernel *k, struct function *out);

/* ---- native_polls.c -------------------------------------------------------------------------- */

/* Loads of shared memory that loops wait with become volatile. After kernel_find_leaders. */
void kernel_find_polls(struct kernel *k);

#endif
