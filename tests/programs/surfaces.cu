// SPDX-License-Identifier: Apache-2.0
/* Surfaces of one to three dimensions, of layers and of the faces of cubes, with their three ways beyond the ends; textures
 * that read what surfaces wrote, gather four texels, and look into cubes. The host computes the same. */
#include "check.h"

static cudaArray_t make_array(const cudaChannelFormatDesc &format, int w, int h, int d, unsigned flags)
{
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags));
    return array;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = resource_of(array);
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter, bool normalized)
{
    cudaTextureObject_t texture;
    cudaResourceDesc resource = resource_of(array);
    cudaTextureDesc d = {};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = cudaAddressModeClamp;
    d.filterMode = filter;
    d.readMode = cudaReadModeElementType;
    d.normalizedCoords = normalized;
    CHECK(cudaCreateTextureObject(&texture, &resource, &d, nullptr));
    return texture;
}

template <class T> static T *managed(size_t count)
{
    T *p;
    CHECK(cudaMallocManaged(&p, count * sizeof(T)));
    return p;
}

/* ---- one dimension, bytes in vectors; two, beyond the ends; three; layers ------------------------- */

enum { W = 40, H = 12, D = 5 };

__global__ void lines(cudaSurfaceObject_t s, uchar4 *out)
{
    int x = threadIdx.x;
    uchar4 v = make_uchar4(x, x + 1, 2 * x, 255 - x);
    surf1Dwrite(v, s, x * 4);
    __syncthreads();
    surf1Dread(&out[x], s, (W - 1 - x) * 4);
}

__global__ void beyond(cudaSurfaceObject_t s, float2 *out)
{
    int x = static_cast<int>(threadIdx.x) - 2, y = static_cast<int>(threadIdx.y) - 2;
    bool inside = x >= 0 && x < W && y >= 0 && y < H;
    surf2Dwrite(make_float2(x, y), s, x * 8, y, cudaBoundaryModeZero); /* others write nothing */
    __syncthreads();
    float2 clamped = surf2Dread<float2>(s, x * 8, y, cudaBoundaryModeClamp);
    float2 zero = surf2Dread<float2>(s, x * 8, y, cudaBoundaryModeZero);
    float2 trapped = inside ? surf2Dread<float2>(s, x * 8, y) : make_float2(0, 0);
    out[threadIdx.y * (W + 4) + threadIdx.x] =
        make_float2(clamped.x * 100 + clamped.y, zero.x * 100 + zero.y + trapped.x);
}

__global__ void volume(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite(static_cast<short>(x + 50 * y + 700 * z), s, x * 2, y, z);
}

__global__ void layers(cudaSurfaceObject_t s, cudaTextureObject_t t, int *out)
{
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    surf2DLayeredwrite(x + 100 * y + 10000 * layer, s, x * 4, y, layer);
    __threadfence();
    out[(layer * H + y) * W + x] = surf2DLayeredread<int>(s, x * 4, y, layer) + 1;
    (void)t;
}

__global__ void read_layers(cudaTextureObject_t t, int *out)
{
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    out[(layer * H + y) * W + x] += tex2DLayered<int>(t, x, y, layer);
}

