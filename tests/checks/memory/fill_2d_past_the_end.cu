// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: cudaMemset2D: height rows of the pitch; the image has fewer
#include "../checks.h"
int main()
{
    size_t pitch;
    char *image;
    const int width = 100, height = 20;
    CHECK(cudaMallocPitch(&image, &pitch, width, height));
    cudaMemset2D(image, pitch, 0, height, width); // BUG
    cudaFree(image);
    return 0;
}
