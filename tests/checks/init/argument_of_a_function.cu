// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: a struct of which one member is never set is passed to a function that branches on it
#include "../array.h"
struct options {
    int scale, is_inverse, shift;
};

__device__ __noinline__ int apply(const options *o, int x)
{
    if (o->is_inverse) // BUG
        return x / (o->scale + 1);
    return x * o->scale + o->shift;
}

__global__ void run(const int *in, int *out, int scale)
{
    options o;
    o.scale = scale;
    o.shift = 1;
    out[threadIdx.x] = apply(&o, in[threadIdx.x]);
}

int main()
{
    array<int> in(random_ints(32, 50)), out(32);
    run<<<1, 32>>>(in, out, 3);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
