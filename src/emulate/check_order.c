// SPDX-License-Identifier: Apache-2.0
/* Tells the checker of accesses and of what orders them (CHECK_RACE). */
#include <stdio.h>
#include <string.h>

#include "emulate/cluster.h"

void order_block_begin(struct exec *x, struct block *block)
{
    const struct launch *launch = x->launch;
    if (block->ordering) order_block_end(x, block); /* of the block that it was before */
    void *leader = block->rank ? block->cluster->blocks[0]->ordering : NULL;
    block->ordering =
        x->check->order->block_begin(x->check->order_self, block->index, launch->threads_per_block,
                                     launch->shared_end, leader, block->rank);
}

void order_leaves(struct exec *x, const struct block *block)
{
    x->check->order->block_leaves(x->check->order_self, block->ordering);
}

void order_block_end(struct exec *x, struct block *block)
{
    x->check->order->block_end(x->check->order_self, block->ordering);
    block->ordering = NULL;
}

void order_runs(struct exec *x, struct warp *warp, uint32_t lanes)
{
    warp->ordered_lanes = lanes;
    x->check->order->runs(x->check->order_self, x->block->ordering, warp->index, lanes);
}

void order_meets(struct exec *x, const struct warp *warp, const struct insn *insn, uint32_t lanes)
{
    bool is_barrier = op_infos[insn->op].family == FAMILY_BARRIER;
    x->check->order->meets(x->check->order_self, x->block->ordering, warp->index, lanes,
                           is_barrier);
}

void order_arrive(struct exec *x, const struct block *block, const struct warp *warp,
                  uint32_t lanes, uint32_t id, bool waits)
{
    bool counted = block->barriers[id].expected != 0;
    x->check->order->arrive(x->check->order_self, block->ordering, warp->index, lanes, id, waits,
                            counted);
}

void order_barrier_done(struct exec *x, const struct block *block, uint32_t id)
{
    const struct barrier_state *barrier = &block->barriers[id];
    uint32_t all = x->launch->program->warps_at_barriers ? block->warps_alive * WARP_LANES
                                                         : block->threads_alive;
    bool is_whole = !barrier->expected || barrier->arrived >= all;
    x->check->order->barrier_done(x->check->order_self, block->ordering, id, is_whole);
}

/* ---- clusters -------------------------------------------------------------------------------- */

void order_cluster_arrive(struct exec *x, uint32_t lanes, const struct insn *insn)
{
    x->check->order->cluster_arrive(x->check->order_self, x->block->ordering, x->warp->index, lanes,
                                    insn->semantics != MEM_RELAXED);
}

void order_cluster_done(struct exec *x, const struct cluster *cluster)
{
    x->check->order->cluster_done(x->check->order_self, cluster->blocks[0]->ordering);
}

void order_cluster_pass(struct exec *x, const struct warp *warp, const struct block *block,
                        uint32_t lanes)
{
    if (lanes)
        x->check->order->cluster_pass(x->check->order_self, block->ordering, warp->index, lanes);
}

/* ---- fences and groups ----------------------------------------------------------------------- */

void order_fence(struct exec *x, const struct uop *u)
{
    unsigned scope = u->insn->scope;
    if (x->mask && u->insn->flags & INSN_ASYNC)
        x->check->order->fence_proxy(x->check->order_self, x->block->ordering, x->warp->index,
                                     x->mask);
    if (!x->mask || scope == SCOPE_NONE) return; /* none: between proxies only */
    x->check->order->fence(x->check->order_self, x->block->ordering, x->warp->index, x->mask,
                           scope);
}

void order_copy_group(struct exec *x, const struct uop *u)
{
    const struct order_ops *order = x->check->order;
    void *self = x->check->order_self, *block = x->block->ordering;
    const struct insn *insn = u->insn;
    struct check_wait wait = {.what = insn->op == OP_CP                      ? GROUP_COPIES
                                      : op_infos[insn->op].form == FORM_BULK ? GROUP_BULK
                                                                             : GROUP_PRODUCTS,
                              .groups = insn->groups,
                              .all = insn->op == OP_CP && insn->sub_op == SUB_ALL,
                              .reads_only = insn->sub_op == SUB_READ};
    bool commits = insn->op == OP_BULK_COMMIT || insn->op == OP_WGMMA_COMMIT ||
                   (insn->op == OP_CP && insn->sub_op == SUB_SYNC);
    if (!x->mask) return;
    if (insn->op == OP_WGMMA_WAIT) wait.groups = (uint32_t)insn_source(insn, 0)->imm;
    if (commits)
        order->commit(self, block, x->warp->index, x->mask, wait.what);
    else
        order->wait(self, block, x->warp->index, x->mask, &wait);
}

