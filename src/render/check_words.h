// SPDX-License-Identifier: Apache-2.0
/* Sentences about findings that several formats have; and the formats of findings alone. `out` may stay empty. */
#ifndef RENDER_CHECK_WORDS_H
#define RENDER_CHECK_WORDS_H

#include "render/render.h"

bool check_same_word(const char *a, const char *b);
/* "app.cu:12"; without a file the kernel and the line of its PTX, or "host". */
void check_put_place(struct strbuf *out, const struct node *finding);
/* "write of 4 bytes, 0x2a, in kernel fill (launch 1), block (0,0,0), thread (33,0,0), warp 1, lane 1 at app.cu:12" */
void check_put_side(struct strbuf *out, const struct node *side);
/* "in leaf() at app.cu:3, in middle() at app.cu:8"; nothing of a side with one frame. */
void check_put_inlined(struct strbuf *out, const struct node *side);
/* "main() at app.cu:40, from run() at app.cu:60" */
void check_put_frames(struct strbuf *out, const struct node *frames);
/* "'tile': 128 bytes of shared memory; 4 bytes after its end" */
void check_put_memory(struct strbuf *out, const struct node *memory);
/* What is known of a finding besides its title, in order: "what", "where", "inlined", "and", "memory", "allocated",
 * "freed", "host", "do". */
typedef void check_fact_fn(void *user, const char *name, const char *text);
void check_each_fact(const struct node *finding, check_fact_fn *read, void *user);
/* All of it in sentences, without its title. */
void check_put_message(struct strbuf *out, const struct node *finding);

/* "Checked 2 launches of 1 kernel with memory, init." */
void check_put_checked(struct strbuf *out, const struct node *check);
/* What was not covered. */
size_t check_list_notes(const struct node *check, struct arena *arena, const char *const **out);

/* check_sarif.c, check_junit.c */
render_fn render_check_sarif, render_check_junit;

#endif
