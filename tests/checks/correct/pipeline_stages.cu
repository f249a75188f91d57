// SPDX-License-Identifier: Apache-2.0
// expect: none
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: programming guide's multi-stage cuda::pipeline: acquire, copy, commit, wait, compute, release
#include "../array.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void sums(const int *in, int *out, int batches)
{
    constexpr int stages = 2, size = 64;
    __shared__ int buffer[stages][size];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0, t = threadIdx.x;
    for (int batch = 0, fetch = 0; batch < batches; batch++) {
        for (; fetch < batches && fetch < batch + stages; fetch++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffer[fetch % stages], in + fetch * size, sizeof(int) * size, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += buffer[batch % stages][63 - t];
        pipeline.consumer_release();
    }
    out[t] = sum;
}

int main()
{
    const int batches = 7;
    std::vector<int> host = random_ints(batches * 64, 100), wanted(64);
    array<int> in(host), out(64);
    sums<<<1, 64>>>(in, out, batches);
    for (int i = 0; i < batches * 64; i++) wanted[63 - i % 64] += host[i];
    return verdict(out.get() == wanted);
}