/* Lanes side by side with one object are told together, up to one that ends a phase. */
void order_mbarrier(struct exec *x, const struct uop *u, const struct access *access,
                    bool is_remote, uint32_t lanes, uint32_t ends)
{
    struct check_mbarrier told = {
        .block = x->block->ordering, .warp = x->warp->index, .insn = u->insn};
    for (uint32_t left = lanes; left; left &= ~told.lanes) {
        const uint64_t address = access->addresses[__builtin_ctz(left)];
        told.address = address;
        told.home = is_remote ? cluster_home(x, &told.address)->ordering : told.block;
        told.lanes = 0;
        told.ends = false;
        for (uint32_t rest = left; rest && !told.ends; rest &= rest - 1) {
            if (access->addresses[__builtin_ctz(rest)] != address) break;
            told.lanes |= rest & -rest;
            told.ends = (ends & rest & -rest) != 0;
        }
        x->check->order->mbarrier(x->check->order_self, &told);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static const unsigned char *place_of(const struct exec *x, operand_ref ref)
{
    return x->base[ref >> 30] + (ref & 0x3fffffff);
}

static bool is_plain_store(const struct uop *u)
{
    return u->insn->op == OP_ST;
}

static bool value_of(const struct check_access *access, unsigned lane, unsigned char out[32])
{
    const struct uop *u = access->uop;
    if (!is_plain_store(u)) return false;
    for (unsigned k = 0; k < u->vector; k++) {
        operand_ref ref = u->elements ? u->elements[u->vector + k] : u->src[1 + k];
        memcpy(out + k * u->element, place_of(access->exec, ref) + lane * (u->dst_bits / 8u),
               u->element);
    }
    return true;
}

/* With red zones: those of the program are told apart. */
static void name_guarded(const struct program *program, uint64_t address, char *out, size_t size)
{
    snprintf(out, size, "dynamic shared memory");
    for (uint32_t i = 0; i < program->shared_count; i++) {
        const struct guarded *one = &program->shared_arrays[i];
        if (address >= one->begin && address < one->end)
            snprintf(out, size, "shared variable '%s', byte %llu", one->name,
                     (unsigned long long)(address - one->begin));
    }
}

/* By the layout of the launch; dynamic shared memory lies behind its variables. */
static void name_shared(const struct exec *x, uint64_t address, char *out, size_t size)
{
    const struct program *program = x->launch->program;
    const struct module *module = program->module;
    uint64_t at = address - program->shared_base;
    if (program->guards_shared) {
        name_guarded(program, address, out, size);
        return;
    }
    uint64_t *offsets = mem_zalloc(module->variable_count + 1, sizeof *offsets);
    uint64_t end = module_shared_layout(module, program->entry, offsets);
    snprintf(out, size, "shared memory, byte %llu", (unsigned long long)at);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct variable *one = &module->variables[i];
        bool holds =
            one->space == SPACE_SHARED && offsets[i] != UINT64_MAX && at - offsets[i] < one->bytes;
        if (holds)
            snprintf(out, size, "shared variable '%s', byte %llu", one->name,
                     (unsigned long long)(at - offsets[i]));
    }
    if (at >= shared_dynamic_offset(end))
        snprintf(out, size, "dynamic shared memory, byte %llu",
                 (unsigned long long)(at - shared_dynamic_offset(end)));
    mem_free(offsets);
}

static void name_memory(const struct check_access *access, uint64_t address, char *out, size_t size)
{
    const struct exec *x = access->exec;
    if (access->access->space == SPACE_SHARED) {
        name_shared(x, address, out, size);
        return;
    }
    const struct allocation *found = devmem_find(x->launch->memory, address);
    snprintf(out, size, "global memory");
    if (!found) return;
    unsigned long long at = address - found->address;
    if (found->name)
        snprintf(out, size, "variable '%s', byte %llu", found->name, at);
    else
        snprintf(out, size, "allocation %llu of %llu bytes, byte %llu",
                 (unsigned long long)found->number, (unsigned long long)found->bytes, at);
}

enum { READS_BIT = 1, WRITES_BIT = 2 };

/* Lanes that access the same block's memory are told together. */
static void order_remote(const struct exec *x, struct check_access told)
{
    const struct access *access = told.access;
    struct access part = *access;
    uint64_t addresses[WARP_LANES];
    part.shape = ACCESS_GENERAL;
    part.addresses = addresses;
    told.access = &part;
    for (uint32_t left = access->mask; left; left &= ~part.mask) {
        const struct block *home = NULL;
        part.mask = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            uint64_t address = access->addresses[lane];
            const struct block *its = cluster_home(x, &address);
            if (home && its != home) continue;
            home = its;
            addresses[lane] = address;
            part.mask |= 1u << lane;
        }
        told.home = home->ordering;
        told.memory = home->shared;
        x->check->order->access(x->check->order_self, &told);
    }
}

