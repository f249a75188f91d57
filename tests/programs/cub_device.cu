// SPDX-License-Identifier: Apache-2.0
/* Algorithms of CUB for whole arrays, beside the standard library of the host. */
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>

#include "check.h"

constexpr int N = 3000, BINS = 10, SEGMENTS = 6;

/* Calls a function of CUB twice: for the size of its memory, and with that. */
template <typename Call> static void with_memory(Call call)
{
    void *memory = nullptr;
    size_t bytes = 0;
    CHECK(call(memory, bytes));
    CHECK(cudaMalloc(&memory, bytes));
    CHECK(call(memory, bytes));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(memory));
}

template <typename T> static T *managed(size_t count)
{
    T *pointer;
    CHECK(cudaMallocManaged(&pointer, count * sizeof(T)));
    return pointer;
}

struct is_even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

static unsigned *keys, *sorted;
static int *values, *out, *count, *lengths;

static bool check_sort()
{
    with_memory([](void *m, size_t &b) { return cub::DeviceRadixSort::SortPairs(m, b, keys, sorted, values, out, N); });
    std::vector<int> order(N);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [](int a, int b) { return keys[a] < keys[b]; });
    bool ok = true;
    for (int i = 0; i < N; i++)
        ok &= sorted[i] == keys[order[i]] && out[i] == values[order[i]];
    return ok;
}

static bool check_scan_and_select()
{
    with_memory([](void *m, size_t &b) { return cub::DeviceScan::ExclusiveSum(m, b, values, out, N); });
    bool ok = true;
    for (int i = 0, sum = 0; i < N; sum += values[i++])
        ok &= out[i] == sum;
    with_memory([](void *m, size_t &b) { return cub::DeviceSelect::If(m, b, values, out, count, N, is_even()); });
    std::vector<int> even;
    std::copy_if(values, values + N, std::back_inserter(even), is_even());
    return ok && *count == static_cast<int>(even.size()) && std::equal(even.begin(), even.end(), out);
}

static bool check_runs_and_bins()
{
    unsigned *unique = managed<unsigned>(N);
    with_memory([&](void *m, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(m, b, sorted, unique, lengths, count, N);
    });
    bool ok = true;
    int at = 0;
    for (int run = 0; run < *count; at += lengths[run++])
        ok &= std::count(keys, keys + N, unique[run]) == lengths[run] && sorted[at] == unique[run];
    ok &= at == N;
    with_memory([](void *m, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(m, b, values, lengths, BINS + 1, 0, 100, N);
    });
    for (int bin = 0; bin < BINS; bin++)
        ok &= lengths[bin] == std::count_if(values, values + N, [=](int x) { return x / 10 == bin; });
    return ok;
}

static bool check_segments()
{
    int *offsets = managed<int>(SEGMENTS + 1);
    for (int i = 0; i <= SEGMENTS; i++)
        offsets[i] = i * i * N / (SEGMENTS * SEGMENTS);
    with_memory([&](void *m, size_t &b) {
        return cub::DeviceSegmentedReduce::Max(m, b, values, out, SEGMENTS, offsets, offsets + 1);
    });
    bool ok = true;
    for (int i = 0; i < SEGMENTS; i++)
        ok &= out[i] == *std::max_element(values + offsets[i], values + offsets[i + 1]);
    return ok;
}

int main()
{
    keys = managed<unsigned>(N), sorted = managed<unsigned>(N);
    values = managed<int>(N), out = managed<int>(N), count = managed<int>(1), lengths = managed<int>(N);
    unsigned state = 5;
    for (int i = 0; i < N; i++) {
        keys[i] = next_random(&state) % 500;
        values[i] = static_cast<int>(next_random(&state) % 100);
    }
    bool ok = check_sort();
    ok &= check_scan_and_select();
    ok &= check_runs_and_bins();
    ok &= check_segments();
    return verdict(ok);
}
