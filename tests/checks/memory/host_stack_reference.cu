// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: device code must not dereference the address of host memory; here a variable of main
#include "../array.h"
struct config {
    int scale, shift;
};

__global__ void apply(int *data, const config *c)
{
    data[threadIdx.x] = data[threadIdx.x] * c->scale + c->shift; // BUG
}

int main()
{
    config c = {2, 1};
    array<int> data(32);
    data.zero();
    apply<<<1, 32>>>(data, &c);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
