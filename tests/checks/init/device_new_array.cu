// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: C++: new int[n] leaves the elements indeterminate
#include "../array.h"
__global__ void first_seen(const int *in, int *out, int n)
{
    int *last = new int[16];
    if (!last) return;
    int count = 0;
    for (int i = 0; i < n; i++) {
        int key = in[threadIdx.x * n + i] & 15;
        if (last[key] >= 0) // BUG
            out[threadIdx.x * n + count++] = key; // ALSO
        last[key] = i;
    }
    delete[] last;
}

int main()
{
    array<int> in(random_ints(320, 16)), out(320);
    first_seen<<<1, 32>>>(in, out, 10);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
