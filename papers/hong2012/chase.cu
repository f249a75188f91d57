// SPDX-License-Identifier: Apache-2.0
// Figure 55 of Hong's thesis: each load says where the next one goes. With zeros in memory the same
// place is read again and again (_S), with a stride beyond a cache line another one each time (_D).
// EL1: through L1 and L2 (.ca). DL1: L1 is passed by (.cg).

#define STEP(load)                                                                                 \
    value += 1.0f;                                                                                 \
    index += load(&in[index])
#define ALL_LEVELS(address) (*(address))

#define CHASE(name, load)                                                                          \
    extern "C" __global__ void name(int rounds, const int *in, int *where, float *out)             \
    {                                                                                              \
        int here = blockIdx.x * blockDim.x + threadIdx.x, index = here;                            \
        float value = 0.0f;                                                                        \
        for (int i = 0; i < rounds; i++) {                                                         \
            STEP(load);                                                                            \
            STEP(load);                                                                            \
            STEP(load);                                                                            \
            STEP(load);                                                                            \
        }                                                                                          \
        where[here] = index;                                                                       \
        out[here] = value;                                                                         \
    }

CHASE(chase_el1, ALL_LEVELS)
CHASE(chase_dl1, __ldcg)
