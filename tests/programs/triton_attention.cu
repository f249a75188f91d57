// SPDX-License-Identifier: Apache-2.0
/* Causal attention that Triton compiled for sm_90 (triton/kernels.py: wgmma, copies three stages ahead), beside double
 * precision. */
#include <cuda_fp16.h>

#include "triton.h"
#include "triton_attention/attention_ptx.h"

enum { LENGTH = 256, DIM = 64, HEADS = 2, ROWS = 64 };

static double dot(const __half *a, const __half *b)
{
    double sum = 0;
    for (int i = 0; i < DIM; i++)
        sum += static_cast<double>(static_cast<float>(a[i])) * static_cast<float>(b[i]);
    return sum;
}

/* One row: rounded weights and sums in float may be off by 2^-9 of the values, which are below 1. */
static bool check_row(const __half *q, const __half *k, const __half *v, const __half *out, int row)
{
    double sum = 0, wanted[DIM] = {};
    for (int column = 0; column <= row; column++) {
        double weight = std::exp(dot(q, k + column * DIM) / 8);
        sum += weight;
        for (int i = 0; i < DIM; i++)
            wanted[i] += weight * static_cast<float>(v[column * DIM + i]);
    }
    bool ok = true;
    for (int i = 0; i < DIM; i++)
        ok &= std::fabs(static_cast<float>(out[i]) - wanted[i] / sum) < 1.0 / 512;
    return ok;
}

int main()
{
    const size_t count = HEADS * LENGTH * DIM;
    __half *q, *k, *v, *out;
    unsigned state = 19;
    for (__half **one : {&q, &k, &v, &out}) {
        CHECK(cudaMallocManaged(one, count * sizeof(__half)));
        for (size_t i = 0; i < count; i++)
            (*one)[i] = __half(static_cast<float>(next_random(&state) % 512) / 256 - 1);
    }
    const float scale = 1.44269504f / 8;
    launch_ptx(ptx, "attention", dim3(LENGTH / ROWS, HEADS), THREADS, SHARED_BYTES, q, k, v, out, scale);
    bool ok = true;
    for (int head = 0; head < HEADS; head++)
        for (int row = 0; row < LENGTH; row++) {
            const size_t base = static_cast<size_t>(head) * LENGTH * DIM, at = base + row * DIM;
            ok &= check_row(q + at, k + base, v + base, out + at, row);
        }
    return verdict(ok);
}
