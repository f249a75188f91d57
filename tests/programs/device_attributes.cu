// SPDX-License-Identifier: Apache-2.0
/* What the device says of itself: limits of compute capability 8.0 as the CUDA programming guide gives them
 * (Technical specifications per compute capability), the same in attributes and properties; and what it says it can do,
 * it does. */
#include "check.h"

struct limit {
    cudaDeviceAttr attribute;
    int value;
};

static const limit limits[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrTotalConstantMemory, 64 << 10},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 64 << 10},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 64 << 10},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, 163 << 10},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 164 << 10},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1 << 10},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture1DLinearWidth, 1 << 28},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrComputeCapabilityMajor, 8},
    {cudaDevAttrComputeCapabilityMinor, 0},
};

static int ask(int attribute)
{
    int value = -2;
    CHECK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attribute, 0));
    return value;
}

static bool agree(const char *what, const int *members, int first, int count)
{
    bool same = true;
    for (int k = 0; k < count; k++)
        same &= members[k] == ask(first + k);
    if (!same) printf("%s: properties and attributes differ\n", what);
    return same;
}
#define AGREE(member, first) agree(#member, (const int *)&p.member, first, sizeof p.member / sizeof(int))

static bool check_properties(void)
{
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    return AGREE(maxThreadsDim, 2) & AGREE(maxGridSize, 5) & AGREE(maxTexture1D, 21) & AGREE(maxTexture2D, 22) &
           AGREE(maxTexture2DMipmap, 73) & AGREE(maxTexture2DLinear, 70) & AGREE(maxTexture2DGather, 45) &
           AGREE(maxTexture3D, 24) & AGREE(maxTexture3DAlt, 47) & AGREE(maxTextureCubemapLayered, 53) &
           AGREE(maxSurface2D, 56) & AGREE(maxSurface3D, 58) & AGREE(maxSurface1DLayered, 61) &
           AGREE(maxSurface2DLayered, 63) & AGREE(maxSurfaceCubemapLayered, 67) & AGREE(warpSize, 10) &
           AGREE(asyncEngineCount, 40) & AGREE(memoryPoolsSupported, 115) & AGREE(cooperativeLaunch, 95) &
           AGREE(clusterLaunch, 120) & AGREE(deviceNumaId, 131) & AGREE(concurrentManagedAccess, 89);
}

int main()
{
    bool ok = true;
    for (const limit &one : limits)
        if (ask(one.attribute) != one.value) {
            printf("attribute %d: %d, not %d\n", one.attribute, ask(one.attribute), one.value);
            ok = false;
        }
    for (int attribute = 1; attribute <= 147; attribute++)
        ask(attribute);
    int value;
    ok &= cudaDeviceGetAttribute(&value, (cudaDeviceAttr)1000, 0) == cudaErrorInvalidValue;
    ok &= cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1) == cudaErrorInvalidDevice;
    ok &= check_properties();

    void *memory = nullptr;
    bool has_pools = ask(cudaDevAttrMemoryPoolsSupported);
    ok &= has_pools == (cudaMallocAsync(&memory, 4096, 0) == cudaSuccess);
    bool can_register = ask(cudaDevAttrHostRegisterSupported);
    static char host[4096];
    ok &= can_register == (cudaHostRegister(host, sizeof host, cudaHostRegisterDefault) == cudaSuccess);
    return verdict(ok);
}
