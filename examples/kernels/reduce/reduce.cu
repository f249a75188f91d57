// SPDX-License-Identifier: Apache-2.0
// The sum of 2 x THREADS consecutive elements a block: each thread adds two while loading, then a
// tree in shared memory halves the number of partial sums from step to step. partial[b] is the sum
// of block b. The threads that have nothing left to add still come to the barriers: the stages of
// the report show how few warps work in the later steps.

#define THREADS 256

extern "C" __global__ void reduce(int n, const float *__restrict__ in, float *__restrict__ partial)
{
    __shared__ float sums[THREADS];

    int thread = threadIdx.x;
    int i = blockIdx.x * (2 * THREADS) + thread;
    float sum = i < n ? in[i] : 0.0f;
    if (i + THREADS < n) sum += in[i + THREADS];
    sums[thread] = sum;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (thread < half) sums[thread] += sums[thread + half];
        __syncthreads();
    }
    if (thread == 0) partial[blockIdx.x] = sums[0];
}
