// SPDX-License-Identifier: Apache-2.0
/* A cubin becomes a module: each kernel a function with all code that it may reach, and its place in memory. */
#include "decode/native/native_module.h"

#include <stdio.h>
#include <string.h>

#include "base/memo.h"
#include "decode/native/listing.h"
#include "decode/native/native_filling.h"
#include "decode/parser.h"

/* Where code begins: above all device memory, so that data and code never share an address. */
#define CODE_BASE (UINT64_C(1) << 46)
/* A thread's local memory where calls through pointers leave it open: what the driver gives by default (CUDA C++
 * Programming Guide, cudaLimitStackSize); and where it recurses or calls alloca, what PTX has for that (emulate/call_depth.c). */
enum { DEFAULT_STACK_BYTES = 1024, OPEN_STACK_BYTES = 1 << 14 };
/* What a thread may take of it by alloca (QUIRKS.md). */
enum { ALLOCA_BYTES = 16384 };
/* What the system takes of shared memory from sm_90 on lies before the kernel's own. */
enum { RESERVED_SHARED_90 = 1024 };

/* Those that a call of a function of the device runtime knows: arguments from R4 on, the address of return in R20
 * and R21. */
enum { BUILTIN_REGISTERS = 22 };

/* ---- functions ------------------------------------------------------------------------------- */

static const struct vreg *native_vregs(struct arena *arena)
{
    struct vreg *vregs = ARENA_ARRAY(arena, struct vreg, NATIVE_VREGS);
    for (unsigned i = 0; i < NATIVE_VREGS; i++) {
        bool is_predicate = (i >= VREG_P && i <= VREG_UPT) || i == VREG_BARRIER_TRUE;
        const char *prefix = i < VREG_UR ? "R" : i < VREG_P ? "UR" : i < VREG_UP ? "P" : "UP";
        unsigned first = i < VREG_UR   ? VREG_R
                         : i < VREG_P  ? VREG_UR
                         : i < VREG_UP ? VREG_P
                                       : VREG_UP;
        vregs[i].name = i >= VREG_B ? arena_format(arena, "B%u", i - VREG_B)
                                    : arena_format(arena, "%s%u", prefix, i - first);
        vregs[i].type = is_predicate ? TYPE_PRED : TYPE_B32;
    }
    return vregs;
}

/* Functions elsewhere that the file names: which of them a call through registers goes to is known only when it is made. */
static uint64_t named_builtins(const struct filling *f)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < f->cubin->symbol_count; i++) {
        enum builtin builtin = builtin_of_symbol(&f->cubin->symbols[i]);
        if (builtin && f->cubin->symbols[i].is_undefined) set |= UINT64_C(1) << builtin;
    }
    return set;
}

static uint64_t find_builtins(const struct filling *f, const struct kernel *k)
{
    uint64_t set = 0;
    bool calls_through_registers = false;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct insn *insn = &k->insns[i];
        if (insn->op != OP_N_JUMP || strncmp(insn->text, "CALL", 4) != 0) continue;
        uint64_t builtin = ((uint64_t)insn->modifiers - NATIVE_BUILTINS) / 16;
        bool is_direct = insn_source(insn, 0)->kind == OPERAND_IMMEDIATE;
        if (is_direct && builtin < BUILTIN_COUNT) set |= UINT64_C(1) << builtin;
        calls_through_registers |= !is_direct;
    }
    return calls_through_registers ? set | named_builtins(f) : set;
}

static uint32_t highest_register(const struct kernel *k)
{
    uint32_t highest = k->function->registers;
    for (uint32_t i = 0; i < k->insn_count; i++)
        for (unsigned o = 0; o < (unsigned)k->insns[i].ndst + k->insns[i].nsrc; o++) {
            const struct operand *operand = &k->insns[i].operands[o];
            bool names = operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_ADDRESS;
            uint32_t last = (uint32_t)operand->reg + (operand->width == WIDTH_PAIR ? 1 : 0);
            if (names && operand->reg >= 0 && operand->reg < VREG_RZ && last >= highest)
                highest = last + 1;
        }
    return highest < VREG_RZ ? highest : VREG_RZ;
}

