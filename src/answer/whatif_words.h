// SPDX-License-Identifier: Apache-2.0
#ifndef ANSWER_WHATIF_WORDS_H
#define ANSWER_WHATIF_WORDS_H

#include "model/core/estimate.h"

/* Why a model may answer more time for a better machine, or less for a worse one: readings of the models that are
 * known to do so (doc/models). `path` of the machine's figure that is changed, with or without "machine." */
const char *whatif_surprise(enum model_id model, const char *path);

#endif
