// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: CUB device sort and segmented reduction of a part of larger arrays, whose rest is never written
#include "../array.h"
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>

int main()
{
    const int n = 777, room = 1024;
    std::vector<int> host = random_ints(n, 1 << 20), index(n), offsets = {0, 100, 101, 500, n};
    for (int i = 0; i < n; i++) index[i] = i;
    array<int> keys(room), values(room), sorted(room), permuted(room), ends(offsets), sums(4);
    CHECK(cudaMemcpy(keys, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(values, index.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    size_t bytes = 0, more = 0;
    CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, (int *)keys, (int *)sorted, (int *)values, (int *)permuted, n));
    CHECK(cub::DeviceSegmentedReduce::Sum(nullptr, more, (int *)sorted, (int *)sums, 4, (int *)ends, ends + 1));
    array<char> temporary(bytes > more ? bytes : more);
    CHECK(cub::DeviceRadixSort::SortPairs((char *)temporary, bytes, (int *)keys, (int *)sorted, (int *)values, (int *)permuted, n));
    CHECK(cub::DeviceSegmentedReduce::Sum((char *)temporary, more, (int *)sorted, (int *)sums, 4, (int *)ends, ends + 1));
    std::vector<int> a = sorted.get(), p = permuted.get(), s = sums.get();
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && a[i] == host[p[i]] && (i == 0 || a[i - 1] <= a[i]);
    for (int k = 0; k < 4; k++) {
        int sum = 0;
        for (int i = offsets[k]; i < offsets[k + 1]; i++) sum += a[i];
        ok = ok && s[k] == sum;
    }
    return verdict(ok);
}
