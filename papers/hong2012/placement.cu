// SPDX-License-Identifier: Apache-2.0
// Work on four chosen SMs only, as S. Hong's thesis does it (section 4.4.1): each block takes nearly all shared
// memory of an SM, so that an SM of compute capability 1.x holds one; as many blocks as there are SMs are
// launched, and those that are not chosen exit at once. On the 8800 GT block b runs on SM b.
// `warpsage thermal --gpu 8800gt --active-sms 0,7,1,8` says how warm that makes the chip.

enum { HELD_FLOATS = 3900 }; // 15600 of 16384 bytes: no second block fits

extern "C" __global__ void placement(int iterations, int mask, const float *__restrict__ src,
                                     float *__restrict__ dst, int act1, int act2, int act3,
                                     int act4)
{
    __shared__ float held[HELD_FLOATS];
    int block = blockIdx.x;
    if (block != act1 && block != act2 && block != act3 && block != act4) return;
    float sum = 0;
    int at = block * blockDim.x + threadIdx.x;
    for (int i = 0; i < iterations; i++) { // coalesced loads and multiply-adds
        float x = src[(at + i * blockDim.x) & mask];
        sum = x * x + sum;
        sum = 0.5f * sum + x;
    }
    held[threadIdx.x] = sum;
    __syncthreads();
    dst[at] = held[blockDim.x - 1 - threadIdx.x];
}
