// SPDX-License-Identifier: Apache-2.0
/* The answer to `diff`: two reports, kernel by kernel and machine by machine (doc/diff.md). */
#ifndef ANSWER_DIFF_ANSWER_H
#define ANSWER_DIFF_ANSWER_H

#include <stdint.h>

#include "answer/report_read.h"

/* In the order in which they win: a whole is as bad as its worst part. */
enum verdict {
    VERDICT_SAME,
    VERDICT_BETTER,
    VERDICT_WORSE,
    VERDICT_INCOMPARABLE,
    VERDICT_COUNT,
};

enum gate_result { GATE_PASSED, GATE_FAILED, GATE_INCOMPARABLE, GATE_COUNT };

struct diff_change {
    const char *id, *unit, *reason;
    double values[2], ratio; /* NAN: unknown */
    bool is_counted, more_is_better;
};

struct diff_changes {
    struct diff_change *items;
    size_t count, unchanged;
};

struct diff_time {
    struct {
        double seconds, low, high;
    } sides[2];
    double ratio, low, high; /* low and high: the band of the ratio */
    const char *reason;      /* why one of them is NAN */
};

struct diff_word {
    const char *id, *texts[2];
};

struct diff_words {
    struct diff_word *items;
    size_t count;
};

struct diff_finding {
    const struct report_finding *sides[2]; /* NULL: it is not there */
};

struct diff_texts {
    const char **items;
    size_t count;
};

struct diff_machine {
    const struct report_machine *sides[2];
    const char *id;
    enum verdict verdict;
    bool is_refused; /* the two cannot be compared here */
    struct diff_texts reasons;
    struct diff_time time;
    struct diff_words words;
    struct diff_finding *findings;
    size_t finding_count;
    struct diff_changes changes;
};

struct diff_kernel {
    const struct report_kernel *sides[2];
    bool is_mapped;  /* the user says that they do the same work */
    bool is_refused; /* the two cannot be compared at all */
    enum verdict verdict;
    struct diff_texts reasons;
    struct diff_words words;
    struct diff_changes changes;
    struct diff_machine *machines;
    size_t machine_count;
};

struct diff_missing {
    const char *kernel, *machine; /* machine NULL: all */
    size_t side;                  /* that has it */
};

struct diff_check {
    const char *kernel, *machine; /* machine NULL: a counter of the kernel */
    struct diff_change change;
    double worse_by;
    enum gate_result result;
    const char *reason;
};

struct diff_gate {
    double fail_over;
    const char *const *metrics;
    size_t metric_count;
    bool allows_missing;
    enum gate_result result;
    uint64_t counts[GATE_COUNT];
    struct diff_check *checks;
    size_t check_count;
};

struct diff_answer {
    struct report reports[2];
    bool is_forced;
    const char *const *maps;
    size_t map_count;
    enum verdict verdict;
    uint64_t compared, counts[VERDICT_COUNT];
    struct diff_kernel *kernels;
    size_t kernel_count;
    struct diff_missing *missing;
    size_t missing_count;
    struct diff_texts notes;
    struct diff_gate *gate; /* NULL: not asked for */
};

/* Everything about kernels that were paired: differences and verdicts (diff_compare.c). */
void diff_compare(struct diff_answer *diff, struct arena *arena);
/* Two values as a change; `reason` of the first that is unknown. */
struct diff_change diff_change_of(const struct report_figure *a, const struct report_figure *b);

/* Checks `metrics` of every kernel (diff_gate.c). WS_ERR_ARGUMENT: no figure has this name. */
ws_status diff_check_gate(struct diag *diag, struct arena *arena, struct diff_answer *diff,
                          double fail_over, const char *const *metrics, size_t metric_count,
                          bool allows_missing);

#endif
