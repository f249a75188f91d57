// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: leak check: cudaMallocHost without cudaFreeHost
#include "../array.h"
static float *staging(size_t n)
{
    float *p;
    CHECK(cudaMallocHost(&p, n * sizeof(float))); // BUG
    return p;
}

int main()
{
    array<float> device(64);
    float *host = staging(64);
    for (int i = 0; i < 64; i++) host[i] = 1;
    CHECK(cudaMemcpy(device, host, 256, cudaMemcpyHostToDevice));
    return 0;
}
