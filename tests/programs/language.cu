// SPDX-License-Identifier: Apache-2.0
/* What C++ asks of machine code: virtual functions, pointers to functions, recursion, alloca, lists from malloc, jump
 * tables, structures by value. The host computes the same. */
#include "check.h"

#include <cstring>

struct Shape {
    __device__ virtual int area(int scale) const = 0;
    __device__ virtual int kind() const
    {
        return 1;
    }
    __device__ virtual ~Shape()
    {
    }
};
struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side)
    {
    }
    __device__ int area(int scale) const override
    {
        return side * side * scale;
    }
};
struct Box : Square {
    int height;
    __device__ Box(int side, int height) : Square(side), height(height)
    {
    }
    __device__ int area(int scale) const override
    {
        return side * height - scale;
    }
    __device__ int kind() const override
    {
        return 3;
    }
};

__global__ void shapes(int *out)
{
    int t = threadIdx.x;
    Shape *shape = t % 2 ? new Square(t) : static_cast<Shape *>(new Box(t, 2));
    out[t] = shape->area(t + 1) + 1000 * shape->kind();
    delete shape;
}

static int shape_of(int t)
{
    return t % 2 ? t * t * (t + 1) + 1000 : t * 2 - (t + 1) + 3000;
}

typedef int (*operation)(int, int);
__host__ __device__ int plus(int a, int b)
{
    return a + b;
}
__host__ __device__ __noinline__ int times(int a, int b)
{
    return a * b - 1;
}
__host__ __device__ __noinline__ int quotient(int a, int b)
{
    return b ? a / b + a % b : -1;
}
__device__ operation table[3] = {plus, times, quotient};
static operation host_table[3] = {plus, times, quotient};

__global__ void calls(int *out)
{
    int t = threadIdx.x, value = t;
    for (int i = 0; i < 6; i++)
        value = table[(t + i) % 3](value % 1000, t - i);
    out[t] = value;
}

__host__ __device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__host__ __device__ int ackermann(int m, int n)
{
    return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recursions(int *out)
{
    int t = threadIdx.x;
    out[t] = 100 * fibonacci(t % 11) + ackermann(t % 3, t % 4);
}

__global__ void lists(int *out)
{
    struct node {
        int value;
        node *next;
    } *head = nullptr;
    int sum = 0;
    for (int i = 0; i <= int(threadIdx.x) % 7; i++) {
        node *one = static_cast<node *>(malloc(sizeof(node)));
        *one = {i * i, head};
        head = one;
    }
    while (head) {
        node *next = head->next;
        sum = sum * 3 + head->value;
        free(head);
        head = next;
    }
    out[threadIdx.x] = sum;
}

static int list_of(int t)
{
    int sum = 0;
    for (int i = t % 7; i >= 0; i--)
        sum = sum * 3 + i * i;
    return sum;
}

__global__ void rooms(int *out)
{
    int t = threadIdx.x, *room = static_cast<int *>(alloca((t % 5 + 1) * sizeof(int))), sum = 0;
    for (int i = 0; i <= t % 5; i++)
        room[i] = t * i;
    for (int i = 0; i <= t % 5; i++)
        sum = sum * 2 + room[t % 5 - i];
    out[t] = sum;
}

static int room_of(int t)
{
    int sum = 0;
    for (int i = t % 5; i >= 0; i--)
        sum = sum * 2 + t * i;
    return sum;
}

__host__ __device__ long long step(long long value, int i)
{
    for (int k = 0; k < 12; k++) {
        switch (value >> k & 15) {
        case 0:
            value = value * 3 + 1;
            break;
        case 1:
            value ^= value << 7 & 0xffffffff;
            break;
        case 2:
            value -= 99; /* and on */
        case 3:
            value += value >> 3;
            break;
        case 4:
            value = ~value;
            break;
        case 5:
            value = value / 7;
            break;
        case 6:
            value = value % 1013;
            break;
        case 7:
            value = (value & 0xffff) * i;
            break;
        case 8:
            return value;
        case 9:
            value = (unsigned)value / 3u;
            break;
        case 10:
            if (value & 64) continue;
            value++;
            break;
        default:
            value = (value & 0xffffff) - k;
        }
    }
    return value;
}

struct many {
    int numbers[20];
    double half;
    char text[5];
};

__global__ void switches(int *out)
{
    out[threadIdx.x] = (int)step(threadIdx.x * 7919 + 13, threadIdx.x);
}

__host__ __device__ int use(many all, int t)
{
    all.numbers[t % 20] += t;
    all.half *= t;
    all.text[t % 5] = 'x';
    int sum = (int)all.half;
    for (int i = 0; i < 20; i++)
        sum = sum * 5 + all.numbers[i] + all.text[i % 5];
    return sum;
}

__global__ void structures(many all, int *out)
{
    out[threadIdx.x] = use(all, threadIdx.x);
}

static bool same(const char *what, const int *device, int (*wanted)(int))
{
    int got[64];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 64; t++)
        if (got[t] != wanted(t)) {
            printf("%s: thread %d: %d, not %d\n", what, t, got[t], wanted(t));
            return false;
        }
    return true;
}

static many given;

int main(void)
{
    int *out;
    bool ok = true;
    CHECK(cudaMalloc(&out, 64 * sizeof *out));
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    shapes<<<1, 64>>>(out);
    ok &= same("virtual functions", out, shape_of);
    calls<<<1, 64>>>(out);
    ok &= same("pointers to functions", out, [](int t) {
        int value = t;
        for (int i = 0; i < 6; i++)
            value = host_table[(t + i) % 3](value % 1000, t - i);
        return value;
    });
    recursions<<<1, 64>>>(out);
    ok &= same("recursion", out,
               [](int t) { return 100 * fibonacci(t % 11) + ackermann(t % 3, t % 4); });
    lists<<<1, 64>>>(out);
    ok &= same("malloc", out, list_of);
    rooms<<<1, 64>>>(out);
    ok &= same("alloca", out, room_of);
    switches<<<1, 64>>>(out);
    ok &= same("switch", out, [](int t) { return (int)step(t * 7919 + 13, t); });
    for (int i = 0; i < 20; i++)
        given.numbers[i] = i;
    given.half = 0.5;
    std::strcpy(given.text, "abcd");
    structures<<<1, 64>>>(given, out);
    ok &= same("structures", out, [](int t) { return use(given, t); });
    return verdict(ok);
}
