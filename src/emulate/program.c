// SPDX-License-Identifier: Apache-2.0
/* Makes a kernel and its callees ready to run: numbers their code through, gives registers and
 * parameters their places, resolves symbols, picks the lane loops. */
#include "emulate/program.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/launch_kit.h"

/* ---- constants ------------------------------------------------------------------------------- */

/* The slot of an open hash table where this constant is or belongs; a slot holds index + 1. */
static uint32_t *constant_slot(const struct builder *b, uint64_t bits, uint32_t bytes)
{
    uint64_t hash = (bits ^ bytes) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */
    uint32_t at = (uint32_t)(hash >> 32) & (b->constant_slot_count - 1);
    for (;; at = (at + 1) & (b->constant_slot_count - 1)) {
        uint32_t *slot = &b->constant_slots[at];
        if (!*slot) return slot;
        const struct constant *constant = &b->constants[*slot - 1];
        if (constant->bits == bits && constant->bytes == bytes) return slot;
    }
}

static void grow_constant_slots(struct builder *b)
{
    mem_free(b->constant_slots);
    b->constant_slot_count = b->constant_slot_count ? 2 * b->constant_slot_count : 64;
    b->constant_slots = mem_zalloc(b->constant_slot_count, sizeof *b->constant_slots);
    for (uint32_t i = 0; i < b->constant_count; i++)
        *constant_slot(b, b->constants[i].bits, b->constants[i].bytes) = i + 1;
}

static uint32_t constant_bytes(uint32_t kind)
{
    return kind < POOL_PAIR ? kind : kind == POOL_BANK ? 4 : 8;
}

operand_ref pool_constant(struct builder *b, uint64_t bits, uint32_t bytes)
{
    if (2 * b->constant_count >= b->constant_slot_count) grow_constant_slots(b);
    uint32_t *slot = constant_slot(b, bits, bytes);
    if (!*slot) {
        uint32_t room = constant_bytes(bytes) * WARP_LANES;
        if (b->pool_bytes > POOL_BYTES_MAX - room) { /* make_code refuses it */
            b->pool_is_full = true;
            return REF(BASE_POOL, 0);
        }
        GROW(b->constants, b->constant_count, b->constant_room);
        b->constants[b->constant_count++] = (struct constant){bits, bytes, b->pool_bytes};
        b->pool_bytes += room;
        *slot = b->constant_count;
    }
    return REF(BASE_POOL, b->constants[*slot - 1].offset);
}

/* 16 bytes hold 64 bits with their sign. */
static void fill_constant(unsigned char *lane, const struct constant *constant)
{
    uint32_t low = constant->bytes < 8 ? constant->bytes : 8;
    memcpy(lane, &constant->bits, low);
    memset(lane + low, constant->bits >> 63 ? 0xff : 0, constant->bytes - low);
}

static void fill_pair(unsigned char *at, uint64_t bits)
{
    uint32_t *words = (uint32_t *)(void *)at;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        words[lane] = (uint32_t)bits;
        words[WARP_LANES + lane] = (uint32_t)(bits >> 32);
    }
}

static unsigned char *fill_pool(struct builder *b)
{
    unsigned char *pool = arena_alloc_aligned(&b->program->arena, b->pool_bytes + 64, 64);
    for (uint32_t i = 0; i < b->constant_count; i++) {
        const struct constant *constant = &b->constants[i];
        if (constant->bytes == POOL_PAIR) fill_pair(pool + constant->offset, constant->bits);
        if (constant->bytes >= POOL_PAIR) continue;
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            fill_constant(pool + constant->offset + lane * constant->bytes, constant);
    }
    b->program->pool_bytes = b->pool_bytes;
    return pool;
}

/* Operands in banks, whose lanes a launch fills. */
static void list_bank_operands(struct builder *b)
{
    struct program *program = b->program;
    struct bank_operand *out =
        ARENA_ARRAY(&program->arena, struct bank_operand, b->constant_count + 1);
    for (uint32_t i = 0; i < b->constant_count; i++) {
        const struct constant *constant = &b->constants[i];
        if (constant->bytes <= POOL_PAIR) continue;
        out[program->bank_operand_count++] =
            (struct bank_operand){.bank = (uint32_t)(constant->bits >> 32),
                                  .offset = (uint32_t)constant->bits,
                                  .at = constant->offset,
                                  .words = constant_bytes(constant->bytes) / 4};
    }
    program->bank_operands = out;
}

