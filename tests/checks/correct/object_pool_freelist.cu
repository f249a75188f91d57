// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: blocks of the device heap are made by one kernel, used by a second, freed by a third
#include "../array.h"
struct vector {
    int *items, count, room;
    __device__ void push(int value)
    {
        if (count == room) {
            int *more = new int[room ? 2 * room : 4];
            for (int i = 0; i < count; i++) more[i] = items[i];
            delete[] items;
            items = more;
            room = room ? 2 * room : 4;
        }
        items[count++] = value;
    }
};

__global__ void fill(vector *all, const int *in, int n)
{
    vector *mine = new (&all[threadIdx.x]) vector{nullptr, 0, 0};
    for (int i = 0; i < n; i++)
        if (in[i] % 32 == threadIdx.x) mine->push(in[i]);
}
__global__ void sum(const vector *all, int *out)
{
    int total = 0;
    for (int i = 0; i < all[threadIdx.x].count; i++) total += all[threadIdx.x].items[i];
    atomicAdd(out, total);
}
__global__ void drop(vector *all)
{
    delete[] all[threadIdx.x].items;
}

int main()
{
    const int n = 300;
    std::vector<int> host = random_ints(n, 1000);
    array<int> in(host), out(1);
    array<vector> all(32);
    out.zero();
    fill<<<1, 32>>>(all, in, n);
    sum<<<1, 32>>>(all, out);
    drop<<<1, 32>>>(all);
    int expected = 0;
    for (int one : host) expected += one;
    bool ok = out.get()[0] == expected;
    return verdict(ok);
}
