// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: CUB device algorithms at sizes that leave partial tiles; scan is a decoupled look-back
#include "../array.h"
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

int main()
{
    bool ok = true;
    for (int n : {1, 777, 6000}) {
        std::vector<int> host = random_ints(n, 100);
        array<int> in(host), sums(n), total(1);
        size_t bytes = 0, other = 0;
        CHECK(cub::DeviceReduce::Sum(nullptr, bytes, (int *)in, (int *)total, n));
        CHECK(cub::DeviceScan::InclusiveSum(nullptr, other, (int *)in, (int *)sums, n));
        bytes = bytes > other ? bytes : other;
        array<char> scratch(bytes);
        CHECK(cub::DeviceReduce::Sum(scratch, bytes, (int *)in, (int *)total, n));
        CHECK(cub::DeviceScan::InclusiveSum(scratch, bytes, (int *)in, (int *)sums, n));
        for (int i = 1; i < n; i++) host[i] += host[i - 1];
        ok &= total.get()[0] == host[n - 1] && sums.get() == host;
    }
    return verdict(ok);
}
