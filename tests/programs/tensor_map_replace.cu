// SPDX-License-Identifier: Apache-2.0
// Maps of tensors that a kernel makes (sm_90a), as Triton and grouped products do: of zeros in shared memory all fields by
// tensormap.replace, copied to global memory, then read by cp.async.bulk.tensor. A second kernel moves a map of the host
// on to another tensor. Expected: the elements of the box, and zeros beyond the tensor.
#include "check.h"

#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

enum { WIDTH = 40, HEIGHT = 30, LAYERS = 3, BOX_X = 8, BOX_Y = 4, BOX_Z = 2, BOX = BOX_X * BOX_Y * BOX_Z, F32 = 7 };

static __device__ void load(float *out, const CUtensorMap *map, int x, int y, int z)
{
    __shared__ alignas(128) float tile[BOX];
    __shared__ uint64_t object;
    if (threadIdx.x == 0) {
        const int at[3] = {x, y, z};
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});
        ptx::mbarrier_init(&object, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &object);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &object, sizeof tile);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&object, 0)) {
    }
    for (int i = threadIdx.x; i < BOX; i += blockDim.x)
        out[i] = tile[i];
}

__global__ void make_map(const float *tensor, CUtensorMap *map, float *out, int x, int y, int z)
{
    __shared__ alignas(128) uint32_t made[32];
    made[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 0) {
        const ptx::space_shared_t shared{};
        ptx::tensormap_replace_global_address(shared, made, tensor);
        ptx::tensormap_replace_rank(shared, made, 2);
        ptx::tensormap_replace_box_dim(shared, made, ptx::n32_t<0>{}, BOX_X);
        ptx::tensormap_replace_box_dim(shared, made, ptx::n32_t<1>{}, BOX_Y);
        ptx::tensormap_replace_box_dim(shared, made, ptx::n32_t<2>{}, BOX_Z);
        ptx::tensormap_replace_global_dim(shared, made, ptx::n32_t<0>{}, WIDTH);
        ptx::tensormap_replace_global_dim(shared, made, ptx::n32_t<1>{}, HEIGHT);
        ptx::tensormap_replace_global_dim(shared, made, ptx::n32_t<2>{}, LAYERS);
        ptx::tensormap_replace_global_stride(shared, made, ptx::n32_t<0>{}, (int64_t)4 * WIDTH);
        ptx::tensormap_replace_global_stride(shared, made, ptx::n32_t<1>{}, (int64_t)4 * WIDTH * HEIGHT);
        ptx::tensormap_replace_element_size(shared, made, ptx::n32_t<0>{}, 1);
        ptx::tensormap_replace_element_size(shared, made, ptx::n32_t<1>{}, 1);
        ptx::tensormap_replace_element_size(shared, made, ptx::n32_t<2>{}, 1);
        ptx::tensormap_replace_elemtype(shared, made, ptx::n32_t<F32>{});
        ptx::tensormap_replace_interleave_layout(shared, made, ptx::n32_t<0>{});
        ptx::tensormap_replace_swizzle_mode(shared, made, ptx::n32_t<0>{});
        ptx::tensormap_replace_fill_mode(shared, made, ptx::n32_t<0>{});
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, made, ptx::n32_t<128>{});
    load(out, map, x, y, z);
}

__global__ void move_map(const float *tensor, CUtensorMap *map, float *out, int x, int y, int z)
{
    if (threadIdx.x == 0) {
        const ptx::space_global_t global{};
        ptx::tensormap_replace_global_address(global, map, tensor);
        ptx::tensormap_replace_global_dim(global, map, ptx::n32_t<1>{}, HEIGHT);
        ptx::fence_proxy_tensormap_generic(ptx::sem_release, ptx::scope_gpu);
    }
    __syncwarp();
    load(out, map, x, y, z);
}

static bool is_box(const std::vector<float> &tensor, const float *device_box, int x, int y, int z)
{
    float box[BOX];
    CHECK(cudaMemcpy(box, device_box, sizeof box, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BOX; i++) {
        int u = x + i % BOX_X, v = y + i / BOX_X % BOX_Y, w = z + i / BOX_X / BOX_Y;
        bool inside = u >= 0 && v >= 0 && w >= 0 && u < WIDTH && v < HEIGHT && w < LAYERS;
        float expected = inside ? tensor[(w * HEIGHT + v) * WIDTH + u] : 0;
        if (box[i] == expected) continue;
        printf("(%d, %d, %d): %g, not %g\n", u, v, w, box[i], expected);
        return false;
    }
    return true;
}

int main()
{
    std::vector<float> data(WIDTH * HEIGHT * LAYERS);
    unsigned state = 3;
    for (float &value : data)
        value = (float)(next_random(&state) % 1000 + 1);
    float *tensor, *other, *out;
    CUtensorMap *map, host;
    CHECK(cudaMalloc(&tensor, 4 * data.size()));
    CHECK(cudaMalloc(&other, 4 * data.size()));
    CHECK(cudaMalloc(&out, 4 * BOX));
    CHECK(cudaMalloc(&map, sizeof *map));
    CHECK(cudaMemcpy(tensor, data.data(), 4 * data.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(other, 0, 4 * data.size()));
    make_map<<<1, 32>>>(tensor, map, out, 36, -2, 1);
    bool good = is_box(data, out, 36, -2, 1);
    make_map<<<1, 32>>>(tensor, map, out, 5, 28, 2);
    good = is_box(data, out, 5, 28, 2) && good;

    const cuuint64_t sizes[] = {WIDTH, 2, LAYERS}, strides[] = {4 * WIDTH, 4 * WIDTH * HEIGHT};
    const cuuint32_t box[] = {BOX_X, BOX_Y, BOX_Z}, steps[] = {1, 1, 1};
    CUresult result = cuTensorMapEncodeTiled(&host, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, other, sizes, strides, box, steps,
                                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CHECK(cudaMemcpy(map, &host, sizeof host, cudaMemcpyHostToDevice));
    move_map<<<1, 32>>>(tensor, map, out, -3, 10, 0);
    good = result == CUDA_SUCCESS && is_box(data, out, -3, 10, 0) && good;
    CHECK(cudaFree(tensor));
    CHECK(cudaFree(other));
    CHECK(cudaFree(out));
    CHECK(cudaFree(map));
    return verdict(good);
}
