// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: cudaMemcpy2DToArray: the width in bytes from the offset on must lie within the array
#include "../array.h"
int main()
{
    const int width = 64, height = 4;
    std::vector<float> host(2 * width * height);
    cudaArray_t texels;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&texels, &format, width, height));
    cudaMemcpy2DToArray(texels, 16, 0, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice); // BUG
    cudaFreeArray(texels);
    return 0;
}
