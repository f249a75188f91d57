// SPDX-License-Identifier: Apache-2.0
/* Which bytes of memory are defined (defined.h), and what loads, stores and atomics make of it. */
#include <string.h>

#include "emulate/cluster.h"
#include "emulate/defined.h"

/* ---- where the bits of an access are --------------------------------------------------------- */

struct bytes {
    struct exec *x;
    const struct uop *u;
    const struct access *access;
    struct allocation *allocation; /* of all lanes; NULL: look for that of each */
    uint64_t *shadow;              /* of all lanes, or NULL */
    uint64_t stride, base;         /* bits by lane; of address 0 */
    bool is_global;
    bool is_cluster; /* each lane accesses the shared memory of some block of the cluster */
};

/* Of a lane; NULL: all are defined. */
static uint64_t *lane_shadow(const struct bytes *b, unsigned lane, uint64_t *at)
{
    uint64_t address = b->access->addresses[lane];
    if (b->is_cluster) {
        const struct block *block = cluster_block(b->x, &address);
        *at = address;
        return block ? block->shared_defined : NULL;
    }
    if (!b->is_global) {
        *at = b->base + b->stride * lane + address;
        return b->shadow;
    }
    const struct allocation *found =
        b->allocation ? b->allocation : devmem_find(b->x->launch->memory, address);
    *at = found ? address - found->address : 0;
    return found ? found->shadow : NULL;
}

static struct bytes bytes_of(struct exec *x, const struct uop *u, const struct access *access,
                             struct allocation *allocation, unsigned space)
{
    struct bytes b = {.x = x, .u = u, .access = access};
    switch (space) {
    case SPACE_SHARED:
        b.is_cluster = x->clustered;
        if (!b.is_cluster) b.shadow = x->block->shared_defined;
        break;
    case SPACE_LOCAL:
        b.shadow = x->warp->defined->locals;
        b.stride = x->local_stride;
        break;
    case SPACE_FRAME:
        b.shadow = x->warp->defined->parameters;
        b.stride = x->parameter_stride;
        b.base = x->frame->parameters;
        break;
    case SPACE_PARAM:
        break;
    default:
        b.is_global = true;
        b.allocation = allocation;
        b.shadow = allocation ? allocation->shadow : NULL;
        break;
    }
    return b;
}

/* Are all bytes between the least and the greatest address defined? A quick look, for most accesses. */
static bool is_all_defined(const struct bytes *b)
{
    enum { SPAN_MAX = 1 << 13 };
    const struct access *s = b->access;
    if (b->is_cluster) return false;
    if (!b->shadow) return !b->is_global || b->allocation; /* or each lane has its own */
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t left = s->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t at;
        lane_shadow(b, lane, &at);
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    if (high - low > SPAN_MAX) return false;
    return shadow_all(b->shadow, low, high - low + s->bytes);
}

/* ---- bits of values -------------------------------------------------------------------------- */

static operand_ref loaded_to(const struct uop *u, unsigned k)
{
    return u->elements ? u->elements[k] : u->dst[k];
}
static operand_ref stored_from(const struct uop *u, unsigned k)
{
    return u->elements ? u->elements[u->vector + k] : u->src[1 + k];
}

/* Undefined bits of `count` bytes, up to 8. */
static uint64_t bits_at(const struct bytes *b, const uint64_t *shadow, uint64_t at, unsigned count)
{
    uint32_t missing = shadow_missing(shadow, at, count);
    uint64_t bits = 0;
    for (; missing; missing &= missing - 1) {
        unsigned i = (unsigned)__builtin_ctz(missing);
        bits |= (uint64_t)partial_get(b->x->defined->partial, shadow, at + i) << (8 * i);
    }
    return bits;
}

static void set_bits_at(const struct bytes *b, uint64_t *shadow, uint64_t at, unsigned count,
                        uint64_t bits)
{
    struct partial_bytes *partial = b->x->defined->partial;
    if (partial->count && (bits || shadow_missing(shadow, at, count)))
        partial_drop(partial, shadow, at, count);
    if (!bits) {
        shadow_set(shadow, at, count);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)(bits >> (8 * i));
        bool is_kept = byte == 0xff || (byte && partial_set(partial, shadow, at + i, byte));
        if (is_kept)
            shadow_clear(shadow, at + i, 1);
        else
            shadow_set(shadow, at + i, 1);
    }
}

