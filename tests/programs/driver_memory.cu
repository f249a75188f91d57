// SPDX-License-Identifier: Apache-2.0
/* Memory of the driver API: rows, patterns, what pointers are, an array read through a texture, memory
 * mapped to reserved addresses, and a graph captured of driver calls. */
#include <cuda.h>

#include "check.h"

#define CHECK_DRIVER(call)                                                                         \
    do {                                                                                           \
        CUresult check_result = (call);                                                            \
        const char *check_name = "?";                                                              \
        if (check_result != CUDA_SUCCESS) {                                                        \
            cuGetErrorName(check_result, &check_name);                                             \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, check_name);                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void sample(cudaTextureObject_t texture, float *out, int width, int height)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

/* A tile of 3 x 2 out of a pitched image, and its neighbours untouched. */
static bool rows()
{
    enum { WIDTH = 5, HEIGHT = 4 };
    CUdeviceptr image;
    size_t pitch;
    unsigned short all[HEIGHT][WIDTH], tile[2][3];
    CHECK_DRIVER(cuMemAllocPitch(&image, &pitch, WIDTH * 2, HEIGHT, 4));
    CHECK_DRIVER(cuMemsetD2D16(image, pitch, 0x0102, WIDTH, HEIGHT));
    CHECK_DRIVER(cuMemsetD2D16(image + pitch + 2, pitch, 0x0a0b, 3, 2)); /* from (1, 1) */
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = image;
    copy.srcPitch = pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = all;
    copy.dstPitch = WIDTH * 2;
    copy.WidthInBytes = WIDTH * 2;
    copy.Height = HEIGHT;
    CHECK_DRIVER(cuMemcpy2D(&copy));
    copy.srcXInBytes = 2;
    copy.srcY = 1;
    copy.dstHost = tile;
    copy.dstPitch = copy.WidthInBytes = 6;
    copy.Height = 2;
    CHECK_DRIVER(cuMemcpy2D(&copy));
    bool ok = pitch >= WIDTH * 2;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            bool inside = x >= 1 && x < 4 && y >= 1 && y < 3;
            ok &= all[y][x] == (inside ? 0x0a0b : 0x0102);
            if (inside) ok &= tile[y - 1][x - 1] == 0x0a0b;
        }
    CHECK_DRIVER(cuMemFree(image));
    return ok;
}

static bool pointers()
{
    CUdeviceptr memory, managed, begin;
    unsigned kind, is_managed;
    size_t bytes;
    int on_stack;
    CHECK_DRIVER(cuMemAlloc(&memory, 1000));
    CHECK_DRIVER(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL));
    CHECK_DRIVER(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 4));
    CHECK_DRIVER(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    CHECK_DRIVER(cuMemGetAddressRange(&begin, &bytes, memory + 500));
    bool ok = kind == CU_MEMORYTYPE_DEVICE && is_managed && begin == memory && bytes == 1000;
    ok &= cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                (CUdeviceptr)&on_stack) == CUDA_ERROR_INVALID_VALUE;
    CHECK_DRIVER(cuMemFree(memory));
    CHECK_DRIVER(cuMemFree(managed));
    return ok;
}

/* Bytes read as fractions of 255. */
static bool texture()
{
    enum { WIDTH = 16, HEIGHT = 8 };
    CUarray array;
    CUtexObject object;
    unsigned char bytes[HEIGHT][WIDTH];
    float *out, got[HEIGHT * WIDTH];
    CUDA_ARRAY_DESCRIPTOR shape = {WIDTH, HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        bytes[i / WIDTH][i % WIDTH] = (unsigned char)(2 * i);
    CHECK_DRIVER(cuArrayCreate(&array, &shape));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    copy.srcPitch = copy.WidthInBytes = WIDTH;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.Height = HEIGHT;
    CHECK_DRIVER(cuMemcpy2D(&copy));
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC sampling = {};
    CHECK_DRIVER(cuTexObjectCreate(&object, &resource, &sampling, NULL));
    CHECK(cudaMalloc(&out, sizeof got));
    sample<<<1, dim3(WIDTH, HEIGHT)>>>(object, out, WIDTH, HEIGHT);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        ok &= fabsf(got[i] - 2 * i / 255.0f) < 1e-6f;
    CHECK_DRIVER(cuTexObjectDestroy(object));
    CHECK_DRIVER(cuArrayDestroy(array));
    return ok;
}

/* Two pieces of memory behind each other in one range of addresses. */
static bool mapped()
{
    CUmemAllocationProp properties = {};
    CUmemGenericAllocationHandle pieces[2];
    CUdeviceptr address;
    CUmemAccessDesc access = {};
    size_t unit;
    unsigned got[2];
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK_DRIVER(cuMemGetAllocationGranularity(&unit, &properties,
                                               CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK_DRIVER(cuMemAddressReserve(&address, 2 * unit, 0, 0, 0));
    bool ok = address % unit == 0;
    for (int i = 0; i < 2; i++) {
        CHECK_DRIVER(cuMemCreate(&pieces[i], unit, &properties, 0));
        CHECK_DRIVER(cuMemMap(address + i * unit, unit, 0, pieces[i], 0));
        CHECK_DRIVER(cuMemRelease(pieces[i])); /* the mapping keeps it */
    }
    ok &= cuMemSetAccess(address, 3 * unit, &access, 1) == CUDA_ERROR_INVALID_VALUE;
    CHECK_DRIVER(cuMemSetAccess(address, 2 * unit, &access, 1));
    CHECK_DRIVER(cuMemsetD32(address, 77, 2 * unit / 4));
    CHECK_DRIVER(cuMemcpyDtoH(got, address + unit - 4, sizeof got)); /* across both */
    CHECK_DRIVER(cuMemUnmap(address, 2 * unit));
    CHECK_DRIVER(cuMemAddressFree(address, 2 * unit));
    return ok && got[0] == 77 && got[1] == 77;
}

static bool captured()
{
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUdeviceptr memory;
    unsigned got = 0;
    CHECK_DRIVER(cuMemAlloc(&memory, 4));
    CHECK_DRIVER(cuMemsetD32(memory, 1, 1));
    CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK_DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK_DRIVER(cuMemsetD32Async(memory, 5, 1, stream));
    CHECK_DRIVER(cuMemcpyDtoHAsync(&got, memory, 4, stream));
    CHECK_DRIVER(cuStreamEndCapture(stream, &graph));
    bool ok = got == 0;
    CHECK_DRIVER(cuGraphInstantiate(&exec, graph, 0));
    CHECK_DRIVER(cuGraphLaunch(exec, stream));
    CHECK_DRIVER(cuStreamSynchronize(stream));
    CHECK_DRIVER(cuGraphExecDestroy(exec));
    CHECK_DRIVER(cuGraphDestroy(graph));
    CHECK_DRIVER(cuStreamDestroy(stream));
    return ok && got == 5;
}

int main()
{
    CUdevice device;
    CUcontext context;
    CHECK_DRIVER(cuInit(0));
    CHECK_DRIVER(cuDeviceGet(&device, 0));
    CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    CHECK_DRIVER(cuCtxSetCurrent(context));
    bool ok = rows();
    ok &= pointers();
    ok &= texture();
    ok &= mapped();
    ok &= captured();
    CHECK_DRIVER(cuDevicePrimaryCtxRelease(device));
    return verdict(ok);
}
