// SPDX-License-Identifier: Apache-2.0
/* Source, PTX and native code side by side, with the cost of each line. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "render/analyze_sections.h"

static const char *const level_ids[] = {"source", "ptx", "native"};
static const char *const level_titles[] = {"source", "PTX", "native code"};
enum { SOURCE, PTX, NATIVE, LEVELS };

/* ---- the hottest lines ------------------------------------------------------------------------- */

enum { PLACE_COLUMNS = 18 };

/* "  sgemm.cu:27     52.5     79     0    94", or "  PTX:90 st.shared.f32 ..." where no source is known. */
static void put_hot_line(struct strbuf *out, const struct node *line, unsigned columns)
{
    char place[200];
    const char *op = node_word(line, columns > PLACE_COLUMNS ? "text" : "op");
    double time = node_number(line, "time");
    snprintf(place, sizeof place, "%s%s%s", node_word(line, "place"), op ? " " : "", op ? op : "");
    size_t length = strlen(place), cut = length > columns && !op ? length - columns + 2 : 0;
    strbuf_printf(out, "  %s%-*.*s ", cut ? ".." : "", (int)columns - (cut ? 2 : 0),
                  (int)columns - (cut ? 2 : 0), place + cut); /* the line number stays */
    if (isnan(time))
        strbuf_puts(out, "     -");
    else
        strbuf_printf(out, "%6.1f", 100 * time);
    strbuf_printf(out, "%8.0f%7.0f%8.0f   ", 100 * node_number(line, "instructions"),
                  100 * node_number(line, "sectors"), 100 * node_number(line, "wavefronts"));
}

/* "12.7  0250 LDS R4, [R3]" in `columns` columns; without operands where they do not fit. */
static void put_hot_side(struct strbuf *out, const struct node *line, unsigned columns)
{
    enum { WITH_OPERANDS = 30 };
    char cell[200];
    const char *place = node_word(line, "place"), *colon = strchr(place, ':');
    const char *text = node_word(line, columns >= WITH_OPERANDS ? "text" : "op");
    snprintf(cell, sizeof cell, "%5.1f %s %s", 100 * node_number(line, "share"),
             colon ? colon + 1 : place, text ? text : "");
    strbuf_printf(out, "%-*.*s ", (int)columns - 1, (int)columns - 1, cell);
}

struct hot_table {
    const struct node *levels[LEVELS];
    unsigned main;            /* level with all columns: the highest that is known */
    unsigned place;           /* columns of its places */
    unsigned columns[LEVELS]; /* of those beside it; 0: no room, or empty */
};

/* False: nothing is known. */
static bool lay_out_hot(const struct page *page, const struct node *hot, struct hot_table *out)
{
    enum { MAIN_COLUMNS = 53, LEAST = 18 };
    unsigned sides = 0, room = page->width > MAIN_COLUMNS ? page->width - MAIN_COLUMNS : 0;
    out->main = LEVELS;
    for (unsigned level = LEVELS; level-- > 0;) {
        out->levels[level] = node_child(hot, level_ids[level]);
        if (!out->levels[level]->value.item_count) continue;
        sides += out->main < LEVELS;
        out->main = level;
    }
    for (unsigned level = LEVELS; level-- > 0 && level > out->main && sides;) {
        if (!out->levels[level]->value.item_count) continue;
        if (room / sides >= LEAST)
            out->columns[level] = room / sides;
        else if (level == NATIVE && room >= LEAST)
            out->columns[level] = room; /* native code alone */
    }
    out->place = PLACE_COLUMNS;
    if (!sides && out->main > SOURCE) out->place += room < 2 * LEAST ? room : 2 * LEAST;
    return out->main < LEVELS;
}