static bool test_surfaces()
{
    bool ok = true;
    auto format4 = cudaCreateChannelDesc<uchar4>();
    cudaArray_t line = make_array(format4, W, 0, 0, cudaArraySurfaceLoadStore);
    uchar4 *bytes = managed<uchar4>(W);
    cudaSurfaceObject_t s = surface_of(line);
    lines<<<1, W>>>(s, bytes);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < W; i++) {
        int x = W - 1 - i;
        ok &= bytes[i].x == x && bytes[i].y == x + 1 && bytes[i].z == 2 * x && bytes[i].w == 255 - x;
    }
    CHECK(cudaDestroySurfaceObject(s));
    ok &= cudaDestroySurfaceObject(s) == cudaErrorInvalidValue;
    cudaGetLastError();

    cudaArray_t plane = make_array(cudaCreateChannelDesc<float2>(), W, H, 0, cudaArraySurfaceLoadStore);
    float2 *pairs = managed<float2>((W + 4) * (H + 4));
    beyond<<<1, dim3(W + 4, H + 4)>>>(surface_of(plane), pairs);
    CHECK(cudaDeviceSynchronize());
    for (int y = -2; y < H + 2; y++)
        for (int x = -2; x < W + 2; x++) {
            int cx = x < 0 ? 0 : x >= W ? W - 1 : x, cy = y < 0 ? 0 : y >= H ? H - 1 : y;
            bool inside = cx == x && cy == y;
            float2 got = pairs[(y + 2) * (W + 4) + x + 2];
            ok &= got.x == cx * 100 + cy && got.y == (inside ? x * 100 + y + x : 0);
        }

    cudaArray_t box = make_array(cudaCreateChannelDesc<short>(), W, H, D, cudaArraySurfaceLoadStore);
    volume<<<D, dim3(W, H)>>>(surface_of(box));
    std::vector<short> host(W * H * D);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = box;
    copy.dstPtr = make_cudaPitchedPtr(host.data(), W * 2, W, H);
    copy.extent = make_cudaExtent(W, H, D);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    for (int i = 0; i < W * H * D; i++)
        ok &= host[i] == i % W + 50 * (i / W % H) + 700 * (i / W / H);

    cudaArray_t stack = make_array(cudaCreateChannelDesc<int>(), W, H, D,
                                   cudaArrayLayered | cudaArraySurfaceLoadStore);
    cudaTextureObject_t t = texture_of(stack, cudaFilterModePoint, false);
    int *out = managed<int>(W * H * D);
    layers<<<D, dim3(W, H)>>>(surface_of(stack), t, out);
    read_layers<<<D, dim3(W, H)>>>(t, out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < W * H * D; i++)
        ok &= out[i] == 2 * (i % W + 100 * (i / W % H) + 10000 * (i / W / H)) + 1;

    cudaArray_t plain = make_array(format4, W, H, 0, 0);
    cudaResourceDesc resource = resource_of(plain);
    ok &= cudaCreateSurfaceObject(&s, &resource) == cudaErrorInvalidValue; /* not made for it */
    cudaGetLastError();
    return ok;
}

/* ---- words that many threads of several blocks change, which no function of CUDA does ---------------- */

