// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: out of bounds; the last neighbour of the last particle is beyond the array
#include "../array.h"
struct particle {
    float position[3], mass;
    int next;
};

__global__ void pull(particle *all, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const particle &other = all[i + 1];
    out[i] = all[i].mass - other.mass; // BUG
}

int main()
{
    const int n = 300;
    array<particle> all(std::vector<particle>(n, particle{{1, 2, 3}, 4, 5}));
    array<float> out(n);
    pull<<<3, 128>>>(all, out, n);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