/* ---- functions and code ---------------------------------------------------------------------- */

ws_status program_error(struct diag *diag, const struct builder *b, const struct function *function,
                        const char *format, ...)
{
    struct source_place place = {.file = b->module->path,
                                 .text = b->module->ptx,
                                 .size = b->module->ptx_size,
                                 .line = function->line,
                                 .column = function->column,
                                 .length = (uint32_t)strlen(function->name)};
    va_list list;
    va_start(list, format);
    diag_verror_at(diag, WS_ERR_UNSUPPORTED, &place, function->name, format, list);
    va_end(list);
    return WS_ERR_UNSUPPORTED;
}

/* Index of a module function in the program, adding it on first sight. */
static uint32_t reach(struct builder *b, uint32_t module_function)
{
    uint32_t *known = &b->function_of[module_function];
    if (*known) return *known - 1;
    GROW(b->functions, b->function_count, b->function_room);
    b->functions[b->function_count] = (struct function_build){.module_index = module_function};
    *known = ++b->function_count;
    return *known - 1;
}

/* Functions whose address is taken can be called indirectly; kernels cannot be called. */
static void take_address(struct builder *b, uint32_t module_function)
{
    if (b->module->functions[module_function].is_entry) return;
    uint32_t f = reach(b, module_function);
    b->functions[f].address_taken = true;
}

static void reach_operands(struct builder *b, const struct insn *insn)
{
    for (unsigned k = 0; k < (unsigned)insn->ndst + insn->nsrc; k++) {
        if (insn->op == OP_CALL || insn_operand(insn, k)->kind != OPERAND_FUNCTION) continue;
        take_address(b, (uint32_t)insn_operand(insn, k)->symbol);
    }
}

static void reach_relocations(struct builder *b)
{
    if (b->knows_addresses) return;
    b->knows_addresses = true;
    for (uint32_t v = 0; v < b->module->variable_count; v++)
        for (uint32_t r = 0; r < b->module->variables[v].relocation_count; r++) {
            const struct relocation *relocation = &b->module->variables[v].relocations[r];
            if (!relocation->is_function) continue;
            take_address(b, (uint32_t)relocation->symbol);
        }
}

enum builtin program_builtin(const struct builder *b, const struct insn *insn)
{
    int32_t callee = insn->call->function;
    return callee >= 0 ? b->module->functions[callee].builtin : BUILTIN_NONE;
}

static ws_status reach_all(struct diag *diag, struct builder *b)
{
    reach(b, b->program->entry);
    for (uint32_t f = 0; f < b->function_count; f++) {
        const struct function *function = &b->module->functions[b->functions[f].module_index];
        if (!function->is_defined)
            return diag_error(diag, WS_ERR_UNSUPPORTED,
                              "%s:%u: function '%s' is called but not defined in this file",
                              b->module->path, function->line, function->name);
        b->program->uses_heap |= native_calls(function->native_code, BUILTINS_OF_HEAP);
        for (uint32_t i = 0; i < function->insn_count; i++) {
            const struct insn *insn = &function->insns[i];
            reach_operands(b, insn);
            if (insn->op != OP_CALL || !insn->call) continue;
            enum builtin builtin = program_builtin(b, insn);
            b->program->uses_heap |= builtin_is_of(builtin, BUILTINS_OF_HEAP);
            if (builtin) continue;
            if (insn->call->function >= 0)
                reach(b, (uint32_t)insn->call->function);
            else
                reach_relocations(b);
        }
    }
    return WS_OK;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* A parameter whose address is taken lies in local memory (PTX ISA, mov); that of a kernel stays. */
static void find_homes(struct builder *b)
{
    const struct function *entry = &b->module->functions[b->program->entry];
    for (uint32_t f = 1; f < b->function_count; f++) {
        const struct function *function = &b->module->functions[b->functions[f].module_index];
        for (uint32_t i = 0; i < function->insn_count; i++) {
            const struct insn *insn = &function->insns[i];
            for (unsigned k = 0; k < (unsigned)insn->ndst + insn->nsrc; k++)
                if (insn_operand(insn, k)->kind == OPERAND_SYMBOL)
                    b->parameter_homes[insn_operand(insn, k)->symbol] = HOME_LOCAL;
        }
    }
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        b->parameter_homes[entry->parameters[i]] = HOME_LAUNCH;
        b->parameter_offsets[entry->parameters[i]] =
            (uint32_t)b->module->variables[entry->parameters[i]].offset;
    }
}

