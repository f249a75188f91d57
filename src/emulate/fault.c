// SPDX-License-Identifier: Apache-2.0
/* Faults of the guest: recorded where they happen, told at the end with kernel, place and address.
 */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "emulate/exec.h"

static void record(struct exec *x, enum fault_kind kind, const struct insn *insn, uint32_t lane)
{
    x->fault = (struct fault){.kind = kind,
                              .block = x->block->index,
                              .order = x->block->order,
                              .warp = x->warp ? x->warp->index : 0,
                              .lane = lane,
                              .insn = insn};
}

void fault_memory(struct exec *x, const struct uop *u, enum fault_kind kind, uint32_t lane,
                  uint64_t address)
{
    if (x->fault.kind) return;
    record(x, kind, u->insn, lane);
    x->fault.space = u->space;
    unsigned family = op_infos[u->insn->op].family;
    x->fault.store = family == FAMILY_STORE || family == FAMILY_SURFACE_STORE;
    x->fault.address = address;
    x->fault.bytes = u->bytes;
    x->fault.frame_bytes = x->parameter_bytes;
}

bool fault_tolerated(struct exec *x, const struct uop *u, uint32_t lane, uint64_t address)
{
    const struct allocation *near = devmem_nearest(x->launch->memory, address);
    if (!devmem_has_page(x->launch->memory, address, u->bytes)) return false;
    if ((near && near->freed && address - near->address < near->bytes) ||
        (address & (u->bytes - 1u)))
        return false;
    if (x->checks & CHECK_MEMORY) {
        check_tell_passed(x, u, FAULT_OUT_OF_BOUNDS, lane, address);
        return true;
    }
    if (x->tolerated.kind) return true;
    struct fault none = x->fault;
    fault_memory(x, u, FAULT_OUT_OF_BOUNDS, lane, address);
    x->tolerated = x->fault;
    x->fault = none;
    return true;
}

void fault_at(struct exec *x, enum fault_kind kind, const struct insn *insn, uint32_t lanes)
{
    if (x->fault.kind) return;
    record(x, kind, insn, lanes ? (uint32_t)__builtin_ctz(lanes) : 0);
}

void fault_note_outsider(struct exec *x, const struct insn *insn, uint32_t lane, uint32_t members)
{
    if (x->outsider.kind) return;
    x->outsider = (struct fault){.kind = FAULT_OUTSIDER,
                                 .block = x->block->index,
                                 .order = x->block->order,
                                 .warp = x->warp->index,
                                 .lane = lane,
                                 .insn = insn,
                                 .address = members};
}

static const char *what(const struct fault *fault)
{
    switch (fault->kind) {
    case FAULT_OUT_OF_BOUNDS:
        return "out of bounds";
    case FAULT_FREED:
        return "of freed memory";
    case FAULT_MISALIGNED:
        return "at a misaligned address";
    case FAULT_UNINITIALISED:
        return "of uninitialised memory";
    case FAULT_TOO_WIDE:
        return "exceeds the limit of 16 bytes: wider accesses require global memory";
    case FAULT_OUT_OF_SCOPE:
        return "outside of all local variables";
    case FAULT_READ_ONLY:
        return "to read-only memory";
    case FAULT_NOT_SHARED:
        return "at an address that is not in shared memory";
    case FAULT_NO_BLOCK:
        return "in a block that the cluster does not have";
    case FAULT_TRAP:
        return "the kernel executed a trap";
    case FAULT_ASSERT:
        return "an assertion of the kernel failed";
    case FAULT_DEADLOCK:
        return "deadlock: no warp of the block can proceed";
    case FAULT_ENDLESS:
        return "endless loop: the state of the block repeats";
    case FAULT_LIMIT:
        return "instruction limit reached";
    case FAULT_STACK:
        return "stack overflow: calls are nested too deeply, or alloca requests too much memory";
    case FAULT_CALLEE:
        return "call through a pointer that is not the address of a matching function";
    case FAULT_BARRIER_ID:
        return "barrier number out of range (0 to 15)";
    case FAULT_BRANCH_INDEX:
        return "branch index out of range of its table";
    case FAULT_TEXTURE:
        return "texture fetch through an incompatible handle";
    case FAULT_FREE:
        return "invalid or double free in a kernel";
    case FAULT_TENSOR_MAP:
        return "copy of a tensor through memory that does not hold a map of this kind and rank "
               "(make one by cuTensorMapEncode...)";
    case FAULT_MATRIX:
        return "matrix operation not executed by all lanes of the warp together";
    default:
        return "interrupted";
    }
}

