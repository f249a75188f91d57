// SPDX-License-Identifier: Apache-2.0
/* What the model teg keeps with a trace, as it depends on that and little else: first words of keys of
 * trace.memo. */
#ifndef MODEL_TEG_MEMO_H
#define MODEL_TEG_MEMO_H

enum teg_memo {
    TEG_MEMO_SCHEDULE = 1, /* native_order.h: order of a region */
    TEG_MEMO_UNROLLED,     /* iterations of a loop that are one region */
    TEG_MEMO_SECTORS,      /* teg_sharing.h: distinct sectors that some blocks read */
    TEG_MEMO_ASSIGNMENT,   /* teg_assign.h: which cluster gets which blocks */
    TEG_MEMO_ATOMICS,      /* teg_atomics.h: which addresses several blocks use */
    TEG_MEMO_STEPS         /* teg_steps.h: what a warp executes, decoded */
};

#endif
