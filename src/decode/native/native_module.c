// SPDX-License-Identifier: Apache-2.0
/* A cubin becomes a module: sections of data become variables, words of code become instructions
 * (lower.h), and each kernel gets all code that it may reach in one list. Sections of code lie in an
 * address space of their own, where calls through registers find them. */
#include "decode/native/native_module.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "decode/native/listing.h"
#include "decode/native/lower.h"
#include "decode/parser.h"

/* Where code begins: above all device memory, so that a data address is no code address. */
#define CODE_BASE (UINT64_C(1) << 46)
enum { SECTION_GAP = 4096 };
/* A thread's local memory where calls through pointers leave it open: what the driver gives by default (CUDA C++
 * Programming Guide, cudaLimitStackSize); and where it recurses, what recursion in PTX has (emulate/call_depth.c). */
enum { DEFAULT_STACK_BYTES = 1024, RECURSIVE_STACK_BYTES = 1 << 14 };
/* What a thread may take of it by alloca (QUIRKS.md). */
enum { ALLOCA_BYTES = 16384 };
/* What the system takes of shared memory from sm_90 on lies before the kernel's own. */
enum { RESERVED_SHARED_90 = 1024 };

/* Those that a call of a function of the device runtime knows: arguments from R4 on, the address of return in R20
 * and R21. */
enum { BUILTIN_REGISTERS = 22 };

struct filling {
    struct diag *diag;
    struct module *module;
    struct arena *arena;
    /* Of the cubin that is read. */
    const struct cubin *cubin;
    uint64_t *code_address;    /* by section */
    int32_t *section_variable; /* by section: the variable that is the whole section; -1 */
    int32_t *symbol_variable;  /* by symbol; -1 */
    uint32_t first_file;       /* of its source files, in `files` */
    const char *ptx;           /* that it was compiled from; NULL: it has none */
    /* Of all cubins. */
    const struct vreg *vregs;
    uint64_t code_end;
    struct variable *variables;
    struct function *functions;
    const struct cubin_function **from; /* by function; NULL: of one cubin only (a static kernel) */
    const char **files;
    uint32_t variable_count, function_count, file_count;
    const char **texts; /* of opcodes, each once */
    uint32_t text_count, text_room;
};

/* ---- addresses and variables ----------------------------------------------------------------- */

static void place_code(struct filling *f)
{
    for (uint32_t s = 0; s < f->cubin->section_count; s++) {
        if (f->cubin->sections[s].kind != CUBIN_CODE) continue;
        f->code_address[s] = f->code_end;
        f->code_end += (f->cubin->sections[s].size / SECTION_GAP + 2) * SECTION_GAP;
    }
}

static struct variable *add_variable(struct filling *f, const char *name, enum mem_space space,
                                     uint64_t bytes)
{
    struct variable *variable = &f->variables[f->variable_count++];
    *variable = (struct variable){.name = arena_copy(f->arena, name),
                                  .space = (uint8_t)space,
                                  .type = TYPE_B8,
                                  .function = -1,
                                  .alignment = 256,
                                  .bytes = bytes};
    return variable;
}

static void copy_contents(struct filling *f, const struct cubin_section *section, uint64_t offset,
                          struct variable *variable)
{
    if (!section->bytes || offset > section->size || variable->bytes > section->size - offset)
        return;
    uint8_t *bytes = arena_alloc(f->arena, variable->bytes + 1);
    memcpy(bytes, section->bytes + offset, variable->bytes);
    variable->init = bytes;
}

static void add_section_variables(struct filling *f)
{
    for (uint32_t s = 0; s < f->cubin->section_count; s++) {
        const struct cubin_section *section = &f->cubin->sections[s];
        f->section_variable[s] = -1;
        if (section->kind != CUBIN_CONSTANT || section->bank == 0 || !section->size) continue;
        f->section_variable[s] = (int32_t)f->variable_count;
        copy_contents(f, section, 0, add_variable(f, section->name, SPACE_CONST, section->size));
    }
}

