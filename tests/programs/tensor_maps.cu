// SPDX-License-Identifier: Apache-2.0
// Copies of tensors (sm_90): tiles of one to five dimensions and columns of images, swizzled, over the edges, with steps,
// back to memory, added up there, and to several blocks. The host computes where each element goes.
#include "check.h"

#include <cstring>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_fp16.h>

namespace ptx = cuda::ptx;

enum { THREADS = 64, BYTES_MAX = 16384 };

struct coordinates {
    int c[5];
};

static __device__ void wait(uint64_t *object, unsigned parity)
{
    while (!ptx::mbarrier_try_wait_parity(object, parity)) {
    }
}

template <int RANK>
static __device__ void load(void *to, const CUtensorMap *map, const coordinates &at, uint64_t *object)
{
    int c[RANK];
    for (int k = 0; k < RANK; k++)
        c[k] = at.c[k];
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, c, object);
}

template <int RANK>
static __device__ void store(const CUtensorMap *map, const coordinates &at, const void *from)
{
    int c[RANK];
    for (int k = 0; k < RANK; k++)
        c[k] = at.c[k];
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, c, from);
}

/* Shared memory as the copy left it; then, if there is another map, the same back through that. */
template <int RANK>
__global__ void copy_tile(const __grid_constant__ CUtensorMap map, const __grid_constant__ CUtensorMap back, coordinates at,
                          unsigned bytes, unsigned char *out, bool writes)
{
    extern __shared__ __align__(1024) unsigned char tile[];
    __shared__ uint64_t object;
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        ptx::mbarrier_init(&object, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        load<RANK>(tile, &map, at, &object);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &object, bytes);
    }
    __syncthreads();
    wait(&object, 0);
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
        out[i] = tile[i];
    if (threadIdx.x || !writes) return;
    store<RANK>(&back, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}

/* ---- the host's side ---- */

struct tensor {
    int rank, element;
    uint64_t sizes[5], strides[4];
    uint32_t box[5], steps[5];
    CUtensorMapDataType type;
    CUtensorMapSwizzle swizzle;
    bool fills_nan;
};

static size_t tensor_bytes(const tensor &t)
{
    return t.rank == 1 ? t.sizes[0] * t.element : t.strides[t.rank - 2] * t.sizes[t.rank - 1];
}

static bool encode(CUtensorMap *map, const tensor &t, void *address)
{
    CUresult result = cuTensorMapEncodeTiled(
        map, t.type, t.rank, address, t.sizes, t.strides, t.box, t.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        t.fills_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                    : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) printf("cuTensorMapEncodeTiled: %d\n", (int)result);
    return result == CUDA_SUCCESS;
}

/* Chunks of 16 bytes within 32, 64 or 128 bytes, by the number of the 128 bytes. */
static size_t swizzled(size_t at, CUtensorMapSwizzle swizzle)
{
    size_t chunk = at / 16, row = at / 128;
    size_t span = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 8
                  : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 4
                  : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 2
                                                         : 1;
    return (chunk / span * span + (chunk % span ^ row % span)) * 16 + at % 16;
}

/* Element by element: its place in the tile, then in the tensor. */
static size_t expect_tile(const tensor &t, const coordinates &at, const std::vector<unsigned char> &data,
                          std::vector<unsigned char> &tile, std::vector<unsigned char> &written)
{
    uint32_t counts[5] = {1, 1, 1, 1, 1};
    size_t total = 1;
    for (int k = 0; k < t.rank; k++) {
        counts[k] = k ? (t.box[k] + t.steps[k] - 1) / t.steps[k] : t.box[0];
        total *= counts[k];
    }
    tile.assign(total * t.element, 0);
    for (size_t i = 0; i < total; i++) {
        size_t rest = i, from = 0;
        bool inside = true;
        for (int k = 0; k < t.rank; k++) {
            long long place = at.c[k] + (long long)(rest % counts[k]) * (k ? t.steps[k] : 1);
            rest /= counts[k];
            inside = inside && place >= 0 && place < (long long)t.sizes[k];
            from += (size_t)place * (k ? t.strides[k - 1] : t.element);
        }
        size_t to = swizzled(i * t.element, t.swizzle);
        for (int b = 0; b < t.element; b++) {
            unsigned char nan = b == t.element - 1 ? 0x7f : 0xff;
            tile[to + b] = inside ? data[from + b] : t.fills_nan ? nan : 0;
            if (inside) written[from + b] = data[from + b];
        }
    }
    return tile.size();
}