/* Parameter frames hold a function's formals, its results and the variables of its calls. */
static void lay_out_parameters(struct builder *b)
{
    find_homes(b);
    for (uint32_t v = 0; v < b->module->variable_count; v++) {
        const struct variable *variable = &b->module->variables[v];
        uint32_t known = variable->function >= 0 ? b->function_of[variable->function] : 0;
        uint8_t home = b->parameter_homes[v];
        if (variable->space != SPACE_PARAM || !known || home == HOME_LAUNCH) continue;
        struct function_build *build = &b->functions[known - 1];
        uint64_t *end = home == HOME_LOCAL ? &build->local_bytes : &build->parameter_bytes;
        uint64_t align = variable->alignment ? variable->alignment : 1;
        uint64_t at = (*end + align - 1) & ~(align - 1);
        b->parameter_offsets[v] = (uint32_t)at; /* check_function refuses larger ones */
        *end = at + variable->bytes;
    }
}

static ws_status check_frame(struct diag *diag, const struct builder *b,
                             const struct function *function, const char *what, uint64_t bytes,
                             uint64_t most)
{
    if (bytes <= most) return WS_OK;
    return program_error(diag, b, function, "it requires %llu bytes of %s; the limit is %llu",
                         (unsigned long long)bytes, what, (unsigned long long)most);
}

static ws_status lay_out_function(struct diag *diag, struct builder *b, uint32_t f)
{
    struct function_build *build = &b->functions[f];
    const struct function *function = &b->module->functions[build->module_index];
    build->slots = ARENA_ARRAY(&b->program->arena, uint32_t, function->vreg_count + 1);
    uint64_t registers = slots_assign(function, build->slots);
    uint64_t frame = registers + TEMPORARIES * 8 * WARP_LANES;
    build->parameter_bytes = (build->parameter_bytes + 15) & ~UINT64_C(15);
    build->local_bytes = (build->local_bytes + 15) & ~UINT64_C(15);
    TRY(check_frame(diag, b, function, "registers that are live at once, for 32 threads", frame,
                    STACK_REGISTER_BYTES_MAX));
    TRY(check_frame(diag, b, function, "parameters of calls", build->parameter_bytes,
                    STACK_PARAMETER_BYTES_MAX));
    TRY(check_frame(diag, b, function, "local memory", build->local_bytes, STACK_LOCAL_BYTES_MAX));
    build->temporaries = (uint32_t)registers;
    build->frame_bytes = (uint32_t)frame;
    build->first_block = b->code_count;
    build->first_insn = b->insn_count;
    build->first_vreg = b->vreg_count;
    b->code_count += function->block_count;
    b->insn_count += function->insn_count;
    b->vreg_count += function->vreg_count;
    return WS_OK;
}