static void add_symbol_variables(struct filling *f)
{
    for (uint32_t i = 0; i < f->cubin->symbol_count; i++) {
        const struct cubin_symbol *symbol = &f->cubin->symbols[i];
        f->symbol_variable[i] = -1;
        if (symbol->kind != CUBIN_SYMBOL_DATA || symbol->section < 0 || !symbol->size) continue;
        const struct cubin_section *section = &f->cubin->sections[symbol->section];
        bool is_global = section->kind == CUBIN_GLOBAL || section->kind == CUBIN_GLOBAL_INIT;
        int32_t whole = f->section_variable[symbol->section];
        if (!is_global && whole < 0) continue;
        f->symbol_variable[i] = (int32_t)f->variable_count;
        struct variable *variable =
            add_variable(f, symbol->name, is_global ? SPACE_GLOBAL : SPACE_CONST, symbol->size);
        variable->offset = symbol->offset;
        if (is_global)
            copy_contents(f, section, symbol->offset, variable);
        else
            variable->part_of = whole + 1;
    }
}

/* The variable that holds an offset of a section, and the offset in it; -1: none. */
static int32_t find_variable(const struct filling *f, int32_t section, uint64_t offset,
                             uint64_t *out_offset)
{
    if (section < 0) return -1;
    *out_offset = offset;
    if (f->section_variable[section] >= 0) return f->section_variable[section];
    for (uint32_t i = 0; i < f->cubin->symbol_count; i++) {
        const struct cubin_symbol *symbol = &f->cubin->symbols[i];
        if (f->symbol_variable[i] < 0 || symbol->section != section) continue;
        if (offset - symbol->offset >= symbol->size) continue;
        *out_offset = offset - symbol->offset;
        return f->symbol_variable[i];
    }
    return -1;
}

/* What a relocation's symbol and addend mean. */
struct meaning {
    int32_t variable; /* -1: `value` is all */
    int64_t value;    /* else in the variable */
};

/* BUILTIN_NONE: none that the engine has. */
static enum builtin builtin_of(const struct cubin_symbol *symbol)
{
    static const char *const names[] = {
#define BUILTIN(name, text, parameters, results, bytes) [BUILTIN_##name] = text,
#include "decode/builtins.def"
#undef BUILTIN
    };
    for (unsigned i = 1; i < BUILTIN_COUNT && symbol->is_undefined; i++)
        if (!strcmp(symbol->name, names[i])) return (enum builtin)i;
    return BUILTIN_NONE;
}

static bool understand(const struct filling *f, const struct cubin_relocation *relocation,
                       struct meaning *out)
{
    const struct cubin_symbol *symbol = &f->cubin->symbols[relocation->symbol];
    int64_t at = (int64_t)symbol->offset + relocation->addend;
    enum builtin builtin = builtin_of(symbol);
    if (builtin) at = (int64_t)native_builtin_address(builtin) + relocation->addend;
    *out = (struct meaning){.variable = -1, .value = at};
    if (builtin) return true;
    if (symbol->section < 0) return false;
    const struct cubin_section *section = &f->cubin->sections[symbol->section];
    switch (section->kind) {
    case CUBIN_CODE:
        out->value += (int64_t)f->code_address[symbol->section];
        return true;
    case CUBIN_SHARED:
        return true;
    default: {
        uint64_t offset = 0;
        out->variable = find_variable(f, symbol->section, (uint64_t)at, &offset);
        out->value = (int64_t)offset;
        return out->variable >= 0;
    }
    }
}

static ws_status refuse_relocation(struct filling *f, const struct cubin_relocation *relocation)
{
    const struct cubin_relocation_kind *kind = cubin_relocation_kind(relocation->type);
    return diag_error(f->diag, WS_ERR_UNSUPPORTED,
                      "%s: relocation %s (%u) of symbol '%s' at %s+0x%llx is not supported",
                      f->cubin->path, kind ? kind->name : "of unknown type", relocation->type,
                      f->cubin->symbols[relocation->symbol].name,
                      f->cubin->sections[relocation->section].name,
                      (unsigned long long)relocation->offset);
}

/* ---- relocations of data --------------------------------------------------------------------- */

