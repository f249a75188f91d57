// SPDX-License-Identifier: Apache-2.0
/* Neighbouring accesses that ptxas makes one of (doc/models/native.md). Loads of a basic block between which nothing
 * may write what they read, and stores that follow each other, become one access of the aligned 4, 8 or 16 bytes that
 * hold them, where the alignment of these is proved. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/native_linear.h"
#include "measure/register_use.h"

/* LDS.128 and four elements: more do not become one. Constants come by 64 bits at most. */
enum { WIDEST = 16, ELEMENTS_MAX = 4, CONSTANT_WIDEST = 8 };

/* Loads that a store can stand between, by space, and those that none can. */
enum {
    BATCH_SHARED,
    BATCH_LOCAL,
    BATCH_GLOBAL,
    BATCH_READ_ONLY,
    BATCH_COUNT,
    STORES = BATCH_GLOBAL + 1
};

struct access_item {
    struct linear address;
    uint32_t pc;
    uint8_t bytes, element;
};

struct batch {
    struct access_item *items;
    uint32_t count, capacity;
};

struct merger {
    struct planner *p;
    struct linear_scope scope;
    struct batch loads[BATCH_COUNT], stores[STORES]; /* those of one window only */
};

/* ---- what merges ----------------------------------------------------------------------------- */

static int compare_places(const struct linear *a, const struct linear *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct linear_term *x = &a->terms[i], *y = &b->terms[i];
        if (x->reg != y->reg) return x->reg < y->reg ? -1 : 1;
        if (x->written != y->written) return x->written < y->written ? -1 : 1;
        if (x->scale != y->scale) return x->scale < y->scale ? -1 : 1;
    }
    return 0;
}

static int compare_items(const void *a, const void *b)
{
    const struct access_item *x = a, *y = b;
    int places = compare_places(&x->address, &y->address);
    if (places) return places;
    if (x->element != y->element) return x->element < y->element ? -1 : 1;
    int64_t from = (int64_t)x->address.constant, to = (int64_t)y->address.constant;
    if (from != to) return from < to ? -1 : 1;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* The widest access that the items can be part of; 0: none. */
static unsigned widest(const struct merger *m, const struct access_item *item)
{
    struct low_bits bits = linear_bits(&m->scope, &item->address);
    bool is_constant = insn_at(m->p, item->pc)->space == SPACE_CONST;
    unsigned most = is_constant ? CONSTANT_WIDEST : WIDEST;
    if (item->element * ELEMENTS_MAX < most) most = item->element * ELEMENTS_MAX;
    if (bits.count < 5 && 1u << bits.count < most) most = 1u << bits.count;
    return most > item->element ? most : 0;
}

/* Where the item lies in its aligned window of `size` bytes. */
static unsigned offset_in(const struct merger *m, const struct access_item *item, unsigned size)
{
    struct low_bits bits = linear_bits(&m->scope, &item->address);
    return (unsigned)(bits.value + item->address.constant) & (size - 1);
}

/* Does anything between write the registers, or, of a load, read what it will bring? Those written once hold still. */
static bool keeps(const struct merger *m, uint32_t pc, uint32_t until)
{
    uint32_t registers[OPERANDS_MAX], others[READS_MAX + OPERANDS_MAX], base = base_of(m->p, pc);
    const struct insn *insn = insn_at(m->p, pc);
    bool is_load = insn->op == OP_LD;
    unsigned count = 0;
    for (unsigned i = is_load ? 0 : insn->ndst + 1u; i < insn->ndst + insn->nsrc; i++) {
        const struct operand *operand = insn_operand(insn, i);
        if (operand->kind != OPERAND_REGISTER || operand->reg < 0) continue;
        if (m->p->usages[base + (uint32_t)operand->reg].writes != 1)
            registers[count++] = (uint32_t)operand->reg;
    }
    uint32_t first = pc < until ? pc : until, last = pc < until ? until : pc;
    for (uint32_t at = first + 1; at < last && count; at++) {
        unsigned other_count = insn_writes(insn_at(m->p, at), others);
        if (is_load) other_count += insn_reads(insn_at(m->p, at), others + other_count);
        for (unsigned i = 0; i < count; i++)
            for (unsigned k = 0; k < other_count; k++)
                if (registers[i] == others[k]) return false;
    }
    return true;
}

/* The access, and what has become part of it, becomes part of another one. */
static void attach(struct merger *m, uint32_t pc, uint32_t leader)
{
    struct insn_view *views = m->p->views;
    uint32_t last = pc;
    while (views[last].merged_next)
        last = views[last].merged_next - 1;
    views[last].merged_next = views[leader].merged_next;
    views[leader].merged_next = pc + 1;
    views[pc].fold = VIEW_MERGED;
    views[pc].merged_bytes = 0;
}

/* Loads of the same bytes again are one. Returns how many items are left; they keep their order. */
static uint32_t drop_copies(struct merger *m, struct access_item *items, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct access_item *item = &items[i], *last = kept ? &items[kept - 1] : NULL;
        bool is_copy =
            last && insn_at(m->p, item->pc)->op == OP_LD && last->bytes == item->bytes &&
            last->element == item->element && last->address.constant == item->address.constant &&
            !compare_places(&last->address, &item->address) && keeps(m, item->pc, last->pc);
        if (is_copy) {
            m->p->views[last->pc].merged_bytes = last->bytes;
            attach(m, item->pc, last->pc);
        } else {
            items[kept++] = *item;
        }
    }
    return kept;
}

