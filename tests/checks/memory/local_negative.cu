// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: a pop of an empty stack in local memory reads before the array
#include "../checks.h"

__global__ void evaluate(const char *program, int length, int *result)
{
    int stack[16], top = 0;
    for (int i = 0; i < length; i++) {
        char c = program[i];
        if (c >= '0' && c <= '9') {
            stack[top++] = c - '0';
        } else {
            int b = stack[--top], a = stack[--top]; // BUG
            stack[top++] = c == '+' ? a + b : a * b; // BUG
        }
    }
    result[threadIdx.x] = stack[0];
}

int main()
{
    const char text[] = "12+*3"; /* the second operator finds one operand */
    char *program;
    int *result;
    CHECK(cudaMalloc(&program, 5));
    CHECK(cudaMalloc(&result, 32 * sizeof(int)));
    CHECK(cudaMemcpy(program, text, 5, cudaMemcpyHostToDevice));
    evaluate<<<1, 32>>>(program, 5, result);
    cudaError_t error = cudaDeviceSynchronize();
    puts(cudaGetErrorName(error));
    cudaFree(program);
    cudaFree(result);
    return 0;
}
