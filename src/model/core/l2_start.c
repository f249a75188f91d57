// SPDX-License-Identifier: Apache-2.0
#include "model/core/l2_start.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum { SECTOR_BYTES = 32 };

const char *const l2_kind_words[] = {"cold", "warm", "kept", "given", NULL};

static bool parse_share(const char *word, double *out)
{
    char number[32];
    size_t length = strlen(word);
    if (length < 2 || length > sizeof number || word[length - 1] != '%') return false;
    memcpy(number, word, length - 1);
    number[length - 1] = '\0';
    if (!text_to_double(number, out) || !(*out >= 0 && *out <= 100)) return false;
    *out /= 100;
    return true;
}

ws_status l2_start_parse(struct diag *diag, const char *word, struct l2_start *out)
{
    *out = (struct l2_start){.kind = L2_SHARE};
    for (enum l2_kind kind = L2_COLD; kind < L2_SHARE; kind++)
        if (!strcmp(word, l2_kind_words[kind])) out->kind = kind;
    if (out->kind != L2_SHARE || parse_share(word, &out->share)) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "invalid L2 content '%s': expected cold, warm, kept or 0%% to 100%%", word);
}

/* Of what a launch like this one left: each sector was touched as long ago as the launch touches bytes. */
static double warm_share(const struct profile *profile, double l2_bytes)
{
    double touched = profile_get(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT) +
                     profile_get(profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT);
    return l2_kept_share(touched * SECTOR_BYTES, l2_bytes);
}

ws_status l2_start_find(struct diag *diag, const struct profile *profile,
                        const struct machine *machine, struct l2_start *start)
{
    double size = machine_get(machine, MACHINE_L2_SIZE, 0);
    if (start->kind == L2_COLD || !(size > 0)) start->share = 0;
    if (start->kind == L2_WARM) start->share = warm_share(profile, size);
    start->has_code = start->kind != L2_COLD && start->share >= 0.5;
    if (start->kind != L2_KEPT) return WS_OK;
    start->share = profile_l2_found(profile, size);
    start->has_code =
        profile->has_l2_code && l2_kept_share((double)profile->l2_code_bytes, size) >= 0.5;
    if (!isnan(start->share)) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "the profile of %s does not say what its launch found in the L2: only "
                      "`warpsage run` records it; use cold or warm",
                      profile->kernel ? profile->kernel : "the kernel");
}
