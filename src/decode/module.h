// SPDX-License-Identifier: Apache-2.0
/* A decoded module: variables, functions, instructions, control flow, liveness. Immutable after
 * module_load; everything lives in its arena. */
#ifndef DECODE_MODULE_H
#define DECODE_MODULE_H

#include "base/arena.h"
#include "base/diag.h"
#include "isa/insn.h"

struct vreg {
    const char *name; /* "%r7" */
    uint8_t type;     /* enum ptx_type as declared */
};

/* Bytes of an initialiser that hold the address of another symbol. */
struct relocation {
    uint64_t offset; /* in the variable */
    int32_t symbol;  /* variable, or function if is_function */
    bool is_function;
    bool generic; /* generic(symbol): address in the generic space */
    int64_t addend;
    uint8_t bytes; /* 4 or 8; 1: the byte of the address that begins at bit `shift` */
    uint8_t shift;
};

struct variable {
    const char *name;
    uint8_t space; /* GLOBAL, CONST, SHARED, LOCAL, PARAM */
    uint8_t type;
    bool is_extern;   /* extern .shared: dynamic shared memory; size 0 */
    bool is_weak;     /* another definition may take its place */
    int32_t function; /* owner, -1: module scope */
    uint32_t alignment;
    int32_t part_of; /* native: lies in that variable, at `offset`, plus 1; 0: by itself */
    uint64_t bytes;
    uint64_t offset;     /* PARAM: in the parameter block (kernel) or parameter frame (function and
                         * its call sequences); LOCAL: in the function's local frame.
                         * SHARED: see module_shared_layout; GLOBAL, CONST: placed by the device */
    const uint8_t *init; /* `bytes` long, NULL: zeros */
    uint32_t relocation_count;
    const struct relocation *relocations;
    uint32_t line;
};

/* A straight piece of code. Ends after a branch, call, return, exit, trap, barrier or any other
 * instruction at which a warp may have to wait for its own lanes (.sync forms), or before a
 * branch target. */
struct basic_block {
    uint32_t first, count; /* instructions */
    uint32_t successor_count;
    uint32_t successors[2]; /* block indices; fall-through first. Guarded exits and returns have
                             * their fall-through only. Those of brx are its targets, besides */
    int32_t post_dominator; /* immediate post-dominator block, -1: the end of the function */
    uint32_t critical_path; /* longest chain of register dependences, unit latency, at least 1 */
    const uint64_t *live_in, *live_out; /* bit sets over function.crossing */
};

/* A place where a function uses something of PTX that warpsage does not execute. */
struct unsupported {
    const char *what; /* "instruction 'tex.2d.v4.f32.f32'" */
    uint32_t line;
};

#define BUILTIN_DEVICE_PREFIX "__cudaCDP2"
enum builtin {
    BUILTIN_NONE,
#define BUILTIN(name, text, parameters, results, bytes) BUILTIN_##name,
#include "decode/builtins.def"
#undef BUILTIN
    BUILTIN_COUNT,
    BUILTIN_DEVICE_CALLS = BUILTIN_PARAMETER_BUFFER /* the first of them */
};
/* Sets of them. */
#define BUILTIN_SET(name) (UINT64_C(1) << BUILTIN_##name)
#define BUILTINS_OF_HEAP                                                                           \
    (BUILTIN_SET(MALLOC) | BUILTIN_SET(FREE) | BUILTIN_SET(CUDA_MALLOC) | BUILTIN_SET(CUDA_FREE))
#define BUILTINS_OF_DEVICE (UINT64_MAX << BUILTIN_DEVICE_CALLS)
/* What they do depends on who called before. */
#define BUILTINS_IN_ORDER (BUILTINS_OF_HEAP | BUILTINS_OF_DEVICE)
static inline bool builtin_is_of(unsigned builtin, uint64_t set)
{
    return set >> builtin & 1;
}
/* By the name that code calls; BUILTIN_NONE: none that the engine has. */
enum builtin builtin_find(const char *name);
/* Whatever is defined for its name, the engine's is called. */
static inline bool builtin_replaces(enum builtin builtin)
{
    return builtin >= BUILTIN_CUDA_MALLOC;
}

/* Where a section of native code lies in the address space of code: what CALL, RET and BRX jump to. */
struct code_range {
    uint64_t address, bytes;
    uint32_t first_insn;
};

/* The range that holds a code address, of ascending ones; NULL: none. */
static inline const struct code_range *code_range_find(const struct code_range *ranges,
                                                       uint32_t count, uint64_t address)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (address < ranges[middle].address)
            high = middle;
        else if (address - ranges[middle].address < ranges[middle].bytes)
            return &ranges[middle];
        else
            low = middle + 1;
    }
    return NULL;
}

/* Bytes of a bank of constants of native code; bank 0 is the launch's. */
struct constant_bank {
    unsigned bank;
    int32_t variable; /* whose contents they are, which a program may change; -1: `bytes` */
    const uint8_t *bytes;
    uint64_t size;
};

