// SPDX-License-Identifier: Apache-2.0
// printf and assert, as nvcc compiles them: calls of vprintf and __assertfail.
#include <assert.h>
#include <stdio.h>

__device__ const char *const words[] = {"zero", "one", "two"};

extern "C" __global__ void print_conversions(const double *x, long long big, int *results)
{
    __shared__ char text[8];
    const char *where = text;
    for (int i = 0; i < 7; i++)
        text[i] = "shared"[i];
    int *r = results;
    *r++ = printf("plain\n");
    *r++ = printf("%d|%i|%u|%o|%x|%X|%c|%%\n", -7, 7, 0xffffffffu, 8, 0xbeef, 0xbeef, 'c');
    *r++ = printf("%lld|%llu|%llx|%ld|%zu\n", big, (unsigned long long)big, big, (long)-1, (size_t)3);
    *r++ = printf("%f|%.3f|%10.2f|%-10.1e|%G|%a\n", x[0], x[1], x[2], x[3], x[4], x[5]);
    *r++ = printf("%5d|%-5d|%05d|%+d|% d|%#x|%*d|%.*f\n", 42, 42, 42, 42, 42, 42, 6, 42, 2, x[1]);
    *r++ = printf("%s|%.2s|%10s|%-6s|%s\n", "global", "cut", "right", "left", where);
    *r++ = printf("%d %s %f %lld %d\n", 1, words[2], x[0], big, 2);
    *r++ = printf("%hd|%hhd|%hu\n", 70000, 300, 70000);
    *r++ = printf("%f %d %f\n", 1.0f, 3, 2.5f);
    *r++ = printf("%p\n", (void *)0x1234);
    *r++ = printf((const char *)0);
}

extern "C" __global__ void print_threads(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 == 0) printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

// Each block prints `lines` lines of 64 bytes.
extern "C" __global__ void print_much(int lines)
{
    if (threadIdx.x) return;
    for (int i = 0; i < lines; i++)
        printf("%06d %06d %49s\n", blockIdx.x, i, "x");
}

extern "C" __global__ void assert_small(const int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        printf("%d\n", i);
        assert(values[i] < 10 && "too large");
    }
}
