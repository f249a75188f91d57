// SPDX-License-Identifier: Apache-2.0
/* Stress kernels, after those that Hong's thesis names in 3.2.4 and 3.9: one unit, or two, kept busy. */
#include <stdlib.h>
#include <string.h>

#include "calibrate/kernel_text.h"
#include "calibrate/power.h"
#include "calibrate/tensor.h"

/* Registers of matrices: sums of a chain, factors. */
enum { SUMS = 32, SUMS_OF_CHAIN = 8, FACTORS = 80, FACTOR_WORDS = 8 };
enum { CHAINS = 4, WINDOW = 64, TEXELS_OF_CHAIN = TEXELS / CHAINS };

/* Loads in flight of a warp: their results are used together. */
enum { IN_FLIGHT = 16 };

static void put_load(struct kernel_writer *writer, enum power_atom atom, unsigned number)
{
    unsigned to = 32 + number % IN_FLIGHT, word = 4 * (number % WINDOW);
    switch (atom) {
    case ATOM_L1:
        put(writer, "    ld.global.ca.u32 %%r%u, [%%l1+%u];\n", to, word);
        break;
    case ATOM_L2:
        put(writer, "    ld.global.cg.u32 %%r%u, [%%l1+%u];\n", to, word);
        break;
    case ATOM_LOCAL:
        put(writer, "    ld.local.u32 %%r%u, [%%l5+%u];\n", to, word);
        break;
    default:
        put(writer, "    ld.global.%s.u32 %%r%u, [%%l2];\n    add.u64 %%l2, %%l2, %%l3;\n",
            atom == ATOM_MISS ? "ca" : "cg", to);
    }
    for (unsigned i = 0; number % IN_FLIGHT == IN_FLIGHT - 1 && i < IN_FLIGHT; i++)
        put(writer, "    xor.b32 %%r24, %%r24, %%r%u;\n", 32 + i);
}

/* Registers by use: fp %f0.. %f8 %f9; int %r0.. ; alu %r8.. ; sfu %f16.. ; loaded %r20; sums %r24..; bases %l0.. */
static void put_atom(struct kernel_writer *writer, enum power_atom atom, unsigned number)
{
    unsigned chain = number % CHAINS, word = 4 * (number % WINDOW);
    switch (atom) {
    case ATOM_FP:
        put(writer, "    fma.rn.f32 %%f%u, %%f%u, %%f8, %%f9;\n", chain, chain);
        return;
    case ATOM_INT:
        put(writer, "    mad.lo.u32 %%r%u, %%r%u, %%b, %%b;\n", chain, chain);
        return;
    case ATOM_FP64:
        put(writer, "    fma.rn.f64 %%g%u, %%g%u, %%g8, %%g9;\n", chain, chain);
        return;
    case ATOM_TENSOR:
        put_tensor(writer, tensor_shape_of(writer->gpu), SUMS + chain * SUMS_OF_CHAIN, FACTORS);
        return;
    case ATOM_ALU: /* a shift between two ands, which would be merged */
        if (number / CHAINS % 2)
            put(writer, "    shl.b32 %%r%u, %%r%u, %%r7;\n", 8 + chain, 8 + chain);
        else
            put(writer, "    xor.b32 %%r%u, %%r%u, %%b;\n", 8 + chain, 8 + chain);
        return;
    case ATOM_SFU:
        put(writer, "    rcp.approx.ftz.f32 %%f%u, %%f%u;\n", 16 + chain, 16 + chain);
        return;
    case ATOM_SHARED: /* words that hold their own addresses */
        put(writer, "    ld.shared.u32 %%r%u, [%%r%u];\n", 12 + chain, 12 + chain);
        return;
    case ATOM_TEXTURE: /* texels that hold their own numbers */
        put(writer, "    tex.1d.v4.s32.s32 {%%r%u, %%r20, %%r21, %%r22}, [%%data, {%%r%u}];\n",
            12 + chain, 12 + chain);
        return;
    case ATOM_BANKS:
        put(writer, "    ld.shared.u32 %%r12, [%%r12];\n");
        return;
    case ATOM_CONST:
        put(writer, "    ld.const.u32 %%r20, [%%l4+%u];\n    xor.b32 %%r24, %%r24, %%r20;\n", word);
        return;
    case ATOM_BRANCH: /* never taken */
        put(writer, "    @%%p%u bra leave;\n", number % 8);
        return;
    default:
        put_load(writer, atom, number);
    }
}

