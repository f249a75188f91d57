// SPDX-License-Identifier: Apache-2.0
/* The sections of a report of `analyze`; view_analyze.c has the table of what stands where. Each reads nodes
 * of a kernel, or of a kernel on a machine, and shows nothing if it knows nothing. */
#ifndef RENDER_ANALYZE_SECTIONS_H
#define RENDER_ANALYZE_SECTIONS_H

#include "render/views.h"

static inline bool page_has_details(const struct page *page)
{
    return page->details == WS_DETAILS_ALL;
}

bool kernel_is_native(const struct node *kernel);
bool machine_is_cpu(const struct node *machine);
/* The estimate of the headline, and the speed of light; NULL: none. */
/* The word of a child; `otherwise` if it is unknown. */
const char *word_or(const struct node *node, const char *id, const char *otherwise);
/* "  (band 405 to 500 us: meaning)" behind a time; "" if it is not known. */
void put_band(struct strbuf *out, const struct node *headline, const char *word,
              const char *meaning);
const struct node *best_estimate(const struct node *machine);
const struct node *bound_estimate(const struct node *machine);

/* analyze_head.c */
/* Texts that other formats share: "grid 64x64 (4,096 blocks)  block ...", what the counts are of, "NVIDIA H200
 * cc 9.0  132 SMs ...", and "  (band 405 to 500 us: two of three)" in front of `meaning`. */
void put_launch(struct strbuf *out, const struct node *kernel);
void put_method(struct strbuf *out, const struct node *kernel);
void put_machine(struct strbuf *out, const struct node *machine);
void put_band(struct strbuf *out, const struct node *headline, const char *word,
              const char *meaning);
void show_kernel(struct page *page, const struct node *kernel);
void show_machine(struct page *page, const struct node *machine);
/* TIME, LIMIT, WHY, ENERGY; a long cause may take a second line, unless in a quiet report. */
void show_answer(struct page *page, const struct node *machine);
void show_comparison(struct page *page, const struct node *kernel);
void show_advice(struct page *page, const struct node *machine, size_t max_rows);
/* The first of them in one line. */
void show_best_advice(struct page *page, const struct node *machine);

/* analyze_evidence.c */
void show_throughput(struct page *page, const struct node *machine, size_t max_rows);
/* Of the best model, if it knows components; with details of every model that does, by stage. */
void show_components(struct page *page, const struct node *machine);
/* `of`: a kernel, or a kernel on a machine, whose line of WHY is marked. */
void show_memory(struct page *page, const struct node *of, size_t max_rows);
/* How loads and stores go through the caches; nothing if it is unknown. */
void show_caches(struct page *page, const struct node *machine);
void show_occupancy(struct page *page, const struct node *machine);
/* What warps wait for, of a model that follows them; with details by line and by their number. */
void show_waits(struct page *page, const struct node *machine);
void show_models(struct page *page, const struct node *machine, size_t max_refusals);

/* analyze_code.c */
/* The lines that cost most, of source, PTX and native code side by side. */
void show_hot_code(struct page *page, const struct node *machine, size_t max_rows);
/* All of them, as wide as the reader's terminal; nothing if that was not asked for. */
void show_code(struct page *page, const struct node *kernel);

/* analyze_notes.c */
void show_hot_lines(struct page *page, const struct node *kernel, size_t max_rows);
void show_mix(struct page *page, const struct node *kernel);
/* Everything assumed, each once; begins as zeros. */
struct note_list {
    struct arena arena;
    const char **items;
    size_t count, capacity;
};
void note_list_fill(struct note_list *notes, const struct node *kernel);
void note_list_clear(struct note_list *notes);
/* At most max_lines lines of them. */
void show_notes(struct page *page, const struct node *kernel, unsigned max_lines);

/* --brief: a line for each machine of each kernel. */
void show_brief(struct page *page, const struct node *kernels);
/* "h200 is 2.31 +- 0.20 times faster than a100": at most max_rows lines. */
void show_ratios(struct page *page, const struct node *comparisons, const struct node *kernels,
                 size_t max_rows);

#endif