/* The items become one access of `size` bytes, by the first load or the last store. */
static void merge(struct merger *m, const struct access_item *items, unsigned count, unsigned size)
{
    bool is_load = insn_at(m->p, items[0].pc)->op == OP_LD;
    const struct access_item *leader = &items[0];
    for (unsigned i = 1; i < count; i++)
        if (is_load ? items[i].pc < leader->pc : items[i].pc > leader->pc) leader = &items[i];
    for (unsigned i = 0; i < count; i++)
        if (&items[i] != leader && !keeps(m, items[i].pc, leader->pc)) return;
    struct insn_view *view = &m->p->views[leader->pc];
    view->merged_bytes = (uint8_t)size;
    view->merged_offset = (uint8_t)offset_in(m, leader, size);
    for (unsigned i = 0; i < count; i++) {
        if (&items[i] != leader) attach(m, items[i].pc, leader->pc);
    }
}

/* Items of one window, by ascending address. A load may bring one element in four that is not asked for; a store
 * writes what was stored. */
static void merge_window(struct merger *m, const struct access_item *items, unsigned count,
                         unsigned size)
{
    unsigned element = items[0].element, elements = size / element, covered = 0, stored = 0;
    bool is_load = insn_at(m->p, items[0].pc)->op == OP_LD;
    if (count < 2) return;
    for (unsigned i = 0; i < count; i++) {
        unsigned at = offset_in(m, &items[i], size) / element, width = items[i].bytes / element;
        covered |= ((1u << width) - 1) << at;
        stored += width;
        if (width > elements) return; /* its own alignment is not proved */
    }
    unsigned present = (unsigned)__builtin_popcount(covered);
    bool is_whole =
        is_load ? present + elements / 4 >= elements : present == elements && stored == elements;
    if (is_whole) {
        merge(m, items, count, size);
        return;
    }
    if (elements <= 2) return;
    unsigned low = 0;
    while (low < count && offset_in(m, &items[low], size) < size / 2)
        low++;
    if (low > 1) merge_window(m, items, low, size / 2);
    if (count - low > 1) merge_window(m, items + low, count - low, size / 2);
}

static void flush(struct merger *m, struct batch *batch)
{
    uint32_t count = batch->count;
    batch->count = 0;
    if (count < 2) return;
    qsort(batch->items, count, sizeof *batch->items, compare_items);
    count = drop_copies(m, batch->items, count);
    for (uint32_t from = 0, to; from < count; from = to) {
        const struct access_item *first = &batch->items[from];
        unsigned size = widest(m, first);
        uint64_t begin = first->address.constant - (size ? offset_in(m, first, size) : 0);
        for (to = from + 1; to < count; to++) {
            const struct access_item *item = &batch->items[to];
            if (item->element != first->element ||
                compare_places(&item->address, &first->address) ||
                item->address.constant - begin >= size)
                break;
        }
        if (size) merge_window(m, first, to - from, size);
    }
}

/* ---- in the order of the code ---------------------------------------------------------------- */

static void flush_space(struct merger *m, unsigned space, bool loads, bool stores)
{
    for (unsigned i = 0; i < STORES; i++) {
        static const uint8_t spaces[STORES] = {SPACE_SHARED, SPACE_LOCAL, SPACE_GLOBAL};
        if (space != spaces[i] && space != SPACE_GENERIC) continue;
        if (loads) flush(m, &m->loads[i]);
        if (stores) flush(m, &m->stores[i]);
    }
}

static void flush_all(struct merger *m)
{
    flush_space(m, SPACE_GENERIC, true, true);
    flush(m, &m->loads[BATCH_READ_ONLY]);
}

static unsigned batch_of(const struct insn *insn)
{
    bool is_read_only = insn->space == SPACE_CONST || insn->flags & INSN_NC;
    return is_read_only                  ? BATCH_READ_ONLY
           : insn->space == SPACE_SHARED ? BATCH_SHARED
           : insn->space == SPACE_LOCAL  ? BATCH_LOCAL
                                         : BATCH_GLOBAL;
}