static bool is_shared(const struct power_mix *mix)
{
    return mix->atom == ATOM_SHARED || mix->atom == ATOM_BANKS;
}

/* A word of each thread; one each 128 bytes for a block of one warp, so that all lie in one bank. */
static unsigned shared_bytes(const struct gpu_facts *gpu, const struct power_mix *mix)
{
    if (mix->atom == ATOM_BANKS) return 32 * 128;
    return mix->atom == ATOM_SHARED ? 4 * gpu->max_threads : 0;
}

/* Of those that not each kernel has. */
static void put_wide_values(struct kernel_writer *writer, const struct power_mix *mix)
{
    for (unsigned i = 0; mix->atom == ATOM_FP64 && i < CHAINS; i++)
        put(writer, "    cvt.rn.f64.u32 %%g%u, %%r%u;\n", i, i);
    if (mix->atom == ATOM_FP64)
        put(writer, "    cvt.rn.f64.u32 %%g8, %%b;\n    mov.f64 %%g9, %%g8;\n");
    for (unsigned i = 0; mix->atom == ATOM_TENSOR && i < CHAINS * SUMS_OF_CHAIN; i++)
        put(writer, "    cvt.rn.f32.u32 %%f%u, %%me;\n", SUMS + i);
    for (unsigned i = 0; mix->atom == ATOM_TENSOR && i < FACTOR_WORDS; i++)
        put(writer, "    mad.lo.u32 %%r%u, %%lane, %%b, 0x3c003c00;\n", FACTORS + i); /* about 1 */
}

/* Values that the compiler may not know. */
static void put_values(struct kernel_writer *writer, const struct power_mix *mix)
{
    for (unsigned i = 0; i < CHAINS; i++)
        put(writer,
            "    cvt.rn.f32.u32 %%f%u, %%me;\n    mov.b32 %%f%u, %%f%u;\n"
            "    add.u32 %%r%u, %%me, %u;\n    add.u32 %%r%u, %%me, %u;\n",
            i, 16 + i, i, i, i, 8 + i, i);
    put(writer,
        "    cvt.rn.f32.u32 %%f8, %%b;\n    mov.f32 %%f9, %%f8;\n    and.b32 %%r7, %%b, 1;\n"
        "    mov.u32 %%r24, 0;\n");
    put_wide_values(writer, mix);
    if (is_shared(mix)) {
        put(writer,
            "    mov.u32 %%r12, smem;\n    shl.b32 %%r20, %%me, %d;\n"
            "    add.u32 %%r12, %%r12, %%r20;\n    st.shared.u32 [%%r12], %%r12;\n",
            mix->atom == ATOM_SHARED ? 2 : 7);
        for (unsigned i = 1; i < CHAINS; i++)
            put(writer, "    mov.u32 %%r%u, %%r12;\n", 12 + i);
    }
    for (unsigned i = 0; mix->atom == ATOM_TEXTURE && i < CHAINS; i++)
        put(writer, "    and.b32 %%r%u, %%me, %u;\n    add.u32 %%r%u, %%r%u, %u;\n", 12 + i,
            TEXELS_OF_CHAIN - 1, 12 + i, 12 + i, i * TEXELS_OF_CHAIN);
    for (unsigned i = 0; mix->atom == ATOM_BRANCH && i < 8; i++)
        put(writer, "    setp.eq.u32 %%p%u, %%d, %u;\n", i, i);
    if (mix->atom == ATOM_CONST) put(writer, "    mov.u64 %%l4, table;\n");
    if (mix->atom == ATOM_LOCAL) put(writer, "    mov.u64 %%l5, pad;\n");
    if (mix->atom == ATOM_L1) put(writer, "    mov.u64 %%l1, %%data;\n"); /* few first misses */
    if (mix->atom == ATOM_L2)
        put(writer, "    and.b32 %%r21, %%warp, 3;\n    mul.wide.u32 %%l1, %%r21, 512;\n"
                    "    add.u64 %%l1, %%l1, %%data;\n");
    if (mix->atom == ATOM_MISS) put(writer, "    shr.u32 %%warp, %%me, 5;\n");
    if (mix->atom == ATOM_DRAM || mix->atom == ATOM_SECTOR || mix->atom == ATOM_MISS)
        put(writer,
            "    cvt.u64.u32 %%l3, %%c;\n    mul.wide.u32 %%l2, %%warp, %u;\n"
            "    add.u64 %%l2, %%l2, %%data;\n%s",
            mix->atom == ATOM_SECTOR ? 32 : 128,
            mix->atom == ATOM_DRAM ? "    mul.wide.u32 %l1, %lane, 4;\n    add.u64 %l2, %l2, %l1;\n"
                                   : "");
}

