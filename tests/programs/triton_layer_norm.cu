// SPDX-License-Identifier: Apache-2.0
/* A layer normalisation that Triton compiled for sm_90 (triton/kernels.py), beside double precision. */
#include <cuda_fp16.h>

#include "triton.h"
#include "triton_layer_norm/layer_norm_ptx.h"

int main()
{
    const int rows = 37, columns = 1000;
    const float eps = 1e-5f;
    __half *x, *y;
    float *weight, *bias;
    CHECK(cudaMallocManaged(&x, rows * columns * sizeof *x));
    CHECK(cudaMallocManaged(&y, rows * columns * sizeof *y));
    CHECK(cudaMallocManaged(&weight, columns * sizeof *weight));
    CHECK(cudaMallocManaged(&bias, columns * sizeof *bias));
    unsigned state = 3;
    for (int i = 0; i < rows * columns; i++)
        x[i] = __half(static_cast<float>(next_random(&state) % 1000) / 256);
    for (int i = 0; i < columns; i++)
        weight[i] = 1 + static_cast<float>(i % 8) / 8, bias[i] = static_cast<float>(i % 5) - 2;
    launch_ptx(ptx, "layer_norm", dim3(rows), THREADS, SHARED_BYTES, x, weight, bias, y, columns, eps);
    bool ok = true;
    for (int row = 0; row < rows; row++) {
        double mean = 0, variance = 0;
        for (int i = 0; i < columns; i++)
            mean += static_cast<float>(x[row * columns + i]) / columns;
        for (int i = 0; i < columns; i++)
            variance += std::pow(static_cast<float>(x[row * columns + i]) - mean, 2) / columns;
        for (int i = 0; i < columns; i++) {
            double wanted = (static_cast<float>(x[row * columns + i]) - mean) / std::sqrt(variance + eps) * weight[i] + bias[i];
            ok &= std::fabs(static_cast<float>(y[row * columns + i]) - wanted) < 1e-3 * (1 + std::fabs(wanted));
        }
    }
    return verdict(ok);
}
