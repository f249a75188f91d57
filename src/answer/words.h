// SPDX-License-Identifier: Apache-2.0
/* Words that several questions have in common. */
#ifndef ANSWER_WORDS_H
#define ANSWER_WORDS_H

#include "base/figure.h"
#include "machine/machine.h"
#include "model/core/estimate.h"

/* "7.0"; NULL of a CPU. */
const char *capability_word(const struct machine *machine, struct arena *arena);

struct measured measured_of_term(const struct term *term);
/* The terms of an estimate in their order, term_count of them. */
const struct measured *terms_of(const struct estimate *estimate, struct arena *arena);

#endif