/* Registers that are live into the function: read before any write; they start as zero. */
static void list_zeros(struct builder *b, uint32_t f)
{
    struct program_function *out = &b->program->functions[f];
    const struct function *function = out->function;
    if (function->block_count == 0) return;
    if (function->native_code) {
        native_zeros(b, f, out);
        return;
    }
    const uint64_t *live = function->blocks[0].live_in;
    uint32_t *offsets = ARENA_ARRAY(&b->program->arena, uint32_t, function->crossing_count + 1);
    uint32_t *bytes = ARENA_ARRAY(&b->program->arena, uint32_t, function->crossing_count + 1);
    uint32_t *registers = ARENA_ARRAY(&b->program->arena, uint32_t, function->crossing_count + 1);
    for (uint32_t bit = 0; bit < function->crossing_count; bit++) {
        uint32_t v = function->crossing[bit];
        if (!((live[bit / 64] >> (bit % 64)) & 1) || b->functions[f].slots[v] == UINT32_MAX)
            continue;
        registers[out->zero_count] = v;
        offsets[out->zero_count] = b->functions[f].slots[v];
        bytes[out->zero_count++] = register_bytes(function->vregs[v].type);
    }
    out->zero_offsets = offsets;
    out->zero_bytes = bytes;
    out->zero_registers = registers;
}

/* Local memory of a thread for alloca. A guess: more than compilers put there, little enough that
 * all threads of a block have it. */
enum { ALLOCA_BYTES = 1 << 14 };

static bool allocates(const struct builder *b)
{
    for (uint32_t f = 0; f < b->function_count; f++) {
        const struct function *function = b->program->functions[f].function;
        for (uint32_t i = 0; i < function->insn_count; i++)
            if (function->insns[i].op == OP_ALLOCA) return true;
    }
    return false;
}

/* Behind the locals of all functions. */
static void place_alloca_stack(struct builder *b)
{
    struct program *program = b->program;
    program->stack_begin = program->stack_end = (program->local_bytes_max + 15) & ~15u;
    if (!allocates(b)) return;
    program->stack_end += ALLOCA_BYTES;
    program->local_bytes_max = program->stack_end;
}

static void make_call_sites(struct builder *b)
{
    b->call_sites = ARENA_ARRAY(&b->program->arena, const struct call_site *, b->insn_count + 1);
    for (uint32_t f = 0; f < b->function_count; f++) {
        const struct function *function = b->program->functions[f].function;
        for (uint32_t i = 0; i < function->insn_count; i++)
            if (function->insns[i].op == OP_CALL)
                b->call_sites[b->functions[f].first_insn + i] =
                    call_site_of(b, function->insns[i].call);
    }
}

static ws_status make_functions(struct diag *diag, struct builder *b, const struct device *device)
{
    struct program *program = b->program;
    for (uint32_t f = 0; f < b->function_count; f++)
        b->functions[f].local_bytes =
            b->module->functions[b->functions[f].module_index].local_bytes;
    lay_out_parameters(b);
    red_zones_local(b, device);
    for (uint32_t f = 0; f < b->function_count; f++)
        TRY(lay_out_function(diag, b, f));
    program->function_count = b->function_count;
    program->functions = ARENA_ARRAY(&program->arena, struct program_function, b->function_count);
    for (uint32_t f = 0; f < b->function_count; f++) {
        const struct function_build *build = &b->functions[f];
        const struct function *function = &b->module->functions[build->module_index];
        program->functions[f] = (struct program_function){
            .function = function,
            .first_block = build->first_block,
            .frame_bytes = build->frame_bytes,
            .parameter_bytes = (uint32_t)build->parameter_bytes,
            .local_bytes = (uint32_t)build->local_bytes,
            .address_taken = build->address_taken,
            .arrays = build->arrays,
            .array_count = build->array_count,
        };
        call_formals(b, function, &program->functions[f].formals);
        list_zeros(b, f);
    }
    make_call_sites(b);
    TRY(call_depth(diag, b));
    program->locals_end = program->local_bytes_max;
    place_alloca_stack(b);
    return WS_OK;
}

static void make_view(struct builder *b)
{
    struct program *program = b->program;
    const struct insn **insns =
        ARENA_ARRAY(&program->arena, const struct insn *, b->insn_count + 1);
    struct code_block *blocks = ARENA_ARRAY(&program->arena, struct code_block, b->code_count + 1);
    for (uint32_t f = 0; f < b->function_count; f++) {
        const struct function_build *build = &b->functions[f];
        const struct function *function = &b->module->functions[build->module_index];
        for (uint32_t i = 0; i < function->insn_count; i++)
            insns[build->first_insn + i] = &function->insns[i];
        for (uint32_t k = 0; k < function->block_count; k++)
            blocks[build->first_block + k] = (struct code_block){
                .first = build->first_insn + function->blocks[k].first,
                .count = function->blocks[k].count,
                .function = function,
                .block = &function->blocks[k],
                .vreg_base = build->first_vreg,
            };
    }
    program->view = (struct launch_view){
        .module = b->module,
        .entry = program->entry,
        .static_shared_bytes = program->static_shared_bytes,
        .insn_count = b->insn_count,
        .insns = insns,
        .code_block_count = b->code_count,
        .code_blocks = blocks,
    };
}

