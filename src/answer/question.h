// SPDX-License-Identifier: Apache-2.0
/* Questions: one row of questions.def and one file each. A question is asked about profiles and machines,
 * with named inputs, and is answered by a C struct whose table of figures makes the tree. */
#ifndef ANSWER_QUESTION_H
#define ANSWER_QUESTION_H

#include "answer/answer.h"
#include "base/diag.h"
#include "machine/machine.h"
#include "measure/profile.h"
#include "model/core/estimate.h"

enum input_kind { INPUT_NUMBER, INPUT_COUNT, INPUT_FLAG, INPUT_WORD };

struct input_info {
    const char *name;
    enum input_kind kind;
    const char *unit; /* "" of counts without one, flags and words */
    const char *text;
};

/* What is asked: the caller's objects live while the question is answered; an answer
 * shares those it was asked about. */
struct asked {
    struct diag *diag;
    const struct question *question;
    size_t profile_count, machine_count, input_count;
    struct profile *const *profiles;
    struct machine *const *machines;
    const ws_input *inputs; /* checked: their names are the question's */
    const struct evidence
        *evidence; /* what headlines are chosen by, while the question is answered; NULL */
    struct answer *answer;
};

/* Many points of a question without trees: what varies by point, and the record that answers for one. */
struct question_points {
    const char *(*input)(
        size_t index); /* name of one of input_count, beside those of the question */
    size_t input_count;
    const struct record *record;
    /* What all points have in common: leaves a state in the answer's arena or owned by the answer. */
    ws_status (*begin)(struct asked *asked, void **out_state);
    /* One point: `values` are by index of the input, NAN: not given. *out is valid until the next point.
     * Keeps no memory. */
    ws_status (*at)(struct diag *diag, void *state, const double *values, const void **out);
};

struct question {
    const char *name;   /* "occupancy" */
    const char *schema; /* "warpsage.occupancy/1" */
    const char *text;   /* what it answers, a sentence */
    const struct record *record;
    const struct input_info *inputs;
    size_t input_count;
    bool takes_profiles; /* one at least */
    bool finds_profiles; /* it predicts, whether or not it is asked about profiles */
    /* Leaves in *out the struct that `record` describes, in the answer's arena or owned by it. A status
     * other than WS_OK with *out set: part of the answer is missing, and says why. */
    ws_status (*ask)(struct asked *asked, const void **out);
    const struct question_points *points; /* NULL: it has no bulk call */
};

extern const struct question *const questions[];
extern const size_t question_count;
const struct question *question_find(const char *name);
/* The question that the record answers as a whole; NULL: it is part of an answer. */
const struct question *question_of(const struct record *record);

/* Are the inputs those of the question, and is there a profile if it needs one? */
ws_status asked_check(const struct asked *asked);
/* Checks the inputs, asks, and makes the tree. *out NULL: no answer. */
ws_status question_ask(struct asked *asked, struct answer **out);

/* Columns in, columns out: `in` has a row for each point with a value for each name of `inputs`, `out` one
 * with a value for each name of `figures` (NAN: null). Takes memory for the call, none for a point. */
struct points_asked {
    const char *const *inputs, *const *figures;
    size_t input_count, figure_count, count;
    const double *in;
    double *out;
};
ws_status question_ask_points(struct asked *asked, const struct points_asked *points);

/* Figures of all answers, sorted by id; those with equal id and text are one. In the arena. */
struct glossary_entry {
    const char *id, *text, *unit;
    const char *of; /* text of the record */
    const char *question;
};
size_t question_glossary(struct arena *arena, const struct glossary_entry **out);

/* ---- inputs, for questions ------------------------------------------------------------------- */

bool asked_has(const struct asked *asked, const char *name);
double asked_number(const struct asked *asked, const char *name, double otherwise);
/* A whole number from `least` to `most`; else WS_ERR_ARGUMENT. */
ws_status asked_count(const struct asked *asked, const char *name, uint64_t least, uint64_t most,
                      uint64_t otherwise, uint64_t *out);
bool asked_flag(const struct asked *asked, const char *name);
const char *asked_word(const struct asked *asked, const char *name);
/* All numbers of an input that may be repeated, in their order, in the answer's arena. */
const double *asked_numbers(const struct asked *asked, const char *name, size_t *out_count);
/* The same of words, which are the caller's. */
const char *const *asked_words(const struct asked *asked, const char *name, size_t *out_count);
/* The same in the answer's arena. */
const char *const *asked_copies(const struct asked *asked, const char *name, size_t *out_count);
/* Index of a word in a list that ends with NULL; WS_ERR_ARGUMENT names those. -1: not given. */
ws_status asked_choice(const struct asked *asked, const char *name, const char *const *words,
                       int *out);

/* Options of predictions: rows of a question's inputs, and what was given for them. */
#define PREDICT_INPUTS                                                                             \
    {"model_options", INPUT_WORD, "", "model options: KEY=VALUE[,KEY=VALUE...]"},                  \
        {"l2", INPUT_WORD, "",                                                                     \
         "what the launch finds in the L2: cold (nothing, default), warm (what one like it "       \
         "left), "                                                                                 \
         "kept (what ran before it left, by the profile), or N% of what it reads"},                \
        {"spills", INPUT_WORD, "",                                                                 \
         "registers that ptxas spills: auto (stored and loaded, default) or none"},                \
    {                                                                                              \
        "without", INPUT_WORD, "", "effects to switch off: ID[,ID...]"                             \
    }
/* In the answer's arena. WS_ERR_ARGUMENT: no such effect, or not KEY=VALUE. */
ws_status asked_predict_options(const struct asked *asked, struct predict_options *out);
/* The same of words that were not asked; NULL: none. Sets options, effects_off, l2 and without_spills. */
struct predict_words {
    const char *model_options, *without, *l2, *spills;
};
ws_status predict_words_parse(struct diag *diag, struct arena *arena,
                              const struct predict_words *words, struct predict_options *out);
/* Predicts, and lets the profile remember its hits on the machine's caches. The answer owns *out. */
ws_status asked_predict(const struct asked *asked, const struct profile *profile,
                        const struct machine *machine, const struct predict_options *options,
                        const struct prediction **out);

#endif
