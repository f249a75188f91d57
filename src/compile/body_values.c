// SPDX-License-Identifier: Apache-2.0
/* Which values of a body are in vector registers. A value comes into registers when it is made, or read for the first
 * of several times; it leaves them when others need the room, the one that is read last first. */
#include <string.h>

#include "compile/body.h"

/* Operations that are looked at for the next use of a value; beyond, it is used. */
enum { LOOK_AHEAD = 256 };
#define NEVER UINT32_MAX

static unsigned base_register(operand_ref ref)
{
    static const uint8_t registers[BASE_COUNT] = {R12, R13, R14, R15};
    return registers[ref >> 30];
}

struct x86_place value_slot(operand_ref ref, unsigned chunk)
{
    return x86_at(base_register(ref), (int32_t)((ref & 0x3fffffff) + VECTOR_BYTES * chunk));
}

struct x86_place value_word(operand_ref ref)
{
    return value_slot(ref, 0);
}

bool value_constant(const struct body *b, operand_ref ref, uint64_t *out)
{
    const unsigned char *at = b->program->pool + (ref & 0x3fffffff);
    if (ref == REF_NONE || ref >> 30 != BASE_POOL) return false;
    memcpy(out, at, sizeof *out);
    return true;
}

/* ---- what comes later ------------------------------------------------------------------------ */

static bool reads(const struct uop *u, operand_ref ref)
{
    if (u->elements || u->guard == ref) return true;
    for (unsigned k = 0; k < UOP_SOURCES; k++)
        if (u->src[k] == ref) return true;
    return false;
}

/* An operation without a guard that writes all of a register. */
static bool overwrites(const struct uop *u, operand_ref ref)
{
    return u->guard == REF_NONE && u->dst[0] == ref && u->dst[1] == REF_NONE;
}

enum use { USE_NONE, USE_READS, USE_OVERWRITES };

/* How the first operation of the code block that does so uses a slot, from `at` on, and which it is. */
static enum use first_use(const struct code *code, operand_ref ref, uint32_t at, uint32_t *out)
{
    for (uint32_t i = at; i < code->uop_count; i++) {
        *out = i;
        if (i == at + LOOK_AHEAD || reads(&code->uops[i], ref)) return USE_READS;
        if (overwrites(&code->uops[i], ref)) return USE_OVERWRITES;
    }
    return USE_NONE;
}

/* Operations until the path reads the slot, from `at` in the code block at hand on; NEVER: it is written before. */
static uint32_t next_use(const struct body *b, operand_ref ref, uint32_t at)
{
    uint32_t passed = 0, first = at, step = b->step;
    uint32_t steps = b->path->returns ? b->path->count + 1 : b->path->count - step;
    for (uint32_t i = 0; i < steps && passed < LOOK_AHEAD; i++, first = 0) {
        const struct code *code = &b->program->code[b->path->steps[step].code_block];
        uint32_t use;
        enum use what = first_use(code, ref, first, &use);
        if (what == USE_OVERWRITES) return NEVER;
        if (what == USE_READS) return passed + use - first;
        passed += first < code->uop_count ? code->uop_count - first : 0;
        step = (step + 1) % b->path->count;
    }
    return NEVER;
}

/* The instruction behind the body may read whatever it names. */
static bool is_named(const struct insn *insn, int32_t vreg)
{
    if (!insn) return false;
    for (unsigned k = 0; k < (unsigned)insn->ndst + insn->nsrc; k++)
        if (insn_operand(insn, k)->reg == vreg) return true;
    return insn->guard == vreg;
}

static bool is_live_after(const struct body *b, const struct value *value)
{
    if (value->vreg < 0) return true;
    int32_t bit = b->crossing[value->vreg];
    if (bit >= 0 && b->block->live_out[bit / 64] >> (bit % 64) & 1) return true;
    return is_named(b->code->last, value->vreg);
}

/* Must the slot have it, seen from operation `at`? */
static bool is_needed(const struct body *b, const struct value *value, uint32_t at)
{
    uint32_t use;
    enum use what = first_use(b->code, value->ref, at, &use);
    return what == USE_READS || (what == USE_NONE && is_live_after(b, value));
}

/* ---- registers ------------------------------------------------------------------------------- */

struct value *value_find(struct body *b, operand_ref ref)
{
    for (unsigned i = 0; i < VALUES_MAX; i++)
        if (b->values.entries[i].chunks && b->values.entries[i].ref == ref)
            return &b->values.entries[i];
    return NULL;
}

