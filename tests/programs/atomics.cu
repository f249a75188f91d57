// SPDX-License-Identifier: Apache-2.0
/* Every kind of atomic, a lock of compare and swap, and blocks that hand a turn on. */
#include <climits>

#include "check.h"

struct totals {
    int sum, least, most, bits_and, bits_or, bits_xor;
    unsigned wrapped;
    float real;
    double big;
    unsigned long long wide;
};

__global__ void add_up(totals *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&t->sum, i);
    atomicMin(&t->least, i - 50);
    atomicMax(&t->most, i);
    atomicAnd(&t->bits_and, ~(1 << i % 8));
    atomicOr(&t->bits_or, 1 << i % 20);
    atomicXor(&t->bits_xor, i);
    atomicInc(&t->wrapped, 9);
    atomicAdd(&t->real, 0.5f);
    atomicAdd(&t->big, 0.25);
    atomicAdd(&t->wide, 1ull << 33);
}

__device__ int lock, guarded;

__global__ void with_lock()
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            guarded += 2;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

__device__ volatile int turn;

__global__ void in_turn(int *order)
{
    if (threadIdx.x == 0) {
        while (turn != (int)blockIdx.x) {
        }
        order[blockIdx.x] = turn;
        __threadfence();
        turn = turn + 1;
    }
}

int main()
{
    const int n = 1000, blocks = 12;
    totals t = {0, INT_MAX, INT_MIN, -1, 0, 0, 0, 0, 0, 0}, *dt;
    CHECK(cudaMalloc(&dt, sizeof t));
    CHECK(cudaMemcpy(dt, &t, sizeof t, cudaMemcpyHostToDevice));
    add_up<<<(n + 63) / 64, 64>>>(dt, n);
    CHECK(cudaMemcpy(&t, dt, sizeof t, cudaMemcpyDeviceToHost));
    int bits = 0;
    for (int i = 0; i < n; i++)
        bits ^= i;
    bool ok = t.sum == n * (n - 1) / 2 && t.least == -50 && t.most == n - 1 &&
              t.bits_and == ~0xff && t.bits_or == (1 << 20) - 1 && t.bits_xor == bits &&
              t.wrapped == n % 10 && t.real == n * 0.5f && t.big == n * 0.25 &&
              t.wide == (unsigned long long)n << 33;
    with_lock<<<4, 40>>>();
    int value, order[blocks], *dorder;
    CHECK(cudaMemcpyFromSymbol(&value, guarded, sizeof value));
    ok &= value == 4 * 40 * 2;
    CHECK(cudaMalloc(&dorder, sizeof order));
    in_turn<<<blocks, 32>>>(dorder);
    CHECK(cudaMemcpy(order, dorder, sizeof order, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++)
        ok &= order[i] == i;
    return verdict(ok);
}
