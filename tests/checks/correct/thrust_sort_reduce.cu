// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: Thrust: sort, unique, reduce by key, transform and reduce on device vectors
#include "../checks.h"
#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct square {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

int main()
{
    const int n = 1500;
    thrust::host_vector<int> host(n);
    unsigned state = 5;
    for (int i = 0; i < n; i++) host[i] = (int)(next_random(&state) % 300);
    thrust::device_vector<int> data = host, keys(n), counts(n);
    long long squares = thrust::transform_reduce(data.begin(), data.end(), square(), 0ll, thrust::plus<long long>());
    thrust::sort(data.begin(), data.end());
    thrust::device_vector<int> ones(n, 1);
    auto ends = thrust::reduce_by_key(data.begin(), data.end(), ones.begin(), keys.begin(), counts.begin());
    int distinct = (int)(ends.first - keys.begin());
    auto last = thrust::unique(data.begin(), data.end());
    bool ok = last - data.begin() == distinct;
    long long wanted = 0;
    for (int i = 0; i < n; i++) wanted += (long long)host[i] * host[i];
    std::sort(host.begin(), host.end());
    ok &= squares == wanted && std::unique(host.begin(), host.end()) - host.begin() == distinct;
    ok &= thrust::reduce(counts.begin(), counts.begin() + distinct) == n;
    return verdict(ok);
}