template <int RANK> static bool test_tile(tensor t, coordinates at)
{
    size_t bytes = tensor_bytes(t);
    std::vector<unsigned char> data(bytes), tile, written(bytes, 0x55), got(BYTES_MAX), back(bytes);
    unsigned state = 5;
    for (unsigned char &byte : data)
        byte = (unsigned char)next_random(&state);
    unsigned char *in, *copy, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&copy, bytes));
    CHECK(cudaMalloc(&out, BYTES_MAX));
    CHECK(cudaMemcpy(in, data.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(copy, 0x55, bytes));
    CUtensorMap map, other;
    if (!encode(&map, t, in) || !encode(&other, t, copy)) return false;
    unsigned count = (unsigned)expect_tile(t, at, data, tile, written);
    CHECK(cudaFuncSetAttribute(copy_tile<RANK>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES_MAX));
    copy_tile<RANK><<<1, THREADS, BYTES_MAX>>>(map, other, at, count, out, true);
    CHECK(cudaMemcpy(got.data(), out, count, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(back.data(), copy, bytes, cudaMemcpyDeviceToHost));
    bool good = !memcmp(got.data(), tile.data(), count) && back == written;
    if (!good)
        printf("rank %d, element %d, swizzle %d: %s\n", RANK, t.element, (int)t.swizzle,
               back == written ? "tile" : "tensor");
    CHECK(cudaFree(in));
    CHECK(cudaFree(copy));
    CHECK(cudaFree(out));
    return good;
}

static bool test_tiles()
{
    const auto F32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, F16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    const auto U8 = CU_TENSOR_MAP_DATA_TYPE_UINT8, F64 = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    const auto PLAIN = CU_TENSOR_MAP_SWIZZLE_NONE;
    bool good = test_tile<1>({1, 4, {100}, {}, {64}, {1}, F32, PLAIN, false}, {{8}});
    good = test_tile<1>({1, 4, {100}, {}, {64}, {1}, F32, PLAIN, true}, {{70}}) && good;
    good = test_tile<2>({2, 4, {40, 30}, {160}, {32, 16}, {1, 1}, F32, PLAIN, false}, {{4, 7}}) && good;
    good = test_tile<2>({2, 4, {40, 30}, {176}, {32, 16}, {1, 1}, F32, PLAIN, false}, {{-5, -3}}) && good;
    good = test_tile<2>({2, 2, {80, 60}, {160}, {64, 48}, {1, 1}, F16, CU_TENSOR_MAP_SWIZZLE_128B, false},
                        {{30, 20}}) && good;
    good = test_tile<2>({2, 2, {80, 60}, {160}, {32, 48}, {1, 1}, F16, CU_TENSOR_MAP_SWIZZLE_64B, true},
                        {{-7, 20}}) && good;
    good = test_tile<2>({2, 1, {96, 60}, {96}, {32, 48}, {1, 1}, U8, CU_TENSOR_MAP_SWIZZLE_32B, false},
                        {{33, 5}}) && good;
    good = test_tile<3>({3, 8, {10, 9, 8}, {80, 800}, {4, 6, 5}, {1, 2, 3}, F64, PLAIN, false}, {{3, 1, 2}}) &&
           good;
    good = test_tile<4>({4, 2, {24, 6, 5, 4}, {48, 288, 1440}, {16, 4, 3, 2}, {1, 1, 1, 1}, F16,
                         CU_TENSOR_MAP_SWIZZLE_32B, false},
                        {{8, 3, -1, 2}}) && good;
    good = test_tile<5>({5, 4, {8, 5, 4, 3, 3}, {32, 160, 640, 1920}, {4, 3, 2, 2, 2}, {1, 1, 1, 1, 1}, F32,
                         PLAIN, false},
                        {{2, 1, 1, 1, 2}}) && good;
    return good;
}

/* ---- columns of images ---- */

enum { CHANNELS = 16, WIDTH = 9, HEIGHT = 7, IMAGES = 3, PIXELS = 40 };

__global__ void columns(const __grid_constant__ CUtensorMap map, int x, int y, int image, int right, int down,
                        __half *out)
{
    __shared__ alignas(128) __half tile[PIXELS * CHANNELS];
    __shared__ uint64_t object;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&object, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &object,
                                       sizeof tile);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(0), "r"(x), "r"(y), "r"(image),
                     "r"((unsigned)__cvta_generic_to_shared(&object)), "h"((short)right), "h"((short)down)
                     : "memory");
    }
    __syncthreads();
    wait(&object, 0);
    for (int i = threadIdx.x; i < PIXELS * CHANNELS; i += blockDim.x)
        out[i] = tile[i];
}

