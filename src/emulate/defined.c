// SPDX-License-Identifier: Apache-2.0
/* Runs operations beside the shadow of their registers (defined.h). */
#include <stdlib.h>
#include <string.h>

#include "emulate/splits.h"
#include "isa/matrix.h"

/* ---- lanes of registers ---------------------------------------------------------------------- */

static bool is_zero(const unsigned char *bytes, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        any |= word;
    }
    return !any;
}

static uint32_t *undefined_word(const struct exec *x, operand_ref ref)
{
    return (uint32_t *)(void *)undefined_bits(x, ref);
}

uint32_t undefined_lanes(const struct exec *x, operand_ref ref, unsigned bytes)
{
    if (ref == REF_NONE || !is_register(ref) || !bytes) return 0;
    if (bytes == 1) return *undefined_word(x, ref);
    const unsigned char *bits = undefined_bits(x, ref);
    if (is_zero(bits, (size_t)bytes * WARP_LANES)) return 0;
    uint32_t lanes = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        bool any = get_lane(bits, bytes, i) || (bytes == 16 && get_lane(bits, 8, 2 * i + 1));
        lanes |= (uint32_t)any << i;
    }
    return lanes;
}

void define_lanes(struct exec *x, operand_ref ref, unsigned bytes, uint32_t lanes)
{
    if (ref == REF_NONE || !is_register(ref) || !bytes) return;
    unsigned char *bits = undefined_bits(x, ref);
    if (bytes == 1) {
        *undefined_word(x, ref) &= ~lanes;
    } else if (lanes == UINT32_MAX) {
        memset(bits, 0, (size_t)bytes * WARP_LANES);
    } else if (!is_zero(bits, (size_t)bytes * WARP_LANES)) {
        for (uint32_t left = lanes; left; left &= left - 1)
            memset(bits + (size_t)bytes * (unsigned)__builtin_ctz(left), 0, bytes);
    }
}