bool fault_is_of_memory(const struct fault *fault)
{
    return fault->kind <= FAULT_NO_BLOCK;
}

ws_fault fault_kind_of(const struct fault *fault)
{
    switch (fault->kind) {
    case FAULT_NONE:
        return WS_FAULT_NONE;
    case FAULT_OUT_OF_BOUNDS:
    case FAULT_FREED:
    case FAULT_UNINITIALISED:
    case FAULT_OUT_OF_SCOPE:
    case FAULT_READ_ONLY:
    case FAULT_NOT_SHARED:
        return WS_FAULT_ADDRESS;
    case FAULT_MISALIGNED:
        return WS_FAULT_MISALIGNED;
    case FAULT_ASSERT:
        return WS_FAULT_ASSERT;
    case FAULT_STACK:
        return WS_FAULT_STACK;
    default:
        return WS_FAULT_OTHER;
    }
}

static const char *space_of(const struct fault *fault)
{
    if (fault->space == SPACE_FRAME) return "parameter";
    if (fault->space == SPACE_NONE) return "generic";
    return space_names[fault->space];
}

static void tell_instruction(struct strbuf *text, const struct module *module,
                             const struct insn *insn)
{
    strbuf_printf(text, "'%s', %s:%u", insn->text, module->path, insn->line);
    if (insn->source_line && insn->source_file < module->file_count)
        strbuf_printf(text, ", source %s:%u", module->files[insn->source_file], insn->source_line);
}

static void tell_place(struct strbuf *text, const struct launch *launch, const struct fault *fault)
{
    const struct launch_options *options = launch->options;
    const struct function *entry = launch->program->functions[0].function;
    const struct module *module = launch->program->module;
    uint64_t x = fault->block % options->grid[0],
             y = fault->block / options->grid[0] % options->grid[1];
    uint64_t z = fault->block / options->grid[0] / options->grid[1];
    uint32_t thread = fault->warp * WARP_LANES + fault->lane;
    const uint32_t *b = options->block;
    strbuf_printf(
        text, "\n  in kernel %s, block (%llu,%llu,%llu), thread (%u,%u,%u), warp %u lane %u",
        entry->display_name, (unsigned long long)x, (unsigned long long)y, (unsigned long long)z,
        thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1], fault->warp, fault->lane);
    if (!fault->insn) return;
    strbuf_puts(text, "\n  at ");
    tell_instruction(text, module, fault->insn);
}

