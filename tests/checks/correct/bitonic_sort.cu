// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: sortingNetworks: compare-exchange of disjoint pairs, a barrier between the steps
#include "../array.h"
#include <algorithm>

__global__ void sort(int *data)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * 256 + t];
    s[t + 128] = data[blockIdx.x * 256 + t + 128];
    for (int size = 2; size <= 256; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (stride - 1)), high = low + stride;
            bool up = (low & size) == 0;
            if ((s[low] > s[high]) == up) {
                int swap = s[low];
                s[low] = s[high];
                s[high] = swap;
            }
        }
    __syncthreads();
    data[blockIdx.x * 256 + t] = s[t];
    data[blockIdx.x * 256 + t + 128] = s[t + 128];
}

int main()
{
    std::vector<int> host = random_ints(512, 10000);
    array<int> data(host);
    sort<<<2, 128>>>(data);
    std::sort(host.begin(), host.begin() + 256);
    std::sort(host.begin() + 256, host.end());
    return verdict(data.get() == host);
}
