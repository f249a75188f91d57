// SPDX-License-Identifier: Apache-2.0
#include "check/streams.h"

#include <stdio.h>
#include <string.h>

#include "base/hash_table.h"
#include "check/findings.h"

/* Bytes of a page that an operation read and wrote, a bit each. */
enum {
    PAGE_SHIFT = 12,
    PAGE_BYTES = 1 << PAGE_SHIFT,
    PAGE_WORDS = PAGE_BYTES / 64,
    PAGES_MOST = 1 << 15
};
enum { OPERATIONS_MOST = 1024 }; /* that wait for nothing; a guess */
struct page {
    struct page *next;
    uint64_t number;
    uint64_t read[PAGE_WORDS], written[PAGE_WORDS];
};
struct page_entry {
    uint64_t key; /* number of the page, plus 1 */
    struct page *page;
};

struct operation {
    struct operation *next;
    uint32_t timeline;
    uint64_t index;
    char what[160];
    char *host; /* the stack of its call; NULL: unknown */
    struct hash_table by_number;
    struct page *pages, *last; /* last: that was looked up */
    bool is_unordered;         /* with the current one */
    bool is_told;
};

struct streams {
    struct findings *findings;
    struct operation *first; /* the current one, then earlier ones */
    size_t page_count;
    bool any_unordered;
};

/* ---- operations ------------------------------------------------------------------------------ */

static void operation_destroy(struct streams *streams, struct operation *one)
{
    for (struct page *page = one->pages; page;) {
        struct page *next = page->next;
        mem_free(page);
        streams->page_count--;
        page = next;
    }
    hash_table_clear(&one->by_number);
    mem_free(one->host);
    mem_free(one);
}

static bool is_before(const struct operation *one, const uint64_t *seen, size_t count)
{
    return one->timeline < count && one->index <= seen[one->timeline];
}

/* Those that are before all that will come are not needed. */
static void drop_done(struct streams *streams, const struct stream_order *order)
{
    for (struct operation **place = &streams->first; *place;) {
        struct operation *one = *place;
        if (!is_before(one, order->done, order->done_count)) {
            place = &one->next;
            continue;
        }
        *place = one->next;
        operation_destroy(streams, one);
    }
}

/* Earlier ones are forgotten. */
static void drop_behind(struct streams *streams, struct operation *last)
{
    while (last->next) {
        struct operation *gone = last->next;
        last->next = gone->next;
        operation_destroy(streams, gone);
    }
}

static char *copy_text(const char *text)
{
    if (!text) return NULL;
    char *copy = mem_zalloc(strlen(text) + 1, 1);
    mem_keep(copy);
    memcpy(copy, text, strlen(text));
    return copy;
}

void streams_begin(struct streams *streams, const struct stream_order *order)
{
    const struct findings *findings = streams->findings;
    drop_done(streams, order);
    struct operation *made = mem_zalloc(1, sizeof *made);
    mem_keep(made);
    made->timeline = order->timeline;
    made->index = order->index;
    made->next = streams->first;
    snprintf(made->what, sizeof made->what, "%s", order->what ? order->what : "a kernel");
    if (findings->host)
        made->host = copy_text(findings->host(findings->host_user, FINDING_HOST_CALL, 0));
    streams->any_unordered = false;
    size_t count = 0;
    for (struct operation *one = streams->first; one; one = one->next) {
        if (++count == OPERATIONS_MOST) drop_behind(streams, one);
        one->is_unordered = !is_before(one, order->seen, order->seen_count);
        one->is_told = false;
        streams->any_unordered |= one->is_unordered;
    }
    streams->first = made;
}

bool streams_is_on(const struct streams *streams)
{
    return streams && streams->first;
}

void streams_launch_begin(struct streams *streams, const struct launch_view *view)
{
    if (streams_is_on(streams))
        snprintf(streams->first->what, sizeof streams->first->what, "kernel %s",
                 view->module->functions[view->entry].display_name);
}

struct streams *streams_create(struct findings *findings)
{
    struct streams *streams = mem_zalloc(1, sizeof *streams);
    streams->findings = findings;
    return streams;
}

