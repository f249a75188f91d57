// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: setting a bit-field reads, masks and writes its word; the undefined rest never decides anything
#include "../array.h"

struct cell {
    unsigned alive : 1, age : 7, species : 4, spare : 20;
};

__global__ void evolve(cell *cells, const int *seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cells[i].alive = seed[i] & 1;
    cells[i].species = seed[i] >> 1;
    cells[i].age = 0;
    if (cells[i].alive) cells[i].age = cells[i].species + 1;
}

__global__ void count(const cell *cells, int *ages, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && cells[i].alive) atomicAdd(ages, cells[i].age);
}

int main()
{
    const int n = 200;
    std::vector<int> seed = random_ints(n, 32);
    array<int> seeds(seed), ages(1);
    array<cell> cells(n);
    ages.zero();
    evolve<<<2, 128>>>(cells, seeds, n);
    count<<<2, 128>>>(cells, ages, n);
    int wanted = 0;
    for (int one : seed) wanted += one & 1 ? one / 2 + 1 : 0;
    return verdict(ages.get()[0] == wanted);
}