/* Where an instruction of native code stands in its file, and what it was compiled from. */
struct native_place {
    uint64_t low, high; /* its word */
    uint32_t offset;    /* in its section */
    uint32_t ptx_line;  /* 0: unknown */
    const char *symbol; /* what a relocation puts into the word; NULL: nothing */
};

/* What a kernel of native code has beside instructions. All of its code is in the kernel's own list, that
 * of the functions it calls too: registers are the same in all. */
struct native_code {
    uint32_t range_count;
    const struct code_range *ranges;    /* ascending */
    uint32_t parameters_at;             /* offset of the parameters in bank 0 */
    uint32_t registers;                 /* by thread */
    uint64_t shared_base, shared_bytes; /* where shared memory begins, and the static bytes of it */
    uint32_t bank_count;
    const struct constant_bank *banks;
    uint64_t builtins; /* set of enum builtin: what calls through registers may reach */
    const struct native_place *places; /* by instruction */
    const char *ptx; /* that it was compiled from, as its file has it; NULL: it has none */
    size_t ptx_size;
};
/* Any of a set? */
static inline bool native_calls(const struct native_code *code, uint64_t builtins)
{
    return code && code->builtins & builtins;
}

struct function {
    const char *name, *display_name; /* mangled; demangled without parameters */
    bool is_entry, is_defined;
    bool is_weak;    /* another definition may take its place */
    uint8_t builtin; /* enum builtin: declared only, and the engine has it */
    uint32_t parameter_count;
    int32_t *parameters; /* variables, in order */
    uint32_t return_count;
    int32_t *returns;         /* variables */
    uint64_t parameter_bytes; /* kernel: size of the block; function: formal and call parameters */
    uint64_t local_bytes;     /* .local variables of this function */
    uint32_t vreg_count;
    const struct vreg *vregs;
    uint32_t insn_count;
    const struct insn *insns;
    uint32_t block_count;
    const struct basic_block *blocks;
    const uint32_t *block_of; /* instruction index -> block index */
    uint32_t crossing_count;  /* registers that may be live from one block to another */
    const uint32_t *crossing;
    uint32_t max_live_registers; /* 32-bit registers live at once: liveness estimate */
    /* doc/engine.md#order-of-the-blocks; for entries including callees */
    const bool *is_read; /* by register: some instruction reads it */
    bool ordered;
    const char *ordered_reason; /* "atom.global.cas with used result at line 41" */
    uint32_t unsupported_count; /* the instruction there is a trap */
    const struct unsupported *unsupported;
    uint32_t required_threads[3], max_threads[3]; /* .reqntid, .maxntid; 0: not given */
    uint32_t required_cluster[3];                 /* .reqnctapercluster, in blocks; 0: not given */
    bool grid_of_clusters;                        /* .blocksareclusters */
    uint32_t min_blocks_per_sm;
    uint32_t line, column;                 /* of its name */
    const struct native_code *native_code; /* NULL: PTX */
};

/* A line of the source, from a .loc; and if the function there was inlined, where. */
struct code_place {
    uint32_t file, line, column; /* file: index into module.files; 0: unknown */
    uint32_t caller;             /* place that it was inlined at; 0: not inlined */
    const char *function;        /* that was inlined, mangled; NULL: none, or unknown */
};

struct module {
    struct arena arena;
    uint64_t id;      /* of no other module of this process: what caches go by, never the address */
    const char *path; /* as given */
    const char *ptx;  /* text, NUL-terminated */
    size_t ptx_size;
    unsigned version_major, version_minor;
    unsigned target;         /* 70 for sm_70 */
    const char *target_name; /* "sm_90a" */
    const char *language;    /* "OpenCL C" of a .cl file; NULL: unknown */
    const char *native;      /* "sass sm_80, ..."; NULL: PTX. Lines are then addresses of code */
    unsigned address_bits;   /* 32 or 64 */
    uint32_t variable_count;
    const struct variable *variables;
    uint32_t function_count;
    const struct function *functions;
    struct memo *texts; /* of native code (module_native_texts); NULL: PTX */
    uint32_t file_count;
    const char *const *files; /* of .file, of one part after the other; index 0 is "" */
    uint32_t place_count;
    const struct code_place
        *places; /* insn.place; the callers of a place come before it, 0 is none */
    char *ptxas; /* path of ptxas if one was found, else NULL */
};

/* tool_path: colon-separated folders in which nvcc, clang and ptxas are looked for; may be NULL. */
ws_status module_load_file(struct diag *diag, const char *path, const char *tool_path,
                           struct module **out);
ws_status module_load_memory(struct diag *diag, const char *name, const void *bytes, size_t size,
                             struct module **out);
/* Does the name say that the file is a kernel? Others are read as PTX. */
bool module_recognises(const char *path);
void module_destroy(struct module *module);

/* Entry by mangled, display or unique base name; did-you-mean on failure. */
ws_status module_find_entry(struct diag *diag, const struct module *module, const char *name,
                            uint32_t *out_function);

/* Offsets of the .shared variables that `entry` and its callees use, in declaration order and
 * aligned; UINT64_MAX for the others. `offsets` has variable_count elements. Returns the static
 * bytes. */