/* Spread evenly: the atoms between the multiply-adds. */
static void put_loop(struct kernel_writer *writer, const struct power_mix *mix)
{
    unsigned all = mix->slots + mix->fp, put_atoms = 0, put_fp = 0;
    put(writer, "    mov.u32 %%pass, %%a;\nagain:\n");
    for (unsigned i = 0; i < all; i++)
        if ((put_atoms + 1) * all <= (i + 1) * mix->slots)
            put_atom(writer, mix->atom, put_atoms++);
        else
            put_atom(writer, ATOM_FP, put_fp++);
    if (mix->atom == ATOM_LOCAL) put(writer, "    add.u64 %%l5, %%l5, %u;\n", 4 * WINDOW);
    put(writer, "    sub.u32 %%pass, %%pass, 1;\n    setp.ne.u32 %%more, %%pass, 0;\n"
                "    @%%more bra again;\n");
}

/* One value of all chains, so that none is deleted. */
static void put_result(struct kernel_writer *writer, const struct power_mix *mix)
{
    for (unsigned i = 0; i < CHAINS; i++) {
        put(writer,
            "    add.f32 %%f%u, %%f%u, %%f%u;\n    mov.b32 %%r20, %%f%u;\n"
            "    xor.b32 %%r20, %%r20, %%r%u;\n    xor.b32 %%r24, %%r24, %%r20;\n"
            "    xor.b32 %%r24, %%r24, %%r%u;\n",
            i, i, 16 + i, i, i, 8 + i);
        if (is_shared(mix) || mix->atom == ATOM_TEXTURE)
            put(writer, "    xor.b32 %%r24, %%r24, %%r%u;\n", 12 + i);
    }
    for (unsigned i = 0; mix->atom == ATOM_FP64 && i < CHAINS; i++)
        put(writer,
            "    mov.b64 %%l20, %%g%u;\n    cvt.u32.u64 %%r20, %%l20;\n"
            "    xor.b32 %%r24, %%r24, %%r20;\n",
            i);
    for (unsigned i = 0; mix->atom == ATOM_TENSOR && i < CHAINS * SUMS_OF_CHAIN; i++)
        put(writer, "    mov.b32 %%r20, %%f%u;\n    xor.b32 %%r24, %%r24, %%r20;\n", SUMS + i);
    put(writer, "    mov.b32 %%result, %%r24;\n");
}

/* Constants are variables of the module. Takes the text over. */
static char *with_table(char *text)
{
    char *entry = strstr(text, ".visible");
    char *both = calibrate_format("%.*s.const .align 16 .b32 table[%d];\n%s", (int)(entry - text),
                                  text, WINDOW, entry);
    free(text);
    return both;
}

char *power_kernel(const struct gpu_facts *gpu, const char *name, const struct power_mix *mix)
{
    struct kernel_writer writer;
    kernel_begin(&writer, gpu, name, shared_bytes(gpu, mix));
    if (mix->atom == ATOM_LOCAL) put(&writer, "    .local .align 16 .b8 pad[%d];\n", LOCAL_BYTES);
    put_values(&writer, mix);
    put_loop(&writer, mix);
    put_result(&writer, mix);
    char *text = kernel_end_unless(&writer);
    return mix->atom == ATOM_CONST ? with_table(text) : text;
}
