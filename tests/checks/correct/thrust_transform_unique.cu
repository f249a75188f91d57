// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: Thrust: transform_reduce, sort_by_key, unique and reduce_by_key of device vectors
#include "../array.h"
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct squared {
    __host__ __device__ long long operator()(int x) const
    {
        return (long long)x * x;
    }
};

int main()
{
    const int n = 900;
    std::vector<int> host = random_ints(n, 40);
    thrust::device_vector<int> keys(host.begin(), host.end()), values(n, 1), out_keys(n), out_values(n);
    long long squares = thrust::transform_reduce(keys.begin(), keys.end(), squared(), 0ll, thrust::plus<long long>()), expected = 0;
    for (int one : host) expected += (long long)one * one;
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), out_keys.begin(), out_values.begin());
    int distinct = (int)(ends.first - out_keys.begin());
    int total = thrust::reduce(out_values.begin(), ends.second);
    keys.erase(thrust::unique(keys.begin(), keys.end()), keys.end());
    bool ok = squares == expected && total == n && (int)keys.size() == distinct;
    return verdict(ok);
}
