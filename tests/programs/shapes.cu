// SPDX-License-Identifier: Apache-2.0
/* Several translation units: objects with virtual functions that one unit makes and another calls, function pointers in
 * constant memory, and a device variable that is defined elsewhere. */
#include "shapes/shapes.h"

#include "check.h"

using operation = double (*)(double, double);

__device__ double smaller(double a, double b)
{
    return a < b ? a : b;
}
__constant__ operation operations[3];
__device__ operation smaller_pointer = smaller;

__global__ void measure(const shape *const *shapes, int count, int which, double *out)
{
    int i = threadIdx.x;
    if (i < count) out[i] = operations[which](shapes[i]->area(), shapes[i]->perimeter());
}

int main()
{
    const int count = 9;
    shape **shapes;
    double *out;
    CHECK(cudaMallocManaged(&shapes, count * sizeof *shapes));
    CHECK(cudaMallocManaged(&out, count * sizeof *out));
    operation pointers[3];
    CHECK(cudaMemcpyFromSymbol(&pointers[0], smaller_pointer, sizeof(operation)));
    get_operations(&pointers[1], &pointers[2]);
    CHECK(cudaMemcpyToSymbol(operations, pointers, sizeof pointers));
    make<<<1, count>>>(shapes);
    bool ok = true;
    for (int which = 0; which < 3; which++) {
        measure<<<1, 32>>>(shapes, count, which, out);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < count; i++) {
            double a = i + 1, area = i % 3 == 0 ? a * a : i % 3 == 1 ? a * (a + 1) : 3 * a * a;
            double around = i % 3 == 0 ? 4 * a : i % 3 == 1 ? 4 * a + 2 : 6 * a;
            double wanted = which == 0 ? std::fmin(area, around) : which == 1 ? area + around : area / around;
            ok &= out[i] == wanted;
        }
    }
    destroy<<<1, count>>>(shapes);
    int left = -1;
    CHECK(cudaMemcpyFromSymbol(&left, alive, sizeof left));
    ok &= left == 0;
    return verdict(ok);
}
