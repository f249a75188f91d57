// SPDX-License-Identifier: Apache-2.0
/* The sections of a text report, in its order. Each takes a bounded number of lines unless all
 * details are wanted. */
#ifndef REPORT_TEXT_SECTIONS_H
#define REPORT_TEXT_SECTIONS_H

#include "render/page.h"
#include "render/writers.h"

/* Longest first lines of sections, and what a whole report of one kernel may take. */
enum { REPORT_LINES = 60 };

void text_kernel(struct page *page, const struct profile *profile);
void text_machine(struct page *page, const struct report_machine *machine);
/* TIME, LIMIT, WHY, ENERGY; wrap: a long cause may take a second line. */
void text_answer(struct page *page, const struct report_machine *machine, bool wrap);
/* Its line ENERGY (text_power.c). */
void text_energy(struct page *page, const struct report_machine *machine);
void text_comparison(struct page *page, const struct report_kernel *kernel);
void text_advice(struct page *page, const struct diagnosis *diagnosis, size_t max_items,
                 bool details);
/* The first of them in one line. */
void text_best_advice(struct page *page, const struct diagnosis *diagnosis);
void text_throughput(struct page *page, const struct report_machine *machine, bool details);
/* Of the best model, if it knows components; with details of every model that does, by stage. */
void text_components(struct page *page, const struct report_machine *machine, bool details);
/* machine NULL: by 32-byte sectors and 32 banks. */
void text_memory(struct page *page, const struct profile *profile,
                 const struct report_machine *machine, size_t max_rows);
/* How loads and stores go through the caches; nothing if it is not known. */
void text_caches(struct page *page, const struct report_machine *machine);
void text_occupancy(struct page *page, const struct report_machine *machine);
/* Of a model that follows warps: what they wait for in one line; with details by line, and how time grows
 * with their number. Nothing if there is none. */
void text_waits(struct page *page, const struct report_machine *machine, bool details);
void text_models(struct page *page, const struct report_machine *machine, bool details);
void text_hot_lines(struct page *page, const struct profile *profile, size_t max_rows);
void text_mix(struct page *page, const struct profile *profile);
/* Everything assumed; at most max_lines lines. */
void text_notes(struct page *page, const struct report_kernel *kernel, unsigned max_lines);

#endif