void show_hot_code(struct page *page, const struct node *machine, size_t max_rows)
{
    enum { MOST = 5 };
    const struct node *hot = node_child(machine, "hot_code");
    struct hot_table table = {0};
    struct strbuf line = {0};
    struct arena arena = {0};
    if (!node_is_known(hot) || !lay_out_hot(page, hot, &table)) return;
    size_t rows = max_rows < MOST ? max_rows : MOST;
    bool has_room = table.main == PTX && table.place > PLACE_COLUMNS;
    strbuf_printf(&line, "%-*s%6s%8s%7s%8s   ", (int)table.place + 3,
                  has_room ? "Hot lines (of the source: -lineinfo): % of" : "Hot lines: % of",
                  "time", "instr.", "sect.", "wavef.");
    for (unsigned level = 0; level < LEVELS; level++)
        if (table.columns[level])
            strbuf_printf(&line, "%-*s", (int)table.columns[level], level_titles[level]);
    page_line(page, "%s", line.data);
    for (size_t i = 0; i < table.levels[table.main]->value.item_count && i < rows; i++) {
        struct node row = node_row(table.levels[table.main], i, &arena);
        line.length = 0;
        put_hot_line(&line, &row, table.place);
        for (unsigned level = 0; level < LEVELS; level++) {
            if (!table.columns[level]) continue;
            bool is_there = i < table.levels[level]->value.item_count;
            if (is_there) row = node_row(table.levels[level], i, &arena);
            if (is_there)
                put_hot_side(&line, &row, table.columns[level]);
            else
                strbuf_printf(&line, "%*s", (int)table.columns[level], "");
        }
        page_line(page, "%s", line.data);
        arena_clear(&arena);
    }
    strbuf_clear(&line);
}

/* ---- the listing ------------------------------------------------------------------------------- */

enum { LEAST_COLUMNS = 80, MOST_COLUMNS = 200, USUAL_COLUMNS = 96, MACHINES_SHOWN = 3 };
enum { NONE = -1 };

/* Rows of a level below those of the level above: the first by row, then the next. */
struct chain {
    int64_t *first, *next;
};

enum { IDLE_SHOWN = 4 };
struct line_rows {
    int64_t ptx, native;
};

struct listing_page {
    struct page *page;
    const struct node *levels[LEVELS];
    size_t counts[LEVELS], machine_count; /* machines whose time is shown */
    unsigned columns;                     /* of a side */
    bool has_lanes, has_accesses, has_stalls;
    bool has_native, has_ptx;
    struct chain by_source[LEVELS], by_ptx; /* by_source: PTX, or native code without PTX */
    struct arena arena;                     /* of the line at hand */
    struct line_rows idle[IDLE_SHOWN];      /* held back: lines that were never executed */
    size_t idle_count;
};

static struct chain make_chain(const struct node *table, const char *id, size_t above)
{
    size_t count = table->value.item_count;
    struct chain out = {mem_zalloc(above + 1, sizeof *out.first),
                        mem_zalloc(count + 1, sizeof *out.next)};
    double *numbers = mem_zalloc(count + 1, sizeof *numbers);
    node_column(table, id, numbers);
    for (size_t i = 0; i <= above; i++)
        out.first[i] = NONE;
    for (size_t i = count; i-- > 0;) {
        size_t of = isnan(numbers[i]) ? above : (size_t)numbers[i];
        out.next[i] = out.first[of];
        out.first[of] = (int64_t)i;
    }
    mem_free(numbers);
    return out;
}

static void chain_clear(struct chain *chain)
{
    mem_free(chain->first);
    mem_free(chain->next);
}

/* "262k", "8.9M", "640": at most five columns. */
static void format_short(char out[16], double value)
{
    static const char prefixes[] = " kMGTPE";
    unsigned i = 0;
    for (; value >= (i ? 999.5 : 9999.5) && i + 2 < sizeof prefixes; i++)
        value /= 1000;
    if (!i)
        snprintf(out, 16, "%.0f", value);
    else
        snprintf(out, 16, "%.*f%c", value < 99.95 ? 1 : 0, value, prefixes[i]);
}

/* Sectors of a request to global memory, or wavefronts of one to shared memory; NAN: it makes none. */
static double per_request(const struct node *cost)
{
    double requests = node_number(cost, "requests"), shared = node_number(cost, "shared_requests");
    if (requests > 0) return node_number(cost, "sectors") / requests;
    return shared > 0 ? node_number(cost, "shared_wavefronts") / shared : NAN;
}

static void put_titles(const struct listing_page *l, struct strbuf *out, const char *title)
{
    size_t begin = out->length;
    for (size_t i = 0; i < l->machine_count; i++)
        strbuf_puts(out, "time% ");
    strbuf_puts(out, "issued");
    if (l->has_lanes) strbuf_puts(out, " lanes");
    if (l->has_accesses) strbuf_puts(out, "  /req");
    if (l->has_stalls) strbuf_printf(out, " %-18s", "stall");
    strbuf_printf(out, "   %s", title);
    size_t used = out->length - begin;
    strbuf_printf(out, "%*s", (int)(l->columns > used ? l->columns - used : 0), "");
}

