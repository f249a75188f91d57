// SPDX-License-Identifier: Apache-2.0
/* Copies in bulk (isa/bulk.h). Each lane's copy is done at once, as hardware may; so groups of them have nothing to wait
 * for, and the object that counts their bytes has them when the instruction has been executed. */
#ifndef EMULATE_SEM_BULK_H
#define EMULATE_SEM_BULK_H

#include <warpsage/warpsage.h>

#include "emulate/sem_atomic.h"
#include "emulate/tensor_map.h"

/* One lane's. */
struct bulk {
    struct exec *x;
    const struct uop *u;
    const struct insn *insn; /* with the type of what is combined */
    const struct bulk_form *form;
    unsigned lane;
    const struct tensor_map *map; /* NULL: bytes; else &unpacked */
    struct tensor_map unpacked;
    struct block *block; /* whose shared memory it is */
    uint64_t at;         /* address there */
    struct access batch; /* of global memory, to be told the observer */
    uint64_t addresses[WARP_LANES], shared_addresses[WARP_LANES];
    bool is_told; /* once, of copies to several blocks */
};

static uint64_t bulk_value(const struct bulk *b, unsigned k)
{
    const struct uop *u = b->u;
    return read_bits(b->x, u->elements[k], 8 * u->elements[u->insn->nsrc + k], b->lane);
}

