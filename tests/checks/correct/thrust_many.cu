// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: Thrust algorithms over CUB's device-wide kernels
#include "../checks.h"
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

int main()
{
    thrust::device_vector<int> keys(600), ones(600, 1), unique_keys(600), counts(600), both(1200);
    unsigned state = 3;
    thrust::host_vector<int> host(600);
    for (int i = 0; i < 600; i++) host[i] = (int)(next_random(&state) % 50);
    keys = host;
    thrust::sort(keys.begin(), keys.end());
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), ones.begin(), unique_keys.begin(), counts.begin());
    int total = thrust::reduce(counts.begin(), ends.second), kinds = (int)(ends.first - unique_keys.begin());
    thrust::merge(keys.begin(), keys.end(), keys.begin(), keys.end(), both.begin());
    bool sorted = thrust::is_sorted(both.begin(), both.end());
    int left = (int)(thrust::unique(both.begin(), both.end()) - both.begin());
    int dot = thrust::inner_product(ones.begin(), ones.end(), ones.begin(), 0);
    return verdict(total == 600 && kinds == left && sorted && dot == 600);
}