static ws_status relocate_data(struct filling *f, const struct cubin_section *section)
{
    for (uint32_t r = 0; r < section->relocation_count; r++) {
        const struct cubin_relocation *relocation =
            &f->cubin->relocations[section->relocation_first + r];
        const struct cubin_relocation_kind *kind = cubin_relocation_kind(relocation->type);
        struct meaning meaning;
        uint64_t offset;
        int32_t at = find_variable(f, relocation->section, relocation->offset, &offset);
        const struct cubin_relocation_part *part = kind ? kind->parts : NULL;
        if (!part || at < 0 || part->at || part->width % 8 || kind->parts[1].width ||
            !understand(f, relocation, &meaning))
            return refuse_relocation(f, relocation);
        struct variable *variable = &f->variables[at];
        if (!part->width) continue;
        if (meaning.variable < 0) {
            uint64_t value = (uint64_t)meaning.value >> part->shift;
            memcpy((uint8_t *)(uintptr_t)variable->init + offset, &value, part->width / 8u);
            continue;
        }
        struct relocation *list =
            ARENA_ARRAY(f->arena, struct relocation, variable->relocation_count + 1u);
        if (variable->relocation_count)
            memcpy(list, variable->relocations, variable->relocation_count * sizeof *list);
        list[variable->relocation_count++] = (struct relocation){.offset = offset,
                                                                 .symbol = meaning.variable,
                                                                 .addend = meaning.value,
                                                                 .bytes = part->width / 8u,
                                                                 .shift = part->shift};
        variable->relocations = list;
    }
    return WS_OK;
}

static ws_status relocate_all_data(struct filling *f)
{
    for (uint32_t s = 0; s < f->cubin->section_count; s++) {
        const struct cubin_section *section = &f->cubin->sections[s];
        bool is_data = section->kind == CUBIN_GLOBAL || section->kind == CUBIN_GLOBAL_INIT ||
                       (section->kind == CUBIN_CONSTANT && section->bank != 0);
        if (is_data) TRY(relocate_data(f, section));
    }
    return WS_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void put_bits(struct native_word *word, unsigned at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        uint64_t *half = at + i < 64 ? &word->low : &word->high;
        uint64_t bit = UINT64_C(1) << ((at + i) % 64);
        *half = value >> i & 1 ? *half | bit : *half & ~bit;
    }
}

/* Equal texts are one, as those of PTX (decode/mnemonic.c). */
static const char *share_text(struct filling *f, const char *text)
{
    for (uint32_t i = 0; i < f->text_count; i++)
        if (!strcmp(f->texts[i], text)) return f->texts[i];
    GROW(f->texts, f->text_count, f->text_room);
    return f->texts[f->text_count++] = arena_copy(f->arena, text);
}

/* One word to an instruction; what it cannot be is told by *refused, which is NULL otherwise. */
static ws_status read_insn(struct filling *f, const struct cubin_function *kernel,
                           const int32_t *banks, int32_t section, uint64_t offset, struct insn *out,
                           uint64_t *target, const char **refused)
{
    const struct cubin_section *code = &f->cubin->sections[section];
    struct native_word word = cubin_word(code->bytes + offset);
    struct native_insn in;
    struct lowering l = {.in = &in,
                         .out = out,
                         .arena = f->arena,
                         .target = f->cubin->target,
                         .pc = f->code_address[section] + offset,
                         .symbol = -1,
                         .banks = banks};
    (void)kernel;
    const struct cubin_relocation *relocation = cubin_find_relocation(f->cubin, section, offset);
    if (relocation) {
        const struct cubin_relocation_kind *kind = cubin_relocation_kind(relocation->type);
        struct meaning meaning = {.variable = -1};
        if (!kind || !understand(f, relocation, &meaning)) return refuse_relocation(f, relocation);
        l.symbol = meaning.variable;
        l.addend = meaning.value;
        l.symbol_shift = kind->parts[0].shift;
        for (unsigned p = 0; meaning.variable < 0 && p < CUBIN_RELOCATION_PARTS; p++)
            put_bits(&word, kind->parts[p].at, kind->parts[p].width,
                     (uint64_t)meaning.value >> kind->parts[p].shift);
    }
    *refused = NULL;
    *out = (struct insn){.vector = 1, .guard = -1, .op = OP_TRAP, .class_id = CLASS_OTHER};
    *target = UINT64_MAX;
    if (!native_decode(f->cubin->target, word, l.pc, &in)) {
        out->text = arena_format(f->arena, "%016llx%016llx", (unsigned long long)word.high,
                                 (unsigned long long)word.low);
        *refused = arena_format(f->arena, "word 0x%s of sm_%u at 0x%llx", out->text,
                                f->cubin->target, (unsigned long long)offset);
        return WS_OK;
    }
    out->text = share_text(f, in.opcode);
    for (unsigned i = 0; i < in.operand_count; i++)
        if (in.operands[i].kind == NATIVE_TARGET) *target = (uint64_t)in.operands[i].value;
    const struct sass_op *op = sass_find(in.opcode);
    if (in.guard == NATIVE_PT && in.guard_inverted) { /* never */
        out->op = OP_N_NOP;
    } else if (!native_lower(&l)) {
        struct strbuf text = {0};
        native_print(&in, &text);
        *refused = arena_format(f->arena, "instruction '%s'", text.data);
        strbuf_clear(&text);
        *out = (struct insn){.vector = 1, .guard = -1, .op = OP_TRAP, .text = out->text};
    }
    if (in.guard != NATIVE_PT) {
        out->guard = (in.guard_uniform ? VREG_UP : VREG_P) + in.guard;
        if (in.guard_inverted) out->flags |= INSN_NEG_GUARD;
    }
    out->control = native_insn_control(&in);
    out->class_id = op ? (uint8_t)sass_class(op, in.opcode) : (uint8_t)insn_classify(out);
    out->units = insn_units(out);
    return WS_OK;
}