static uint64_t shared_base(const struct cubin *cubin)
{
    return cubin->target >= 90 ? RESERVED_SHARED_90 : 0;
}

static uint64_t own_shared_bytes(const struct cubin *cubin, const struct cubin_function *function)
{
    /* Whole words: atomics on halves are made of swaps of words. */
    uint64_t bytes = (function->shared_bytes + 3) / 4 * 4;
    if (cubin->target < 90) return bytes;
    return bytes > RESERVED_SHARED_90 ? bytes - RESERVED_SHARED_90 : 0;
}

static const struct native_code *make_native_code(const struct filling *f, const struct kernel *k)
{
    struct native_code *out = ARENA_ARRAY(f->arena, struct native_code, 1);
    struct constant_bank *banks = ARENA_ARRAY(f->arena, struct constant_bank, NATIVE_BANKS);
    *out = (struct native_code){.range_count = k->range_count,
                                .ranges = k->ranges,
                                .parameters_at = k->function->parameter_offset,
                                .registers = highest_register(k),
                                .shared_base = shared_base(f->cubin),
                                .shared_bytes = own_shared_bytes(f->cubin, k->function),
                                .banks = banks,
                                .places = k->places,
                                .ptx = f->ptx,
                                .ptx_size = f->cubin->ptx_size,
                                .builtins = find_builtins(f, k)};
    if (out->builtins && out->registers < BUILTIN_REGISTERS) out->registers = BUILTIN_REGISTERS;
    for (unsigned b = 0; b < NATIVE_BANKS; b++)
        if (k->banks[b] >= 0)
            banks[out->bank_count++] = (struct constant_bank){
                .bank = b, .variable = k->banks[b], .size = f->variables[k->banks[b]].bytes};
    return out;
}

static void add_parameters(struct filling *f, const struct cubin_function *from, int32_t function,
                           struct function *out)
{
    out->parameter_bytes = from->parameter_bytes;
    out->parameter_count = from->parameter_count;
    out->parameters = ARENA_ARRAY(f->arena, int32_t, from->parameter_count + 1);
    for (uint32_t i = 0; i < from->parameter_count; i++) {
        const struct cubin_parameter *parameter = &from->parameters[i];
        char name[32];
        snprintf(name, sizeof name, "param_%u", i);
        out->parameters[i] = (int32_t)f->variable_count;
        struct variable *variable = filling_add_variable(f, name, SPACE_PARAM, parameter->size);
        variable->type = parameter->size == 8   ? TYPE_B64
                         : parameter->size == 4 ? TYPE_B32
                                                : TYPE_B8;
        variable->function = function;
        variable->alignment = parameter->size < 8 ? parameter->size : 8;
        variable->offset = parameter->offset;
    }
}

/* Bytes that an instruction takes from the stack: R1 is its pointer. */
static uint64_t taken_by(const struct insn *insn)
{
    if (insn->ndst != 1 || insn->operands[0].reg != VREG_R + 1) return 0;
    bool adds = false;
    int32_t value = 0;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        adds |= source->kind == OPERAND_REGISTER && source->reg == VREG_R + 1;
        if (source->kind == OPERAND_IMMEDIATE && source->imm) value = (int32_t)source->imm;
    }
    return adds && value < 0 ? (uint64_t) - (int64_t)value : 0;
}

/* Does it set the stack pointer to what nothing tells here? alloca and stackrestore do. */
static bool moves_stack(const struct insn *insn)
{
    if (insn->ndst < 1 || insn->operands[0].reg != VREG_R + 1) return false;
    bool is_masked = false, from_other = false;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        bool is_register = source->kind == OPERAND_REGISTER && source->reg < VREG_RZ;
        from_other |= is_register && source->reg != VREG_R + 1;
        is_masked |= is_register && !strncmp(insn->text, "LOP3", 4);
    }
    return from_other || is_masked;
}

/* Is the instruction one of a function that the kernel calls? Those lie behind its own, or in other sections. */
static bool is_called_code(const struct filling *f, const struct kernel *k, uint64_t address)
{
    uint64_t own = f->code_address[k->function->section] + k->function->offset;
    if (address - own >= k->function->size) return true;
    for (uint32_t i = 0; i < f->cubin->function_count; i++) {
        const struct cubin_function *one = &f->cubin->functions[i];
        uint64_t begin = one->section < 0 ? 0 : f->code_address[one->section] + one->offset;
        if (!one->is_entry && one->section == k->function->section && begin <= address) return true;
    }
    return false;
}

