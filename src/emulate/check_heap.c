// SPDX-License-Identifier: Apache-2.0
/* malloc and free of kernels with the tool memory: every block is known, lies between red zones, and stays where it was
 * for a while when it is freed. For that the heap has more room than malloc may hand out (heap.c), which the host
 * only gives where it is touched.
 *
 *     unit of the heap   | zone | block ...   | zone |     one piece of heap.c
 *     owners               n+1    n+1 n+1 n+1   n+1        n: index of the block
 */
#include "emulate/check_heap.h"

#include <string.h>
#include <sys/mman.h>

#include "base/strbuf.h"

enum { UNIT_BYTES = HEAP_UNIT_BYTES, ZONE_BYTES = 32, ZONE_BYTES_MAX = 4096 };

/* Room for what is freed and for the zones, in sizes of the heap. A guess: blocks of 16 bytes take five times as much. */
enum { ROOM_FACTOR = 8 };

/* Where malloc or free was called. */
struct heap_site {
    const struct insn *insn;
    uint64_t module_id;
    uint32_t entry;
    struct check_site place;
};

struct heap_block {
    uint64_t address, bytes; /* of the user */
    uint64_t piece;          /* of heap.c */
    uint32_t malloc_site, free_site;
    bool is_freed;
    uint32_t next; /* freed blocks: the next younger one; free entries: the next; index + 1 */
};

struct heap_blocks {
    struct heap_block *items;
    uint32_t count, room, unused; /* unused: index + 1 of the first free entry */
    uint32_t oldest, youngest;    /* of the freed ones, index + 1 */
    uint64_t live_units, freed_bytes;
    uint64_t forgotten;
    uint32_t *owners; /* by unit: index of the block + 1 */
    uint64_t owner_count;
    struct heap_site *sites;
    uint32_t site_count, site_room;
    struct arena names;
};

uint64_t check_heap_room(uint64_t bytes)
{
    return bytes > UINT64_MAX / ROOM_FACTOR ? bytes : bytes * ROOM_FACTOR;
}

