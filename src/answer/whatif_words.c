// SPDX-License-Identifier: Apache-2.0
#include "answer/whatif_words.h"

const char *whatif_surprise(enum model_id model, const char *path)
{
    bool sms = !strcmp(path, "machine.sm.count") || !strcmp(path, "sm.count");
    if (model == MODEL_TEG)
        return "the interleaving of the warps changes, and with it which of them are ready to "
               "issue";
    if (sms && model == MODEL_QUANTITATIVE)
        return "the last round of blocks fills more or fewer of the clusters (its sawtooth)";
    if (sms) return "each SM has a different share of the bandwidth and different delays";
    return "discontinuity between its cases: no change assumed";
}
