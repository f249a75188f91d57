// SPDX-License-Identifier: Apache-2.0
/* Functions that call themselves, one and several at a time: quicksort on the stack, a parser by recursive descent, adaptive
 * quadrature, Ackermann's function. */
#include <algorithm>
#include <cstring>

#include "check.h"

__device__ void quicksort(int *x, int count)
{
    if (count < 2) return;
    int pivot = x[count / 2], low = 0, high = count - 1;
    while (low <= high) {
        while (x[low] < pivot)
            low++;
        while (x[high] > pivot)
            high--;
        if (low > high) break;
        int one = x[low];
        x[low++] = x[high];
        x[high--] = one;
    }
    quicksort(x, high + 1);
    quicksort(x + low, count - low);
}

__host__ __device__ int sum_of(const char *&at);

__host__ __device__ int factor_of(const char *&at)
{
    if (*at == '-') return -factor_of(++at);
    if (*at == '(') {
        int value = sum_of(++at);
        at++;
        return value;
    }
    int value = 0;
    while (*at >= '0' && *at <= '9')
        value = 10 * value + *at++ - '0';
    return value;
}

__host__ __device__ int product_of(const char *&at)
{
    int value = factor_of(at);
    while (*at == '*')
        value *= factor_of(++at);
    return value;
}

__host__ __device__ int sum_of(const char *&at)
{
    int value = product_of(at);
    while (*at == '+')
        value += product_of(++at);
    return value;
}

__device__ double integrate(double from, double to, double whole, double tolerance)
{
    auto simpson = [](double a, double b) {
        auto f = [](double x) { return x * x * x * x * x; };
        return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b));
    };
    double middle = (from + to) / 2, left = simpson(from, middle), right = simpson(middle, to);
    if (fabs(left + right - whole) < tolerance) return left + right;
    return integrate(from, middle, left, tolerance / 2) + integrate(middle, to, right, tolerance / 2);
}

__device__ int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__global__ void all(int *numbers, int per_thread, const char *text, int *values, double *integrals)
{
    int i = threadIdx.x;
    quicksort(numbers + i * per_thread, per_thread);
    const char *at = text;
    values[2 * i] = sum_of(at);
    values[2 * i + 1] = ackermann(2, i);
    integrals[i] = integrate(0, i + 1, 0, 1e-6);
}

int main()
{
    const int threads = 32, per_thread = 40;
    const char *text = "3*(4+-5*(2+7))*-(1+1)+6*(((8)))";
    int *numbers, *values;
    double *integrals;
    char *shared_text;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 32 << 10));
    CHECK(cudaMallocManaged(&numbers, threads * per_thread * sizeof(int)));
    CHECK(cudaMallocManaged(&values, 2 * threads * sizeof(int)));
    CHECK(cudaMallocManaged(&integrals, threads * sizeof(double)));
    CHECK(cudaMallocManaged(&shared_text, strlen(text) + 1));
    strcpy(shared_text, text);
    unsigned state = 17;
    std::vector<int> sorted;
    for (int i = 0; i < threads * per_thread; i++)
        sorted.push_back(numbers[i] = static_cast<int>(next_random(&state) % 1000));
    all<<<1, threads>>>(numbers, per_thread, shared_text, values, integrals);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < threads; i++) {
        std::sort(&sorted[i * per_thread], &sorted[i * per_thread] + per_thread);
        ok &= values[2 * i] == 3 * (4 + -5 * (2 + 7)) * -(1 + 1) + 6 * 8;
        ok &= values[2 * i + 1] == 2 * i + 3;
        ok &= std::fabs(integrals[i] - std::pow(i + 1, 6) / 6) < 1e-4;
    }
    ok &= std::equal(sorted.begin(), sorted.end(), numbers);
    return verdict(ok);
}