static void put_costs(const struct listing_page *l, struct strbuf *out, const struct node *row)
{
    const struct node *cost = node_child(row, "cost"), *machines = node_child(row, "machines");
    double issued = node_number(cost, "warp_instructions"), served = per_request(cost);
    char count[16];
    for (size_t i = 0; i < l->machine_count; i++) {
        double share = 100 * node_number(&machines->children[i], "share");
        if (share >= 0.05)
            strbuf_printf(out, "%5.1f ", share);
        else
            strbuf_puts(out, share > 0 ? "  0.0 " : "    - ");
    }
    format_short(count, issued);
    strbuf_printf(out, "%6s", issued > 0 ? count : "-");
    if (l->has_lanes && issued > 0)
        strbuf_printf(out, " %5.3g", node_number(cost, "lanes"));
    else if (l->has_lanes)
        strbuf_puts(out, "      ");
    if (l->has_accesses && !isnan(served))
        strbuf_printf(out, " %5.3g", served);
    else if (l->has_accesses)
        strbuf_puts(out, "      ");
    const char *stall = l->machine_count ? node_word(&machines->children[0], "stall") : NULL;
    if (l->has_stalls) strbuf_printf(out, " %-18.18s", stall ? stall : "");
}

/* A row of PTX or native code in the columns of its side; NONE: blanks. */
static void put_side(struct listing_page *l, struct strbuf *out, unsigned level, int64_t index)
{
    struct strbuf cell = {0};
    strbuf_puts(&cell, "");
    if (index != NONE) {
        struct node row = node_row(l->levels[level], (size_t)index, &l->arena);
        const char *text = node_word(&row, "text");
        put_costs(l, &cell, &row);
        strbuf_puts(&cell, node_flag(&row, "hot") ? " > " : "   ");
        if (level == NATIVE)
            strbuf_printf(&cell, "%04" PRIx64 " ", node_count(&row, "address"));
        else if (node_is_known(node_child(&row, "line")))
            strbuf_printf(&cell, "%4" PRIu64 " ", node_count(&row, "line"));
        else
            strbuf_puts(&cell, "     (no line of PTX)");
        strbuf_puts(&cell, text ? text : "");
    }
    strbuf_printf(out, "%-*.*s", (int)l->columns, (int)l->columns, cell.data ? cell.data : "");
    strbuf_clear(&cell);
}

static void write_line(struct listing_page *l, int64_t ptx, int64_t native)
{
    struct strbuf line = {0};
    if (l->has_ptx) put_side(l, &line, PTX, ptx);
    if (l->has_ptx && l->has_native) strbuf_puts(&line, " | ");
    if (l->has_native) put_side(l, &line, NATIVE, native);
    page_line(l->page, "%s", line.data);
    strbuf_clear(&line);
    arena_clear(&l->arena);
}

/* What was never executed, if it is only a few lines; else how many they are. */
static void put_idle(struct listing_page *l)
{
    bool is_short = l->idle_count <= IDLE_SHOWN;
    for (size_t i = 0; is_short && i < l->idle_count; i++)
        write_line(l, l->idle[i].ptx, l->idle[i].native);
    if (!is_short)
        page_line(l->page, "%*s%s not executed", l->has_ptx ? (int)l->columns + 3 : 0, "",
                  quantity_of((double)l->idle_count, "instruction").text);
    l->idle_count = 0;
}

static bool is_idle(struct listing_page *l, unsigned level, int64_t index)
{
    struct node row = node_row(l->levels[level], (size_t)index, &l->arena);
    bool is_idle = !(node_number(node_child(&row, "cost"), "warp_instructions") > 0);
    arena_clear(&l->arena);
    return is_idle;
}

/* Fills up the section behind the code. */
static bool is_padding(struct listing_page *l, int64_t native)
{
    struct node row = node_row(l->levels[NATIVE], (size_t)native, &l->arena);
    const char *text = node_word(&row, "text");
    bool is_nop = text && !strncmp(text, "NOP", 3);
    arena_clear(&l->arena);
    return is_nop && is_idle(l, NATIVE, native);
}

static void put_line(struct listing_page *l, int64_t ptx, int64_t native, bool is_held)
{
    if (native != NONE && is_padding(l, native)) return;
    if (is_held) {
        if (l->idle_count < IDLE_SHOWN) l->idle[l->idle_count] = (struct line_rows){ptx, native};
        l->idle_count++;
        return;
    }
    put_idle(l);
    write_line(l, ptx, native);
}

