// SPDX-License-Identifier: Apache-2.0
/* Cells of global memory, by the page of 4 KiB; made when a kernel first touches the page. */
#include <string.h>

#include "check/race.h"

struct cell *cells_of_page(struct shadow *shadow, uint64_t address)
{
    uint64_t page = address >> PAGE_SHIFT;
    struct shadow_page *found = hash_table_add(&shadow->pages, page + 1, sizeof *found);
    mem_keep(shadow->pages.entries);
    if (!found->cells) {
        found->cells = mem_zalloc(PAGE_CELLS, sizeof *found->cells);
        mem_keep(found->cells);
    }
    shadow->cache[page % PAGE_CACHE] = *found;
    return found->cells;
}

void cells_forget(struct shadow *shadow, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;
    if (!shadow->pages.used) return;
    for (uint64_t at = address; at < end;) {
        uint64_t page = at >> PAGE_SHIFT, next = (page + 1) << PAGE_SHIFT;
        uint64_t stop = next < end ? next : end;
        struct shadow_page *found = hash_table_find(&shadow->pages, page + 1, sizeof *found);
        uint64_t first = (at >> CELL_SHIFT) & (PAGE_CELLS - 1);
        uint64_t count = ((stop + 3) >> CELL_SHIFT) - (at >> CELL_SHIFT);
        if (found) memset(found->cells + first, 0, count * sizeof *found->cells);
        at = stop;
    }
}

void cells_clear(struct shadow *shadow)
{
    for (struct shadow_page *page = NULL;
         (page = hash_table_next(&shadow->pages, page, sizeof *page));)
        mem_free(page->cells);
    hash_table_clear(&shadow->pages);
    hash_table_clear(&shadow->extras);
    *shadow = (struct shadow){0};
}
