// SPDX-License-Identifier: Apache-2.0
/* Writes doc/ptx.md: which PTX is executed, from the tables that the decoder and the engine use.
 *
 *     build/ptx_table > doc/ptx.md */
#include <stdio.h>
#include <string.h>

#include "isa/insn.h"
#include "isa/modifiers.h"

struct suffix {
    uint64_t group;
    const char *text;
};
static const struct suffix suffixes[] = {
#define MODIFIER(group, text, slot, value) {MG_##group, text},
#include "isa/modifiers.def"
#undef MODIFIER
};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

#define OPCODE(name) name,
#define SUFFIX(name)
#define SPECIAL(name)
static const char *const refused_opcodes[] = {
#include "decode/foreign.def"
};
#undef OPCODE
#undef SUFFIX
#define OPCODE(name)
#define SUFFIX(name) name,
static const char *const refused_suffixes[] = {
#include "decode/foreign.def"
};
#undef SUFFIX
#undef SPECIAL
#define SUFFIX(name)
#define SPECIAL(name) name,
static const char *const refused_specials[] = {
#include "decode/foreign.def"
};

static void print_types(uint64_t types)
{
    const char *gap = "";
    for (unsigned t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (types >> t & 1) {
            printf("%s%s", gap, type_infos[t].suffix);
            gap = " ";
        }
}

static void print_modifiers(uint64_t groups)
{
    const char *gap = "";
    for (unsigned i = 0; i < SUFFIXES; i++) {
        bool seen = false; /* a suffix may be in two groups of one instruction */
        for (unsigned k = 0; k < i && !seen; k++)
            seen = suffixes[k].group & groups && !strcmp(suffixes[k].text, suffixes[i].text);
        if (!(suffixes[i].group & groups) || seen) continue;
        printf("%s%s", gap, suffixes[i].text);
        gap = " ";
    }
}

/* Where the type decides the class, its classes are left to doc/models and the report. */
static const char *class_of(const struct op_info *op)
{
    static const char *const names[] = {
        [FAMILY_ADD] = "add",         [FAMILY_MUL] = "mul",         [FAMILY_MAD] = "fma, mad",
        [FAMILY_MUL24] = "int.mul24", [FAMILY_DIV] = "div",         [FAMILY_MINMAX] = "minmax",
        [FAMILY_LOAD] = "mem load",   [FAMILY_STORE] = "mem store", [FAMILY_ATOMIC] = "mem atomic",
    };
    if (op->family < sizeof names / sizeof *names && names[op->family]) return names[op->family];
    struct insn insn = {.op = (uint16_t)(op - op_infos)};
    return class_ids[insn_classify(&insn)];
}

static void print_names(const char *title, const char *const *names, size_t count)
{
    printf("\n%s:", title);
    for (size_t i = 0; i < count; i++)
        printf("%s`%s`", i % 8 ? " " : "\n", names[i]);
    printf("\n");
}

int main(void)
{
    printf(
        "# Which PTX is executed\n\n"
        "Written by `tools/ptx_table.c` from `src/isa/ptx_ops.def`, `src/isa/modifiers.def`,\n"
        "`src/isa/sregs.def` and `src/decode/foreign.def`; do not edit. Which types and modifiers\n"
        "go together is the PTX ISA's business, and ours to the same extent: `tests/vectors/` has\n"
        "operands and results for each full form. Whatever is missing is refused by name, with\n"
        "all its lines, before anything is executed.\n\n"
        "| instruction | types | modifiers | class |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < OP_PTX_COUNT; i++) {
        const struct op_info *op = &op_infos[i];
        printf("| `%s` | ", op->mnemonic);
        print_types(op->types);
        printf(" | ");
        print_modifiers(op->modifiers);
        printf(" | %s |\n", class_of(op));
    }
    printf("\nMatrix instructions: `src/isa/matrix_forms.def` lists shapes and types of `wmma`, "
           "`mma` (also "
           "sparse, and of the\n"
           "kinds f8f6f4, mxf8f6f4, mxf4 and mxf4nvf4) and `wgmma`, as ptxas accepts them; others "
           "are errors. "
           "`ldmatrix` and\n"
           "`stmatrix` move 8 x 8 elements of b16; those of b8 are refused. `cp.async` copies 4, 8 "
           "or 16 "
           "bytes, waits for\n"
           "groups; a register or a predicate may tell how many of them are read. "
           "`cp.async.bulk`,\n"
           "also of tensors, `cp.reduce.async.bulk`, `st.async` and `red.async` have the forms of "
           "sm_90\n"
           "(src/decode/parse_bulk.c); those of later GPUs are refused. `tensormap.replace` and "
           "`tensormap.cp_fenceproxy`\n"
           "have those of sm_90a (src/decode/parse_tensormap.c). `mbarrier` objects lie in "
           "shared memory.\n");
    printf("\n## Special registers\n");
    for (unsigned i = 0; i < SREG_COUNT; i++)
        printf("%s`%s`", i % 6 ? " " : "\n", sreg_infos[i].name);
    printf("\n\n## Known, and refused where a kernel reaches it\n");
#define COUNT(array) (sizeof(array) / sizeof *(array))
    print_names("Instructions", refused_opcodes, COUNT(refused_opcodes));
    print_names("Suffixes", refused_suffixes, COUNT(refused_suffixes));
    print_names("Special registers", refused_specials, COUNT(refused_specials));
    return 0;
}