/* A row of PTX with its native instructions; or these alone. Held back is what was not executed, but for the line with
 * PTX that was. */
static void put_natives(struct listing_page *l, int64_t ptx, int64_t native)
{
    const struct chain *chain = l->has_ptx ? &l->by_ptx : &l->by_source[NATIVE];
    bool may_hold = l->has_native && !page_has_details(l->page);
    bool is_held = may_hold && ptx != NONE && is_idle(l, PTX, ptx);
    if (native == NONE) put_line(l, ptx, NONE, false);
    for (; native != NONE; native = chain->next[native]) {
        bool is_rest = may_hold && ptx == NONE && is_idle(l, NATIVE, native);
        put_line(l, ptx, native, is_held || is_rest);
        ptx = NONE;
    }
}

/* ---- source lines ------------------------------------------------------------------------------ */

static void put_source_time(struct strbuf *out, const struct node *row)
{
    const struct node *machines = node_child(row, "machines");
    for (size_t i = 0; i < machines->child_count && i < MACHINES_SHOWN; i++) {
        const struct node *time = &machines->children[i];
        const char *stall = node_word(time, "stall");
        strbuf_puts(out, i ? ", " : "");
        if (machines->child_count > 1) strbuf_printf(out, "%s ", time->id);
        strbuf_printf(out, "%.1f %%%s", 100 * node_number(time, "share"),
                      machines->child_count > 1 ? "" : " of the time");
        if (stall)
            strbuf_printf(out, " (%s %.0f %%)", stall, 100 * node_number(time, "stall_share"));
    }
    if (machines->child_count) strbuf_puts(out, "; ");
}

static void put_requests(struct strbuf *out, const struct node *cost, const char *memory,
                         const char *requests, const char *served, const char *noun)
{
    double count = node_number(cost, requests);
    if (!(count > 0)) return;
    strbuf_printf(out, "; %s: %s", memory, quantity_of(count, "request").text);
    strbuf_printf(out, ", %s each", quantity_of(node_number(cost, served) / count, noun).text);
}

static void put_source(struct listing_page *l, const struct node *row)
{
    const struct node *cost = node_child(row, "cost");
    const char *text = node_word(row, "text"), *place = node_word(row, "place");
    struct strbuf line = {0};
    char count[16];
    bool is_lineless = !node_is_known(node_child(row, "line"));
    if (text) text += strspn(text, " \t");
    page_line(l->page, "%s %s  %s", node_flag(row, "hot") ? ">" : " ",
              is_lineless ? "(no source line)" : place, text ? text : "");
    put_source_time(&line, row);
    format_short(count, node_number(cost, "warp_instructions"));
    strbuf_printf(&line, "%s issued", count);
    if (node_is_known(node_child(cost, "lanes")))
        strbuf_printf(&line, ", %.3g lanes", node_number(cost, "lanes"));
    put_requests(&line, cost, "global", "requests", "sectors", "sector");
    put_requests(&line, cost, "shared", "shared_requests", "shared_wavefronts", "wavefront");
    page_wrap(l->page, "  ", line.data, 3);
    strbuf_clear(&line);
}

static void put_group(struct listing_page *l, size_t source)
{
    int64_t ptx = l->has_ptx ? l->by_source[PTX].first[source] : NONE;
    int64_t native = l->has_ptx ? NONE : l->by_source[NATIVE].first[source];
    if (ptx == NONE && native == NONE) return;
    if (l->counts[SOURCE]) page_blank(l->page);
    if (source < l->counts[SOURCE]) {
        struct arena arena = {0};
        struct node row = node_row(l->levels[SOURCE], source, &arena);
        put_source(l, &row);
        arena_clear(&arena);
    }
    if (native != NONE) put_natives(l, NONE, native);
    for (; ptx != NONE; ptx = l->by_source[PTX].next[ptx])
        put_natives(l, ptx, l->has_native ? l->by_ptx.first[ptx] : NONE);
    put_idle(l);
}

/* ---- head -------------------------------------------------------------------------------------- */

static void put_reason(struct listing_page *l, const struct node *code, const char *id)
{
    const char *reason = node_word(code, id);
    if (reason) page_wrap(l->page, "          ", reason, 3);
}