/* ---- a kernel's code ------------------------------------------------------------------------- */

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

static void reach_section(struct kernel *k, int32_t section)
{
    for (uint32_t i = 0; i < k->section_count; i++)
        if (k->sections[i] == section) return;
    k->sections[k->section_count++] = section;
}

static void reach_relocated(const struct filling *f, struct kernel *k,
                            const struct cubin_section *section)
{
    for (uint32_t r = 0; r < section->relocation_count; r++) {
        uint32_t symbol = f->cubin->relocations[section->relocation_first + r].symbol;
        int32_t to = f->cubin->symbols[symbol].section;
        if (to >= 0 && f->cubin->sections[to].kind == CUBIN_CODE) reach_section(k, to);
    }
}

/* Its own section, those that code of it names, and those that tables of functions name. */
static void reach_code(const struct filling *f, struct kernel *k)
{
    k->sections = ARENA_ARRAY(f->arena, int32_t, f->cubin->section_count + 1);
    reach_section(k, k->function->section);
    for (uint32_t s = 0; s < f->cubin->section_count; s++)
        if (f->cubin->sections[s].kind != CUBIN_CODE) reach_relocated(f, k, &f->cubin->sections[s]);
    for (uint32_t i = 0; i < k->section_count; i++)
        reach_relocated(f, k, &f->cubin->sections[k->sections[i]]);
}

static void find_banks(const struct filling *f, struct kernel *k)
{
    int32_t own = (int32_t)(k->function - f->cubin->functions);
    for (unsigned b = 0; b < NATIVE_BANKS; b++)
        k->banks[b] = -1;
    for (uint32_t s = 0; s < f->cubin->section_count; s++) {
        const struct cubin_section *section = &f->cubin->sections[s];
        bool is_mine = section->owner < 0 || section->owner == own;
        if (f->section_variable[s] >= 0 && is_mine && section->bank < NATIVE_BANKS)
            k->banks[section->bank] = f->section_variable[s];
    }
}

static void set_source(const struct filling *f, int32_t section, uint64_t offset, struct insn *out)
{
    const struct cubin_line *line =
        cubin_find_line(f->cubin->lines, f->cubin->line_count, section, offset);
    if (!line || !line->line) return;
    out->source_file = f->first_file + line->file;
    out->source_line = line->line;
}

static void set_place(const struct filling *f, int32_t section, uint64_t offset,
                      struct native_place *out)
{
    const struct cubin *cubin = f->cubin;
    const struct cubin_line *line =
        cubin_find_line(cubin->ptx_lines, cubin->ptx_line_count, section, offset);
    const struct cubin_relocation *relocation = cubin_find_relocation(cubin, section, offset);
    const struct native_word word = cubin_word(cubin->sections[section].bytes + offset);
    *out = (struct native_place){
        .low = word.low,
        .high = word.high,
        .offset = (uint32_t)offset,
        .ptx_line = line ? line->line : 0,
        .symbol = relocation ? listing_symbol(cubin, f->arena, relocation) : NULL,
    };
}

static void note_unsupported(const struct filling *f, struct kernel *k, const char *what,
                             uint32_t line)
{
    if (!k->unsupported)
        k->unsupported = ARENA_ARRAY(f->arena, struct unsupported, k->insn_count + 1);
    k->unsupported[k->unsupported_count++] = (struct unsupported){what, line};
}

