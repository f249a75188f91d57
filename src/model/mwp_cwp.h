// SPDX-License-Identifier: Apache-2.0
/* The closed form of MWP-CWP: numbers in, terms out; no profile, no machine. Source: S. Hong, PhD
 * thesis, Georgia Tech 2012, chapter II (equation numbers below are its own); H. Kim's slides where
 * said. The readings taken where these disagree are in doc/models/mwp-cwp.md. */
#ifndef MODEL_MWP_CWP_H
#define MODEL_MWP_CWP_H

#include "base/diag.h"

enum mwp_mem_l_coal { MWP_MEM_L_THESIS, MWP_MEM_L_SLIDES };
enum mwp_case_policy { MWP_CASE_FIGURE8, MWP_CASE_PRINTED };
enum mwp_npw { MWP_NPW_RATIO, MWP_NPW_PRINTED };
enum mwp_rep { MWP_REP_FRACTION, MWP_REP_CEIL };

struct mwp_cwp_readings {
    enum mwp_mem_l_coal mem_l_coal;
    enum mwp_case_policy case_policy;
    enum mwp_npw npw;
    enum mwp_rep rep;
    bool joined; /* the longest of the three cases, so that they meet: reading A-14 */
};

/* Counts are per warp over the whole kernel; "insts" are warp instructions. */
struct mwp_cwp_input {
    double freq_hz, mem_bandwidth; /* core clock; B/s; infinite bandwidth: INFINITY */
    double active_sms;             /* ASM = min(blocks, SMs) */
    double mem_ld;                 /* Mem_LD: DRAM latency, cycles */
    double dep_uncoal, dep_coal;   /* departure delays, cycles */
    double uncoal_per_mw;          /* u: transactions per uncoalesced access */
    double load_bytes_per_warp;    /* of one memory instruction of a warp */
    double warp_size, threads_per_block, blocks;
    double active_blocks_per_sm;             /* occupancy; small grids are handled here */
    double issue_cycles;                     /* of one warp instruction on one SM */
    double m_factor;                         /* mean of M over the instructions, at least 1 */
    double total_insts;                      /* It, memory instructions included */
    double coal_mem_insts, uncoal_mem_insts; /* Imc, Imu */
    double synch_insts;                      /* Is */
    double mem_req, ind_mem_req; /* for N_pw; totals or per warp, only their ratio matters */
    struct mwp_cwp_readings readings;
};

struct mwp_cwp_terms {
    double mem_l_uncoal, mem_l_coal, mem_l, departure_delay;
    double n, active_blocks, warps_per_block, npw, npwb;
    double mwp_without_bw_full, mwp_without_bw, bw_per_warp, mwp_peak_bw, mwp;
    double comp_cycles, mem_cycles, comp_p, cwp_full, cwp, rep;
    int case_number; /* 1: MWP = CWP = N, 2: CWP >= MWP, 3: MWP > CWP */
    double exec_cycles, cpi, synch_cost, exec_cycles_synch;
};

/* Mem_L and departure delays (10)-(16): fills mem_l*, departure_delay, mwp_without_bw_full. */
void mwp_cwp_memory(const struct mwp_cwp_input *in, struct mwp_cwp_terms *out);
/* (6), (7) for a given Mem_L. */
double mwp_cwp_peak_bw(const struct mwp_cwp_input *in, double mem_l);
/* SMs that share the bandwidth. Joined: fewer than the active ones where the blocks do not give each as
 * many, as all together ask for what the blocks ask for (reading A-14). */
double mwp_cwp_sharing_sms(const struct mwp_cwp_input *in);
/* (28): warps as if independent requests came from warps of their own; reading A-6. */
double mwp_cwp_npw(enum mwp_npw reading, double n, double mem_req, double ind_mem_req);
/* The input with `warps` per SM, whole blocks or not: as many at a time of the same blocks. */
struct mwp_cwp_input mwp_cwp_with_warps(const struct mwp_cwp_input *in, double warps);
/* All of it. WS_ERR_NO_MODEL if there are no instructions, blocks or threads. */
ws_status mwp_cwp_predict(struct diag *diag, const struct mwp_cwp_input *in,
                          struct mwp_cwp_terms *out);

#endif
