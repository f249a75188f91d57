// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: tensor cores: fragments are loaded from and stored to shared memory between barriers
#include "../array.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void multiply(const half *a, const half *b, float *c)
{
    __shared__ __align__(32) half as[256], bs[256];
    __shared__ __align__(32) float cs[256];
    for (int i = threadIdx.x; i < 256; i += 32) as[i] = a[i], bs[i] = b[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, as, 16);
    wmma::load_matrix_sync(fb, bs, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(cs, fc, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) c[i] = cs[i];
}

int main()
{
    std::vector<half> a(256), b(256);
    for (int i = 0; i < 256; i++) a[i] = __float2half((float)(i % 5)), b[i] = __float2half((float)(i % 3));
    array<half> da(a), db(b);
    array<float> dc(256);
    multiply<<<1, 32>>>(da, db, dc);
    std::vector<float> got = dc.get();
    bool ok = true;
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 16; c++) {
            float sum = 0;
            for (int k = 0; k < 16; k++) sum += __half2float(a[r * 16 + k]) * __half2float(b[c * 16 + k]);
            ok &= got[r * 16 + c] == sum;
        }
    return verdict(ok);
}