static void free_value(struct body *b, struct value *value)
{
    for (unsigned c = 0; c < value->chunks; c++)
        b->values.used_registers &= ~(1u << value->regs[c]);
    value->chunks = 0;
}

void value_make_canonical(struct body *b, struct value *value)
{
    for (unsigned c = 0; value->is_raw && c < value->chunks; c++)
        emit_canonical(b, value->regs[c]);
    value->is_raw = false;
}

/* Lanes that do not take part keep what they had. In registers they have anything: lanes do not see each other. */
static void store_value(struct body *b, struct value *value)
{
    enum { ACTIVE = 5 };
    static const uint8_t forms[] = {
        [1] = X86_MOVE_OUT_16, [2] = X86_MOVE_OUT, [4] = X86_MOVE_OUT_64};
    unsigned lanes = WARP_LANES / value->chunks;
    value_make_canonical(b, value);
    if (b->is_part) x86_mask_load(b->a, ACTIVE, x86_at(RBX, (int32_t)offsetof(struct exec, mask)));
    for (unsigned c = 0; c < value->chunks; c++) {
        if (b->is_part && c) x86_mask_shift(b->a, ACTIVE, ACTIVE, lanes);
        x86_vector(b->a, forms[value->chunks], value->regs[c], 0, value_slot(value->ref, c),
                   b->is_part ? ACTIVE : 0, -1);
    }
    value->is_dirty = false;
}

/* The value that is read last makes room. */
static void evict(struct body *b)
{
    struct value *last = NULL;
    uint32_t last_use = 0;
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        struct value *value = &b->values.entries[i];
        if (!value->chunks || value->pinned_at == b->ordinal + 1) continue;
        uint32_t use = next_use(b, value->ref, b->at);
        if (!last || use > last_use) {
            last = value;
            last_use = use;
        }
    }
    if (last->is_dirty && is_needed(b, last, b->at)) store_value(b, last);
    free_value(b, last);
}

static void take_registers(struct body *b, unsigned count, uint8_t *out)
{
    const uint32_t all = (1u << VALUE_REGISTERS) - 1;
    while ((unsigned)__builtin_popcount(all & ~b->values.used_registers) < count)
        evict(b);
    for (unsigned c = 0; c < count; c++) {
        out[c] = (uint8_t)__builtin_ctz(all & ~b->values.used_registers);
        b->values.used_registers |= 1u << out[c];
    }
}

static struct value *add_value(struct body *b, operand_ref ref, unsigned chunks,
                               const uint8_t *regs)
{
    struct value *value = b->values.entries;
    while (value->chunks)
        value++;
    *value = (struct value){.ref = ref, .chunks = (uint8_t)chunks, .vreg = -1};
    memcpy(value->regs, regs, chunks);
    return value;
}

/* ---- sources --------------------------------------------------------------------------------- */

struct value *value_bring(struct body *b, operand_ref ref, unsigned chunks)
{
    uint8_t regs[CHUNKS_MAX];
    take_registers(b, chunks, regs);
    for (unsigned c = 0; c < chunks; c++)
        emit2(b, X86_MOVE, regs[c], value_slot(ref, c));
    return add_value(b, ref, chunks, regs);
}

static struct source find_source(struct body *b, operand_ref ref, unsigned bytes, bool is_raw)
{
    unsigned chunks = bytes * WARP_LANES / VECTOR_BYTES;
    struct source source;
    struct value *value = value_find(b, ref);
    if (!value) path_note_read(b, ref, chunks);
    if (!value && next_use(b, ref, b->at + 1) != NEVER) value = value_bring(b, ref, chunks);
    if (value) {
        value->pinned_at = b->ordinal + 1;
        if (!is_raw) value_make_canonical(b, value);
    }
    for (unsigned c = 0; c < chunks; c++)
        source.chunks[c] = value ? x86_reg(value->regs[c]) : value_slot(ref, c);
    return source;
}

struct source value_source(struct body *b, operand_ref ref, unsigned bytes)
{
    return find_source(b, ref, bytes, false);
}

struct source value_raw_source(struct body *b, operand_ref ref, unsigned bytes)
{
    return find_source(b, ref, bytes, true);
}

unsigned value_in_register(struct body *b, struct x86_place chunk, unsigned scratch)
{
    if (!chunk.is_memory) return chunk.reg;
    emit2(b, X86_MOVE, scratch, chunk);
    return scratch;
}