/* ptxas leaves alloca out of the kernel's stack, and recursive functions, for whose frames it then has no room. From
 * sm_90 on only their code tells their size. */
static bool is_stack_open(const struct filling *f, const struct kernel *k, uint64_t stack)
{
    for (uint32_t r = 0; r < k->range_count; r++) {
        const struct code_range *range = &k->ranges[r];
        for (uint32_t i = 0; i < range->bytes / NATIVE_WORD_BYTES; i++) {
            const struct insn *insn = &k->insns[range->first_insn + i];
            uint64_t frame = taken_by(insn);
            if (moves_stack(insn)) return true;
            if (frame && k->function->frame_bytes + frame > stack &&
                is_called_code(f, k, range->address + (uint64_t)i * NATIVE_WORD_BYTES))
                return true;
        }
    }
    return false;
}

/* Does code move the stack pointer, R1, other than down to the frame that the file tells and up again? The file does
 * not tell of alloca. */
static bool allocates_stack(const struct kernel *k, uint64_t stack_bytes)
{
    uint64_t down = 0;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct insn *insn = &k->insns[i];
        if (!insn->ndst || insn->operands[0].kind != OPERAND_REGISTER || insn->operands[0].reg != 1)
            continue;
        for (unsigned s = 0; s < insn->nsrc; s++) {
            const struct operand *source = insn_source(insn, s);
            int32_t by = source->kind == OPERAND_IMMEDIATE ? (int32_t)source->imm : 0;
            if (source->kind == OPERAND_REGISTER && source->reg != 1) return true;
            if (by < 0) down -= (uint64_t)(int64_t)by;
        }
    }
    return down > stack_bytes;
}

static uint64_t stack_bytes(const struct filling *f, const struct kernel *k)
{
    const struct cubin_function *from = k->function;
    uint64_t stack = from->stack_bytes > from->frame_bytes ? from->stack_bytes : from->frame_bytes;
    uint64_t least = is_stack_open(f, k, stack) ? stack + OPEN_STACK_BYTES
                     : k->section_count > 1     ? DEFAULT_STACK_BYTES
                                                : 0;
    if (stack < least) stack = least;
    if (allocates_stack(k, stack)) stack += ALLOCA_BYTES;
    return (stack + 15) / 16 * 16;
}

static ws_status make_function(struct filling *f, const struct cubin_function *from,
                               struct function *out)
{
    struct kernel k = {.function = from};
    f->dynamic_shared =
        shared_base(f->cubin) + shared_dynamic_offset(own_shared_bytes(f->cubin, from));
    TRY(kernel_read_code(f, &k));
    kernel_find_leaders(f, &k);
    kernel_find_polls(&k);
    *out = (struct function){
        .name = arena_copy(f->arena, from->name),
        .display_name = arena_copy(f->arena, from->display_name),
        .is_entry = true,
        .is_defined = true,
        .local_bytes = stack_bytes(f, &k),
        .vreg_count = NATIVE_VREGS,
        .vregs = f->vregs,
        .insn_count = k.insn_count,
        .insns = k.insns,
        .max_live_registers = from->registers,
        .unsupported_count = k.unsupported_count,
        .unsupported = k.unsupported,
    };
    for (uint32_t i = 0; i < k.insn_count; i++)
        if (native_is_jump(&k.insns[i]) && k.insns[i].target < 0)
            return diag_error(f->diag, WS_ERR_INPUT,
                              "%s: %s: the branch at 0x%x goes out of the code", f->cubin->path,
                              from->name, k.insns[i].line);
    memcpy(out->required_threads, from->required_threads, sizeof out->required_threads);
    memcpy(out->max_threads, from->max_threads, sizeof out->max_threads);
    memcpy(out->required_cluster, from->cluster, sizeof out->required_cluster);
    out->native_code = make_native_code(f, &k);
    add_parameters(f, from, (int32_t)f->function_count, out);
    kernel_make_blocks(f, &k, out);
    return WS_OK;
}

