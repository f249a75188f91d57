// SPDX-License-Identifier: Apache-2.0
#pragma once

class shape
{
  public:
    __device__ shape();
    __device__ virtual ~shape();
    __device__ virtual double area() const = 0;
    __device__ virtual double perimeter() const = 0;
};

extern __device__ int alive; /* shapes that are */

__global__ void make(shape **out);
__global__ void destroy(shape **shapes);
/* Pointers to functions of the device: a sum and a quotient. */
void get_operations(double (**sum)(double, double), double (**quotient)(double, double));
