// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: CUB's radix sort of pairs (single tile and onesweep sizes)
#include "../array.h"
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

int main()
{
    bool ok = true;
    for (int n : {500, 7000}) {
        std::vector<int> host = random_ints(n, 1 << 20), values(n);
        for (int i = 0; i < n; i++) values[i] = i;
        array<int> keys(host), sorted(n), in(values), out(n);
        size_t bytes = 0;
        CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, (int *)keys, (int *)sorted, (int *)in, (int *)out, n));
        array<char> scratch(bytes);
        CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, (int *)keys, (int *)sorted, (int *)in, (int *)out, n));
        std::vector<int> got = sorted.get(), places = out.get(), wanted = host;
        std::sort(wanted.begin(), wanted.end());
        ok &= got == wanted;
        for (int i = 0; i < n; i++) ok &= host[places[i]] == got[i];
    }
    return verdict(ok);
}