bool check_heap_place(struct heap *heap)
{
    struct heap_blocks *blocks = mem_zalloc(1, sizeof *blocks);
    blocks->owner_count = heap->units;
    void *map = mmap(NULL, (size_t)heap->units * sizeof *blocks->owners, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return false;
    blocks->owners = map;
    mem_keep(blocks);
    heap->blocks = blocks;
    return true;
}

void check_heap_clear(struct heap *heap)
{
    struct heap_blocks *blocks = heap->blocks;
    if (!blocks) return;
    munmap(blocks->owners, blocks->owner_count * sizeof *blocks->owners);
    mem_free(blocks->items);
    mem_free(blocks->sites);
    arena_clear(&blocks->names);
    mem_free(blocks);
}

/* ---- sites ----------------------------------------------------------------------------------- */

static uint32_t site_of(struct heap_blocks *blocks, const struct exec *x, const struct insn *insn)
{
    const struct program *program = x->launch->program;
    const struct module *module = program->module;
    for (uint32_t i = blocks->site_count; i-- > 0;) {
        const struct heap_site *site = &blocks->sites[i];
        if (site->insn == insn && site->module_id == program->module_id &&
            site->entry == program->entry)
            return i;
    }
    struct heap_site site = {
        .insn = insn,
        .module_id = program->module_id,
        .entry = program->entry,
        .place = {.kernel =
                      arena_copy(&blocks->names, program->functions[0].function->display_name),
                  .module_file = arena_copy(&blocks->names, module->path),
                  .module_line = insn->line}};
    if (insn->source_line && insn->source_file < module->file_count) {
        site.place.source_file = arena_copy(&blocks->names, module->files[insn->source_file]);
        site.place.source_line = insn->source_line;
    }
    arena_keep(&blocks->names);
    GROW(blocks->sites, blocks->site_count, blocks->site_room);
    mem_keep(blocks->sites);
    blocks->sites[blocks->site_count] = site;
    return blocks->site_count++;
}

static void tell_site(struct strbuf *out, const struct heap_blocks *blocks, uint32_t site)
{
    const struct check_site *place = &blocks->sites[site].place;
    bool has_source = place->source_line;
    strbuf_printf(out, "%s:%u", has_source ? place->source_file : place->module_file,
                  has_source ? place->source_line : place->module_line);
    strbuf_printf(out, " in kernel %s", place->kernel);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static uint64_t units_of(uint64_t bytes)
{
    return (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
}

static uint64_t zone_behind(uint64_t bytes)
{
    uint64_t zone = bytes < ZONE_BYTES       ? ZONE_BYTES
                    : bytes > ZONE_BYTES_MAX ? ZONE_BYTES_MAX
                                             : bytes;
    return units_of(zone) * UNIT_BYTES;
}

static uint64_t piece_bytes(uint64_t bytes)
{
    return ZONE_BYTES + units_of(bytes) * UNIT_BYTES + zone_behind(bytes);
}

static void set_owner(const struct heap *heap, const struct heap_block *block, uint32_t owner)
{
    uint64_t first = (block->piece - heap->address) / UNIT_BYTES;
    uint64_t count = piece_bytes(block->bytes) / UNIT_BYTES;
    for (uint64_t i = first; i < first + count; i++)
        heap->blocks->owners[i] = owner;
}

/* The block whose piece holds an address; NULL: none. */
static struct heap_block *block_at(const struct heap *heap, uint64_t address)
{
    uint64_t unit = (address - heap->address) / UNIT_BYTES;
    if (address < heap->address || unit >= heap->blocks->owner_count) return NULL;
    uint32_t owner = heap->blocks->owners[unit];
    return owner ? &heap->blocks->items[owner - 1] : NULL;
}

/* The block that was freed first is known no more; false: there is none. */
static bool forget_oldest(struct heap *heap)
{
    struct heap_blocks *blocks = heap->blocks;
    if (!blocks->oldest) return false;
    uint32_t index = blocks->oldest - 1;
    struct heap_block *block = &blocks->items[index];
    set_owner(heap, block, 0);
    heap_give(heap, block->piece);
    blocks->freed_bytes -= piece_bytes(block->bytes);
    blocks->forgotten++;
    blocks->oldest = block->next;
    if (!blocks->oldest) blocks->youngest = 0;
    block->next = blocks->unused;
    blocks->unused = index + 1;
    return true;
}

static uint32_t take_entry(struct heap_blocks *blocks)
{
    if (blocks->unused) {
        uint32_t index = blocks->unused - 1;
        blocks->unused = blocks->items[index].next;
        return index;
    }
    GROW(blocks->items, blocks->count, blocks->room);
    mem_keep(blocks->items);
    return blocks->count++;
}

/* What malloc may hand out is not more than without checks. */
uint64_t check_heap_take(struct exec *x, const struct insn *insn, uint64_t bytes)
{
    struct heap *heap = &x->launch->device->heap;
    struct heap_blocks *blocks = heap->blocks;
    uint64_t limit = heap->bytes / UNIT_BYTES, piece = 0;
    if (!bytes || bytes > heap->bytes || units_of(bytes) > limit - blocks->live_units) return 0;
    while (!(piece = heap_take(heap, piece_bytes(bytes))) && forget_oldest(heap)) {
    }
    if (!piece) return 0;
    uint32_t index = take_entry(blocks);
    blocks->items[index] = (struct heap_block){.address = piece + ZONE_BYTES,
                                               .bytes = bytes,
                                               .piece = piece,
                                               .malloc_site = site_of(blocks, x, insn)};
    set_owner(heap, &blocks->items[index], index + 1);
    blocks->live_units += units_of(bytes);
    return piece + ZONE_BYTES;
}

/* Ranges that accesses have found are no longer known to be good. */
static void forget_memos(struct exec *x)
{
    for (uint32_t i = 0; i < x->launch->program->view.insn_count; i++)
        if (x->memos[i].allocation && x->memos[i].allocation->heap) x->memos[i] = (struct memo){0};
}

bool check_heap_give(struct exec *x, const struct insn *insn, uint64_t address)
{
    struct heap *heap = &x->launch->device->heap;
    struct heap_blocks *blocks = heap->blocks;
    if (!address) return true;
    struct heap_block *block = block_at(heap, address);
    if (!block || block->address != address || block->is_freed) return false;
    uint32_t owner = (uint32_t)(block - blocks->items) + 1;
    block->is_freed = true;
    block->free_site = site_of(blocks, x, insn);
    block->next = 0;
    if (blocks->youngest)
        blocks->items[blocks->youngest - 1].next = owner;
    else
        blocks->oldest = owner;
    blocks->youngest = owner;
    blocks->live_units -= units_of(block->bytes);
    blocks->freed_bytes += piece_bytes(block->bytes);
    while (blocks->freed_bytes > heap->bytes && blocks->oldest != owner)
        forget_oldest(heap);
    forget_memos(x);
    return true;
}

/* ---- what accesses and reports ask ----------------------------------------------------------- */

bool check_heap_range(const struct heap *heap, uint64_t address, uint64_t *begin, uint64_t *end)
{
    const struct heap_block *block = block_at(heap, address);
    bool is_inside = block && !block->is_freed && address - block->address < block->bytes;
    *begin = is_inside ? block->address : 0;
    *end = is_inside ? block->address + block->bytes : 0;
    return is_inside;
}

bool check_heap_is_freed(const struct heap *heap, uint64_t address)
{
    const struct heap_block *block = block_at(heap, address);
    return block && block->is_freed && address - block->address < block->bytes;
}

bool check_heap_describe(const struct heap *heap, uint64_t address, struct strbuf *out,
                         uint64_t *begin, uint64_t *end)
{
    const struct heap_block *block = block_at(heap, address);
    if (!block) {
        strbuf_puts(out, "the heap of kernels, where no block is");
        return false;
    }
    strbuf_printf(out, "block of %llu bytes of the heap of kernels, allocated at ",
                  (unsigned long long)block->bytes);
    tell_site(out, heap->blocks, block->malloc_site);
    if (block->is_freed) {
        strbuf_puts(out, ", freed at ");
        tell_site(out, heap->blocks, block->free_site);
    }
    *begin = block->address;
    *end = block->address + block->bytes;
    return true;
}

void check_heap_refusal(const struct heap *heap, uint64_t address, struct strbuf *out)
{
    const struct heap_block *block = block_at(heap, address);
    uint64_t begin, end;
    if (!block) {
        strbuf_puts(out, ": malloc of a kernel did not return this address");
        return;
    }
    strbuf_puts(out, block->is_freed ? ", a second time: " : ", not the first byte of the ");
    check_heap_describe(heap, address, out, &begin, &end);
}

/* One report for each place of malloc. */
void device_report_leaks(struct device *device)
{
    const struct heap_blocks *blocks = device->heap.blocks;
    for (uint32_t s = 0; blocks && s < blocks->site_count; s++) {
        uint64_t count = 0, bytes = 0;
        for (uint32_t i = 0; i < blocks->count; i++) {
            const struct heap_block *block = &blocks->items[i];
            bool is_live = block->bytes && !block->is_freed && block->malloc_site == s;
            count += is_live;
            bytes += is_live ? block->bytes : 0;
        }
        if (!count) continue;
        struct strbuf text = {0};
        strbuf_printf(&text, "%llu %s, %llu bytes in total", (unsigned long long)count,
                      count == 1 ? "block" : "blocks", (unsigned long long)bytes);
        struct check_report report = {.code = CHECK_CODE_HEAP_LEAK,
                                      .site = &blocks->sites[s].place,
                                      .memory = "the heap of kernels",
                                      .detail = text.data};
        device->check->ops->report(device->check->self, &report);
        strbuf_clear(&text);
    }
    if (blocks && blocks->forgotten)
        device->check->ops->note(device->check->self,
                                 "memory: blocks of the heap of kernels that were freed long ago "
                                 "are forgotten; an access to them is not seen");
}