/* A convolution of 3 x 3 with one pixel of padding: the pixels under each place of the filter. */
static bool test_columns()
{
    __half *in, *out;
    bool good = true;
    CHECK(cudaMallocManaged(&in, IMAGES * HEIGHT * WIDTH * CHANNELS * sizeof *in));
    CHECK(cudaMallocManaged(&out, PIXELS * CHANNELS * sizeof *out));
    for (int i = 0; i < IMAGES * HEIGHT * WIDTH * CHANNELS; i++)
        in[i] = __float2half((float)(i % 2039));
    const uint64_t sizes[] = {CHANNELS, WIDTH, HEIGHT, IMAGES};
    const uint64_t strides[] = {CHANNELS * 2, WIDTH * CHANNELS * 2, HEIGHT * WIDTH * CHANNELS * 2};
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    const uint32_t steps[] = {1, 1, 1, 1};
    CUtensorMap map;
    if (cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, in, sizes, strides, lower, upper,
                                CHANNELS, PIXELS, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return false;
    for (int first = 0; first < IMAGES * HEIGHT * WIDTH; first += 37)
        for (int place = 0; place < 9; place++) {
            int right = place % 3, down = place / 3;
            columns<<<1, THREADS>>>(map, first % WIDTH - 1, first / WIDTH % HEIGHT - 1, first / WIDTH / HEIGHT,
                                    right, down, out);
            CHECK(cudaDeviceSynchronize());
            for (int p = 0; p < PIXELS; p++) {
                int pixel = first + p, x = pixel % WIDTH - 1 + right, y = pixel / WIDTH % HEIGHT - 1 + down;
                int image = pixel / WIDTH / HEIGHT;
                bool inside = x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT && image < IMAGES;
                for (int c = 0; c < CHANNELS; c++) {
                    float want = inside ? __half2float(in[((image * HEIGHT + y) * WIDTH + x) * CHANNELS + c]) : 0;
                    good = good && __half2float(out[p * CHANNELS + c]) == want;
                }
            }
        }
    return good;
}

/* ---- tiles that blocks add up, and one that all blocks of a cluster get ---- */

enum { SIDE = 16 };

__global__ void __cluster_dims__(2, 1, 1) add_tiles(const __grid_constant__ CUtensorMap in,
                                                    const __grid_constant__ CUtensorMap sums)
{
    __shared__ alignas(128) int tile[SIDE][SIDE];
    __shared__ uint64_t object;
    unsigned rank = blockIdx.x % 2;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&object, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &object, sizeof tile);
    }
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    const int half[2] = {0, (int)(blockIdx.x / 2 * SIDE + rank * SIDE / 2)}, whole[2] = {3, -2};
    if (threadIdx.x == 0) /* each block loads a half for both */
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile[rank * SIDE / 2][0], &in, half,
                                  &object, (uint16_t)3);
    wait(&object, 0);
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &sums, whole, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

static bool test_add_tiles()
{
    enum { TILES = 5 };
    int *in, *sums;
    bool good = true;
    CHECK(cudaMallocManaged(&in, TILES * SIDE * SIDE * sizeof *in));
    CHECK(cudaMallocManaged(&sums, SIDE * SIDE * sizeof *sums));
    for (int i = 0; i < TILES * SIDE * SIDE; i++)
        in[i] = i * i % 1009;
    for (int i = 0; i < SIDE * SIDE; i++)
        sums[i] = i;
    CUtensorMap from, to;
    const auto S32 = CU_TENSOR_MAP_DATA_TYPE_INT32;
    const auto PLAIN = CU_TENSOR_MAP_SWIZZLE_NONE;
    if (!encode(&from, {2, 4, {SIDE, TILES * SIDE}, {SIDE * 4}, {SIDE, SIDE / 2}, {1, 1}, S32, PLAIN, false}, in) ||
        !encode(&to, {2, 4, {SIDE, SIDE}, {SIDE * 4}, {SIDE, SIDE}, {1, 1}, S32, PLAIN, false}, sums))
        return false;
    add_tiles<<<2 * TILES, THREADS>>>(from, to);
    CHECK(cudaDeviceSynchronize());
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int want = y * SIDE + x, row = y + 2, column = x - 3;
            for (int t = 0; t < TILES; t++)
                if (row < SIDE && column >= 0) want += 2 * in[(t * SIDE + row) * SIDE + column];
            good = good && sums[y * SIDE + x] == want;
        }
    return good;
}

/* ---- what is refused ---- */

static bool test_refused()
{
    CUtensorMap map;
    void *memory;
    CHECK(cudaMalloc(&memory, 4096));
    const uint64_t sizes[] = {32, 32}, strides[] = {128}, odd[] = {120};
    const uint32_t box[] = {32, 8}, large[] = {32, 257}, steps[] = {1, 1};
    auto attempt = [&](void *address, const uint64_t *stride, const uint32_t *extent, CUtensorMapSwizzle swizzle) {
        return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, sizes, stride, extent, steps,
                                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    const auto PLAIN = CU_TENSOR_MAP_SWIZZLE_NONE;
    return attempt(memory, strides, box, PLAIN) == CUDA_SUCCESS &&
           attempt((char *)memory + 8, strides, box, PLAIN) == CUDA_ERROR_INVALID_VALUE &&
           attempt(memory, odd, box, PLAIN) == CUDA_ERROR_INVALID_VALUE &&
           attempt(memory, strides, large, PLAIN) == CUDA_ERROR_INVALID_VALUE &&
           attempt(memory, strides, box, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_ERROR_INVALID_VALUE;
}

int main()
{
    bool good = true;
    CHECK(cudaFree(NULL));
    good = test_tiles() && good;
    good = test_columns() && good;
    good = test_add_tiles() && good;
    good = test_refused() && good;
    return verdict(good);
}