void order_access(struct exec *x, const struct uop *u, const struct access *access, bool is_remote,
                  unsigned what, const unsigned char *host)
{
    if (access->space != SPACE_GLOBAL && access->space != SPACE_SHARED) return;
    bool is_dense =
        is_plain_store(u) && u->vector == 1 && u->dst_bits == 8 * u->element && !is_remote;
    struct check_access told = {
        .block = x->block->ordering,
        .home = x->block->ordering,
        .warp = x->warp->index,
        .insn = u->insn,
        .index = u->index,
        .reads = what & READS_BIT,
        .writes = what & WRITES_BIT,
        .access = access,
        .memory = host,
        .stored = is_dense ? place_of(x, u->src[1]) : NULL,
        .value_of = value_of,
        .name = name_memory,
        .exec = x,
        .uop = u,
    };
    if (is_remote)
        order_remote(x, told);
    else
        x->check->order->access(x->check->order_self, &told);
}

/* ---- copies in bulk -------------------------------------------------------------------------- */

void order_bulk(struct exec *x, const struct uop *u, unsigned lane, const struct block *home,
                uint64_t object)
{
    struct check_bulk told = {.block = x->block->ordering,
                              .warp = x->warp->index,
                              .lane = lane,
                              .insn = u->insn,
                              .signals = home != NULL,
                              .home = home ? home->ordering : NULL,
                              .object = object};
    x->check->order->bulk(x->check->order_self, &told);
}

void order_bulk_access(struct exec *x, const struct uop *u, unsigned lane, unsigned what,
                       const struct block *home, uint64_t address, uint64_t bytes,
                       const unsigned char *host)
{
    uint64_t addresses[WARP_LANES];
    struct access access = {.space = home ? SPACE_SHARED : SPACE_GLOBAL,
                            .shape = ACCESS_GENERAL,
                            .bytes = (uint8_t)bytes,
                            .mask = 1u << lane,
                            .addresses = addresses};
    struct check_access told = {
        .block = x->block->ordering,
        .home = home ? home->ordering : x->block->ordering,
        .warp = x->warp->index,
        .insn = u->insn,
        .index = u->index,
        .reads = what & READS_BIT,
        .writes = what & WRITES_BIT,
        .is_bulk = true,
        .access = &access,
        .memory = (const unsigned char *)((uintptr_t)host - (uintptr_t)address),
        .value_of = value_of,
        .name = name_memory,
        .exec = x,
        .uop = u,
    };
    addresses[lane] = address;
    x->check->order->access(x->check->order_self, &told);
}

void order_bulk_signal(struct exec *x, const struct uop *u, unsigned lane, const struct block *home,
                       uint64_t object, bool ends)
{
    struct check_mbarrier told = {.block = x->block->ordering,
                                  .home = home->ordering,
                                  .warp = x->warp->index,
                                  .lanes = 1u << lane,
                                  .insn = u->insn,
                                  .address = object,
                                  .ends = ends};
    x->check->order->mbarrier(x->check->order_self, &told);
}

void order_cleared(const struct device *device, uint64_t address, uint64_t bytes)
{
    const struct checker *check = device->check;
    if (check && check->order) check->order->cleared(check->order_self, address, bytes);
}