static void tell_address(struct strbuf *text, const struct launch *launch,
                         const struct fault *fault)
{
    bool device = fault->space == SPACE_GLOBAL || fault->space == SPACE_CONST ||
                  fault->space == SPACE_GENERIC || fault->space == SPACE_NONE;
    if (!device) {
        uint64_t size = fault->space == SPACE_SHARED  ? launch->shared_bytes
                        : fault->space == SPACE_LOCAL ? launch->program->local_bytes_max
                        : fault->space == SPACE_FRAME ? fault->frame_bytes
                                                      : launch->parameter_bytes;
        bool reserves = fault->space == SPACE_SHARED && launch->program->shared_base;
        strbuf_printf(text, "\n  %s memory of this %s has %llu bytes", space_of(fault),
                      fault->space == SPACE_SHARED  ? "block"
                      : fault->space == SPACE_PARAM ? "kernel"
                                                    : "thread",
                      (unsigned long long)size);
        if (reserves)
            strbuf_printf(text, " from address %llu on, after the reserved ones",
                          (unsigned long long)launch->program->shared_base);
        return;
    }
    const struct allocation *near = devmem_nearest(launch->memory, fault->address);
    if (!near) {
        strbuf_puts(text, "\n  no allocations on the device");
        return;
    }
    uint64_t end = near->address + near->bytes;
    strbuf_printf(text, "\n  nearest allocation: 0x%llx, %llu bytes%s%s%s",
                  (unsigned long long)near->address, (unsigned long long)near->bytes,
                  near->name ? ", variable " : "", near->name ? near->name : "",
                  near->freed ? ", freed" : "");
    if (fault->address >= end)
        strbuf_printf(text, "; the access is %llu bytes past its end",
                      (unsigned long long)(fault->address - end));
    else if (fault->address < near->address)
        strbuf_printf(text, "; the access is %llu bytes before it",
                      (unsigned long long)(near->address - fault->address));
    else
        strbuf_printf(text, "; the access starts at byte %llu of it",
                      (unsigned long long)(fault->address - near->address));
}

static const char *advice(const struct fault *fault)
{
    switch (fault->kind) {
    case FAULT_OUT_OF_BOUNDS:
        return "check the index against the size, and the size of the buffer";
    case FAULT_UNINITIALISED:
        return "these bytes were never written: initialise the buffer (an argument without "
               "'=INIT' starts uninitialised)";
    case FAULT_DEADLOCK:
        return "every thread that a barrier counts must reach it, and some thread must write what "
               "others poll";
    case FAULT_ENDLESS:
        return "nothing that the condition depends on changes any more";
    case FAULT_LIMIT:
        return "raise the limit, or look for an infinite loop";
    default:
        return NULL;
    }
}

static void describe(struct strbuf *text, const struct launch *launch, const struct fault *fault)
{
    if (fault_is_of_memory(fault))
        strbuf_printf(text, "%s %s of %u bytes %s: address 0x%llx", space_of(fault),
                      fault->store                                        ? "store"
                      : op_infos[fault->insn->op].family == FAMILY_ATOMIC ? "atomic"
                                                                          : "load",
                      fault->bytes, what(fault), (unsigned long long)fault->address);
    else
        strbuf_puts(text, what(fault));
    if (fault->kind == FAULT_LIMIT)
        strbuf_printf(text, " (%llu warp instructions)",
                      (unsigned long long)launch->max_instructions);
    tell_place(text, launch, fault);
    if (fault_is_of_memory(fault)) tell_address(text, launch, fault);
    if (fault->detail) strbuf_printf(text, "\n%s", fault->detail);
    if (advice(fault)) strbuf_printf(text, "\n  %s", advice(fault));
}

ws_status fault_report(struct diag *diag, const struct launch *launch, const struct fault *fault)
{
    if (fault->kind == FAULT_CANCELLED) return diag_error(diag, WS_ERR_CANCELLED, "interrupted");
    struct strbuf text = {0};
    describe(&text, launch, fault);
    bool is_stuck = fault->kind == FAULT_DEADLOCK || fault->kind == FAULT_ENDLESS;
    ws_status status = is_stuck                     ? WS_ERR_DEADLOCK
                       : fault->kind == FAULT_LIMIT ? WS_ERR_LIMIT
                                                    : WS_ERR_FAULT;
    diag_error(diag, status, "%s", text.data);
    strbuf_clear(&text);
    return status;
}

char *fault_text(const struct launch *launch, const struct fault *fault)
{
    struct strbuf text = {0};
    describe(&text, launch, fault);
    return strbuf_take(&text);
}

