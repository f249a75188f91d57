// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

__device__ double sum_of(double a, double b)
{
    return a + b;
}
__device__ double quotient_of(double a, double b)
{
    return a / b;
}
__device__ double (*sum_pointer)(double, double) = sum_of;
__device__ double (*quotient_pointer)(double, double) = quotient_of;

void get_operations(double (**sum)(double, double), double (**quotient)(double, double))
{
    cudaMemcpyFromSymbol(sum, sum_pointer, sizeof *sum);
    cudaMemcpyFromSymbol(quotient, quotient_pointer, sizeof *quotient);
}
