// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: new and delete in device code; virtual functions of objects that kernels make
#include "../array.h"

struct shape {
    __device__ virtual ~shape() {}
    __device__ virtual float area() const = 0;
};
struct square : shape {
    float side;
    __device__ explicit square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct rectangle : shape {
    float a, b;
    __device__ rectangle(float x, float y) : a(x), b(y) {}
    __device__ float area() const override { return a * b; }
};

__global__ void areas(float *out)
{
    int t = threadIdx.x;
    shape *one;
    if (t % 2) one = new square((float)t);
    else one = new rectangle((float)t, 2.0f);
    out[t] = one->area();
    delete one;
}

int main()
{
    array<float> out(32);
    areas<<<1, 32>>>(out);
    std::vector<float> got = out.get();
    return verdict(got[5] == 25 && got[6] == 12);
}