/* Words of 16, 32 or 64 bits; bytes and signed halves stay apart. */
static bool can_merge(const struct merger *m, uint32_t pc)
{
    const struct insn *insn = insn_at(m->p, pc);
    const struct insn_view *view = &m->p->views[pc];
    const struct type_info *type = &type_infos[insn->type];
    bool is_access = insn->op == OP_LD || insn->op == OP_ST;
    bool is_known = insn->space >= SPACE_GLOBAL && insn->space <= SPACE_CONST;
    bool is_word =
        type->bits == 32 || type->bits == 64 || (type->bits == 16 && type->kind != KIND_SIGNED);
    return is_access && is_known && is_word && insn->guard < 0 && insn->semantics == MEM_WEAK &&
           insn->cache_op == CACHE_DEFAULT && view->fold == VIEW_PLAIN && !view->is_sequence &&
           insn_source(insn, 0)->kind == OPERAND_ADDRESS;
}

static struct access_item item_of(const struct merger *m, uint32_t pc)
{
    const struct insn *insn = insn_at(m->p, pc);
    return (struct access_item){.address = linear_address(&m->scope, pc),
                                .pc = pc,
                                .bytes = (uint8_t)insn_access_bytes(insn),
                                .element = (uint8_t)(bits_of(insn) / 8)};
}

static void add_item(struct batch *batch, const struct access_item *item)
{
    GROW(batch->items, batch->count, batch->capacity);
    batch->items[batch->count++] = *item;
}

static bool is_in_window(const struct merger *m, const struct access_item *a,
                         const struct access_item *b)
{
    unsigned size = widest(m, a);
    if (!size || a->element != b->element || compare_places(&a->address, &b->address)) return false;
    return b->address.constant - (a->address.constant - offset_in(m, a, size)) < size;
}

static void add_load(struct merger *m, uint32_t pc)
{
    const struct insn *insn = insn_at(m->p, pc);
    unsigned batch = batch_of(insn);
    struct access_item item = item_of(m, pc);
    if (batch != BATCH_READ_ONLY) flush(m, &m->stores[batch]);
    add_item(&m->loads[batch], &item);
}

static void add_store(struct merger *m, uint32_t pc)
{
    unsigned batch = batch_of(insn_at(m->p, pc));
    struct access_item item = item_of(m, pc);
    struct batch *stores = &m->stores[batch];
    flush(m, &m->loads[batch]);
    if (stores->count && !is_in_window(m, &stores->items[0], &item)) flush(m, stores);
    add_item(stores, &item);
}

/* ptxas ends its own basic blocks at the slow paths of divisions and roots. */
static bool ends_block(const struct insn *insn, const struct insn_view *view)
{
    unsigned family = op_infos[insn->op].family;
    for (unsigned i = 0; view->is_sequence && i < VIEW_PARTS; i++)
        if (view->parts[i].count && view->parts[i].class_id == CLASS_CONTROL) return true;
    return family == FAMILY_CONTROL || family == FAMILY_BARRIER || family == FAMILY_FENCE ||
           insn->op == OP_CP || insn->semantics != MEM_WEAK || insn_clock_reads(insn);
}

static void visit(struct merger *m, uint32_t pc)
{
    const struct insn *insn = insn_at(m->p, pc);
    unsigned family = op_infos[insn->op].family;
    bool is_load = family == FAMILY_LOAD, is_store = family == FAMILY_STORE;
    if (ends_block(insn, &m->p->views[pc])) {
        flush_all(m);
    } else if (can_merge(m, pc)) {
        if (is_load)
            add_load(m, pc);
        else
            add_store(m, pc);
    } else if (is_load || is_store || family == FAMILY_ATOMIC) {
        flush_space(m, insn->space, !is_load, true);
    }
    linear_scope_pass(&m->scope, pc);
}

static bool has_pairs(const struct planner *p)
{
    unsigned words = 0;
    for (uint32_t pc = 0; pc < p->launch->insn_count; pc++) {
        const struct insn *insn = insn_at(p, pc);
        words += (insn->op == OP_LD || insn->op == OP_ST) && insn->space != SPACE_PARAM;
    }
    return words > 1;
}

void native_plan_accesses(struct planner *p)
{
    struct merger m = {.p = p};
    if (!has_pairs(p)) return;
    linear_scope_init(&m.scope, p);
    for (uint32_t i = 0; i < p->launch->code_block_count; i++) {
        const struct code_block *code = &p->launch->code_blocks[i];
        linear_scope_enter(&m.scope, code);
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++)
            visit(&m, pc);
        flush_all(&m);
    }
    for (unsigned i = 0; i < BATCH_COUNT; i++)
        mem_free(m.loads[i].items);
    for (unsigned i = 0; i < STORES; i++)
        mem_free(m.stores[i].items);
    linear_scope_clear(&m.scope);
}