static void make_call(struct builder *b, const struct function_build *build,
                      const struct insn *insn, struct code *code)
{
    code->builtin = (uint8_t)program_builtin(b, insn);
    code->terminator = code->builtin ? TERM_BUILTIN : TERM_CALL;
    code->site = b->call_sites[code->last_index];
    code->callee_register = REF_NONE;
    if (code->builtin) return;
    if (insn->call->function >= 0) {
        code->target = b->function_of[insn->call->function] - 1;
        return;
    }
    const struct vreg *vreg =
        &b->module->functions[build->module_index].vregs[insn->operands[0].reg];
    code->callee_register = REF(BASE_FRAME, build->slots[insn->operands[0].reg]);
    code->callee_bytes = (uint8_t)(type_infos[vreg->type].bits / 8);
}

/* The predicate beside the guard of a native branch or exit; where it is always false, no lane goes. */
static void make_condition(const struct function_build *build, const struct insn *insn,
                           struct code *code)
{
    const struct operand *condition = insn_source(insn, 0);
    code->condition_negated = condition->negate;
    if (condition->kind == OPERAND_REGISTER)
        code->condition = REF(BASE_FRAME, build->slots[condition->reg]);
}

/* How a block ends, and where it goes. */
static void make_terminator(struct builder *b, uint32_t f, const struct basic_block *block,
                            struct code *code)
{
    const struct function_build *build = &b->functions[f];
    const struct function *function = &b->module->functions[build->module_index];
    uint32_t index = block->first + block->count - 1;
    const struct insn *insn = &function->insns[index];
    uint32_t after = index + 1;
    code->function = f;
    code->insn_count = block->count;
    code->next =
        after < function->insn_count ? build->first_block + function->block_of[after] : CODE_END;
    code->reconverge =
        block->post_dominator < 0 ? CODE_END : build->first_block + (uint32_t)block->post_dominator;
    code->last = insn;
    code->last_index = build->first_insn + index;
    code->guard = insn->guard >= 0 ? REF(BASE_FRAME, build->slots[insn->guard]) : REF_NONE;
    code->guard_negated = (insn->flags & INSN_NEG_GUARD) != 0;
    code->condition = REF_NONE;
    switch (insn->op) {
    case OP_N_BRANCH:
    case OP_N_BRANCH_ANY:
    case OP_N_EXIT:
        make_condition(build, insn, code);
        if (insn->op == OP_N_EXIT) {
            code->terminator = TERM_EXIT;
            break;
        }
        /* fall through */
    case OP_N_BRANCH_DIV:
    case OP_N_BRANCH_CONV:
    case OP_BRA:
        code->terminator = TERM_BRANCH;
        code->tests_divergence = insn->op == OP_N_BRANCH_DIV || insn->op == OP_N_BRANCH_CONV;
        code->wants_divergence = insn->op == OP_N_BRANCH_DIV;
        code->takes_all = insn->op == OP_N_BRANCH_ANY;
        code->target = build->first_block + function->block_of[insn->target];
        code->backward = (uint32_t)insn->target <= index;
        break;
    case OP_N_COLLECTIVE:
        code->terminator = TERM_COLLECTIVE;
        break;
    case OP_N_JUMP:
        code->terminator = TERM_JUMP;
        code->backward = true;
        break;
    case OP_N_BSYNC:
        code->terminator = TERM_RECONVERGE;
        break;
    case OP_BRX: {
        uint32_t *targets = ARENA_ARRAY(&b->program->arena, uint32_t, insn->target_count + 1);
        for (uint32_t k = 0; k < insn->target_count; k++)
            targets[k] = build->first_block + function->block_of[insn->targets[k]];
        code->terminator = TERM_BRANCH_INDEXED;
        code->targets = targets;
        code->backward = true;
        break;
    }
    case OP_CALL:
        make_call(b, build, insn, code);
        break;
    case OP_RET:
        code->terminator = TERM_RET;
        break;
    case OP_EXIT:
        code->terminator = TERM_EXIT;
        break;
    case OP_TRAP:
    case OP_BRKPT:
        code->terminator = TERM_TRAP;
        break;
    case OP_CLUSTER_WAIT:
        code->terminator = TERM_CLUSTER_WAIT;
        break;
    case OP_WGMMA_WAIT:
        code->terminator = TERM_PRODUCTS_WAIT;
        break;
    case OP_BAR:
    case OP_BARRIER:
        code->terminator = insn->sub_op == SUB_WARP_SYNC ? TERM_SYNC : TERM_BARRIER;
        break;
    default:
        code->terminator = insn->flags & INSN_SYNC ? TERM_SYNC : TERM_FALL;
        break;
    }
}

