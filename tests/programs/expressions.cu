// SPDX-License-Identifier: Apache-2.0
/* C++17 in kernels: lambdas given to kernels, expression templates, folds over packs, class template arguments that are
 * deduced, and what is decided at compile time. */
#include <tuple>
#include <type_traits>

#include "check.h"

template <typename Function> __global__ void for_each(int n, Function function)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        function(i);
}

template <typename Left, typename Right, char sign> struct expression {
    Left left;
    Right right;
    __device__ float operator[](int i) const
    {
        if constexpr (sign == '+') return left[i] + right[i];
        if constexpr (sign == '*') return left[i] * right[i];
        if constexpr (sign == '-') return left[i] - right[i];
    }
};
struct values {
    const float *x;
    __device__ float operator[](int i) const { return x[i]; }
};
struct number {
    float x;
    __device__ float operator[](int) const { return x; }
};
template <typename L, typename R> auto operator+(L left, R right)
{
    return expression<L, R, '+'>{left, right};
}
template <typename L, typename R> auto operator*(L left, R right)
{
    return expression<L, R, '*'>{left, right};
}
template <typename L, typename R> auto operator-(L left, R right)
{
    return expression<L, R, '-'>{left, right};
}

template <typename... Numbers> __device__ auto sum_of_squares(Numbers... x)
{
    return (... + (x * x));
}

template <unsigned n> struct factorial {
    static constexpr unsigned long long value = n * factorial<n - 1>::value;
};
template <> struct factorial<0> {
    static constexpr unsigned long long value = 1;
};

template <typename T> __device__ int kind_of(T)
{
    if constexpr (std::is_same_v<T, float>) return 1;
    else if constexpr (std::is_integral_v<T>) return 2 + std::is_signed_v<T>;
    else return 0;
}

__global__ void decided(unsigned long long *out)
{
    out[0] = factorial<15>::value;
    out[1] = sum_of_squares(1, 2, 3) + static_cast<unsigned>(sum_of_squares(1.5f, 2.5f) * 2);
    out[2] = kind_of(1.0f) * 100 + kind_of(1u) * 10 + kind_of(1LL) + 1000 * kind_of(1.0);
    constexpr unsigned squares[] = {0, 1, 4, 9, 16};
    out[3] = squares[threadIdx.x + 3];
}

int main()
{
    const int n = 1000;
    float *a, *b, *c;
    unsigned long long *out;
    CHECK(cudaMallocManaged(&a, n * sizeof(float)));
    CHECK(cudaMallocManaged(&b, n * sizeof(float)));
    CHECK(cudaMallocManaged(&c, n * sizeof(float)));
    CHECK(cudaMallocManaged(&out, 4 * sizeof *out));
    for (int i = 0; i < n; i++)
        a[i] = static_cast<float>(i), b[i] = static_cast<float>(i % 7);
    auto all = values{a} * number{2} + values{b} * values{b} - number{1};
    for_each<<<4, 64>>>(n, [=] __device__(int i) { c[i] = all[i]; });
    const float scale = 0.5f;
    for_each<<<4, 64>>>(n, [=] __device__(int i) { a[i] = [&](float x) { return x * scale; }(c[i]); });
    decided<<<1, 1>>>(out);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < n; i++) {
        float wanted = 2.0f * i + (i % 7) * (i % 7) - 1;
        ok &= c[i] == wanted && a[i] == wanted / 2;
    }
    ok &= out[0] == 1307674368000ULL && out[1] == 14 + 17 && out[2] == 123 && out[3] == 9;
    return verdict(ok);
}