static uint64_t extended(uint64_t bits, unsigned bytes, bool is_signed)
{
    if (!is_signed || bytes >= 8) return bits;
    unsigned shift = 64 - 8 * bytes;
    return (uint64_t)((int64_t)(bits << shift) >> shift);
}

/* ---- loads ----------------------------------------------------------------------------------- */

static void note_origin(const struct bytes *b, unsigned lane)
{
    struct exec *x = b->x;
    struct origin_place *place = &x->defined->places[b->u->index];
    *place = (struct origin_place){.address = b->access->addresses[lane],
                                   .block = x->block->index,
                                   .warp = x->warp->index,
                                   .lane = lane,
                                   .space = b->access->space,
                                   .is_set = true};
}

/* One element of a lane; false: it is defined. */
static bool load_element(const struct bytes *b, unsigned k, unsigned lane, const uint64_t *shadow,
                         uint64_t at)
{
    const struct uop *u = b->u;
    operand_ref ref = loaded_to(u, k);
    unsigned bytes = u->element, width = u->dst_bits / 8u;
    if (ref == REF_NONE || !shadow_missing(shadow, at, bytes)) return false;
    unsigned char *to = undefined_bits(b->x, ref);
    bool is_signed = type_infos[u->insn->type].kind == KIND_SIGNED;
    uint64_t low = bits_at(b, shadow, at, bytes < 8 ? bytes : 8);
    low = extended(low, bytes, is_signed);
    set_lane(to, width, lane, low);
    if (width == 16) {
        uint64_t high = bytes == 16              ? bits_at(b, shadow, at + 8, 8)
                        : is_signed && low >> 63 ? ~UINT64_C(0)
                                                 : 0;
        memcpy(to + 16 * lane + 8, &high, sizeof high);
    }
    *origin_of(b->x, ref) = b->u->index + 1;
    return true;
}

static void load(const struct bytes *b)
{
    bool any = false;
    for (uint32_t left = b->access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t at, *shadow = lane_shadow(b, lane, &at);
        bool is_undefined = false;
        if (!shadow || !shadow_missing(shadow, at, b->access->bytes)) continue;
        for (unsigned k = 0; k < b->u->vector; k++)
            is_undefined |= load_element(b, k, lane, shadow, at + k * b->u->element);
        if (is_undefined && !any) note_origin(b, lane);
        any |= is_undefined;
    }
    if (any) b->x->warp->defined->is_dirty = true;
}

/* Matrices: what a register holds came from several lanes' addresses, so all are undefined if any byte is. */
static void load_matrix(const struct bytes *b)
{
    const struct insn *insn = b->u->insn;
    for (uint32_t left = b->access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t at, *shadow = lane_shadow(b, lane, &at);
        if (!shadow || !shadow_missing(shadow, at, b->access->bytes)) continue;
        note_origin(b, lane);
        for (unsigned k = 0; k < insn->ndst; k++) {
            if (b->u->elements[k] == REF_NONE) continue;
            undefine_lanes(b->x, b->u->elements[k], insn->type == TYPE_F64 ? 8 : 4, b->x->mask);
            *origin_of(b->x, b->u->elements[k]) = b->u->index + 1;
        }
        return;
    }
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* A whole allocation counts as defined until a kernel stores something undefined there; one that the host may write
 * unseen always does. */
static uint64_t *shadow_for_undefined(const struct bytes *b, unsigned lane)
{
    uint64_t address = b->access->addresses[lane], at;
    if (!b->is_global) return lane_shadow(b, lane, &at);
    struct allocation *found = devmem_find(b->x->launch->memory, address);
    if (!found || found->is_open) return NULL;
    if (!found->shadow) {
        found->shadow = mem_zalloc((found->bytes + 63) / 64 + 1, sizeof *found->shadow);
        mem_keep(found->shadow);
        shadow_set(found->shadow, 0, found->bytes);
    }
    return found->shadow;
}

static void store_lane(const struct bytes *b, unsigned lane)
{
    const struct uop *u = b->u;
    bool is_dirty = b->x->warp->defined->is_dirty;
    uint64_t at, *shadow = lane_shadow(b, lane, &at), any = 0, bits[32][2] = {{0}};
    unsigned width = u->dst_bits / 8u, bytes = u->element;
    for (unsigned k = 0; is_dirty && k < u->vector; k++) {
        operand_ref ref = stored_from(u, k);
        if (ref == REF_NONE || !is_register(ref)) continue;
        const unsigned char *from = undefined_bits(b->x, ref);
        bits[k][0] = get_lane(from, width, lane);
        if (bytes < 8) bits[k][0] &= (UINT64_C(1) << (8 * bytes)) - 1;
        if (bytes == 16) memcpy(&bits[k][1], from + 16 * lane + 8, 8);
        any |= bits[k][0] | bits[k][1];
    }
    if (any && !shadow) shadow = shadow_for_undefined(b, lane);
    if (!shadow) return;
    if (!any) {
        set_bits_at(b, shadow, at, b->access->bytes, 0);
        return;
    }
    for (unsigned k = 0; k < u->vector; k++) {
        set_bits_at(b, shadow, at + k * bytes, bytes < 8 ? bytes : 8, bits[k][0]);
        if (bytes == 16) set_bits_at(b, shadow, at + k * bytes + 8, 8, bits[k][1]);
    }
}

/* Lanes that store undefined bits; *is_computed: which are no copies of memory. */
static uint32_t undefined_stores(const struct bytes *b, bool *is_computed)
{
    const struct uop *u = b->u;
    uint32_t all = 0;
    *is_computed = false;
    if (!b->x->warp->defined->is_dirty) return 0;
    for (unsigned k = 0; k < u->vector; k++) {
        operand_ref from = stored_from(u, k);
        uint32_t lanes = undefined_lanes(b->x, from, u->dst_bits / 8u) & b->access->mask;
        if (lanes) *is_computed |= *origin_of(b->x, from) & ORIGIN_COMPUTED;
        all |= lanes;
    }
    return all;
}

/* Results that the host may copy. */
static void note_computed(const struct bytes *b, uint32_t lanes)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t address = b->access->addresses[__builtin_ctz(left)];
        low = address < low ? address : low;
        high = address > high ? address : high;
    }
    defined_note_computed(b->x, b->u->insn, low, high + b->access->bytes);
}