/* ---- results --------------------------------------------------------------------------------- */

struct result value_begin(struct body *b, unsigned bytes)
{
    struct result result;
    take_registers(b, bytes * WARP_LANES / VECTOR_BYTES, result.regs);
    return result;
}

void value_release(struct body *b, const struct result *result, unsigned bytes)
{
    for (unsigned c = 0; c < bytes * WARP_LANES / VECTOR_BYTES; c++)
        b->values.used_registers &= ~(1u << result->regs[c]);
}

void value_forget(struct body *b, operand_ref ref)
{
    struct value *value = value_find(b, ref);
    if (value) free_value(b, value);
    shape_forget(b, ref);
}

/* Lanes whose guard does not hold keep what they had. */
static void emit_kept(struct body *b, operand_ref ref, const struct result *result, unsigned bytes,
                      bool is_raw)
{
    enum { KEPT = 5 };
    unsigned chunks = bytes * WARP_LANES / VECTOR_BYTES;
    struct value *old = value_find(b, ref);
    if (old) value_make_canonical(b, old);
    x86_mask_load(b->a, KEPT, emit_lanes(b));
    x86_mask_not(b->a, KEPT, KEPT);
    for (unsigned c = 0; c < chunks; c++) {
        enum x86_form form = chunks == 1 ? X86_MOVE_16 : chunks == 2 ? X86_MOVE : X86_MOVE_64;
        if (is_raw) emit_canonical(b, result->regs[c]);
        if (c) x86_mask_shift(b->a, KEPT, KEPT, WARP_LANES / chunks);
        x86_vector(b->a, form, result->regs[c], 0, old ? x86_reg(old->regs[c]) : value_slot(ref, c),
                   KEPT, -1);
    }
}

void value_finish(struct body *b, unsigned k, const struct result *result, unsigned bytes,
                  bool is_raw)
{
    const struct uop *u = &b->code->uops[b->at];
    if (b->is_guarded) emit_kept(b, u->dst[k], result, bytes, is_raw);
    is_raw = is_raw && !b->is_guarded;
    value_forget(b, u->dst[k]);
    struct value *value = add_value(b, u->dst[k], bytes * WARP_LANES / VECTOR_BYTES, result->regs);
    value->is_dirty = true;
    value->is_raw = is_raw;
    value->vreg = u->is_whole_insn ? u->insn->operands[k].reg : -1;
}

/* ---- all of them ----------------------------------------------------------------------------- */

void values_store(struct body *b)
{
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        struct value *value = &b->values.entries[i];
        if (value->chunks && value->is_dirty && is_needed(b, value, b->at)) store_value(b, value);
    }
}

void values_drop_dead(struct body *b)
{
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        struct value *value = &b->values.entries[i];
        if (value->chunks && value->is_dirty && !is_needed(b, value, b->at)) free_value(b, value);
    }
}

void values_leave_unread(struct body *b, struct values *values, uint32_t step)
{
    uint32_t here = b->step;
    b->step = step;
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        struct value *value = &values->entries[i];
        if (!value->chunks || value->is_dirty || next_use(b, value->ref, 0) != NEVER) continue;
        for (unsigned c = 0; c < value->chunks; c++)
            values->used_registers &= ~(1u << value->regs[c]);
        value->chunks = 0;
    }
    b->step = here;
}

void values_store_others(struct body *b, const struct values *kept)
{
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        struct value *value = &b->values.entries[i];
        bool is_kept = false;
        for (unsigned k = 0; k < VALUES_MAX; k++)
            is_kept = is_kept || (kept->entries[k].chunks && kept->entries[k].ref == value->ref);
        if (!is_kept && value->chunks && value->is_dirty && is_needed(b, value, b->at))
            store_value(b, value);
    }
}

void values_store_all(struct body *b, const struct values *values)
{
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        struct value value = values->entries[i];
        if (value.chunks && value.is_dirty) store_value(b, &value);
    }
}

void values_reload(struct body *b, const struct values *values)
{
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        const struct value *value = &values->entries[i];
        for (unsigned c = 0; c < value->chunks; c++)
            emit2(b, X86_MOVE, value->regs[c], value_slot(value->ref, c));
    }
}

void values_drop(struct body *b)
{
    memset(&b->values, 0, sizeof b->values);
}