static bool bulk_fault(struct bulk *b, enum fault_kind kind, unsigned space, uint64_t address,
                       uint64_t bytes)
{
    fault_memory(b->x, b->u, kind, b->lane, address);
    b->x->fault.space = (uint8_t)space;
    b->x->fault.bytes = (uint32_t)bytes;
    b->x->fault.store = space == SPACE_GLOBAL && b->form->to == BULK_GLOBAL;
    return false;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The shared address in source k, which st.async may have as a generic one. */
static bool bulk_shared_address(struct bulk *b, unsigned k, uint64_t alignment, uint64_t *out)
{
    uint64_t address = bulk_value(b, k);
    if (b->u->insn->sub_op == SUB_TO && window_of(address) != SPACE_SHARED)
        return bulk_fault(b, FAULT_NOT_SHARED, SPACE_GENERIC, address, alignment);
    if (b->u->insn->sub_op == SUB_TO) address = window_offset(address, SPACE_SHARED);
    *out = (uint32_t)address;
    if (!(address & (alignment - 1))) return true;
    return bulk_fault(b, FAULT_MISALIGNED, SPACE_SHARED, address, alignment);
}

static unsigned char *bulk_shared(struct bulk *b, uint64_t address, uint64_t bytes)
{
    if (!cluster_memory(b->x, b->u, b->lane, address, bytes)) {
        b->x->fault.bytes = (uint32_t)bytes;
        return NULL;
    }
    b->at = address;
    b->block = cluster_block(b->x, &b->at);
    return b->block->shared + b->at;
}

/* Memory that is not there, or may not be used so. */
static bool bulk_refuses(struct bulk *b, const struct allocation *found, uint64_t address,
                         uint64_t bytes, bool writes)
{
    const struct devmem *memory = b->x->launch->memory;
    const struct allocation *near = devmem_nearest(memory, address);
    bool is_inside = found && bytes <= found->address + found->bytes - address;
    if (!is_inside) {
        bool freed = near && near->freed && address - near->address < near->bytes;
        return !bulk_fault(b, freed ? FAULT_FREED : FAULT_OUT_OF_BOUNDS, SPACE_GLOBAL, address,
                           bytes);
    }
    if (writes && found->read_only)
        return !bulk_fault(b, FAULT_READ_ONLY, SPACE_GLOBAL, address, bytes);
    bool is_unwritten = !b->x->checks && found->shadow && (!writes || b->insn->atom_op) &&
                        !shadow_all(found->shadow, address - found->address, bytes);
    return is_unwritten && !bulk_fault(b, FAULT_UNINITIALISED, SPACE_GLOBAL, address, bytes);
}

/* NULL: a fault was recorded. */
static unsigned char *bulk_global(struct bulk *b, uint64_t address, uint64_t bytes,
                                  struct allocation **out)
{
    struct exec *x = b->x;
    bool writes = b->form->to == BULK_GLOBAL;
    struct allocation *found = devmem_find(x->launch->memory, address);
    if (bulk_refuses(b, found, address, bytes, writes)) return NULL;
    if (found->rule) devmem_touch(x->launch->memory, found, address - found->address, bytes);
    if (writes && found->shadow && !x->tracks)
        shadow_set(found->shadow, address - found->address, bytes);
    if (writes && x->launch->options->undo)
        undo_note(x->launch->options->undo, x->launch->memory, address, bytes);
    *out = found;
    return devmem_host(x->launch->memory, address);
}

/* ---- what observers and checks are told ------------------------------------------------------- */

static void bulk_tell_batch(struct bulk *b)
{
    struct exec *x = b->x;
    if (!b->batch.mask) return;
    b->batch.space = SPACE_GLOBAL;
    b->batch.shape = ACCESS_GENERAL;
    b->batch.bytes = (uint8_t)insn_access_bytes(b->u->insn);
    b->batch.addresses = b->addresses;
    x->observe->memory(x->observer_worker, &x->warp->ref, b->u->index, &b->batch);
    b->batch.space = SPACE_SHARED;
    b->batch.addresses = b->shared_addresses;
    x->observe->memory(x->observer_worker, &x->warp->ref, b->u->index, &b->batch);
    b->batch.mask = 0;
}

/* Both memories, as accesses of a warp; shared: the address there, without swizzling. */
static void bulk_tell(struct bulk *b, uint64_t address, uint64_t shared, uint64_t bytes)
{
    unsigned step = insn_access_bytes(b->u->insn);
    if (!b->x->observe || b->is_told) return;
    for (uint64_t done = 0; done < bytes; done += step) {
        unsigned lane = b->batch.mask ? 32u - (unsigned)__builtin_clz(b->batch.mask) : 0;
        b->addresses[lane] = address + done;
        b->shared_addresses[lane] = shared + done;
        b->batch.mask |= 1u << lane;
        if (lane == WARP_LANES - 1) bulk_tell_batch(b);
    }
}

/* What is initialised goes along; from NULL: all is. */
static void bulk_define(struct bulk *b, uint64_t *to, uint64_t to_at, const uint64_t *from,
                        uint64_t from_at, uint64_t bytes)
{
    if (!b->x->tracks || !to) return;
    for (uint64_t k = 0; k < bytes; k++)
        if (!from || shadow_all((uint64_t *)(uintptr_t)from, from_at + k, 1))
            shadow_set(to, to_at + k, 1);
        else
            shadow_clear(to, to_at + k, 1);
}

/* ---- the object ------------------------------------------------------------------------------ */

static bool bulk_signal(struct bulk *b, uint64_t address, uint64_t bytes)
{
    struct exec *x = b->x;
    unsigned char *host = bulk_shared(b, address, 8);
    if (!host) return false;
    uint64_t *word = (uint64_t *)(void *)host;
    struct mbarrier object = mbarrier_of(*word);
    struct mbarrier_change change = {.bytes = -(uint32_t)bytes};
    bool ends = mbarrier_apply(&object, &change);
    *word = mbarrier_bits(&object);
    if (x->observe && x->observe->phase && b->block == x->block) {
        struct phase_event event = {.address = b->at, .lanes = 1u << b->lane, .ended = ends};
        x->observe->phase(x->observer_worker, &x->warp->ref, b->u->index, &event);
    }
    if (x->checks & CHECK_RACE) order_bulk_signal(x, b->u, b->lane, b->block, b->at, ends);
    return true;
}

/* The checker is told of a copy before its accesses. False: there is no such object. */
static bool bulk_announce(struct bulk *b, uint64_t object)
{
    if (!(b->x->checks & CHECK_RACE)) return true;
    if (b->form->signals && !bulk_shared(b, object, 8)) return false;
    order_bulk(b->x, b->u, b->lane, b->form->signals ? b->block : NULL, b->at);
    return true;
}

/* home: whose shared memory; NULL: global. */
static void bulk_told(struct bulk *b, unsigned what, const struct block *home, uint64_t address,
                      uint64_t bytes, const unsigned char *host)
{
    enum { PIECE = 16 };
    if (!(b->x->checks & CHECK_RACE)) return;
    for (uint64_t done = 0; done < bytes; done += PIECE)
        order_bulk_access(b->x, b->u, b->lane, what, home, address + done,
                          bytes - done < PIECE ? bytes - done : PIECE, host + done);
}

/* ---- data ------------------------------------------------------------------------------------ */

static void bulk_combine(struct bulk *b, unsigned char *to, const unsigned char *from,
                         uint64_t bytes, bool global)
{
    unsigned element = type_infos[b->insn->type].bits / 8;
    for (uint64_t done = 0; done < bytes; done += element) {
        uint64_t value = 0;
        memcpy(&value, from + done, element);
        if (element == 2)
            atomic_16(b->x, b->insn, to + done, value, 0, b->lane, global);
        else if (element == 4)
            atomic_32(b->x, b->insn, to + done, value, 0, b->lane, global);
        else
            atomic_64(b->x, b->insn, to + done, value, 0, b->lane, global);
    }
}

static void bulk_move(struct bulk *b, unsigned char *to, const unsigned char *from, uint64_t bytes,
                      bool global)
{
    if (b->insn->atom_op)
        bulk_combine(b, to, from, bytes, global);
    else
        memcpy(to, from, bytes);
}

/* Elements outside of the tensor. */
static void bulk_fill(const struct bulk *b, unsigned char *to, uint64_t bytes)
{
    static const unsigned char nan16[] = {0xff, 0x7f}, nan32[] = {0xff, 0xff, 0xff, 0x7f},
                               nan64[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    unsigned element = tensor_element_bytes(b->map);
    memset(to, 0, bytes);
    for (uint64_t k = 0; b->map->fills_nan && k < bytes; k += element)
        memcpy(to + k, element == 2 ? nan16 : element == 4 ? nan32 : nan64, element);
}

/* One run: in global memory as it is, in shared memory by the chunk of 16 bytes. */
static bool bulk_run(void *self, const struct tensor_run *run)
{
    struct bulk *b = self;
    bool writes = b->form->to == BULK_GLOBAL;
    struct allocation *found = NULL;
    unsigned char *host = NULL;
    if (run->is_outside && writes) return true;
    if (!run->is_outside) {
        host = bulk_global(b, run->global, run->bytes, &found);
        if (!host) return false;
        bulk_tell(b, run->global, b->at + run->shared, run->bytes);
    }
    unsigned combines = b->insn->atom_op ? READS | WRITES : WRITES;
    if (host) bulk_told(b, writes ? combines : READS, NULL, run->global, run->bytes, host);
    for (uint64_t done = 0, piece; done < run->bytes; done += piece) {
        uint64_t at = b->at + run->shared + done, left = run->bytes - done;
        piece = 16 - at % 16 < left ? 16 - at % 16 : left;
        at = tensor_swizzled(at, b->map ? b->map->swizzle : 0);
        if (at + piece > b->x->launch->shared_end) /* a swizzle may leave the box */
            return bulk_fault(b, FAULT_OUT_OF_BOUNDS, SPACE_SHARED, at, piece);
        unsigned char *shared = b->block->shared + at;
        bulk_told(b, writes ? READS : combines, b->block, at, piece, shared);
        uint64_t *shadow = found ? found->shadow : NULL;
        uint64_t global_at = found ? run->global + done - found->address : 0;
        if (run->is_outside)
            bulk_fill(b, shared, piece);
        else if (writes)
            bulk_move(b, host + done, shared, piece, true);
        else
            bulk_move(b, shared, host + done, piece, false);
        if (writes)
            bulk_define(b, shadow, global_at, b->block->shared_defined, at, piece);
        else
            bulk_define(b, b->block->shared_defined, at, shadow, global_at, piece);
    }
    return true;
}

/* ---- the forms ------------------------------------------------------------------------------- */

/* The map at a generic address; false: it is none. */
static bool bulk_find_map(struct bulk *b, struct insn *typed)
{
    static const uint8_t types[] = {
        [WS_TENSOR_U8] = TYPE_U8,    [WS_TENSOR_U16] = TYPE_U16, [WS_TENSOR_U32] = TYPE_U32,
        [WS_TENSOR_S32] = TYPE_S32,  [WS_TENSOR_U64] = TYPE_U64, [WS_TENSOR_S64] = TYPE_S64,
        [WS_TENSOR_F16] = TYPE_F16,  [WS_TENSOR_F32] = TYPE_F32, [WS_TENSOR_F64] = TYPE_F64,
        [WS_TENSOR_BF16] = TYPE_BF16};
    const struct launch *launch = b->x->launch;
    uint64_t address = bulk_value(b, b->form->map), at = address - PARAM_WINDOW;
    const struct allocation *found = devmem_find(launch->memory, address);
    const unsigned char *host = NULL;
    if (window_of(address) == SPACE_PARAM && at + TENSOR_MAP_BYTES <= launch->parameter_bytes)
        host = launch->parameters + at;
    else if (found && address + TENSOR_MAP_BYTES <= found->address + found->bytes)
        host = devmem_host(launch->memory, address);
    b->map = &b->unpacked;
    bool is_map = host && address % 64 == 0 && tensor_map_unpack(host, &b->unpacked) &&
                  b->map->rank == b->form->dimensions && b->map->is_im2col == b->form->is_im2col;
    if (!is_map) {
        fault_at(b->x, FAULT_TENSOR_MAP, b->u->insn, 1u << b->lane);
        return false;
    }
    if (b->insn->atom_op) {
        *typed = *b->insn;
        typed->type = types[b->map->type];
        b->insn = typed;
    }
    return true;
}

static void bulk_walk(struct bulk *b, uint64_t bytes)
{
    const struct bulk_form *form = b->form;
    int32_t coordinates[TENSOR_RANK_MAX];
    uint16_t offsets[TENSOR_RANK_MAX] = {0};
    if (!b->map) {
        unsigned k = form->to == BULK_GLOBAL ? form->target : form->source;
        struct tensor_run run = {.global = bulk_value(b, k), .bytes = (uint32_t)bytes};
        if (run.global % 16)
            bulk_fault(b, FAULT_MISALIGNED, SPACE_GLOBAL, run.global, 16);
        else
            bulk_run(b, &run);
        return;
    }
    for (unsigned k = 0; k < form->dimensions; k++)
        coordinates[k] = (int32_t)bulk_value(b, form->coordinates + k);
    for (unsigned k = 0; form->has_offsets && k < form->dimensions - 2u; k++)
        offsets[k] = (uint16_t)bulk_value(b, form->offsets + k);
    tensor_walk(b->map, coordinates, offsets, bulk_run, b);
}

/* Between global memory and the shared memory at an address; then the object there counts the bytes. */
static bool bulk_copy(struct bulk *b, uint64_t address, uint64_t object, uint64_t bytes)
{
    if (!bulk_announce(b, object) || !bulk_shared(b, address, bytes)) return false;
    if (bytes) bulk_walk(b, bytes);
    if (b->x->observe) bulk_tell_batch(b);
    b->is_told = true;
    return !b->x->fault.kind && (!b->form->signals || bulk_signal(b, object, bytes));
}

/* The same places in the memory of other blocks. */
static void bulk_multicast(struct bulk *b, uint64_t address, uint64_t object, uint64_t bytes)
{
    const uint64_t keep = SHARED_WINDOW_BYTES - 1;
    uint32_t blocks = (uint32_t)bulk_value(b, b->form->blocks);
    for (uint32_t left = blocks; left; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        bool is_own = !b->x->clustered && rank == 0;
        uint64_t base = is_own ? 0 : cluster_address(rank, 0);
        if (!bulk_copy(b, base + (address & keep), base + (object & keep), bytes)) return;
    }
}

/* Between the shared memories of blocks, or from registers. */
static void bulk_within(struct bulk *b, uint64_t to, uint64_t object)
{
    const struct bulk_form *form = b->form;
    unsigned char values[32], *source = values;
    uint64_t from_at = 0, bytes = insn_access_bytes(b->u->insn);
    const uint64_t *shadow = NULL;
    if (!bulk_announce(b, object)) return;
    if (form->from == BULK_REGISTERS) {
        unsigned element = type_infos[b->insn->type].bits / 8;
        for (unsigned k = 0; k < b->insn->vector; k++) {
            uint64_t value = bulk_value(b, form->source + k);
            memcpy(values + k * element, &value, element);
        }
    } else {
        bytes = (uint32_t)bulk_value(b, form->size);
        if (!bulk_shared_address(b, form->source, 16, &from_at)) return;
        source = bulk_shared(b, from_at, bytes);
        if (!source) return;
        shadow = b->block->shared_defined;
        from_at = b->at;
        bulk_told(b, READS, b->block, b->at, bytes, source);
    }
    unsigned char *host = bulk_shared(b, to, bytes);
    if (!host) return;
    bulk_told(b, b->insn->atom_op ? READS | WRITES : WRITES, b->block, b->at, bytes, host);
    bulk_move(b, host, source, bytes, false);
    bulk_define(b, b->block->shared_defined, b->at, shadow, from_at, bytes);
    bulk_signal(b, object, bytes);
}

static void bulk_lane(struct bulk *b)
{
    const struct bulk_form *form = b->form;
    struct insn typed;
    bool is_within = form->to == BULK_SHARED && form->from != BULK_GLOBAL;
    unsigned shared = form->to == BULK_SHARED ? form->target : form->source;
    uint64_t address, object = 0, bytes = 0;
    uint64_t alignment = form->from == BULK_REGISTERS ? insn_access_bytes(b->insn)
                         : form->dimensions           ? 128
                                                      : 16;
    if (!bulk_shared_address(b, shared, alignment, &address)) return;
    if (form->signals && !bulk_shared_address(b, form->object, 8, &object)) return;
    if (form->dimensions && !bulk_find_map(b, &typed)) return;
    if (form->dimensions)
        bytes = tensor_box_bytes(b->map);
    else if (form->size != BULK_NO_SOURCE)
        bytes = (uint32_t)bulk_value(b, form->size);
    if (!form->dimensions && bytes % 16)
        bulk_fault(b, FAULT_MISALIGNED, SPACE_SHARED, address, bytes);
    else if (is_within)
        bulk_within(b, address, object);
    else if (form->is_multicast)
        bulk_multicast(b, address, object, bytes);
    else
        bulk_copy(b, address, object, bytes);
}

static void bulk_any(struct exec *x, const struct uop *u)
{
    if (x->fault.kind) return;
    x->changed |= x->mask;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        struct bulk b = {.x = x,
                         .u = u,
                         .insn = u->insn,
                         .form = u->insn->bulk,
                         .lane = (unsigned)__builtin_ctz(left)};
        bulk_lane(&b);
        if (x->fault.kind && !(x->checks && check_goes_on(x))) return;
    }
}
SELECT_ONE(bulk, SAME(bulk_any))

#endif
