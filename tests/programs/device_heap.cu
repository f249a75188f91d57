// SPDX-License-Identifier: Apache-2.0
// malloc, free, new and delete in kernels: objects with virtual functions that live from launch to
// launch, a heap that is used up and filled again, blocks of many sizes.
#include "check.h"

enum { SHAPES = 512, THREADS = 128 };

struct Shape {
    __device__ virtual ~Shape()
    {
    }
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int s) : side(s)
    {
    }
    __device__ int area() const override
    {
        return side * side;
    }
};
struct Bars : Shape {
    int *lengths, count;
    __device__ explicit Bars(int n) : lengths(new int[n]), count(n)
    {
        for (int i = 0; i < n; i++)
            lengths[i] = i + 1;
    }
    __device__ ~Bars() override
    {
        delete[] lengths;
    }
    __device__ int area() const override
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += lengths[i];
        return sum;
    }
};

__global__ void make(Shape **shapes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3)
        shapes[i] = new Square(i);
    else
        shapes[i] = new Bars(i % 40 + 1);
}

__global__ void measure(Shape *const *shapes, int *areas)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    areas[i] = shapes[i]->area();
}

__global__ void drop(Shape **shapes)
{
    delete shapes[blockIdx.x * blockDim.x + threadIdx.x];
}

/* Blocks of `bytes` until there is no room, then all are freed. */
__global__ void fill(size_t bytes, int *count, int *overlaps)
{
    char *first = nullptr, *last = nullptr;
    int n = 0;
    for (char *p; (p = static_cast<char *>(malloc(bytes))) != nullptr; n++) {
        *reinterpret_cast<char **>(p) = nullptr;
        p[bytes - 1] = static_cast<char>(n);
        if (last) *reinterpret_cast<char **>(last) = p;
        if (!first) first = p;
        last = p;
    }
    *count = n;
    for (int i = 0; first; i++) {
        char *next = *reinterpret_cast<char **>(first);
        if (first[bytes - 1] != static_cast<char>(i) || reinterpret_cast<size_t>(first) % 16)
            ++*overlaps;
        free(first);
        first = next;
    }
    free(nullptr);
}

int main()
{
    const size_t heap = 1 << 20;
    size_t told = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap));
    CHECK(cudaDeviceGetLimit(&told, cudaLimitMallocHeapSize));
    bool ok = told >= heap;
    Shape **shapes;
    int *areas;
    CHECK(cudaMalloc(&shapes, SHAPES * sizeof *shapes));
    CHECK(cudaMallocManaged(&areas, SHAPES * sizeof *areas));
    make<<<SHAPES / THREADS, THREADS>>>(shapes);
    measure<<<SHAPES / THREADS, THREADS>>>(shapes, areas);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < SHAPES; i++) {
        int n = i % 40 + 1;
        ok &= areas[i] == (i % 3 ? i * i : n * (n + 1) / 2);
    }
    drop<<<SHAPES / THREADS, THREADS>>>(shapes);
    int *count, *overlaps;
    CHECK(cudaMallocManaged(&count, sizeof *count));
    CHECK(cudaMallocManaged(&overlaps, sizeof *overlaps));
    *overlaps = 0;
    /* All of it is free again each time, in one piece. */
    for (size_t bytes : {4096, 24, 1 << 19, 48}) {
        fill<<<1, 1>>>(bytes, count, overlaps);
        CHECK(cudaDeviceSynchronize());
        size_t rounded = (bytes + 15) / 16 * 16;
        ok &= *count > 0 && *count * bytes <= heap && *count >= int(heap / (2 * rounded));
    }
    ok &= *overlaps == 0;
    ok &= cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * heap) == cudaErrorInvalidValue;
    ok &= cudaGetLastError() == cudaErrorInvalidValue;
    return verdict(ok);
}