static void store(const struct bytes *b)
{
    const struct access *s = b->access;
    bool is_computed;
    uint32_t undefined = undefined_stores(b, &is_computed);
    bool is_defined = !undefined;
    if (is_computed && b->is_global) note_computed(b, undefined);
    if (is_defined && is_all_defined(b)) return;
    bool is_dense = s->mask == UINT32_MAX && s->shape == ACCESS_STRIDED && s->stride == s->bytes;
    if (is_defined && is_dense && b->shadow && !b->stride && !b->x->defined->partial->count) {
        uint64_t at;
        lane_shadow(b, 0, &at);
        shadow_set(b->shadow, at, (uint64_t)s->bytes * WARP_LANES);
        return;
    }
    for (uint32_t left = s->mask; left; left &= left - 1)
        store_lane(b, (unsigned)__builtin_ctz(left));
}

static void store_matrix(const struct bytes *b)
{
    const struct insn *insn = b->u->insn;
    uint64_t undefined = 0;
    unsigned end = insn->nsrc - (insn->op == OP_WMMA_STORE ? 1u : 0u); /* before the stride */
    for (unsigned k = 1; k < end; k++)
        if (undefined_lanes(b->x, b->u->elements[k], insn->type == TYPE_F64 ? 8 : 4))
            undefined = ~UINT64_C(0);
    for (uint32_t left = b->access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t at, *shadow = lane_shadow(b, lane, &at);
        if (undefined && !shadow) shadow = shadow_for_undefined(b, lane);
        for (unsigned done = 0; shadow && done < b->access->bytes; done += 8) {
            unsigned part = b->access->bytes - done < 8 ? b->access->bytes - done : 8u;
            set_bits_at(b, shadow, at + done, part, undefined);
        }
    }
}

/* ---- atomics --------------------------------------------------------------------------------- */

struct atomic {
    uint64_t memory, value, wanted; /* undefined bits: of memory, of b and, for cas, of c */
    uint64_t b;                     /* the value itself */
    unsigned bytes;
};

/* What is undefined in memory afterwards; the result is what was undefined before. *is_error: it decides something. Bytes
 * beside those that a compare-and-swap loop is about are compared with themselves: they decide nothing. */
