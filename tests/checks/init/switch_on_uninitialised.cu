// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: initcheck: a switch on memory that was never written
#include "../array.h"
__global__ void dispatch(const int *codes, float *out)
{
    float x = threadIdx.x;
    switch (codes[threadIdx.x]) { // BUG
    case 0: x = sinf(x); break; // ALSO
    case 1: x = cosf(x); break; // ALSO
    case 2: x = expf(x); break; // ALSO
    case 3: x = logf(x); break; // ALSO
    case 4: x = sqrtf(x); break; // ALSO
    case 5: x = x * x; break; // ALSO
    case 6: x = tanf(x); break; // ALSO
    }
    out[threadIdx.x] = x;
}

int main()
{
    array<int> codes(32);
    array<float> out(32);
    dispatch<<<1, 32>>>(codes, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
