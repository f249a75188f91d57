// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

__device__ int alive;

__device__ shape::shape()
{
    atomicAdd(&alive, 1);
}
__device__ shape::~shape()
{
    atomicSub(&alive, 1);
}

class rectangle : public shape {
    double width, height;

public:
    __device__ rectangle(double w, double h) : width(w), height(h) {}
    __device__ double area() const override { return width * height; }
    __device__ double perimeter() const override { return 2 * (width + height); }
};

class square : public rectangle {
public:
    __device__ explicit square(double side) : rectangle(side, side) {}
    __device__ double perimeter() const final { return rectangle::perimeter(); }
};

/* Of unit sides but for a factor. */
template <int numerator, int sides> class regular : public shape {
    double side;

public:
    __device__ explicit regular(double s) : side(s) {}
    __device__ double area() const override { return numerator * side * side; }
    __device__ double perimeter() const override { return sides * side; }
};

__global__ void make(shape **out)
{
    int i = threadIdx.x;
    double a = i + 1;
    if (i % 3 == 0) out[i] = new square(a);
    if (i % 3 == 1) out[i] = new rectangle(a, a + 1);
    if (i % 3 == 2) out[i] = new regular<3, 6>(a);
}

__global__ void destroy(shape **shapes)
{
    delete shapes[threadIdx.x];
}
