// SPDX-License-Identifier: Apache-2.0
/* Separate compilation (-rdc=true): functions, variables, constants, managed variables and function
 * pointers of separate/library.cu; both files have static things of the same names. */
#include "check.h"
#include "separate/library.h"

static __device__ int own = 3;

static __global__ void fill(int *out)
{
    out[threadIdx.x] = own * (int)threadIdx.x;
}

__global__ void use(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    scratch[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i >= n) return;
    out[i] = scaled(own + scratch_sum()) + operations[i % 2](i) + larger(i, 10);
    atomicAdd(&calls, 1);
    managed_total_add(1);
}

int main()
{
    enum { N = 100, BLOCK = 32 };
    int *in, *out, got[N], count, first[BLOCK];
    CHECK(cudaMalloc(&in, N * sizeof *in));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    std::vector<int> ones(N, 1);
    CHECK(cudaMemcpy(in, ones.data(), N * sizeof *in, cudaMemcpyHostToDevice));
    set_factor(5);
    managed_total = 1000;
    fill<<<1, BLOCK>>>(out);
    CHECK(cudaMemcpy(first, out, sizeof first, cudaMemcpyDeviceToHost));
    use<<<(N + BLOCK - 1) / BLOCK, BLOCK, BLOCK * sizeof(int)>>>(in, out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    bool ok = count == 7 + N && managed_total == 1000 + N && library_fill() == 40;
    for (int i = 0; i < BLOCK; i++)
        ok &= first[i] == 3 * i;
    for (int i = 0; i < N; i++) {
        /* The last block has 4 ones only; the library's own scale is 2. */
        int sum = i / BLOCK == N / BLOCK ? N % BLOCK : BLOCK;
        int operation = i % 2 ? i * i : i + 1;
        ok &= got[i] == (3 + sum) * 5 * 2 + operation + (i > 10 ? i : 10);
    }
    return verdict(ok);
}