void streams_destroy(struct streams *streams)
{
    while (streams && streams->first) {
        struct operation *next = streams->first->next;
        operation_destroy(streams, streams->first);
        streams->first = next;
    }
    mem_free(streams);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static struct page *find_page(struct operation *one, uint64_t number)
{
    if (one->last && one->last->number == number) return one->last;
    const struct page_entry *entry =
        hash_table_find(&one->by_number, number + 1, sizeof(struct page_entry));
    if (entry) one->last = entry->page;
    return entry ? entry->page : NULL;
}

static struct page *make_page(struct streams *streams, struct operation *one, uint64_t number)
{
    struct page *page = find_page(one, number);
    if (page) return page;
    if (streams->page_count == PAGES_MOST) {
        findings_note(streams->findings,
                      "race: operations of streams that wait for nothing touched more memory "
                      "than is remembered; some was forgotten");
        return NULL;
    }
    page = mem_zalloc(1, sizeof *page);
    mem_keep(page);
    page->number = number;
    page->next = one->pages;
    one->pages = one->last = page;
    struct page_entry *entry = hash_table_add(&one->by_number, number + 1, sizeof *entry);
    mem_keep(one->by_number.entries);
    entry->page = page;
    streams->page_count++;
    return page;
}

/* Bits [first, first + count) of the word that holds `first`. */
static uint64_t bits_of(unsigned first, uint64_t count, unsigned *out_count)
{
    unsigned bit = first % 64, n = 64 - bit < count ? 64 - bit : (unsigned)count;
    *out_count = n;
    return (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << bit;
}

static bool touches(const uint64_t *bits, unsigned first, unsigned count)
{
    while (count) {
        unsigned n;
        if (bits[first / 64] & bits_of(first, count, &n)) return true;
        first += n;
        count -= n;
    }
    return false;
}

static void mark(uint64_t *bits, unsigned first, unsigned count)
{
    while (count) {
        unsigned n;
        bits[first / 64] |= bits_of(first, count, &n);
        first += n;
        count -= n;
    }
}

/* An unordered operation that touched one of the bytes of a page, if either writes; NULL: none. */
static struct operation *find_conflict(struct streams *streams, uint64_t number, unsigned first,
                                       unsigned count, bool is_write, bool *out_written)
{
    if (!streams->any_unordered) return NULL;
    for (struct operation *one = streams->first->next; one; one = one->next) {
        const struct page *page = one->is_unordered ? find_page(one, number) : NULL;
        if (!page) continue;
        *out_written = touches(page->written, first, count);
        if (*out_written || (is_write && touches(page->read, first, count))) return one;
    }
    return NULL;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void tell_detail(const struct streams *streams, const struct operation *other, bool writes,
                        bool written, char *out, size_t size)
{
    int host = other->host ? (int)strcspn(other->host, "\n") : 0;
    snprintf(out, size, "%s by %s, %s by %s: nothing orders these operations of two streams%s%.*s",
             writes ? "write" : "read", streams->first->what, written ? "write" : "read",
             other->what, host ? "\nThe other was asked for at: " : "", host,
             other->host ? other->host : "");
}

/* Within one page. */
static struct operation *touch(struct streams *streams, uint64_t address, unsigned count,
                               bool is_write, bool *out_written)
{
    uint64_t number = address >> PAGE_SHIFT;
    unsigned first = (unsigned)(address & (PAGE_BYTES - 1));
    struct operation *other = find_conflict(streams, number, first, count, is_write, out_written);
    struct page *page = make_page(streams, streams->first, number);
    if (page) mark(is_write ? page->written : page->read, first, count);
    return other && !other->is_told ? other : NULL;
}

static unsigned bytes_here(uint64_t address, uint64_t bytes)
{
    uint64_t left = PAGE_BYTES - (address & (PAGE_BYTES - 1));
    return (unsigned)(left < bytes ? left : bytes);
}

void streams_kernel_access(struct streams *streams, const struct check_access *told, uint64_t block,
                           uint32_t quiet)
{
    char detail[1024], memory[256];
    unsigned bytes = told->access->bytes;
    for (uint32_t left = told->access->mask & ~(told->writes ? quiet : 0); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = told->access->addresses[lane];
        bool written;
        struct operation *other =
            touch(streams, address, bytes_here(address, bytes), told->writes, &written);
        if (!other) continue;
        tell_detail(streams, other, told->writes, written, detail, sizeof detail);
        told->name(told, address, memory, sizeof memory);
        const struct check_report report = {.code = CHECK_CODE_RACE_STREAMS,
                                            .here = {told->insn, block, told->warp, lane},
                                            .has_address = true,
                                            .address = address,
                                            .bytes = bytes,
                                            .space = told->access->space,
                                            .memory = memory,
                                            .detail = detail};
        other->is_told = true;
        streams->findings->checker.ops->report(streams->findings, &report);
    }
}

void streams_host_access(struct streams *streams, uint64_t address, uint64_t bytes, bool is_write)
{
    char detail[1024];
    while (bytes) {
        unsigned here = bytes_here(address, bytes);
        bool written;
        struct operation *other = touch(streams, address, here, is_write, &written);
        if (other) {
            tell_detail(streams, other, is_write, written, detail, sizeof detail);
            const struct check_report report = {.code = CHECK_CODE_RACE_STREAMS,
                                                .has_address = true,
                                                .address = address,
                                                .detail = detail};
            other->is_told = true;
            findings_add_host(streams->findings, &report, NULL);
        }
        address += here;
        bytes -= here;
    }
}

void streams_forget(struct streams *streams, uint64_t address, uint64_t bytes)
{
    for (struct operation *one = streams ? streams->first : NULL; one; one = one->next)
        for (struct page *page = one->pages; page; page = page->next) {
            uint64_t begin = page->number << PAGE_SHIFT, end = begin + PAGE_BYTES;
            if (end <= address || begin >= address + bytes) continue;
            for (uint64_t at = begin < address ? address : begin; at < end && at < address + bytes;
                 at++) {
                uint64_t bit = UINT64_C(1) << (at & 63);
                page->read[(at - begin) / 64] &= ~bit;
                page->written[(at - begin) / 64] &= ~bit;
            }
        }
}
