// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// missed: the lanes that do not come have nothing more to do and leave: PTX has the same code for an early return,
// which is correct, as the operation waits for lanes that have not left
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: __reduce_add_sync with a full mask in a branch that half of the warp takes
#include "../checks.h"

__global__ void odd_sum(const unsigned *in, unsigned *out)
{
    unsigned lane = threadIdx.x, value = in[lane];
    if (value & 1) {
        unsigned sum = __reduce_add_sync(0xffffffffu, value); // BUG
        out[lane] = sum;
    } else {
        out[lane] = 0;
    }
}

int main()
{
    unsigned host[32], *in, *out;
    for (unsigned i = 0; i < 32; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    odd_sum<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
