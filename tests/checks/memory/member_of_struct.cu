// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// missed: inside an allocation nothing says where a member ends (doc/checks.md, Memory, Kernels)
// why: an array in a struct is overrun into the next member
#include "../array.h"
struct cell {
    int count[4], total[4];
};

__global__ void tally(cell *cells, const int *in)
{
    cell *mine = &cells[threadIdx.x];
    for (int k = 0; k <= 4; k++) mine->count[in[k] % 5] = k; // BUG
}

int main()
{
    array<cell> cells(32);
    array<int> in(std::vector<int>{0, 1, 2, 3, 4});
    cells.zero();
    tally<<<1, 32>>>(cells, in);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
