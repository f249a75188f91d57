// SPDX-License-Identifier: Apache-2.0
/* A launch that repeats the one before and leaves memory as it is need not execute; whatever may change its result makes
 * it execute again. */
#include "check.h"

enum { COUNT = 1 << 12, THREADS = 128, TIMES = 20000 };

__global__ void add_one(const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + 1;
}

__global__ void double_up(const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = 2 * from[i];
}

__global__ void accumulate(int *values)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

/* Follows data: where it writes is read from memory. */
__global__ void scatter(const int *places, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[places[i]] = i;
}

static bool all_right = true;

static void expect(int line, int value, int wanted)
{
    if (value == wanted) return;
    printf("%s:%d: %d, not %d\n", __FILE__, line, value, wanted);
    all_right = false;
}
#define EXPECT(value, wanted) expect(__LINE__, value, wanted)

static int first_of(const int *device)
{
    int value;
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void add_times(int times, const int *from, int *to)
{
    for (int i = 0; i < times; i++)
        add_one<<<COUNT / THREADS, THREADS>>>(from, to);
}

int main()
{
    int *a, *b, *managed;
    CHECK(cudaMalloc(&a, COUNT * sizeof *a));
    CHECK(cudaMalloc(&b, COUNT * sizeof *b));
    CHECK(cudaMemset(a, 0, COUNT * sizeof *a));
    add_times(TIMES, a, b);
    EXPECT(first_of(b), 1);
    for (int i = 0; i < 50; i++)
        accumulate<<<COUNT / THREADS, THREADS>>>(a);
    EXPECT(first_of(a), 50);
    /* Something else in between. */
    add_times(3, a, b);
    CHECK(cudaMemset(b, 0, COUNT * sizeof *b));
    add_times(2, a, b);
    EXPECT(first_of(b), 51);
    for (int i = 0; i < 3; i++) {
        accumulate<<<COUNT / THREADS, THREADS>>>(a);
        add_times(2, a, b);
    }
    EXPECT(first_of(b), 54);
    /* The same buffer on both sides; the sides change. */
    for (int i = 0; i < 4; i++) {
        add_times(2, a, b);
        add_times(2, b, a);
    }
    EXPECT(first_of(a), 53 + 8);
    CHECK(cudaMemset(b, 0, sizeof *b));
    for (int i = 0; i < 10; i++)
        count<<<1, 32>>>(b);
    EXPECT(first_of(b), 320);
    std::vector<int> places(COUNT);
    for (int i = 0; i < COUNT; i++)
        places[i] = COUNT - 1 - i;
    CHECK(cudaMemcpy(a, places.data(), COUNT * sizeof *a, cudaMemcpyHostToDevice));
    for (int i = 0; i < 20; i++)
        scatter<<<COUNT / THREADS, THREADS>>>(a, b);
    EXPECT(first_of(b), COUNT - 1);
    /* The host writes what the kernel reads. From here on there is managed memory. */
    CHECK(cudaMallocManaged(&managed, 2 * COUNT * sizeof *managed));
    for (int i = 0; i < 4; i++) {
        managed[0] = i;
        for (int k = 0; k < 3; k++)
            double_up<<<COUNT / THREADS, THREADS>>>(managed, managed + COUNT);
        CHECK(cudaDeviceSynchronize());
        EXPECT(managed[COUNT], 2 * i);
    }
    return verdict(all_right);
}
