// SPDX-License-Identifier: Apache-2.0
/* What keeps a finding from counting (doc/checks.md#suppressions): rules of a file, and comments beside the line. */
#ifndef CHECK_SUPPRESSION_H
#define CHECK_SUPPRESSION_H

#include "base/source_files.h"
#include "check/finding.h"

/* A line of a file: all that it names must apply. */
struct suppression {
    const char *file_of; /* where it stands */
    uint32_t line_of;
    const char *code, *tool, *kernel, *file, *reason; /* patterns; NULL: any */
    uint64_t line;                                    /* of `file`; 0: any */
    uint64_t uses;
};

struct suppressions {
    struct suppression *items;
    size_t count, room;
};

/* Appends the rules of a file. WS_ERR_INPUT with file:line:column: what is wrong. suppressions_free in any case. */
ws_status suppressions_load(struct diag *diag, struct arena *arena, const char *path,
                            struct suppressions *into);
/* The first rule that applies, and counts its use; NULL: none. */
const struct suppression *suppressions_find(struct suppressions *all,
                                            const struct finding_words *finding);
void suppressions_free(struct suppressions *all);

/* A comment `warpsage: ignore CODE-OR-TOOL[,...] [REASON]` on one of the finding's lines or the line above. */
struct comment_suppression {
    const char *file, *reason; /* in the arena; reason "": none */
    uint64_t line;
};
bool comment_suppresses(struct source_files *sources, const char *folder, struct arena *arena,
                        const struct finding_words *finding, struct comment_suppression *out);

#endif
