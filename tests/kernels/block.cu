// SPDX-License-Identifier: Apache-2.0
// What the warps of a block do together: barriers with a result, named barriers, shared memory of a
// size given at launch, shared atomics.

// out: for every block the number of odd elements, whether all are odd, whether any is.
extern "C" __global__ void barrier_votes(const int *__restrict__ in, int *__restrict__ out)
{
    int odd = in[blockIdx.x * blockDim.x + threadIdx.x] & 1;
    int count = __syncthreads_count(odd);
    int all = __syncthreads_and(odd);
    int any = __syncthreads_or(odd);
    if (threadIdx.x == 0) {
        out[3 * blockIdx.x] = count;
        out[3 * blockIdx.x + 1] = all != 0;
        out[3 * blockIdx.x + 2] = any != 0;
    }
}

// Two warps produce, two consume, through one buffer and two named barriers: producers arrive at
// FULL and wait at EMPTY, consumers wait at FULL and arrive at EMPTY. out[r * 64 + t] = r * 1000 +
// 63 - t. Block of 128 threads.
#define FULL 1
#define EMPTY 2

extern "C" __global__ void producer_consumer(int rounds, int *__restrict__ out)
{
    __shared__ volatile int buffer[64];
    int t = threadIdx.x & 63;
    if (threadIdx.x < 64) {
        for (int r = 0; r < rounds; r++) {
            buffer[t] = r * 1000 + t;
            asm volatile("bar.arrive %0, 128;" ::"n"(FULL) : "memory");
            asm volatile("bar.sync %0, 128;" ::"n"(EMPTY) : "memory");
        }
    } else {
        for (int r = 0; r < rounds; r++) {
            asm volatile("bar.sync %0, 128;" ::"n"(FULL) : "memory");
            out[r * 64 + t] = buffer[63 - t];
            asm volatile("bar.arrive %0, 128;" ::"n"(EMPTY) : "memory");
        }
    }
}

// Reverses each block through shared memory of blockDim.x ints.
extern "C" __global__ void reverse(const int *__restrict__ in, int *__restrict__ out)
{
    extern __shared__ int line[];
    int first = blockIdx.x * blockDim.x;
    line[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    out[first + threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}

// A 32 x 33 tile: the padding keeps the column reads free of bank conflicts; without it (padded =
// 0) each is a 32-way conflict. Block 32 x 32, one tile.
extern "C" __global__ void transpose(int padded, const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int tile[32 * 33];
    int pitch = 32 + (padded != 0);
    int x = threadIdx.x, y = threadIdx.y;
    tile[y * pitch + x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = tile[x * pitch + y];
}

// Counts, extrema and a list head in shared memory; one block.
extern "C" __global__ void shared_atomics(const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int count[8], smallest, largest, bits;
    if (threadIdx.x < 8) count[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        smallest = 0x7fffffff;
        largest = -0x7fffffff - 1;
        bits = 0;
    }
    __syncthreads();
    int x = in[threadIdx.x];
    atomicAdd(&count[x & 7], 1);
    atomicMin(&smallest, x);
    atomicMax(&largest, x);
    atomicOr(&bits, 1 << (x & 31));
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = count[threadIdx.x];
    if (threadIdx.x == 0) {
        out[8] = smallest;
        out[9] = largest;
        out[10] = bits;
    }
}