static ws_status read_code(struct filling *f, struct kernel *k)
{
    for (uint32_t i = 0; i < k->section_count; i++)
        k->insn_count += (uint32_t)(f->cubin->sections[k->sections[i]].size / NATIVE_WORD_BYTES);
    k->insns = ARENA_ARRAY(f->arena, struct insn, k->insn_count + 1);
    k->places = ARENA_ARRAY(f->arena, struct native_place, k->insn_count + 1);
    k->targets = ARENA_ARRAY(f->arena, uint64_t, k->insn_count + 1);
    k->leads = ARENA_ARRAY(f->arena, bool, k->insn_count + 1);
    k->ranges = ARENA_ARRAY(f->arena, struct code_range, k->section_count + 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i < k->section_count; i++) {
        int32_t s = k->sections[i];
        uint64_t size = f->cubin->sections[s].size / NATIVE_WORD_BYTES * NATIVE_WORD_BYTES;
        k->ranges[k->range_count++] = (struct code_range){f->code_address[s], size, at};
        k->leads[at] = true;
        for (uint64_t offset = 0; offset < size; offset += NATIVE_WORD_BYTES, at++) {
            const char *refused = NULL;
            struct insn *insn = &k->insns[at];
            TRY(read_insn(f, k->function, k->banks, s, offset, insn, &k->targets[at], &refused));
            insn->line = at * NATIVE_WORD_BYTES;
            set_source(f, s, offset, insn);
            set_place(f, s, offset, &k->places[at]);
            if (refused) note_unsupported(f, k, refused, insn->line);
        }
    }
    return WS_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool is_jump(const struct insn *insn)
{
    return insn->op == OP_BRA || insn->op == OP_N_BRANCH || insn->op == OP_N_BRANCH_DIV ||
           insn->op == OP_N_BRANCH_CONV || insn->op == OP_N_BRANCH_ANY;
}

static bool ends_block(const struct insn *insn)
{
    switch (insn->op) {
    case OP_BRA:
    case OP_N_BRANCH:
    case OP_N_BRANCH_DIV:
    case OP_N_BRANCH_CONV:
    case OP_N_BRANCH_ANY:
    case OP_N_COLLECTIVE:
    case OP_N_JUMP:
    case OP_EXIT:
    case OP_N_EXIT:
    case OP_N_BSYNC:
    case OP_TRAP:
    case OP_BRKPT:
    case OP_BAR:
    case OP_BARRIER:
        return true;
    default:
        return insn->flags & INSN_SYNC;
    }
}

/* UINT32_MAX: no code of the kernel. */
static uint32_t insn_at(const struct kernel *k, uint64_t address)
{
    for (uint32_t r = 0; r < k->range_count; r++)
        if (address - k->ranges[r].address < k->ranges[r].bytes)
            return k->ranges[r].first_insn +
                   (uint32_t)((address - k->ranges[r].address) / NATIVE_WORD_BYTES);
    return UINT32_MAX;
}

/* Every instruction that a jump may reach begins a block. */
static void find_leaders(const struct filling *f, struct kernel *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++) {
        uint32_t target = k->targets[i] == UINT64_MAX ? UINT32_MAX : insn_at(k, k->targets[i]);
        if (target != UINT32_MAX) k->leads[target] = true;
        if (ends_block(&k->insns[i])) k->leads[i + 1] = true;
        if (is_jump(&k->insns[i])) k->insns[i].target = (int32_t)target;
    }
    for (uint32_t n = 0; n < f->cubin->function_count; n++) {
        const struct cubin_function *function = &f->cubin->functions[n];
        if (function->section < 0) continue;
        uint64_t base = f->code_address[function->section];
        uint32_t first = insn_at(k, base + function->offset);
        if (first != UINT32_MAX) k->leads[first] = true;
        for (uint32_t t = 0; t < function->branch_target_count; t++) {
            uint32_t to = insn_at(k, base + function->branch_targets[t]);
            if (to != UINT32_MAX) k->leads[to] = true;
        }
    }
}

static bool goes_on(const struct insn *insn)
{
    bool leaves = insn->op == OP_BRA || insn->op == OP_N_JUMP || insn->op == OP_EXIT;
    return !leaves || insn->guard >= 0;
}

