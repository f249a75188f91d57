// SPDX-License-Identifier: Apache-2.0
/* Groups of modifiers: a row of ptx_ops.def names the groups its instruction takes, a row of
 * modifiers.def the group a suffix belongs to. */
#ifndef ISA_MODIFIERS_H
#define ISA_MODIFIERS_H

#include <stdint.h>

#define MODIFIER_GROUPS(GROUP)                                                                     \
    GROUP(ROUND)                                                                                   \
    GROUP(CVT)                                                                                     \
    GROUP(FTZ)                                                                                     \
    GROUP(SAT)                                                                                     \
    GROUP(APPROX)                                                                                  \
    GROUP(FULL)                                                                                    \
    GROUP(PART)                                                                                    \
    GROUP(PART_LOHI)                                                                               \
    GROUP(DP2A)                                                                                    \
    GROUP(CARRY)                                                                                   \
    GROUP(MINMAX)                                                                                  \
    GROUP(RELU)                                                                                    \
    GROUP(OOB)                                                                                     \
    GROUP(COMPARE)                                                                                 \
    GROUP(TESTP)                                                                                   \
    GROUP(SHF)                                                                                     \
    GROUP(CLAMP)                                                                                   \
    GROUP(BFIND)                                                                                   \
    GROUP(PRMT)                                                                                    \
    GROUP(SPACE)                                                                                   \
    GROUP(TO)                                                                                      \
    GROUP(MEMORY)                                                                                  \
    GROUP(SCOPE)                                                                                   \
    GROUP(FENCE)                                                                                   \
    GROUP(CACHE)                                                                                   \
    GROUP(NC)                                                                                      \
    GROUP(VECTOR)                                                                                  \
    GROUP(ATOM)                                                                                    \
    GROUP(LEVEL)                                                                                   \
    GROUP(UNI)                                                                                     \
    GROUP(BRX)                                                                                     \
    GROUP(BAR)                                                                                     \
    GROUP(SYNC)                                                                                    \
    GROUP(HINT)                                                                                    \
    GROUP(POLICY)                                                                                  \
    GROUP(CREATEPOLICY)                                                                            \
    GROUP(TEX)                                                                                     \
    GROUP(LEVEL_OF_DETAIL)                                                                         \
    GROUP(GATHER)                                                                                  \
    GROUP(SURFACE)                                                                                 \
    GROUP(QUERY)                                                                                   \
    GROUP(GRID)                                                                                    \
    GROUP(MAXNREG)                                                                                 \
    GROUP(ALIGNED)                                                                                 \
    GROUP(SHFL)                                                                                    \
    GROUP(VOTE)                                                                                    \
    GROUP(MATCH)                                                                                   \
    GROUP(REDUX)                                                                                   \
    GROUP(RELAXED)                                                                                 \
    GROUP(ACQUIRE)                                                                                 \
    GROUP(RELEASE)                                                                                 \
    GROUP(ARRIVE)                                                                                  \
    GROUP(PARITY)                                                                                  \
    GROUP(NOINC)                                                                                   \
    GROUP(CLUSTER)                                                                                 \
    GROUP(PMEVENT) GROUP(BOOL) GROUP(SECOND) GROUP(ACCUMULATE) GROUP(VMAD)

enum modifier_group {
#define GROUP(name) GROUP_##name,
    MODIFIER_GROUPS(GROUP)
#undef GROUP
        MODIFIER_GROUP_COUNT
};

#define MG(name) (UINT64_C(1) << GROUP_##name)
#define MG_NONE UINT64_C(0)
#define MG_ROUND MG(ROUND)
#define MG_CVT MG(CVT)
#define MG_FTZ MG(FTZ)
#define MG_SAT MG(SAT)
#define MG_APPROX MG(APPROX)
#define MG_FULL MG(FULL)
#define MG_PART MG(PART)
#define MG_PART_LOHI MG(PART_LOHI)
#define MG_DP2A MG(DP2A)
#define MG_CARRY MG(CARRY)
#define MG_MINMAX MG(MINMAX)
#define MG_RELU MG(RELU)
#define MG_OOB MG(OOB)
#define MG_COMPARE MG(COMPARE)
#define MG_TESTP MG(TESTP)
#define MG_SHF MG(SHF)
#define MG_CLAMP MG(CLAMP)
#define MG_BFIND MG(BFIND)
#define MG_PRMT MG(PRMT)
#define MG_SPACE MG(SPACE)
#define MG_TO MG(TO)
#define MG_MEMORY MG(MEMORY)
#define MG_SCOPE MG(SCOPE)
#define MG_FENCE MG(FENCE)
#define MG_CACHE MG(CACHE)
#define MG_NC MG(NC)
#define MG_VECTOR MG(VECTOR)
#define MG_ATOM MG(ATOM)
#define MG_LEVEL MG(LEVEL)
#define MG_UNI MG(UNI)
#define MG_BRX MG(BRX)
#define MG_BAR MG(BAR)
#define MG_SYNC MG(SYNC)
#define MG_SHFL MG(SHFL)
#define MG_VOTE MG(VOTE)
#define MG_MATCH MG(MATCH)
#define MG_REDUX MG(REDUX)
#define MG_PMEVENT MG(PMEVENT)
#define MG_BOOL MG(BOOL)
#define MG_SECOND MG(SECOND)
#define MG_ACCUMULATE MG(ACCUMULATE)
#define MG_VMAD MG(VMAD)
#define MG_HINT MG(HINT)
#define MG_POLICY MG(POLICY)
#define MG_CREATEPOLICY MG(CREATEPOLICY)
#define MG_TEX MG(TEX)
#define MG_LEVEL_OF_DETAIL MG(LEVEL_OF_DETAIL)
#define MG_GATHER MG(GATHER)
#define MG_SURFACE MG(SURFACE)
#define MG_QUERY MG(QUERY)
#define MG_GRID MG(GRID)
#define MG_MAXNREG MG(MAXNREG)
#define MG_ALIGNED MG(ALIGNED)
#define MG_RELAXED MG(RELAXED)
#define MG_ACQUIRE MG(ACQUIRE)
#define MG_RELEASE MG(RELEASE)
#define MG_ARRIVE MG(ARRIVE)
#define MG_PARITY MG(PARITY)
#define MG_NOINC MG(NOINC)
#define MG_CLUSTER MG(CLUSTER)
#define MG_ACCESS (MG_SPACE | MG_MEMORY | MG_SCOPE | MG_CACHE | MG_VECTOR | MG_HINT | MG_POLICY)

#endif
