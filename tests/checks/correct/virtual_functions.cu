// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: objects with virtual functions, made by placement new in memory of cudaMalloc and destroyed by a kernel
#include "../array.h"
#include <new>

struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape()
    {
    }
};
struct disc : shape {
    float r;
    __device__ explicit disc(float radius) : r(radius)
    {
    }
    __device__ float area() const override
    {
        return 3 * r * r;
    }
};
struct box : shape {
    char tag;
    double w, h;
    __device__ box(double width, double height) : tag('b'), w(width), h(height)
    {
    }
    __device__ float area() const override
    {
        return (float)(w * h);
    }
};
union room {
    char disc_bytes[sizeof(disc)], box_bytes[sizeof(box)];
    double align;
};

__global__ void make(room *rooms, shape **shapes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    shapes[i] = i % 3 ? static_cast<shape *>(new (&rooms[i]) disc((float)i)) : new (&rooms[i]) box(i, 2);
}
__global__ void measure(shape **shapes, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = shapes[i]->area();
}
__global__ void drop(shape **shapes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) shapes[i]->~shape();
}

int main()
{
    const int n = 100;
    array<room> rooms(n);
    array<shape *> shapes(n);
    array<float> areas(n);
    make<<<2, 64>>>(rooms, shapes, n);
    measure<<<2, 64>>>(shapes, areas, n);
    drop<<<2, 64>>>(shapes, n);
    std::vector<float> host = areas.get();
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && host[i] == (i % 3 ? 3.0f * i * i : 2.0f * i);
    return verdict(ok);
}
