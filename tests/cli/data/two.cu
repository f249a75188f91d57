// SPDX-License-Identifier: Apache-2.0
struct pair {
    int first;
    float second;
};

extern "C" __global__ void copy_bytes(const unsigned char *from, unsigned char *to)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

/* Every third word: far from coalesced. */
extern "C" __global__ void scatter(const float *from, float *to, pair p)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i * 3] = from[i] * p.second + p.first;
}

extern "C" __global__ void half_sum(const unsigned short *a, const double *b, double *out)
{
    unsigned i = threadIdx.x;
    out[i] = b[i] + a[i];
}

extern "C" __global__ void in_place(const int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x] + 1;
}

extern "C" __global__ void beyond(int *to)
{
    to[threadIdx.x + 1] = 1;
}

extern "C" __global__ void endless(int *to)
{
    while (*(volatile int *)to == 0) {
    }
}