static uint64_t atomic_undefined(const struct insn *insn, const struct atomic *a, bool *is_error)
{
    uint64_t every = UINT64_C(0x0101010101010101), bytes = 0;
    *is_error = false;
    switch (insn->atom_op) {
    case ATOM_EXCH:
        return a->value;
    case ATOM_CAS:
    case ATOM_CAST:
        for (unsigned i = 0; i < a->bytes && i < 8; i++)
            if ((a->memory | a->value) >> (8 * i) & 0xff) bytes |= UINT64_C(1) << (8 * i);
        if (a->bytes < 8) every &= (UINT64_C(1) << (8 * a->bytes)) - 1;
        *is_error = bytes == every;
        return 0;
    case ATOM_AND:
        *is_error = (a->memory & (a->b | a->value)) | a->value;
        break;
    case ATOM_OR:
        *is_error = (a->memory & ~(a->b & ~a->value)) | a->value;
        break;
    default:
        *is_error = a->memory | a->value;
        break;
    }
    return 0;
}

static void atomic_element(const struct bytes *b, unsigned k, unsigned lane, uint64_t *shadow,
                           uint64_t at, uint32_t *bad_memory, uint32_t *bad_value)
{
    const struct uop *u = b->u;
    struct exec *x = b->x;
    unsigned part = u->element < 8 ? u->element : 8;
    operand_ref from = stored_from(u, k), to = loaded_to(u, k);
    struct atomic a = {.bytes = u->element};
    if (shadow) a.memory = bits_at(b, shadow, at, part);
    if (is_register(from)) a.value = get_lane(undefined_bits(x, from), u->element, lane);
    a.b = get_lane(x->base[from >> 30] + (from & 0x3fffffff), u->element, lane);
    bool is_error;
    uint64_t after = atomic_undefined(u->insn, &a, &is_error);
    bool is_exchange = u->insn->atom_op == ATOM_EXCH;
    if (is_error) *(a.memory ? bad_memory : bad_value) |= 1u << lane;
    if (u->insn->atom_op >= ATOM_CAS && is_register(from))
        define_lanes(x, from, u->element, 1u << lane);
    if (after && !shadow) shadow = shadow_for_undefined(b, lane);
    if (shadow) set_bits_at(b, shadow, at, part, after);
    if (to == REF_NONE) return;
    set_lane(undefined_bits(x, to), u->element, lane, is_exchange ? a.memory : 0);
    if (is_exchange && a.memory) {
        *origin_of(x, to) = u->index + 1;
        note_origin(b, lane);
        x->warp->defined->is_dirty = true;
    }
}

static void atomic(const struct bytes *b)
{
    struct exec *x = b->x;
    const struct uop *u = b->u;
    uint32_t bad_memory = 0, bad_value = 0;
    if (!x->warp->defined->is_dirty && is_all_defined(b)) return;
    uint32_t value_origin = 0;
    for (unsigned k = 0; k < u->vector; k++)
        if (is_register(stored_from(u, k)) && undefined_lanes(x, stored_from(u, k), u->element))
            value_origin = *origin_of(x, stored_from(u, k));
    for (uint32_t left = b->access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t at, *shadow = lane_shadow(b, lane, &at);
        for (unsigned k = 0; k < u->vector; k++)
            atomic_element(b, k, lane, shadow, at + k * u->element, &bad_memory, &bad_value);
    }
    if (bad_memory) {
        note_origin(b, (unsigned)__builtin_ctz(bad_memory));
        defined_report(x, CHECK_CODE_UNDEFINED_ATOMIC, u->insn, bad_memory, u->index + 1,
                       "the memory was not initialised");
    }
    if (bad_value)
        defined_report(x, CHECK_CODE_UNDEFINED_ATOMIC, u->insn, bad_value, value_origin,
                       "the value was not initialised");
}

/* ---- mbarrier objects ------------------------------------------------------------------------ */

/* Initialised as a whole, or not at all. */
static void mbarrier_object(const struct bytes *b)
{
    const struct uop *u = b->u;
    uint32_t bad = 0;
    if (is_all_defined(b)) return;
    for (uint32_t left = b->access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t at, *shadow = lane_shadow(b, lane, &at);
        if (!shadow || !bits_at(b, shadow, at, b->access->bytes)) continue;
        if (u->insn->op != OP_MBARRIER_INIT) bad |= 1u << lane;
        set_bits_at(b, shadow, at, b->access->bytes, 0);
    }
    if (!bad) return;
    note_origin(b, (unsigned)__builtin_ctz(bad));
    defined_report(b->x, CHECK_CODE_UNDEFINED_ATOMIC, u->insn, bad, u->index + 1,
                   "the mbarrier object was not initialised");
}