static void make_blocks(const struct filling *f, const struct kernel *k, struct function *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->insn_count; i++)
        count += k->leads[i];
    struct basic_block *blocks = ARENA_ARRAY(f->arena, struct basic_block, count + 1);
    uint32_t *block_of = ARENA_ARRAY(f->arena, uint32_t, k->insn_count + 1);
    uint32_t b = 0;
    for (uint32_t i = 0; i < k->insn_count; i++) {
        if (k->leads[i]) blocks[b++] = (struct basic_block){.first = i, .post_dominator = -1};
        blocks[b - 1].count++;
        block_of[i] = b - 1;
    }
    for (b = 0; b < count; b++) {
        struct basic_block *block = &blocks[b];
        const struct insn *last = &k->insns[block->first + block->count - 1];
        if (goes_on(last) && b + 1 < count) block->successors[block->successor_count++] = b + 1;
        if (is_jump(last)) block->successors[block->successor_count++] = block_of[last->target];
    }
    out->block_count = count;
    out->blocks = blocks;
    out->block_of = block_of;
    uint32_t *numbers = mem_zalloc(2 * (size_t)NATIVE_VREGS, sizeof *numbers);
    for (b = 0; b < count; b++)
        blocks[b].critical_path = function_critical_path(out, b, numbers, numbers + NATIVE_VREGS);
    mem_free(numbers);
}

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

static bool calls_through_registers(const struct kernel *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++)
        if (k->insns[i].op == OP_N_JUMP && !strncmp(k->insns[i].text, "CALL", 4)) return true;
    return false;
}

/* By what the file names: which of them a call goes to is known only when it is made. */
static uint32_t find_builtins(const struct filling *f, const struct kernel *k)
{
    uint32_t set = 0;
    if (!calls_through_registers(k)) return 0;
    for (uint32_t i = 0; i < f->cubin->symbol_count; i++) {
        enum builtin builtin = builtin_of(&f->cubin->symbols[i]);
        if (builtin) set |= UINT32_C(1) << builtin;
    }
    return set;
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
                                .shared_base = f->cubin->target >= 90 ? RESERVED_SHARED_90 : 0,
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
        struct variable *variable = add_variable(f, name, SPACE_PARAM, parameter->size);
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

/* ptxas leaves recursive functions out of the kernel's stack, which then has no room for a frame of theirs. From
 * sm_90 on only their code tells its size. */
static bool recurses(const struct filling *f, const struct kernel *k, uint64_t stack)
{
    for (uint32_t r = 0; r < k->range_count; r++) {
        const struct code_range *range = &k->ranges[r];
        for (uint32_t i = 0; i < range->bytes / NATIVE_WORD_BYTES; i++) {
            uint64_t frame = taken_by(&k->insns[range->first_insn + i]);
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
    uint64_t least = recurses(f, k, stack)  ? stack + RECURSIVE_STACK_BYTES
                     : k->section_count > 1 ? DEFAULT_STACK_BYTES
                                            : 0;
    if (stack < least) stack = least;
    if (allocates_stack(k, stack)) stack += ALLOCA_BYTES;
    return (stack + 15) / 16 * 16;
}

static ws_status make_function(struct filling *f, const struct cubin_function *from,
                               struct function *out)
{
    struct kernel k = {.function = from};
    reach_code(f, &k);
    find_banks(f, &k);
    TRY(read_code(f, &k));
    find_leaders(f, &k);
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
        if (is_jump(&k.insns[i]) && k.insns[i].target < 0)
            return diag_error(f->diag, WS_ERR_INPUT,
                              "%s: %s: the branch at 0x%x goes out of the code", f->cubin->path,
                              from->name, k.insns[i].line);
    memcpy(out->required_threads, from->required_threads, sizeof out->required_threads);
    memcpy(out->max_threads, from->max_threads, sizeof out->max_threads);
    memcpy(out->required_cluster, from->cluster, sizeof out->required_cluster);
    out->native_code = make_native_code(f, &k);
    add_parameters(f, from, (int32_t)f->function_count, out);
    make_blocks(f, &k, out);
    return WS_OK;
}

static const char *file_path(struct arena *arena, const struct cubin_file *file)
{
    if (!file->folder || file->name[0] == '/') return arena_copy(arena, file->name);
    return arena_format(arena, "%s/%s", file->folder, file->name);
}

void module_native_text(const struct module *module, const struct function *function, uint32_t insn,
                        struct strbuf *out)
{
    const struct native_place *place = &function->native_code->places[insn];
    const struct native_word word = {place->low, place->high};
    struct native_insn decoded;
    if (!native_decode(module->target, word, place->offset, &decoded)) return;
    struct native_operand *operand = place->symbol ? listing_relocated_operand(&decoded) : NULL;
    if (operand) operand->label = place->symbol;
    native_print_guard(&decoded, out);
    native_print(&decoded, out);
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
    place_code(f);
    add_section_variables(f);
    add_symbol_variables(f);
    TRY(relocate_all_data(f));
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
