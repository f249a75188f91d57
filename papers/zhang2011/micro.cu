// SPDX-License-Identifier: Apache-2.0
// The micro-benchmarks of Zhang & Owens, sections 4.1 and 4.2, as they are described: an instruction
// that is repeated (each needs the result of the one before), and words that are moved from one
// region of shared memory to another. One block on each of 30 SMs; its threads set the warps. micro_global is that of
// section 4.3: words of global memory, so many a thread.

extern "C" __global__ void micro_mad(float *out, float a, int rounds)
{
    float x = a;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 128; k++)
            x = fmaf(x, a, a);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

extern "C" __global__ void micro_shared(float *out, int rounds)
{
    __shared__ volatile float from[1024], to[1024];
    int t = threadIdx.x;
    from[t] = (float)t;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 64; k++)
            to[t] = from[t];
    }
    out[blockIdx.x * blockDim.x + t] = to[t];
}

extern "C" __global__ void micro_global(const float *in, float *out, int transactions)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < transactions; i++)
        sum += in[i * all + t];
    out[t] = sum;
}
