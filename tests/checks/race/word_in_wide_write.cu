// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a whole 16-byte record is stored back while another thread updates its last field
#include "../array.h"

__global__ void update(int4 *records, int *fields)
{
    int t = threadIdx.x;
    if (t < 32) {
        int4 one = records[t]; // BUG
        one.x += 1;
        records[t] = one; // BUG
    } else {
        fields[4 * (t - 32) + 3] = t; // BUG
    }
}

int main()
{
    array<int> data(random_ints(128, 100));
    update<<<1, 64>>>((int4 *)(int *)data, data);
    return verdict(true);
}