void defined_access(struct exec *x, const struct uop *u, const struct access *access,
                    struct allocation *allocation, unsigned space, unsigned what)
{
    struct bytes b = bytes_of(x, u, access, allocation, space);
    if (op_infos[u->insn->op].form == FORM_MBARRIER) {
        mbarrier_object(&b);
    } else if (what == (DEFINED_READS | DEFINED_WRITES)) {
        atomic(&b);
    } else if (what == DEFINED_READS) {
        if (is_all_defined(&b)) return;
        u->insn->matrix ? load_matrix(&b) : load(&b);
    } else {
        u->insn->matrix ? store_matrix(&b) : store(&b);
    }
}

/* ---- what else changes memory ---------------------------------------------------------------- */

void defined_block_start(struct exec *x, struct block *block)
{
    const struct launch *launch = x->launch;
    size_t words = (size_t)(launch->shared_end + 63) / 64 + 1;
    if (!block->shared_defined)
        block->shared_defined = mem_zalloc(words, sizeof *block->shared_defined);
    partial_drop(x->defined->partial, block->shared_defined, 0, words * 64);
    memset(block->shared_defined, 0, words * sizeof *block->shared_defined);
    shadow_set(block->shared_defined, 0, launch->program->shared_base);
}

/* The bit of a parameter's first byte; NULL: all are defined. */
static uint64_t *value_bits(const struct exec *x, const struct warp *warp,
                            const struct frame *frame, const struct call_value *value,
                            uint32_t lane, uint64_t *at)
{
    switch (value->home) {
    case HOME_LOCAL:
        *at = (uint64_t)lane * x->local_stride + frame->locals + value->offset;
        return warp->defined->locals;
    case HOME_LAUNCH:
        return NULL;
    default:
        *at = (uint64_t)lane * x->parameter_stride + frame->parameters + value->offset;
        return warp->defined->parameters;
    }
}

void defined_copy_value(const struct exec *x, const struct warp *warp, const struct frame *to,
                        const struct call_value *to_value, const struct frame *from,
                        const struct call_value *from_value, uint32_t lane)
{
    uint64_t to_at = 0, from_at = 0;
    uint64_t *into = value_bits(x, warp, to, to_value, lane, &to_at);
    const uint64_t *out_of = value_bits(x, warp, from, from_value, lane, &from_at);
    struct bytes b = {.x = (struct exec *)(uintptr_t)x};
    for (uint32_t done = 0; into && done < to_value->bytes; done += 8) {
        unsigned part = to_value->bytes - done < 8 ? to_value->bytes - done : 8u;
        uint64_t bits = out_of ? bits_at(&b, out_of, from_at + done, part) : 0;
        set_bits_at(&b, into, to_at + done, part, bits);
    }
}

void defined_result(const struct exec *x, const struct call_value *value, uint32_t lane)
{
    uint64_t at = 0, *shadow = value_bits(x, x->warp, x->frame, value, lane, &at);
    if (shadow) shadow_set(shadow, at, value->bytes);
}

void defined_forget(const struct exec *x, uint64_t address, uint64_t bytes)
{
    struct allocation *found = devmem_find(x->launch->memory, address);
    if (!found || !found->shadow || bytes > found->address + found->bytes - address) return;
    partial_drop(x->defined->partial, found->shadow, address - found->address, bytes);
    shadow_clear(found->shadow, address - found->address, bytes);
}

/* The shadow of a generic address of a lane. */
static uint64_t *shadow_at(const struct exec *x, unsigned lane, uint64_t address, unsigned bytes,
                           uint64_t *at)
{
    unsigned space = window_of(address);
    uint64_t addresses[WARP_LANES];
    const struct access access = {
        .mask = 1u << lane, .bytes = (uint8_t)bytes, .addresses = addresses};
    addresses[lane] = window_offset(address, space);
    struct exec *own = (struct exec *)(uintptr_t)x;
    struct bytes b = bytes_of(own, NULL, &access, NULL, space);
    return lane_shadow(&b, lane, at);
}

void defined_written(const struct exec *x, unsigned lane, uint64_t address, unsigned bytes)
{
    uint64_t at = 0, *shadow = shadow_at(x, lane, address, bytes, &at);
    if (!shadow) return;
    partial_drop(x->defined->partial, shadow, at, bytes);
    shadow_set(shadow, at, bytes);
}

bool defined_bytes_at(const struct exec *x, unsigned lane, uint64_t address, unsigned bytes)
{
    uint64_t at = 0;
    const uint64_t *shadow = shadow_at(x, lane, address, bytes, &at);
    return !shadow || !shadow_missing(shadow, at, bytes);
}
