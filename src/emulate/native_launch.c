// SPDX-License-Identifier: Apache-2.0
/* Banks of constants of native code. Bank 0 holds what the launch says: sizes of block and grid, windows of
 * generic addresses, the stack pointer, and the parameters. Where each lies was found in code that ptxas made
 * of PTX that reads it (doc/native.md). */
#include <string.h>

#include "emulate/exec.h"

/* Before the parameters, in targets up to sm_90. The window of constants is bank 3. */
enum {
    BANK_NTID = 0x0,
    BANK_NCTAID = 0xc,
    BANK_SHARED_WINDOW = 0x18,
    BANK_LOCAL_WINDOW = 0x20,
    BANK_STACK = 0x28,
    BANK_WINDOW = 0x40,     /* of bank 0 itself */
    BANK_WINDOW_90 = 0x198, /* of the parameters in it */
    BANK_WORKSPACE = 0x8c,  /* %envreg1, %envreg2: the high word first */
    BANK_WORKSPACE_90 = 0x44,
    BANK_CONST_WINDOW = 0x50,
    BANK_CONST_WINDOW_90 = 0xd0,
    BANK_WINDOW_LAST_75 = 0x114, /* offset of the last byte of the parameters */
    BANK_WINDOW_LAST = 0x12c,    /* the same, sm_80 to sm_89 */
    BANK_WINDOW_LAST_90 = 0x1a0, /* its generic address */
    BANK_GRID = 0x30,            /* %gridid, 64 bits */
    BANK_RESERVED_END_90 = 0x68,
    BANK_RESERVED_1_90 = 0x6c,
    BANK_SM_COUNT = 0x10c,
    BANK_RESERVED_BYTES = 0x114, /* from sm_80 on: part of SR_SMEMSZ */
    BANK_RESERVED_END = 0x120,   /* sm_80 to sm_89 */
    BANK_RESERVED_1 = 0x124,     /* likewise: region 1, of cooperative groups */
    BANK_AGGREGATE_90 = 0x13c,   /* the most that %aggr_smem_size can be */
    BANK_CLUSTER_90 =
        0x144, /* its size, three numbers; their reciprocals, as f32; the grid's size in clusters */
    BANK_CLUSTER_BLOCKS_90 = 0x188,
    BANK_HEADER_BYTES = 0x160,
    BANK_HEADER_BYTES_90 = 0x210
};

static void put32(unsigned char *bank, unsigned at, uint32_t value)
{
    memcpy(bank + at, &value, sizeof value);
}

static void put64(unsigned char *bank, unsigned at, uint64_t value)
{
    memcpy(bank + at, &value, sizeof value);
}

/* Where generic addresses of constants begin; without constants, behind all addresses. */
static uint64_t const_window(const struct launch *launch)
{
    const struct native_code *code = launch->program->native_code;
    for (uint32_t i = 0; i < code->bank_count; i++)
        if (code->banks[i].bank == 3 && code->banks[i].variable >= 0)
            return launch->program->addresses[code->banks[i].variable];
    return UINT64_MAX;
}

/* Of a cooperative launch; 0: the grid cannot synchronise. */
static void put_workspace(const struct launch *launch, unsigned char *bank)
{
    bool is_90 = launch->program->module->target >= 90;
    unsigned at = is_90 ? BANK_WORKSPACE_90 : BANK_WORKSPACE;
    uint64_t workspace = launch->options->grid_workspace;
    put32(bank, at, (uint32_t)(workspace >> 32));
    put32(bank, at + 4, (uint32_t)workspace);
}

/* Size of a cluster and of the grid in clusters; without clusters every block is one of its own. */
static void put_clusters(const struct launch *launch, unsigned char *bank)
{
    for (unsigned i = 0; i < 3; i++) {
        uint32_t blocks = launch->cluster[i] ? launch->cluster[i] : 1;
        const float reciprocal = 1 / (float)blocks;
        put32(bank, BANK_CLUSTER_90 + 4 * i, blocks);
        memcpy(bank + BANK_CLUSTER_90 + 12 + 4 * i, &reciprocal, sizeof reciprocal);
        put32(bank, BANK_CLUSTER_90 + 24 + 4 * i, launch->options->grid[i] / blocks);
    }
    put32(bank, BANK_CLUSTER_BLOCKS_90, launch->cluster_blocks ? launch->cluster_blocks : 1);
}

static bool reads_rank(const struct program *program)
{
    for (uint32_t f = 0; f < program->function_count; f++) {
        const struct function *function = program->functions[f].function;
        for (uint32_t i = 0; i < function->insn_count; i++)
            if (program_reads_special(&function->insns[i], SREG_CLUSTER_CTARANK,
                                      SREG_CLUSTER_CTARANK))
                return true;
    }
    return false;
}

/* Code of sm_90 puts the rank above the offset of a shared address, here the own block has addresses without a rank. */
ws_status native_check_clusters(struct diag *diag, const struct launch *launch)
{
    const struct program *program = launch->program;
    if (!program->native_code || !launch->cluster_blocks || !launch->shared_bytes ||
        !reads_rank(program))
        return WS_OK;
    return diag_error(
        diag, WS_ERR_LAUNCH,
        "the machine code of kernel %s cannot be executed in clusters, since it uses "
        "shared memory: compile it with PTX (-gencode arch=compute_90,code=compute_90)",
        program->functions[0].function->display_name);
}

/* Number and size of the grid, for special registers that code reads from bank 0. */
static void put_grid(const struct launch *launch, unsigned char *bank)
{
    const struct launch_options *options = launch->options;
    put64(bank, BANK_GRID, 1);
    put32(bank, BANK_SM_COUNT, options->clocks ? options->clocks->sm_count : 1);
    if (launch->program->module->target >= 90) put_clusters(launch, bank);
}

