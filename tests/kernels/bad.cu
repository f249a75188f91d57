// SPDX-License-Identifier: Apache-2.0
// Kernels that do what a kernel must not do; each makes a fault with its place.

extern "C" __global__ void out_of_bounds(int n, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) // one too many
        out[i] = i;
}

extern "C" __global__ void misaligned(const char *in, int *out)
{
    const int *p = (const int *)(in + (threadIdx.x == 5 ? 2 : 0)); // lane 5
    out[threadIdx.x] = *p;
}

extern "C" __global__ void uninitialised(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

// Each warp waits at another barrier of 64 threads: neither ever fills.
extern "C" __global__ void deadlock(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void endless(volatile int *flag)
{
    while (*flag == 0)
        ;
}

extern "C" __global__ void shared_out_of_bounds(int index, int *out)
{
    __shared__ int line[32];
    line[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = line[threadIdx.x + index];
}

// b is null on the host; thread 3 takes it.
extern "C" __global__ void null_pointer(int *a, int *b)
{
    int *out = threadIdx.x == 3 ? b : a;
    out[threadIdx.x] = 1;
}

extern "C" __global__ void traps(int *out)
{
    out[threadIdx.x] = 1;
    if (threadIdx.x == 7) __trap();
}