uint64_t module_shared_layout(const struct module *module, uint32_t entry, uint64_t *offsets);
/* Where a block's dynamic shared memory, its extern arrays, begins behind the static bytes. */
static inline uint64_t shared_dynamic_offset(uint64_t static_bytes)
{
    enum { ALIGNMENT = 16 };
    return (static_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}
/* Shared memory of a block, with the gap between static and dynamic. */
static inline uint64_t shared_block_bytes(uint64_t static_bytes, uint64_t dynamic_bytes)
{
    return dynamic_bytes ? shared_dynamic_offset(static_bytes) + dynamic_bytes : static_bytes;
}

/* May data in memory decide which of its instructions run, or which addresses they access? Calls count as
 * if they did. */
bool function_follows_data(const struct function *function);
/* By register: may data in memory decide what it holds? Results of calls count as if they did not. To be freed. */
bool *function_data_registers(const struct function *function);
/* Is what the load reads, or what is computed from it, stored or added to memory? What only decides, or is an address or
 * an operand of another atomic, does not count. */
bool function_stores_result(const struct function *function, const struct insn *read);
/* Does any instruction read the old value that the atomic returns? */
bool function_uses_result(const struct function *function, const struct insn *atomic);

/* Is the operand %clock, %clock64, %clock_hi or one of the %globaltimers? */
bool operand_is_clock(const struct operand *operand);
/* How many of its operands are. */
unsigned insn_clock_reads(const struct insn *insn);
/* May the kernel or a function that it may call read one of them, or %smid? */
bool module_reads_clock(const struct module *module, uint32_t entry);
/* Do nothing but plain accesses to memory, its parameters and its place in the grid decide what it does and writes? False:
 * perhaps not. */
bool module_is_repeatable(const struct module *module, uint32_t entry);
/* May it call one of a set of builtins? */
bool module_calls(const struct module *module, uint32_t entry, uint64_t builtins);
/* May it execute a copy in bulk (isa/bulk.h)? */
bool module_copies_in_bulk(const struct module *module, uint32_t entry);

/* Can this form of the instruction be executed? */
typedef bool executes_fn(const struct insn *insn, const struct function *function);

/* Everything in `entry` and the functions it may call that warpsage cannot execute makes one error
 * that names it all with its lines. (What is no PTX at all is refused at load.) serves_calls: BUILTINS_OF_DEVICE are. */
ws_status module_check_supported(struct diag *diag, const struct module *module, uint32_t entry,
                                 executes_fn *executes, bool serves_calls);

/* Name of a kernel as in the source, without parameters; what is no mangled name stays as it is. */
const char *demangle_kernel(struct arena *arena, const char *mangled);
/* Of a variable; one of a function without its function. */
const char *demangle_variable(struct arena *arena, const char *mangled);

/* A line of the PTX that native code was compiled from. */
struct ptx_text {
    uint32_t line;
    const char *text; /* trimmed */
};

/* What the native code of a kernel looks like: its instructions with their operands, as NVIDIA's disassembler writes them
 * (targets are offsets in the section; "" what is unknown), and the lines of PTX that they name, ascending. */
struct native_texts {
    const char *const *insns;
    uint32_t ptx_count;
    const struct ptx_text *ptx;
};
/* Of a module of native code, as long as that lives. */
const struct native_texts *module_native_texts(const struct module *module,
                                               const struct function *function);

/* Longest chain of register dependences within a block, unit latency, at least 1. `depth` and `stamp`
 * have vreg_count elements; zero `stamp` before the first block of a function. */
uint32_t function_critical_path(const struct function *function, uint32_t index, uint32_t *depth,
                                uint32_t *stamp);

/* Of a thread: registers, and bytes that the code stores and loads because they do not suffice. */
struct ptxas_registers {
    unsigned count, spill_store_bytes, spill_load_bytes;
};
/* Sets module.ptxas if it is not known yet and is in one of the folders. */
void module_find_ptxas(struct module *module, const char *tool_path);
/* Registers from `ptxas -v` for the target nearest to sm_`wanted` that it supports.
 * WS_ERR_COMPARE if there is no ptxas or it fails. */
ws_status module_ptxas_registers(struct diag *diag, const struct module *module, uint32_t entry,
                                 unsigned wanted, unsigned *out_target,
                                 struct ptxas_registers *out);

/* Native code that ptxas makes of a module of PTX for sm_`target`. WS_ERR_COMPARE if there is no ptxas, or it fails. */
ws_status module_compile_native(struct diag *diag, const struct module *module, unsigned target,
                                struct module **out);
/* PTX, a cubin, a fat binary, an object file or a library: relocatable code. */
struct link_input {
    const void *bytes;
    size_t size;
};
/* The cubin that nvlink makes of them, to be freed with mem_free. WS_ERR_COMPARE: no tool is found in tool_path, or it
 * fails. */
ws_status native_link(struct diag *diag, const char *tool_path, unsigned target,
                      const struct link_input *inputs, size_t count, void **out, size_t *out_size);

#endif
