// SPDX-License-Identifier: Apache-2.0
/* Thrust on device vectors: sorts, sums by key, sets, searches, and iterators that compute, beside the standard library. */
#include <algorithm>
#include <map>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "check.h"

struct absolute_difference {
    __host__ __device__ int operator()(const thrust::tuple<int, int> &pair) const
    {
        int d = thrust::get<0>(pair) - thrust::get<1>(pair);
        return d < 0 ? -d : d;
    }
};

static bool same(const thrust::device_vector<int> &device, const std::vector<int> &host)
{
    std::vector<int> copy(device.size());
    thrust::copy(device.begin(), device.end(), copy.begin());
    return copy == host;
}

static bool check_by_key(const std::vector<int> &keys, const std::vector<int> &values)
{
    thrust::device_vector<int> k = keys, v = values, out_k(keys.size()), out_v(keys.size());
    thrust::stable_sort_by_key(k.begin(), k.end(), v.begin(), thrust::greater<int>());
    auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), out_k.begin(), out_v.begin());
    std::map<int, int, std::greater<int>> sums;
    for (size_t i = 0; i < keys.size(); i++)
        sums[keys[i]] += values[i];
    out_k.resize(ends.first - out_k.begin());
    out_v.resize(ends.second - out_v.begin());
    std::vector<int> expected_k, expected_v;
    for (auto &[key, sum] : sums)
        expected_k.push_back(key), expected_v.push_back(sum);
    return same(out_k, expected_k) && same(out_v, expected_v);
}

static bool check_sets(std::vector<int> a, std::vector<int> b)
{
    thrust::device_vector<int> x = a, y = b, both(a.size());
    thrust::sort(x.begin(), x.end());
    thrust::sort(y.begin(), y.end());
    x.erase(thrust::unique(x.begin(), x.end()), x.end());
    y.erase(thrust::unique(y.begin(), y.end()), y.end());
    both.erase(thrust::set_intersection(x.begin(), x.end(), y.begin(), y.end(), both.begin()), both.end());
    for (std::vector<int> *one : {&a, &b}) {
        std::sort(one->begin(), one->end());
        one->erase(std::unique(one->begin(), one->end()), one->end());
    }
    std::vector<int> expected, places;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    thrust::device_vector<int> found(y.size());
    thrust::lower_bound(x.begin(), x.end(), y.begin(), y.end(), found.begin());
    for (int key : b)
        places.push_back(static_cast<int>(std::lower_bound(a.begin(), a.end(), key) - a.begin()));
    return same(both, expected) && same(found, places);
}

static bool check_iterators(const std::vector<int> &a, const std::vector<int> &b)
{
    thrust::device_vector<int> x = a, y = b;
    auto pairs = thrust::make_zip_iterator(x.begin(), y.begin());
    auto differences = thrust::make_transform_iterator(pairs, absolute_difference());
    int sum = thrust::reduce(differences, differences + a.size());
    int product = thrust::inner_product(x.begin(), x.end(), y.begin(), 0);
    auto most = thrust::max_element(differences, differences + a.size()) - differences;
    int expected = 0, expected_product = 0, expected_most = 0;
    for (size_t i = 0; i < a.size(); i++) {
        expected += std::abs(a[i] - b[i]);
        expected_product += a[i] * b[i];
        if (std::abs(a[i] - b[i]) > std::abs(a[expected_most] - b[expected_most])) expected_most = static_cast<int>(i);
    }
    return sum == expected && product == expected_product && most == expected_most;
}

int main()
{
    std::vector<int> keys(2000), values(2000);
    unsigned state = 11;
    for (int i = 0; i < 2000; i++) {
        keys[i] = static_cast<int>(next_random(&state) % 300);
        values[i] = static_cast<int>(next_random(&state) % 400);
    }
    bool ok = check_by_key(keys, values);
    ok &= check_sets(keys, values);
    ok &= check_iterators(keys, values);
    return verdict(ok);
}