/* What the system keeps of shared memory: from sm_90 on below the kernel's, before that behind it. */
static void put_reserved_shared(const struct launch *launch, unsigned char *bank)
{
    unsigned target = launch->program->module->target;
    if (target < 80) return;
    put32(bank, BANK_RESERVED_BYTES, RESERVED_SHARED_BYTES);
    if (target >= 90) {
        put32(bank, BANK_RESERVED_END_90, RESERVED_SHARED_BYTES);
        put32(bank, BANK_RESERVED_1_90, RESERVED_SHARED_REGION_1);
        put32(bank, BANK_AGGREGATE_90, UINT32_MAX);
    } else if (launch->reserved_at) {
        put32(bank, BANK_RESERVED_END, (uint32_t)launch->reserved_at + RESERVED_SHARED_BYTES);
        put32(bank, BANK_RESERVED_1, (uint32_t)launch->reserved_at + RESERVED_SHARED_REGION_1);
    }
}

/* Where generic addresses of constants and parameters begin, and the last one of a parameter. */
static void put_windows(const struct launch *launch, unsigned char *bank)
{
    unsigned target = launch->program->module->target;
    uint64_t at = launch->program->native_code->parameters_at;
    uint64_t last = at + launch->options->parameter_bytes - 1;
    put64(bank, target >= 90 ? BANK_CONST_WINDOW_90 : BANK_CONST_WINDOW, const_window(launch));
    if (target >= 90) {
        put64(bank, BANK_WINDOW_90, PARAM_WINDOW + at);
        put64(bank, BANK_WINDOW_LAST_90, PARAM_WINDOW + last);
    } else {
        put64(bank, BANK_WINDOW, PARAM_WINDOW);
        put32(bank, target >= 80 ? BANK_WINDOW_LAST : BANK_WINDOW_LAST_75, (uint32_t)last);
    }
}

void native_reserve_shared(struct launch *launch)
{
    const struct program *program = launch->program;
    bool asks = false;
    for (uint32_t i = 0; i < program->bank_operand_count; i++) {
        uint64_t offset = program->bank_operands[i].offset;
        bool is_asked = offset == BANK_RESERVED_BYTES || offset == BANK_RESERVED_END ||
                        offset == BANK_RESERVED_1;
        asks |= program->bank_operands[i].bank == 0 && is_asked;
    }
    if (!asks || program->module->target < 80 || program->module->target >= 90) return;
    launch->reserved_at = launch_total_shared(launch);
    launch->shared_end = launch->reserved_at + RESERVED_SHARED_BYTES;
}

unsigned char *native_bank_zero(const struct launch *launch, uint64_t *out_bytes)
{
    const struct launch_options *options = launch->options;
    uint64_t at = launch->program->native_code->parameters_at;
    unsigned header =
        launch->program->module->target >= 90 ? BANK_HEADER_BYTES_90 : BANK_HEADER_BYTES;
    if (at < header) at = header;
    *out_bytes = at + options->parameter_bytes;
    unsigned char *bank = mem_zalloc(1, *out_bytes + 64);
    for (unsigned i = 0; i < 3; i++) {
        put32(bank, BANK_NTID + 4 * i, options->block[i]);
        put32(bank, BANK_NCTAID + 4 * i, options->grid[i]);
    }
    put64(bank, BANK_SHARED_WINDOW, SHARED_WINDOW);
    put64(bank, BANK_LOCAL_WINDOW, LOCAL_WINDOW);
    put_windows(launch, bank);
    put_workspace(launch, bank);
    put_grid(launch, bank);
    put_reserved_shared(launch, bank);
    put32(bank, BANK_STACK, launch->program->local_bytes_max);
    if (options->parameter_bytes)
        memcpy(bank + launch->program->native_code->parameters_at, options->parameters,
               options->parameter_bytes);
    return bank;
}

/* Bytes of a bank and where they lie; NULL: the kernel lacks the bank. */
static const unsigned char *find_bank(const struct launch *launch, unsigned number,
                                      uint64_t *out_bytes)
{
    const struct native_code *code = launch->program->native_code;
    if (number == 0) {
        *out_bytes = launch->parameter_bytes;
        return launch->parameters;
    }
    for (uint32_t i = 0; i < code->bank_count; i++) {
        const struct constant_bank *bank = &code->banks[i];
        if (bank->bank != number) continue;
        *out_bytes = bank->size;
        if (bank->variable < 0) return bank->bytes;
        uint64_t address = launch->program->addresses[bank->variable];
        return launch->memory->zero + address;
    }
    *out_bytes = 0;
    return NULL;
}

unsigned char *native_fill_pool(const struct launch *launch)
{
    const struct program *program = launch->program;
    unsigned char *pool = mem_zalloc_aligned(64, program->pool_bytes + 64);
    memcpy(pool, program->pool, program->pool_bytes);
    for (uint32_t i = 0; i < program->bank_operand_count; i++) {
        const struct bank_operand *operand = &program->bank_operands[i];
        uint64_t bytes;
        const unsigned char *bank = find_bank(launch, operand->bank, &bytes);
        for (unsigned w = 0; w < operand->words; w++) {
            uint64_t at = operand->offset + 4ull * w;
            uint32_t value = 0;
            if (bank && at + 4 <= bytes) memcpy(&value, bank + at, sizeof value);
            uint32_t *lanes = (uint32_t *)(void *)(pool + operand->at) + w * WARP_LANES;
            for (unsigned lane = 0; lane < WARP_LANES; lane++)
                lanes[lane] = value;
        }
    }
    return pool;
}