char *fault_outsider_text(const struct launch *launch, const struct fault *fault)
{
    const uint32_t *grid = launch->options->grid;
    struct strbuf text = {0};
    tell_instruction(&text, launch->program->module, fault->insn);
    strbuf_printf(&text,
                  ": executed by lane %u, which its member mask 0x%08x excludes (block "
                  "(%llu,%llu,%llu), warp %u). The PTX ISA leaves the result undefined; here the "
                  "lane participates, as in ptxas's code.",
                  fault->lane, (uint32_t)fault->address,
                  (unsigned long long)(fault->block % grid[0]),
                  (unsigned long long)(fault->block / grid[0] % grid[1]),
                  (unsigned long long)(fault->block / grid[0] / grid[1]), fault->warp);
    return strbuf_take(&text);
}

enum check_code fault_code(const struct fault *fault)
{
    static const uint8_t codes[] = {
        [FAULT_OUT_OF_BOUNDS] = CHECK_CODE_OUT_OF_BOUNDS,
        [FAULT_FREED] = CHECK_CODE_FREED,
        [FAULT_MISALIGNED] = CHECK_CODE_MISALIGNED,
        [FAULT_TOO_WIDE] = CHECK_CODE_TOO_WIDE,
        [FAULT_READ_ONLY] = CHECK_CODE_READ_ONLY,
        [FAULT_NOT_SHARED] = CHECK_CODE_OUT_OF_BOUNDS,
        [FAULT_NO_BLOCK] = CHECK_CODE_OUT_OF_BOUNDS,
        [FAULT_TRAP] = CHECK_CODE_TRAP,
        [FAULT_ASSERT] = CHECK_CODE_ASSERT,
        [FAULT_DEADLOCK] = CHECK_CODE_DEADLOCK,
        [FAULT_ENDLESS] = CHECK_CODE_ENDLESS_LOOP,
        [FAULT_LIMIT] = CHECK_CODE_LIMIT,
        [FAULT_STACK] = CHECK_CODE_STACK,
        [FAULT_CALLEE] = CHECK_CODE_BAD_CALL,
        [FAULT_BARRIER_ID] = CHECK_CODE_BARRIER_NUMBER,
        [FAULT_BRANCH_INDEX] = CHECK_CODE_BAD_CALL,
        [FAULT_TEXTURE] = CHECK_CODE_TEXTURE,
        [FAULT_FREE] = CHECK_CODE_KERNEL_FREE,
        [FAULT_MATRIX] = CHECK_CODE_MATRIX,
        [FAULT_TENSOR_MAP] = CHECK_CODE_TEXTURE,
        [FAULT_OUT_OF_SCOPE] = CHECK_CODE_OUT_OF_SCOPE,
        [FAULT_TEXTURE_BOUNDS] = CHECK_CODE_TEXTURE_BOUNDS,
    };
    return (enum check_code)codes[fault->kind];
}

/* Does the kernel ask for what only cooperative launches give, and has it stopped itself? */
static bool lacks_grid(const struct launch *launch, const struct fault *fault)
{
    const struct launch_view *view = &launch->program->view;
    if (fault->kind != FAULT_TRAP || launch->options->grid_workspace) return false;
    for (uint32_t i = 0; i < view->insn_count; i++)
        for (unsigned k = 0; k < view->insns[i]->nsrc; k++) {
            const struct operand *source = insn_source(view->insns[i], k);
            if (source->kind == OPERAND_SPECIAL &&
                (source->reg == SREG_ENVREG1 || source->reg == SREG_ENVREG2))
                return true;
        }
    return false;
}

void fault_check(const struct launch *launch, const struct fault *fault)
{
    const struct checker *check = launch->device->check;
    bool is_of_program = fault->kind > FAULT_NONE && fault->kind < FAULT_OUTSIDER;
    if (!check || !is_of_program || fault_is_of_memory(fault)) return;
    struct check_report report = {
        .code = fault_code(fault),
        .here = {fault->insn, fault->block, fault->warp, fault->lane},
        .detail = fault->detail,
    };
    if (check->tools & CHECK_SYNC && lacks_grid(launch, fault)) report.code = CHECK_CODE_GRID;
    check->ops->report(check->self, &report);
}
