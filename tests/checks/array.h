// SPDX-License-Identifier: Apache-2.0
/* Device memory that owns itself, for programs whose subject is another. */
#pragma once
#include "checks.h"
#include <vector>

template <class T> class array
{
  public:
    explicit array(size_t n) : count(n)
    {
        CHECK(cudaMalloc(&data, n * sizeof(T)));
    }
    explicit array(const std::vector<T> &host) : array(host.size())
    {
        CHECK(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array()
    {
        cudaFree(data);
    }
    array &zero()
    {
        CHECK(cudaMemset(data, 0, count * sizeof(T)));
        return *this;
    }
    std::vector<T> get() const
    {
        std::vector<T> host(count);
        CHECK(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    operator T *() const
    {
        return data;
    }

  private:
    size_t count;
    T *data = nullptr;
};

inline std::vector<int> random_ints(size_t n, unsigned below, unsigned seed = 1)
{
    std::vector<int> some(n);
    for (int &one : some)
        one = (int)(next_random(&seed) % below);
    return some;
}