void undefine_lanes(struct exec *x, operand_ref ref, unsigned bytes, uint32_t lanes)
{
    if (ref == REF_NONE || !bytes || !lanes) return;
    unsigned char *bits = undefined_bits(x, ref);
    x->warp->defined->is_dirty = true;
    if (bytes == 1)
        *undefined_word(x, ref) |= lanes;
    else
        for (uint32_t left = lanes; left; left &= left - 1)
            memset(bits + (size_t)bytes * (unsigned)__builtin_ctz(left), 0xff, bytes);
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool has_address(const struct insn *insn)
{
    switch (op_infos[insn->op].form) {
    case FORM_LD:
    case FORM_ST:
    case FORM_ATOM:
    case FORM_RED:
    case FORM_MBARRIER:
    case FORM_SURFACE:
        return true;
    case FORM_MATRIX:
        return matrix_has_address(insn);
    default:
        return false;
    }
}

static bool changes_memory(const struct insn *insn)
{
    unsigned form = op_infos[insn->op].form;
    return form == FORM_ST || form == FORM_ATOM || form == FORM_RED || insn->op == OP_WMMA_STORE ||
           insn->op == OP_STMATRIX || insn->op == OP_SUST || insn->op == OP_SURED;
}

static unsigned result_count(const struct uop *u)
{
    const struct insn *insn = u->insn;
    if (insn->bulk) return 0;
    if (u->elements) return insn->matrix ? insn->ndst : insn->ndst ? u->vector : 0;
    return insn->ndst < UOP_DESTINATIONS ? insn->ndst : UOP_DESTINATIONS;
}

static operand_ref result_ref(const struct uop *u, unsigned k)
{
    return u->elements ? u->elements[k] : u->dst[k];
}

/* Those beyond u->dst are all alike. */
static unsigned result_bytes(const struct uop *u, unsigned k)
{
    if (u->insn->matrix) return u->insn->type == TYPE_F64 ? 8 : 4;
    return u->elements ? u->dst_bits / 8u : u->result_width[k];
}

static void define_results(struct exec *x, const struct uop *u, uint32_t lanes)
{
    for (unsigned k = 0; k < result_count(u); k++)
        define_lanes(x, result_ref(u, k), result_bytes(u, k), lanes);
}

static void undefine_results(struct exec *x, const struct uop *u, uint32_t lanes, uint32_t origin)
{
    for (unsigned k = 0; k < result_count(u); k++) {
        if (result_ref(u, k) == REF_NONE) continue;
        undefine_lanes(x, result_ref(u, k), result_bytes(u, k), lanes);
        *origin_of(x, result_ref(u, k)) = origin | ORIGIN_COMPUTED;
    }
}

static void merge_result(struct exec *x, operand_ref ref, unsigned bytes, uint32_t lanes,
                         const unsigned char *from)
{
    unsigned char *bits = undefined_bits(x, ref);
    if (bytes == 1) {
        uint32_t word;
        memcpy(&word, from, sizeof word);
        uint32_t *to = undefined_word(x, ref);
        *to = (*to & ~lanes) | (word & lanes);
        return;
    }
    if (lanes == UINT32_MAX) {
        memcpy(bits, from, (size_t)bytes * WARP_LANES);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        size_t at = (size_t)bytes * (unsigned)__builtin_ctz(left);
        memcpy(bits + at, from + at, bytes);
    }
}

/* Lanes for which the guard holds. Where it is undefined and holds the operation from changing memory, that is told. */
static uint32_t guarded_lanes(struct exec *x, const struct uop *u, uint32_t *unsure)
{
    *unsure = 0;
    if (u->guard == REF_NONE) return x->mask;
    uint32_t p = *operand_words(x, u->guard), undefined = *undefined_word(x, u->guard) & x->mask;
    uint32_t on = x->mask & (u->guard_negated ? ~p : p);
    if (undefined && changes_memory(u->insn)) {
        defined_report(x, CHECK_CODE_UNDEFINED_STORE, u->insn, undefined, *origin_of(x, u->guard),
                       NULL);
        *undefined_word(x, u->guard) &= ~undefined;
    } else {
        *unsure = undefined;
    }
    return on;
}

static void run_access(struct exec *x, const struct uop *u, uop_fn *run, uint32_t on)
{
    unsigned bytes = u->address64 ? 8 : 4;
    if (u->has_address) {
        uint32_t bad = undefined_lanes(x, u->src[0], bytes) & on;
        if (bad) {
            defined_report(x, CHECK_CODE_UNDEFINED_ADDRESS, u->insn, bad, *origin_of(x, u->src[0]),
                           NULL);
            define_lanes(x, u->src[0], bytes, bad);
        }
    }
    if (!changes_memory(u->insn)) define_results(x, u, on);
    run(x, u);
}

/* A texture fetch: where it reads decides what it gives. */
static void run_fetch(struct exec *x, const struct uop *u, uop_fn *run, uint32_t on)
{
    for (unsigned k = 0; k < u->insn->nsrc && k < UOP_SOURCES; k++) {
        uint32_t bad = undefined_lanes(x, u->src[k], u->source_width[k]) & on;
        if (!bad) continue;
        defined_report(x, CHECK_CODE_UNDEFINED_ADDRESS, u->insn, bad, *origin_of(x, u->src[k]),
                       k ? "a coordinate of the texture is not initialised"
                         : "the texture object is not initialised");
        define_lanes(x, u->src[k], u->source_width[k], bad);
    }
    define_results(x, u, on);
    run(x, u);
}

void defined_fetched(struct exec *x, const struct uop *u, uint32_t lanes, uint64_t address)
{
    undefine_results(x, u, lanes, u->index + 1);
    for (unsigned k = 0; k < result_count(u); k++)
        if (result_ref(u, k) != REF_NONE) *origin_of(x, result_ref(u, k)) &= ~ORIGIN_COMPUTED;
    x->defined->places[u->index] = (struct origin_place){.address = address,
                                                         .block = x->block->index,
                                                         .warp = x->warp->index,
                                                         .lane = (uint32_t)__builtin_ctz(lanes),
                                                         .space = SPACE_GLOBAL,
                                                         .is_set = true};
}

static void check_divisor(struct exec *x, const struct uop *u, uint32_t on)
{
    const struct insn *insn = u->insn;
    unsigned kind = type_infos[insn->type].kind;
    if ((insn->op != OP_DIV && insn->op != OP_REM) || kind == KIND_FLOAT) return;
    uint32_t bad = undefined_lanes(x, u->src[1], u->source_width[1]) & on;
    if (!bad) return;
    defined_report(x, CHECK_CODE_UNDEFINED_DIVISOR, insn, bad, *origin_of(x, u->src[1]), NULL);
    define_lanes(x, u->src[1], u->source_width[1], bad);
}

static void check_members(struct exec *x, const struct uop *u, uint32_t on)
{
    const struct insn *insn = u->insn;
    if (!(insn->flags & INSN_SYNC) || !insn->nsrc || insn->nsrc > UOP_SOURCES) return;
    unsigned k = insn->nsrc - 1u;
    uint32_t bad = undefined_lanes(x, u->src[k], 4) & on;
    if (!bad) return;
    defined_report(x, CHECK_CODE_UNDEFINED_OPERAND, insn, bad, *origin_of(x, u->src[k]),
                   "the mask of the lanes that take part is not initialised");
    define_lanes(x, u->src[k], 4, bad);
}

/* Lanes in which any source has undefined bits, and where the first of these came from. */
static uint32_t touched_lanes(const struct exec *x, const struct uop *u, uint32_t *origin)
{
    uint32_t touched = 0;
    for (unsigned k = 0; k < u->insn->nsrc && k < UOP_SOURCES; k++) {
        uint32_t lanes = undefined_lanes(x, u->src[k], u->source_width[k]);
        if (lanes && !touched) *origin = *origin_of(x, u->src[k]);
        touched |= lanes;
    }
    if (u->insn->op == OP_ADDC || u->insn->op == OP_SUBC || u->insn->op == OP_MADC)
        touched |= x->warp->defined->carry;
    return touched;
}

/* The operation without its guard, on all lanes. */
static uop_fn *inner_of(const struct uop *u)
{
    return u->guard == REF_NONE ? u->full : u->inner_full;
}

static void run_rule(struct exec *x, const struct uop *u, uop_fn *run, uint32_t on, uint32_t unsure)
{
    uint32_t origin = 0, touched = touched_lanes(x, u, &origin) & on, active = x->mask;
    struct undefined_results results;
    bool is_move = true;
    if (u->insn->flags & INSN_CC) x->warp->defined->carry &= ~on;
    if (touched) {
        x->mask = on;
        is_move = defined_rule(x, u, inner_of(u), touched, &results);
        x->mask = active;
    }
    run(x, u);
    if (unsure && !origin) origin = *origin_of(x, u->guard);
    for (unsigned k = 0; k < result_count(u); k++) {
        operand_ref ref = result_ref(u, k);
        if (ref == REF_NONE) continue;
        if (!touched) {
            define_lanes(x, ref, result_bytes(u, k), on);
            continue;
        }
        merge_result(x, ref, result_bytes(u, k), on, results.lanes[k]);
        *origin_of(x, ref) = is_move ? origin : origin | ORIGIN_COMPUTED;
    }
    if (unsure) undefine_results(x, u, unsure, origin);
}

void defined_run(struct exec *x, const struct uop *u, uop_fn *run)
{
    uint32_t unsure;
    if (!u->is_whole_insn || !x->mask) {
        run(x, u);
        return;
    }
    uint32_t on = guarded_lanes(x, u, &unsure);
    if (has_address(u->insn)) {
        run_access(x, u, run, on);
        if (unsure) undefine_results(x, u, unsure, *origin_of(x, u->guard));
        return;
    }
    if (op_infos[u->insn->op].form == FORM_TEX) {
        run_fetch(x, u, run, on);
        if (unsure) undefine_results(x, u, unsure, *origin_of(x, u->guard));
        return;
    }
    if (u->insn->matrix) {
        defined_product(x, u);
        run(x, u);
        return;
    }
    check_divisor(x, u, on);
    check_members(x, u, on);
    run_rule(x, u, run, on, unsure);
}

/* Does the warp still hold anything undefined? */
static void look_again(struct defined_warp *defined)
{
    enum { BODIES = 64 }; /* a guess: as long as looking takes */
    if (++defined->bodies % BODIES) return;
    defined->is_dirty = defined->carry || !is_zero(defined->registers, defined->register_bytes);
}

void defined_body(struct exec *x, const struct code *code, bool is_whole)
{
    struct defined_warp *defined = x->warp->defined;
    const struct uop *u = code->uops, *end = u + code->uop_count;
    if (defined->is_dirty) look_again(defined);
    for (; u < end && !defined->is_dirty; u++)
        (is_whole ? u->full : u->part)(x, u);
    for (; u < end; u++)
        defined_run(x, u, is_whole ? u->full : u->part);
}

/* ---- what decides where lanes go ------------------------------------------------------------- */

static void check_operand(struct exec *x, const struct code *code, operand_ref ref, unsigned bytes,
                          uint32_t lanes, enum check_code report, const char *detail)
{
    uint32_t bad = undefined_lanes(x, ref, bytes) & lanes;
    if (!bad) return;
    defined_report(x, report, code->last, bad, *origin_of(x, ref), detail);
    define_lanes(x, ref, bytes, bad);
}

static void check_barrier(struct exec *x, const struct code *code, uint32_t lanes)
{
    const struct uop *u = &code->uops[code->uop_count];
    for (unsigned k = 0; k < u->insn->nsrc && k < UOP_SOURCES; k++)
        check_operand(x, code, u->src[k], u->source_width[k], lanes, CHECK_CODE_UNDEFINED_OPERAND,
                      u->source_width[k] == 1 ? "what the barrier counts is not initialised"
                                              : "the barrier's operands are not initialised");
    define_results(x, u, lanes);
}

void defined_end(struct exec *x, const struct code *code, uint32_t mask)
{
    if (code->guard != REF_NONE)
        check_operand(x, code, code->guard, 1, mask, CHECK_CODE_UNDEFINED_BRANCH, NULL);
    mask = guard_lanes(x, code, mask);
    switch (code->terminator) {
    case TERM_BRANCH_INDEXED:
        check_operand(x, code, code->uops[code->uop_count].src[0], 4, mask,
                      CHECK_CODE_UNDEFINED_BRANCH, "the index of its table is not initialised");
        break;
    case TERM_CALL:
        if (code->callee_register != REF_NONE)
            check_operand(x, code, code->callee_register, code->callee_bytes, mask,
                          CHECK_CODE_UNDEFINED_OPERAND, "the called function is not initialised");
        break;
    case TERM_BARRIER:
        check_barrier(x, code, mask);
        break;
    default:
        break;
    }
}

/* ---- warps and frames ------------------------------------------------------------------------ */

static size_t words_of(uint64_t bytes)
{
    return (size_t)((bytes + 63) / 64) + 1; /* one more for those who read beyond the last */
}

struct defined_warp *defined_warp_create(const struct program *program)
{
    struct defined_warp *defined = mem_zalloc(1, sizeof *defined);
    defined->local_words = words_of((uint64_t)program->local_bytes_max * WARP_LANES);
    defined->parameter_words = words_of((uint64_t)program->parameter_bytes_max * WARP_LANES);
    defined->locals = mem_zalloc(defined->local_words, sizeof *defined->locals);
    defined->parameters = mem_zalloc(defined->parameter_words, sizeof *defined->parameters);
    return defined;
}

void defined_warp_destroy(struct defined_warp *defined)
{
    if (!defined) return;
    mem_free(defined->registers);
    mem_free(defined->origins);
    mem_free(defined->locals);
    mem_free(defined->parameters);
    mem_free(defined);
}

/* As large as the registers. */
static void reserve_bits(struct warp *warp)
{
    struct defined_warp *defined = warp->defined;
    size_t bytes = warp->register_bytes;
    if (bytes <= defined->register_bytes) return;
    unsigned char *registers = mem_zalloc_aligned(64, (bytes + 63) & ~(size_t)63);
    uint32_t *origins = mem_zalloc(bytes / 4 + 1, sizeof *origins);
    if (defined->registers) {
        memcpy(registers, defined->registers, defined->register_bytes);
        memcpy(origins, defined->origins, defined->register_bytes / 4 * sizeof *origins);
    }
    mem_free(defined->registers);
    mem_free(defined->origins);
    defined->registers = registers;
    defined->origins = origins;
    defined->register_bytes = bytes;
}

/* Registers that are read before they are written. */
static void undefine_registers(struct warp *warp, uint32_t function, uint32_t at, uint32_t mask,
                               const struct program_function *of)
{
    struct defined_warp *defined = warp->defined;
    for (uint32_t i = 0; i < of->zero_count; i++) {
        uint32_t offset = at + of->zero_offsets[i], bytes = of->zero_bytes[i];
        unsigned char *bits = defined->registers + offset;
        if (bytes == 4)
            *(uint32_t *)(void *)bits |= mask;
        else
            for (uint32_t left = mask; left; left &= left - 1)
                memset(bits + (size_t)(bytes / WARP_LANES) * (unsigned)__builtin_ctz(left), 0xff,
                       bytes / WARP_LANES);
        defined->origins[offset / 4] =
            ORIGIN_REGISTER | function << ORIGIN_FUNCTION_AT | (i & ORIGIN_ZERO_MASK);
        defined->is_dirty = true;
    }
}

void defined_warp_start(struct exec *x, struct warp *warp)
{
    struct defined_warp *defined = warp->defined;
    const struct program *program = x->launch->program;
    reserve_bits(warp);
    if (defined->is_dirty) memset(defined->registers, 0, defined->register_bytes);
    defined->is_dirty = false;
    defined->carry = 0;
    partial_drop(x->defined->partial, defined->locals, 0, defined->local_words * 64);
    partial_drop(x->defined->partial, defined->parameters, 0, defined->parameter_words * 64);
    memset(defined->locals, 0, defined->local_words * sizeof *defined->locals);
    memset(defined->parameters, 0, defined->parameter_words * sizeof *defined->parameters);
    undefine_registers(warp, 0, 0, warp->threads, &program->functions[0]);
}

static void forget_lanes(struct exec *x, uint64_t *shadow, uint64_t stride, uint64_t at,
                         uint64_t bytes, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t first = stride * (unsigned)__builtin_ctz(left) + at;
        shadow_clear(shadow, first, bytes);
        partial_drop(x->defined->partial, shadow, first, bytes);
    }
}

void defined_frame_begin(struct exec *x, struct warp *warp, const struct frame *frame,
                         uint32_t mask)
{
    struct defined_warp *defined = warp->defined;
    const struct program_function *function = &x->launch->program->functions[frame->function];
    reserve_bits(warp);
    forget_lanes(x, defined->locals, x->local_stride, frame->locals, function->local_bytes, mask);
    forget_lanes(x, defined->parameters, x->parameter_stride, frame->parameters,
                 function->parameter_bytes, mask);
    undefine_registers(warp, frame->function, frame->registers, mask, function);
}

struct defined *defined_create(const struct launch *launch)
{
    struct defined *defined = mem_zalloc(1, sizeof *defined);
    struct device *device = launch->device;
    if (!device->partial) {
        device->partial = mem_zalloc(1, sizeof *device->partial);
        mem_keep(device->partial);
    }
    defined->partial = device->partial;
    defined->places = mem_zalloc(launch->program->view.insn_count + 1, sizeof *defined->places);
    return defined;
}

void defined_destroy(struct defined *defined)
{
    if (!defined) return;
    mem_free(defined->places);
    mem_free(defined);
}
