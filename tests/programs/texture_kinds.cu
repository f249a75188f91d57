// SPDX-License-Identifier: Apache-2.0
/* tex1Dfetch of linear memory, pitched rows of uchar4 as normalized floats, a volume, layers; what is
 * wrong returns the errors that CUDA documents. */
#include "check.h"

__global__ void stencil(float *out, cudaTextureObject_t line, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.25f * tex1Dfetch<float>(line, i - 1) + 0.5f * tex1Dfetch<float>(line, i) +
                 0.25f * tex1Dfetch<float>(line, i + 1);
}

__global__ void colours(float4 *out, cudaTextureObject_t image, int w)
{
    out[blockIdx.x * w + threadIdx.x] = tex2D<float4>(image, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

__global__ void volume(float *out, cudaTextureObject_t box, int n)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    out[(z * n + y) * n + x] = tex3D<float>(box, x + 0.75f, y + 0.5f, z + 0.625f);
}

__global__ void layers(int *out, cudaTextureObject_t stack, int w)
{
    out[blockIdx.x * w + threadIdx.x] = tex2DLayered<int>(stack, threadIdx.x, 1.0f, blockIdx.x);
}

static cudaTextureDesc sampling(cudaTextureFilterMode filter, cudaTextureReadMode read)
{
    cudaTextureDesc d = {};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = cudaAddressModeClamp;
    d.filterMode = filter;
    d.readMode = read;
    return d;
}

static cudaTextureObject_t create(const cudaResourceDesc &resource, const cudaTextureDesc &d)
{
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &d, nullptr));
    return texture;
}

template <class T> static std::vector<T> fetch_back(T *device, int n)
{
    std::vector<T> host(n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    return host;
}

/* Powers of two throughout: sums are exact. Beyond its ends linear memory reads as 0. */
static bool test_line()
{
    const int n = 1000;
    std::vector<float> in(n);
    for (int i = 0; i < n; i++)
        in[i] = (i * 37) % 256;
    float *memory, *out;
    CHECK(cudaMalloc(&memory, n * sizeof(float)));
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    CHECK(cudaMemcpy(memory, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureObject_t texture =
        create(resource, sampling(cudaFilterModePoint, cudaReadModeElementType));
    stencil<<<8, 128>>>(out, texture, n);
    std::vector<float> got = fetch_back(out, n);
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok = ok && got[i] == 0.25f * (i ? in[i - 1] : 0) + 0.5f * in[i] +
                                 0.25f * (i + 1 < n ? in[i + 1] : 0);
    CHECK(cudaDestroyTextureObject(texture));
    ok = ok && cudaDestroyTextureObject(texture) == cudaErrorInvalidValue &&
         cudaGetLastError() == cudaErrorInvalidValue;
    CHECK(cudaFree(memory));
    return ok;
}

static bool test_colours()
{
    const int w = 50, h = 7;
    std::vector<uchar4> in(w * h);
    for (int i = 0; i < w * h; i++)
        in[i] = make_uchar4(i % 256, (i * 3) % 256, 255, 0);
    uchar4 *memory;
    float4 *out;
    size_t pitch;
    CHECK(cudaMallocPitch(&memory, &pitch, w * 4, h));
    CHECK(cudaMalloc(&out, w * h * sizeof(float4)));
    CHECK(cudaMemcpy2D(memory, pitch, in.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.pitch2D.width = w;
    resource.res.pitch2D.height = h;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureObject_t texture =
        create(resource, sampling(cudaFilterModePoint, cudaReadModeNormalizedFloat));
    colours<<<h, w>>>(out, texture, w);
    std::vector<float4> got = fetch_back(out, w * h);
    bool ok = true;
    for (int i = 0; i < w * h; i++)
        ok = ok && fabsf(got[i].x * 255 - in[i].x) < 1e-4f &&
             fabsf(got[i].y * 255 - in[i].y) < 1e-4f && got[i].z == 1 && got[i].w == 0;
    /* integers as they are cannot be filtered */
    cudaTextureDesc wrong = sampling(cudaFilterModeLinear, cudaReadModeElementType);
    cudaTextureObject_t none;
    ok = ok && cudaCreateTextureObject(&none, &resource, &wrong, nullptr) == cudaErrorInvalidValue;
    resource.res.pitch2D.pitchInBytes = pitch + 4;
    wrong.filterMode = cudaFilterModePoint;
    ok = ok && cudaCreateTextureObject(&none, &resource, &wrong, nullptr) == cudaErrorInvalidValue;
    cudaGetLastError();
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
    return ok;
}

static cudaArray_t make_array(const cudaChannelFormatDesc &format, const void *from, size_t bytes,
                              int w, int h, int d, unsigned flags)
{
    cudaArray_t array;
    cudaExtent extent = make_cudaExtent(w, h, d);
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)from, w * bytes, w, h);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static bool test_volume()
{
    const int n = 8;
    std::vector<float> in(n * n * n);
    for (int i = 0; i < n * n * n; i++)
        in[i] = (i * 29) % 128;
    float *out;
    CHECK(cudaMalloc(&out, in.size() * sizeof(float)));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array =
        make_array(cudaCreateChannelDesc<float>(), in.data(), sizeof(float), n, n, n, 0);
    cudaTextureObject_t texture =
        create(resource, sampling(cudaFilterModeLinear, cudaReadModeElementType));
    volume<<<n, dim3(n, n)>>>(out, texture, n);
    std::vector<float> got = fetch_back(out, n * n * n);
    bool ok = true;
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int x1 = x + 1 < n ? x + 1 : x, z1 = z + 1 < n ? z + 1 : z;
                auto at = [&](int i, int k) { return in[(k * n + y) * n + i]; };
                /* alpha 1/4 in x, 0 in y, 1/8 in z: exact */
                float low = 0.75f * at(x, z) + 0.25f * at(x1, z);
                float high = 0.75f * at(x, z1) + 0.25f * at(x1, z1);
                ok = ok && got[(z * n + y) * n + x] == 0.875f * low + 0.125f * high;
            }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(resource.res.array.array));
    return ok;
}

static bool test_layers()
{
    const int w = 9, h = 3, d = 4;
    std::vector<int> in(w * h * d);
    for (int i = 0; i < w * h * d; i++)
        in[i] = 1000 - 7 * i;
    int *out;
    CHECK(cudaMalloc(&out, (d + 1) * w * sizeof(int)));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array =
        make_array(cudaCreateChannelDesc<int>(), in.data(), sizeof(int), w, h, d, cudaArrayLayered);
    cudaTextureObject_t texture =
        create(resource, sampling(cudaFilterModePoint, cudaReadModeElementType));
    layers<<<d + 1, w>>>(out, texture, w); /* the last layer for what lies beyond */
    std::vector<int> got = fetch_back(out, (d + 1) * w);
    bool ok = true;
    for (int z = 0; z <= d; z++)
        for (int x = 0; x < w; x++)
            ok = ok && got[z * w + x] == in[((z < d ? z : d - 1) * h + 1) * w + x];
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(resource.res.array.array));
    return ok;
}

int main()
{
    bool line = test_line(), rgba = test_colours(), box = test_volume(), stack = test_layers();
    printf("line %d colours %d volume %d layers %d\n", line, rgba, box, stack);
    return verdict(line && rgba && box && stack);
}
