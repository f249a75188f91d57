// SPDX-License-Identifier: Apache-2.0
/* More dynamic shared memory than a kernel gets unasked: the attribute that allows it, several arrays in one, and the error
 * without it. */
#include "check.h"

enum { SIDE = 128, THREADS = 256 };

/* A tile is transposed through shared memory, and its sums by rows in double are beside it. */
__global__ void transpose(const float *in, float *out, double *sums, int n)
{
    extern __shared__ __align__(16) unsigned char memory[];
    double *row_sums = reinterpret_cast<double *>(memory);
    float *tile = reinterpret_cast<float *>(row_sums + SIDE); /* lines of SIDE + 1 */
    int x0 = blockIdx.x * SIDE, y0 = blockIdx.y * SIDE;
    for (int i = threadIdx.x; i < SIDE; i += THREADS)
        row_sums[i] = 0;
    for (int i = threadIdx.x; i < SIDE * SIDE; i += THREADS)
        tile[i / SIDE * (SIDE + 1) + i % SIDE] = in[(y0 + i / SIDE) * n + x0 + i % SIDE];
    __syncthreads();
    for (int i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        float value = tile[i % SIDE * (SIDE + 1) + i / SIDE];
        out[(x0 + i / SIDE) * n + y0 + i % SIDE] = value;
        atomicAdd(&row_sums[i % SIDE], static_cast<double>(value));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SIDE; i += THREADS)
        atomicAdd(&sums[y0 + i], row_sums[i]);
}

int main()
{
    const int n = 256, bytes = SIDE * sizeof(double) + SIDE * (SIDE + 1) * sizeof(float);
    float *in, *out;
    double *sums;
    CHECK(cudaMallocManaged(&in, n * n * sizeof(float)));
    CHECK(cudaMallocManaged(&out, n * n * sizeof(float)));
    CHECK(cudaMallocManaged(&sums, n * sizeof(double)));
    for (int i = 0; i < n * n; i++)
        in[i] = static_cast<float>(i % 1021);
    const dim3 grid(n / SIDE, n / SIDE);
    transpose<<<grid, THREADS, bytes>>>(in, out, sums, n);
    bool ok = cudaGetLastError() == cudaErrorInvalidValue; /* 66 KiB */
    int most, most_per_sm;
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaDeviceGetAttribute(&most_per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    ok &= most == 163 << 10 && most_per_sm == 164 << 10; /* compute capability 8.0 */
    ok &= cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1) == cudaErrorInvalidValue;
    (void)cudaGetLastError();
    CHECK(cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CHECK(cudaFuncSetAttribute(transpose, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    transpose<<<grid, THREADS, bytes>>>(in, out, sums, n);
    CHECK(cudaDeviceSynchronize());
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, transpose));
    ok &= attributes.maxDynamicSharedSizeBytes == bytes;
    for (int y = 0; y < n; y++) {
        double sum = 0;
        for (int x = 0; x < n; x++) {
            ok &= out[x * n + y] == in[y * n + x];
            sum += in[y * n + x];
        }
        ok &= sums[y] == sum;
    }
    return verdict(ok);
}