static const char *file_path(struct arena *arena, const struct cubin_file *file)
{
    if (!file->folder || file->name[0] == '/') return arena_copy(arena, file->name);
    return arena_format(arena, "%s/%s", file->folder, file->name);
}

static void list_files(struct filling *f)
{
    f->first_file = f->file_count;
    for (uint32_t i = 0; i < f->cubin->file_count; i++)
        f->files[f->file_count++] = file_path(f->arena, &f->cubin->files[i]);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool is_of_one_file(const struct cubin *cubin, const struct cubin_function *function)
{
    const struct cubin_symbol *symbol = &cubin->symbols[function->symbol];
    return !symbol->is_global && !symbol->is_weak;
}

/* What a template makes in several .cu files is the same in all. */
static bool is_known(const struct filling *f, const struct cubin_function *from)
{
    for (uint32_t i = 0; i < f->function_count && !is_of_one_file(f->cubin, from); i++) {
        const struct cubin_function *other = f->from[i];
        if (other && other->size == from->size && !strcmp(other->name, from->name) &&
            !memcmp(other->code, from->code, from->size))
            return true;
    }
    return false;
}

static ws_status add_cubin(struct filling *f, const struct cubin *cubin)
{
    f->cubin = cubin;
    f->code_address = ARENA_ARRAY(f->arena, uint64_t, cubin->section_count + 1);
    f->section_variable = ARENA_ARRAY(f->arena, int32_t, cubin->section_count + 1);
    f->symbol_variable = ARENA_ARRAY(f->arena, int32_t, cubin->symbol_count + 1);
    f->ptx = cubin->ptx ? arena_copy_n(f->arena, cubin->ptx, cubin->ptx_size) : NULL;
    list_files(f);
    filling_place_code(f);
    TRY(filling_add_data(f));
    for (uint32_t i = 0; i < cubin->entry_count; i++) {
        const struct cubin_function *from = &cubin->functions[i];
        if (is_known(f, from)) continue;
        TRY(make_function(f, from, &f->functions[f->function_count]));
        f->from[f->function_count++] = is_of_one_file(cubin, from) ? NULL : from;
    }
    return WS_OK;
}

static void make_room(struct filling *f, struct cubin *const *cubins, size_t count)
{
    uint32_t functions = 1, files = 1, variables = 1;
    for (size_t c = 0; c < count; c++) {
        const struct cubin *cubin = cubins[c];
        functions += cubin->entry_count;
        files += cubin->file_count;
        variables += cubin->section_count + cubin->symbol_count;
        for (uint32_t i = 0; i < cubin->entry_count; i++)
            variables += cubin->functions[i].parameter_count;
    }
    f->functions = ARENA_ARRAY(f->arena, struct function, functions);
    f->from = ARENA_ARRAY(f->arena, const struct cubin_function *, functions);
    f->variables = ARENA_ARRAY(f->arena, struct variable, variables);
    f->files = ARENA_ARRAY(f->arena, const char *, files);
    f->files[f->file_count++] = "";
}

ws_status native_module_fill(struct diag *diag, struct cubin *const *cubins, size_t count,
                             struct module *out)
{
    struct arena *arena = &out->arena;
    struct filling f = {.diag = diag,
                        .module = out,
                        .arena = arena,
                        .vregs = native_vregs(arena),
                        .code_end = CODE_BASE};
    make_room(&f, cubins, count);
    ws_status status = WS_OK;
    for (size_t c = 0; c < count && status == WS_OK; c++)
        status = add_cubin(&f, cubins[c]);
    mem_free(f.texts);
    TRY(status);
    out->target = cubins[0]->target;
    out->target_name = arena_format(arena, "sm_%u", out->target);
    out->native = arena_format(arena, "sass sm_%u", out->target);
    out->address_bits = 64;
    out->texts = mem_zalloc(1, sizeof *out->texts);
    out->ptx = ""; /* there was the file */
    out->ptx_size = 0;
    out->variable_count = f.variable_count;
    out->variables = f.variables;
    out->function_count = f.function_count;
    out->functions = f.functions;
    out->files = f.files;
    out->file_count = f.file_count;
    order_classify(out);
    return WS_OK;
}
