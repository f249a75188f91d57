// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// also: race
// why: __syncthreads() in a virtual function that only some threads' objects have
#include "../array.h"
struct stage {
    __device__ virtual int run(int *s, int x) = 0;
};
struct plain : stage {
    __device__ int run(int *, int x) override
    {
        return x + 1;
    }
};
struct exchange : stage {
    __device__ int run(int *s, int x) override
    {
        s[threadIdx.x] = x;
        __syncthreads(); // BUG
        return s[threadIdx.x ^ 1];
    }
};

__global__ void pipeline(const int *kinds, int *out)
{
    __shared__ int s[64];
    plain a;
    exchange b;
    stage *mine = kinds[threadIdx.x] % 2 ? (stage *)&a : &b;
    s[threadIdx.x] = 0; // ALSO
    __syncthreads(); // BUG
    int x = mine->run(s, threadIdx.x);
    __syncthreads(); // BUG
    out[threadIdx.x] = x + s[threadIdx.x]; // ALSO
}

int main()
{
    array<int> kinds(random_ints(64, 100)), out(64);
    pipeline<<<1, 64>>>(kinds, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
