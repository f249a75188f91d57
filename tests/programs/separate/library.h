// SPDX-License-Identifier: Apache-2.0
#pragma once

typedef int (*operation)(int);
extern __device__ operation operations[2];
extern __device__ int calls;
extern __managed__ int managed_total;
extern __shared__ int scratch[];
extern __device__ int scaled(int x);
extern __device__ int scratch_sum();
extern __device__ void managed_total_add(int x);
void set_factor(int factor);
int library_fill();

/* Weak: each file that uses it has one. */
template <class T> __device__ __noinline__ T larger(T a, T b)
{
    return a > b ? a : b;
}
