// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: out of bounds in a template that is inlined three levels deep
#include "../array.h"
template <class T> struct span {
    T *data;
    int count;
    __device__ T &operator[](int i) const
    {
        return data[i]; // ALSO
    }
};
template <class T, class F> __device__ T fold(span<T> all, int from, int step, F f)
{
    T sum = all[from];
    for (int i = from + step; i <= all.count; i += step) sum = f(sum, all[i]); // BUG
    return sum;
}
struct plus {
    __device__ float operator()(float a, float b) const
    {
        return a + b;
    }
};

__global__ void totals(span<float> in, float *out)
{
    out[threadIdx.x] = fold(in, threadIdx.x, 32, plus());
}

int main()
{
    array<float> in(std::vector<float>(1024, 1.0f)), out(32);
    totals<<<1, 32>>>(span<float>{in, 1024}, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