static void put_head(struct listing_page *l, const struct node *code)
{
    struct strbuf text = {0}, titles = {0};
    struct node row = node_row(l->levels[l->has_native ? NATIVE : PTX], 0, &l->arena);
    const struct node *machines = node_child(&row, "machines");
    strbuf_puts(&text, l->machine_count ? "time%: share of the time of all resident warps" : "");
    for (size_t i = 0; machines->child_count > 1 && i < l->machine_count; i++)
        strbuf_printf(&text, "%s%s", i ? ", " : " on ", machines->children[i].id);
    arena_clear(&l->arena);
    strbuf_printf(&text, "%sissued: warp instructions", l->machine_count ? "; " : "");
    if (l->has_lanes) strbuf_puts(&text, "; lanes: active ones on average");
    if (l->has_accesses)
        strbuf_puts(&text, "; /req: sectors of a request, or wavefronts in shared memory");
    strbuf_puts(&text, "; > marks the hottest of each column");
    page_blank(l->page);
    page_wrap(l->page, "Code      ", text.data, 3);
    put_reason(l, code, "time_reason");
    put_reason(l, code, "source_reason");
    put_reason(l, code, "ptx_reason");
    put_reason(l, code, "native_reason");
    page_blank(l->page);
    if (l->has_ptx) put_titles(l, &titles, level_titles[PTX]);
    if (l->has_ptx && l->has_native) strbuf_puts(&titles, " | ");
    if (l->has_native) put_titles(l, &titles, level_titles[NATIVE]);
    page_line(l->page, "%s", titles.data ? titles.data : "");
    strbuf_clear(&titles);
    strbuf_clear(&text);
}

/* More columns of costs where there is room for the code beside them. */
static void lay_out(struct listing_page *l)
{
    enum { LANES_FROM = 54, ACCESSES_FROM = 60, STALLS_FROM = 84 };
    unsigned width = l->page->width;
    l->columns = l->has_ptx && l->has_native ? (width - 3) / 2 : width;
    l->has_lanes = l->columns >= LANES_FROM;
    l->has_accesses = l->columns >= ACCESSES_FROM;
    l->has_stalls = l->columns >= STALLS_FROM && l->machine_count == 1;
}

static size_t shown_machines(const struct listing_page *l)
{
    struct arena arena = {0};
    unsigned level = l->counts[NATIVE] ? NATIVE : PTX;
    size_t count = 0;
    if (l->counts[level]) {
        struct node row = node_row(l->levels[level], 0, &arena);
        count = node_child(&row, "machines")->child_count;
    }
    arena_clear(&arena);
    return count < MACHINES_SHOWN ? count : MACHINES_SHOWN;
}

void show_code(struct page *page, const struct node *kernel)
{
    const struct node *code = node_child(kernel, "code");
    struct page wide = *page;
    struct listing_page l = {.page = &wide};
    if (!node_is_known(code)) return;
    unsigned columns = page->columns ? page->columns : USUAL_COLUMNS;
    wide.width = columns < LEAST_COLUMNS  ? LEAST_COLUMNS
                 : columns > MOST_COLUMNS ? MOST_COLUMNS
                                          : columns;
    wide.opencl = false; /* words of the program stay as they are */
    for (unsigned level = 0; level < LEVELS; level++) {
        l.levels[level] = node_child(code, level_ids[level]);
        l.counts[level] = l.levels[level]->value.item_count;
    }
    l.has_ptx = l.counts[PTX] > 0;
    l.has_native = l.counts[NATIVE] > 0;
    l.machine_count = shown_machines(&l);
    lay_out(&l);
    put_head(&l, code);
    if (l.has_ptx) l.by_source[PTX] = make_chain(l.levels[PTX], "source", l.counts[SOURCE]);
    if (l.has_ptx && l.has_native)
        l.by_ptx = make_chain(l.levels[NATIVE], "ptx", l.counts[PTX]);
    else if (l.has_native)
        l.by_source[NATIVE] = make_chain(l.levels[NATIVE], "source", l.counts[SOURCE]);
    for (size_t source = 0; source <= l.counts[SOURCE]; source++)
        put_group(&l, source);
    chain_clear(&l.by_source[PTX]);
    chain_clear(&l.by_source[NATIVE]);
    chain_clear(&l.by_ptx);
    arena_clear(&l.arena);
    page->lines = wide.lines;
}
