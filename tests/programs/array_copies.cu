// SPDX-License-Identifier: Apache-2.0
/* Copies between arrays, and between arrays and the host, by the runtime and by the driver; what does not fit
 * into an array is refused. The runtime is found by its name, as interpreters find it. */
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>

#include "check.h"

enum { WIDTH = 6, HEIGHT = 5 };

template <typename T> static T find(const char *name)
{
    void *function;
    T out;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result));
    memcpy(&out, &function, sizeof out);
    return out;
}

static cudaArray_t make(int first)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    int values[HEIGHT][WIDTH];
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        values[i / WIDTH][i % WIDTH] = first + i;
    CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, values, sizeof *values, sizeof *values, HEIGHT,
                              cudaMemcpyHostToDevice));
    return array;
}

/* 3 x 2 elements from (1, 2) to (2, 3). */
static bool between_arrays()
{
    cudaArray_t from = make(100), to = make(0);
    int values[HEIGHT][WIDTH];
    bool ok = true;
    CHECK(cudaMemcpy2DArrayToArray(to, 2 * 4, 3, from, 1 * 4, 2, 3 * 4, 2,
                                   cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DFromArray(values, sizeof *values, to, 0, 0, sizeof *values, HEIGHT,
                                cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            bool copied = x >= 2 && x < 5 && y >= 3;
            int expected = copied ? 100 + (y - 1) * WIDTH + x - 1 : y * WIDTH + x;
            ok &= values[y][x] == expected;
        }
    ok &= cudaMemcpy2DArrayToArray(to, 0, 4, from, 0, 0, 4, 2, cudaMemcpyDeviceToDevice) ==
          cudaErrorInvalidValue;
    ok &= cudaMemcpy2DFromArray(values, 4, from, 0, 0, 4, HEIGHT + 1, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue;
    return ok;
}

static bool by_the_driver()
{
    auto to_array = find<decltype(&cuMemcpyHtoAAsync)>("cuMemcpyHtoAAsync");
    auto to_host = find<decltype(&cuMemcpyAtoHAsync)>("cuMemcpyAtoHAsync");
    auto across = find<decltype(&cuMemcpyAtoA)>("cuMemcpyAtoA");
    auto attach = find<decltype(&cuStreamAttachMemAsync)>("cuStreamAttachMemAsync");
    cudaArray_t lines[2];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    for (cudaArray_t &one : lines)
        CHECK(cudaMallocArray(&one, &format, 8, 0));
    bool ok = to_array((CUarray)lines[0], 0, values, sizeof values, 0) == CUDA_SUCCESS;
    ok &= across((CUarray)lines[1], 8, (CUarray)lines[0], 4, 16) == CUDA_SUCCESS;
    ok &= to_host(back, (CUarray)lines[1], 8, 16, 0) == CUDA_SUCCESS;
    ok &= back[0] == 2 && back[3] == 5 && back[4] == 0;
    ok &= to_array((CUarray)lines[0], 4, values, sizeof values, 0) == CUDA_ERROR_INVALID_VALUE;
    ok &= across((CUarray)lines[1], 0, (CUarray)lines[0], 20, 16) == CUDA_ERROR_INVALID_VALUE;
    int *managed;
    CHECK(cudaMallocManaged(&managed, 64));
    ok &= attach(0, (CUdeviceptr)managed, 0, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS;
    return ok;
}

static bool by_name()
{
    void *library = dlopen("libcudart.so", RTLD_NOW);
    auto version = library ? (cudaError_t(*)(int *))dlsym(library, "cudaRuntimeGetVersion") : nullptr;
    int number = 0;
    return version && version(&number) == cudaSuccess && number >= 11000;
}

int main()
{
    bool between = between_arrays(), driver = by_the_driver(), name = by_name();
    if (!between || !driver || !name) printf("%d %d %d\n", between, driver, name);
    return verdict(between && driver && name);
}