__global__ void reduce(cudaSurfaceObject_t s)
{
    int x = threadIdx.x % W * 4, y = threadIdx.x % H, value = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("sured.b.2d.add.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(0), "r"(value) : "memory");
    asm volatile("sured.b.2d.max.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * W), "r"(1 + y % 2), "r"(value) : "memory");
    asm volatile("sured.b.2d.or.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(H), "r"(value) : "memory");
}

static bool test_reduce()
{
    cudaArray_t plane = make_array(cudaCreateChannelDesc<int>(), W, H, 0, cudaArraySurfaceLoadStore);
    std::vector<int> host(W * H), expected(W * H);
    CHECK(cudaMemcpy2DToArray(plane, 0, 0, host.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    reduce<<<7, 96>>>(surface_of(plane));
    CHECK(cudaMemcpy2DFromArray(host.data(), W * 4, plane, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 7 * 96; i++) {
        int thread = i % 96, row = 1 + thread % H % 2;
        expected[thread % W] += i;
        expected[row * W + W - 1] = expected[row * W + W - 1] < i ? i : expected[row * W + W - 1];
    }
    return host == expected;
}

/* ---- four texels of one channel ------------------------------------------------------------------ */

__global__ void gather(cudaTextureObject_t t, float4 *out)
{
    int x = threadIdx.x, y = threadIdx.y;
    float4 *mine = out + (y * W + x) * 2;
    mine[0] = tex2Dgather<float4>(t, x, y);
    mine[1] = tex2Dgather<float4>(t, x + 0.75f, y + 0.75f, 1);
}

static bool test_gather()
{
    cudaArray_t plane = make_array(cudaCreateChannelDesc<float2>(), W, H, 0, cudaArrayTextureGather);
    std::vector<float2> host(W * H);
    for (int i = 0; i < W * H; i++)
        host[i] = make_float2(i, -3 * i);
    CHECK(cudaMemcpy2DToArray(plane, 0, 0, host.data(), W * 8, W * 8, H, cudaMemcpyHostToDevice));
    float4 *out = managed<float4>(W * H * 2);
    gather<<<1, dim3(W, H)>>>(texture_of(plane, cudaFilterModePoint, false), out);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    auto at = [&](int x, int y) {
        x = x < 0 ? 0 : x >= W ? W - 1 : x;
        y = y < 0 ? 0 : y >= H ? H - 1 : y;
        return host[y * W + x];
    };
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const float4 *got = out + (y * W + x) * 2;
            ok &= got[0].x == at(x - 1, y).x && got[0].y == at(x, y).x;
            ok &= got[0].z == at(x, y - 1).x && got[0].w == at(x - 1, y - 1).x;
            ok &= got[1].x == at(x, y + 1).y && got[1].y == at(x + 1, y + 1).y;
            ok &= got[1].z == at(x + 1, y).y && got[1].w == at(x, y).y;
        }
    return ok;
}

/* ---- cubes --------------------------------------------------------------------------------------- */

enum { N = 8, CUBES = 2 };

/* The direction of a place on a face, from -1 to 1: the guide's table the other way round. */
__host__ __device__ static void direction(int face, float u, float v, float d[3])
{
    const float all[6][3] = {{1, -v, -u}, {-1, -v, u}, {u, 1, v}, {u, -1, -v}, {u, -v, 1}, {-u, -v, -1}};
    for (int k = 0; k < 3; k++)
        d[k] = all[face][k];
}

__global__ void fill(cudaSurfaceObject_t s, cudaSurfaceObject_t many)
{
    int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    if (face < 6) surfCubemapwrite(static_cast<float>(x + 10 * y + 100 * face), s, x * 4, y, face);
    surfCubemapLayeredwrite(static_cast<float>(x + 10 * y + 100 * face), many, x * 4, y, face);
}

__global__ void look(cudaTextureObject_t t, cudaTextureObject_t many, float4 *out)
{
    int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    float d[3], e[3];
    direction(face % 6, (x + 0.5f) / N * 2 - 1, (y + 0.5f) / N * 2 - 1, d);
    direction(face % 6, (x + 0.75f) / N * 2 - 1, (y + 0.5f) / N * 2 - 1, e);
    float4 got = make_float4(0, 0, 0, 0);
    got.x = texCubemap<float>(t, 3 * d[0], 3 * d[1], 3 * d[2]);
    got.y = texCubemapLayered<float>(many, d[0], d[1], d[2], face / 6);
    got.z = texCubemap<float>(t, e[0], e[1], e[2]);
    out[(face * N + y) * N + x] = got;
}

static bool test_cubes()
{
    auto format = cudaCreateChannelDesc<float>();
    cudaArray_t cube = make_array(format, N, N, 6, cudaArrayCubemap | cudaArraySurfaceLoadStore);
    cudaArray_t many = make_array(format, N, N, 6 * CUBES,
                                  cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore);
    fill<<<6 * CUBES, dim3(N, N)>>>(surface_of(cube), surface_of(many));
    float4 *out = managed<float4>(6 * CUBES * N * N);
    look<<<6 * CUBES, dim3(N, N)>>>(texture_of(cube, cudaFilterModeLinear, true),
                                    texture_of(many, cudaFilterModePoint, true), out);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < 6 * CUBES * N * N; i++) {
        int x = i % N, y = i / N % N, face = i / N / N;
        float texel = static_cast<float>(x + 10 * y + 100 * (face % 6));
        float between = texel + (x < N - 1 ? 0.25f : 0); /* exact: quarters of texels */
        ok &= out[i].x == texel && out[i].y == static_cast<float>(x + 10 * y + 100 * face);
        ok &= out[i].z == between;
    }
    return ok;
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static bool test_refused()
{
    cudaArray_t plane = make_array(cudaCreateChannelDesc<float>(), W, H, 0, 0);
    cudaResourceDesc resource = resource_of(plane);
    cudaTextureDesc d = {};
    cudaTextureObject_t texture;
    d.maxAnisotropy = 16;
    bool ok = cudaCreateTextureObject(&texture, &resource, &d, nullptr) == cudaErrorNotSupported;
    cudaMipmappedArray_t mipmaps;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    ok &= cudaMallocMipmappedArray(&mipmaps, &format, make_cudaExtent(W, H, 0), 2) == cudaErrorNotSupported;
    cudaGetLastError();
    return ok;
}

int main()
{
    bool surfaces = test_surfaces(), gathers = test_gather(), cubes = test_cubes();
    bool refused = test_refused(), reduced = test_reduce();
    printf("surfaces %d gather %d cubes %d refused %d reduced %d\n", surfaces, gathers, cubes, refused,
           reduced);
    return verdict(surfaces && gathers && cubes && refused && reduced);
}