static bool ends_by_itself(uint8_t terminator)
{
    return terminator != TERM_FALL && terminator != TERM_SYNC && terminator != TERM_PRODUCTS_WAIT;
}

static ws_status make_code(struct diag *diag, struct builder *b)
{
    struct program *program = b->program;
    program->code_count = b->code_count;
    program->code = ARENA_ARRAY(&program->arena, struct code, b->code_count + 1);
    for (uint32_t f = 0; f < b->function_count; f++) {
        const struct function_build *build = &b->functions[f];
        const struct function *function = &b->module->functions[build->module_index];
        for (uint32_t k = 0; k < function->block_count; k++) {
            const struct basic_block *block = &function->blocks[k];
            struct code *code = &program->code[build->first_block + k];
            make_terminator(b, f, block, code);
            uint32_t count = block->count - (ends_by_itself(code->terminator) ? 1 : 0);
            b->uop_count = 0;
            for (uint32_t i = 0; i < count; i++)
                TRY(make_uop(diag, b, f, block->first + i));
            /* Ends that have operands keep them in a last operation that run_body does not run. */
            bool kept = code->terminator == TERM_BARRIER ||
                        code->terminator == TERM_BRANCH_INDEXED || code->terminator == TERM_JUMP ||
                        code->terminator == TERM_RECONVERGE ||
                        code->terminator == TERM_COLLECTIVE || code->tests_divergence;
            if (kept) TRY(make_uop(diag, b, f, block->first + count));
            struct uop *uops = ARENA_ARRAY(&program->arena, struct uop, b->uop_count + 1);
            if (b->uop_count) memcpy(uops, b->uops, b->uop_count * sizeof *uops);
            code->uops = uops;
            code->uop_count = b->uop_count;
            if (kept || code->terminator == TERM_SYNC) code->uop_count--;
        }
    }
    if (b->pool_is_full)
        return program_error(diag, b, program->functions[0].function,
                             "its code has too many different constants: at most %u",
                             POOL_BYTES_MAX / (8 * WARP_LANES));
    return WS_OK;
}

bool program_reads_special(const struct insn *insn, int32_t first, int32_t last)
{
    for (unsigned k = 0; k < insn->nsrc; k++) {
        const struct operand *source = insn_source(insn, k);
        if (source->kind == OPERAND_SPECIAL && source->reg >= first && source->reg <= last)
            return true;
    }
    return false;
}

static bool asks_reserved_shared(const struct function *function)
{
    for (uint32_t i = 0; i < function->insn_count; i++)
        if (program_reads_special(&function->insns[i], SREG_RESERVED_SMEM_OFFSET_BEGIN,
                                  SREG_RESERVED_SMEM_OFFSET_1))
            return true;
    return false;
}

