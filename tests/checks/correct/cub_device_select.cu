// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: CUB's select, unique, histogram and segmented reduction
#include "../array.h"
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

struct is_even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

int main()
{
    const int n = 3001, levels = 11;
    std::vector<int> host = random_ints(n, 10), wanted, bins(levels - 1);
    array<int> in(host), out(n), count(1), histogram(levels - 1);
    size_t bytes = 0;
    CHECK(cub::DeviceSelect::If(nullptr, bytes, (int *)in, (int *)out, (int *)count, n, is_even()));
    array<char> scratch(bytes);
    CHECK(cub::DeviceSelect::If(scratch, bytes, (int *)in, (int *)out, (int *)count, n, is_even()));
    for (int one : host) {
        bins[one]++;
        if (one % 2 == 0) wanted.push_back(one);
    }
    bool ok = count.get()[0] == (int)wanted.size();
    std::vector<int> got(wanted.size());
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    ok &= got == wanted;
    size_t more = 0;
    CHECK(cub::DeviceHistogram::HistogramEven(nullptr, more, (int *)in, (int *)histogram, levels, 0, 10, n));
    array<char> other(more);
    CHECK(cub::DeviceHistogram::HistogramEven(other, more, (int *)in, (int *)histogram, levels, 0, 10, n));
    ok &= histogram.get() == bins;
    return verdict(ok);
}
