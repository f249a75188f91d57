// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: constant memory: tables with strides, a struct, function pointers, updates between launches
#include "../array.h"
typedef float (*function)(float);
__device__ float twice(float x)
{
    return 2 * x;
}
__device__ float square(float x)
{
    return x * x;
}
struct settings {
    float offset;
    char mode;
    short order[3];
};
__constant__ settings now;
__constant__ float weights[5];
__device__ function functions[2] = {twice, square};

__global__ void apply(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = now.offset;
    for (int k = 0; k < 5; k++) sum += weights[now.order[k % 3]] * functions[k % 2](in[i]);
    out[i] = now.mode == 'n' ? -sum : sum;
}

int main()
{
    const int n = 100;
    settings one;
    one.offset = 1;
    one.mode = 'p';
    for (int k = 0; k < 3; k++) one.order[k] = (short)(k + 1);
    float table[5] = {0, 1, 2, 3, 4};
    array<float> in(std::vector<float>(n, 3.0f)), out(n);
    CHECK(cudaMemcpyToSymbol(weights, table, sizeof table));
    bool ok = true;
    for (int round = 0; round < 2; round++) {
        one.mode = round ? 'n' : 'p';
        CHECK(cudaMemcpyToSymbol(now, &one, sizeof one));
        apply<<<1, 128>>>(in, out, n);
        float sum = 1 + 1 * 6.0f + 2 * 9.0f + 3 * 6.0f + 1 * 9.0f + 2 * 6.0f;
        for (float found : out.get()) ok = ok && found == (round ? -sum : sum);
    }
    return verdict(ok);
}
