// SPDX-License-Identifier: Apache-2.0
// expect: error|warning init
// silent: yes
// why: the halo cells of the tile are never written, the result depends on them
#include "../array.h"
__global__ void blur(const float *in, float *out)
{
    __shared__ float tile[66];
    int i = threadIdx.x;
    tile[i + 1] = in[i];
    __syncthreads();
    out[i] = (tile[i] + tile[i + 1] + tile[i + 2]) / 3;
}

int main()
{
    array<float> in(std::vector<float>(64, 1.0f)), out(64);
    blur<<<1, 64>>>(in, out);
    std::vector<float> host(64);
    CHECK(cudaMemcpy(host.data(), out, 256, cudaMemcpyDeviceToHost)); // BUG
    return 0;
}
