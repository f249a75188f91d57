// SPDX-License-Identifier: Apache-2.0
/* Inputs that the closed forms of MWP-CWP and of what rests on it share. */
#ifndef MODEL_MWP_CWP_FORM_H
#define MODEL_MWP_CWP_FORM_H

#include "model/closed_form/closed_form.h"
#include "model/mwp_cwp.h"

/* Rows of a launch and its GPU. */
#define MWP_CWP_LAUNCH_ROWS                                                                        \
    {"freq_ghz", NAN, NULL}, {"mem_bw_gbs", NAN, NULL}, {"mem_ld", NAN, NULL},                     \
        {"dep_uncoal", NAN, NULL}, {"dep_coal", NAN, NULL}, {"uncoal_per_mw", 1, NULL},            \
        {"load_bytes_per_warp", NAN, NULL}, {"threads_per_block", NAN, NULL},                      \
        {"blocks", NAN, NULL}, {"active_blocks_per_sm", NAN, NULL}, {"comp_insts", 0, NULL},       \
        {"coal_mem_insts", 0, NULL},                                                               \
    {                                                                                              \
        "uncoal_mem_insts", 0, NULL                                                                \
    }
/* What they say, with warps of 32, an issue every 4 cycles (thesis, table 1) and no barriers; active_sms
 * is left to the caller. */
struct mwp_cwp_input mwp_cwp_read_launch(const struct evaluation *e);

#endif