/* Moves the shared variables behind what is reserved; aligned as the strictest of them. */
static void reserve_shared(struct builder *b)
{
    bool asks = false;
    for (uint32_t f = 0; f < b->function_count && !asks; f++)
        asks = asks_reserved_shared(&b->module->functions[b->functions[f].module_index]);
    if (!asks) return;
    uint64_t base = RESERVED_SHARED_BYTES;
    for (uint32_t v = 0; v < b->module->variable_count; v++)
        if (b->shared_offsets[v] != UINT64_MAX && b->module->variables[v].alignment > base)
            base = b->module->variables[v].alignment;
    for (uint32_t v = 0; v < b->module->variable_count; v++)
        if (b->shared_offsets[v] != UINT64_MAX) b->shared_offsets[v] += base;
    b->program->shared_base = base;
}

static bool prints(const struct program *program)
{
    if (native_calls(program->native_code, BUILTIN_SET(VPRINTF))) return true;
    for (uint32_t i = 0; i < program->code_count; i++)
        if (program->code[i].terminator == TERM_BUILTIN &&
            program->code[i].builtin == BUILTIN_VPRINTF)
            return true;
    return false;
}

/* Static bytes up to where the module's extern arrays begin: these may be aligned to more than dynamic memory is. */
static uint64_t align_dynamic(const struct module *module, uint64_t static_bytes)
{
    uint64_t alignment = 1;
    for (uint32_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = &module->variables[v];
        if (variable->space == SPACE_SHARED && variable->is_extern &&
            variable->alignment > alignment)
            alignment = variable->alignment;
    }
    return alignment > 16 ? (static_bytes + alignment - 1) / alignment * alignment : static_bytes;
}

bool program_executes(const struct insn *insn, const struct function *function)
{
    return semantics_base.select(insn, function).full != NULL;
}

ws_status program_create(struct diag *diag, struct device *device, const struct module *module,
                         uint32_t entry, const struct semantics *semantics, struct program **out)
{
    *out = NULL;
    TRY(module_check_supported(diag, module, entry, program_executes, device->call));
    struct builder b = {.module = module, .semantics = semantics};
    TRY(device_place(diag, device, module, &b.addresses));
    struct program *program = mem_zalloc(1, sizeof *program);
    b.program = program;
    program->module = module;
    program->module_id = module->id;
    program->entry = entry;
    program->warps_at_barriers = module->target < 70;
    program->compiling = compiling_create(&program->arena, device);
    b.shared_offsets = ARENA_ARRAY(&program->arena, uint64_t, module->variable_count + 1);
    b.parameter_offsets = ARENA_ARRAY(&program->arena, uint32_t, module->variable_count + 1);
    b.local_shifts = ARENA_ARRAY(&program->arena, uint32_t, module->variable_count + 1);
    b.parameter_homes = ARENA_ARRAY(&program->arena, uint8_t, module->variable_count + 1);
    b.function_of = ARENA_ARRAY(&program->arena, uint32_t, module->function_count + 1);
    program->function_of = b.function_of;
    program->addresses = b.addresses;
    program->native_code = module->functions[entry].native_code;
    program->static_shared_bytes =
        align_dynamic(module, module_shared_layout(module, entry, b.shared_offsets));
    if (program->native_code) {
        program->static_shared_bytes = program->native_code->shared_bytes;
        program->shared_base = program->native_code->shared_base;
    }
    ws_status status = reach_all(diag, &b);
    if (status == WS_OK && !program->native_code) {
        reserve_shared(&b);
        red_zones_shared(&b, device);
    }
    if (status == WS_OK) status = make_functions(diag, &b, device);
    if (status == WS_OK) {
        make_view(&b);
        status = make_code(diag, &b);
    }
    if (status == WS_OK) {
        program->pool = fill_pool(&b);
        program->prints = prints(program);
        list_bank_operands(&b);
    }
    signatures_clear(&b.signatures);
    mem_free(b.functions);
    mem_free(b.constants);
    mem_free(b.constant_slots);
    mem_free(b.uops);
    if (status != WS_OK)
        program_destroy(program);
    else
        *out = program;
    return status;
}

void program_destroy(struct program *program)
{
    if (!program) return;
    compiling_clear(program->compiling);
    kit_destroy(program->kit);
    arena_clear(&program->arena);
    mem_free(program);
}
