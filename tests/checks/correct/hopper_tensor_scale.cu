// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: PTX ISA, cp.async.bulk.tensor: loads signal an object, stores belong to groups
// nvcc: -gencode arch=compute_90a,code=compute_90a -lcuda
// gpu: h200
#include "../hopper.h"

#include <cuda.h>

enum { ROWS = 8, COLUMNS = 32, TILES = 4 };

__device__ void load_tile(int *to, const CUtensorMap *map, int x, int y, barrier *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     shared_address(to)), "l"(map), "r"(x), "r"(y), "r"(shared_address(b)) : "memory");
}

__device__ void store_tile(const CUtensorMap *map, int x, int y, const int *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y),
                 "r"(shared_address(from)) : "memory");
}

/* Tile by tile of a matrix, each element three times as large. */
__global__ void scale(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out)
{
    __shared__ alignas(128) int tile[ROWS * COLUMNS], result[ROWS * COLUMNS];
    __shared__ barrier full;
    int t = threadIdx.x;
    if (t == 0) {
        barrier_init(&full, 1);
        fence_barrier_init();
    }
    __syncthreads();
    for (int i = 0; i < TILES; i++) {
        if (t == 0) {
            barrier_expect(&full, sizeof tile);
            load_tile(tile, &in, 0, i * ROWS, &full);
        }
        barrier_wait(&full, i % 2);
        result[t] = 3 * tile[t];
        fence_async();
        __syncthreads();
        if (t == 0) {
            store_tile(&out, 0, i * ROWS, result);
            commit_bulk();
            wait_bulk_read<0>();
        }
        __syncthreads();
    }
}

static CUtensorMap map_of(int *matrix)
{
    CUtensorMap map;
    const cuuint64_t sizes[2] = {COLUMNS, ROWS * TILES}, pitches[1] = {COLUMNS * sizeof(int)};
    const cuuint32_t boxes[2] = {COLUMNS, ROWS}, steps[2] = {1, 1};
    CUresult result = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, sizes, pitches, boxes, steps,
                                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) exit(verdict(false));
    return map;
}

int main()
{
    std::vector<int> host = random_ints(ROWS * COLUMNS * TILES, 1000);
    array<int> in(host), out(host.size());
    out.zero();
    scale<<<1, ROWS * COLUMNS>>>(map_of(in), map_of(out));
    std::vector<int> got = out.get();
    bool ok = true;
    for (size_t i = 0; i < host.size(); i++)
        ok &= got[i] == 3 * host[i];
    return verdict(ok);
}
