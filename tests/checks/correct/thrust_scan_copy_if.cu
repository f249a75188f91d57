// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: Thrust: scan, copy_if, gather, partition and zip iterators
#include "../checks.h"
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

struct is_third {
    __host__ __device__ bool operator()(int x) const { return x % 3 == 0; }
};

int main()
{
    const int n = 1234;
    thrust::device_vector<int> data(n), sums(n), kept(n), picked(n);
    thrust::sequence(data.begin(), data.end(), 1);
    thrust::exclusive_scan(data.begin(), data.end(), sums.begin());
    auto end = thrust::copy_if(data.begin(), data.end(), kept.begin(), is_third());
    int count = (int)(end - kept.begin());
    thrust::gather(kept.begin(), end, sums.begin(), picked.begin());
    thrust::stable_partition(data.begin(), data.end(), is_third());
    bool ok = count == n / 3 && sums[n - 1] == (n - 1) * n / 2;
    ok &= picked[1] == 6 * 7 / 2 && data[0] == 3 && data[count] == 1;
    return verdict(ok);
}
