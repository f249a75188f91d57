// SPDX-License-Identifier: Apache-2.0
/* The binary interface of the CUDA runtime as programs see it: types and numbers that NVIDIA's
 * documentation of the runtime API and the compiler's output fix. Names are CUDA's. */
#ifndef RUNTIME_CUDA_ABI_H
#define RUNTIME_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef enum cudaError {
#define CUDA_ERROR(name, number, words) name = number,
#include "cuda_errors.def"
#undef CUDA_ERROR
} cudaError_t;

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

typedef struct stream *cudaStream_t;
typedef struct event *cudaEvent_t;
typedef struct array *cudaArray_t;
typedef struct kernel *cudaKernel_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};

struct cudaPos {
    size_t x, y, z;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    int kind;
};
struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};

struct cudaMemLocation {
    int type, id; /* type 1: a device */
};
struct cudaMemPoolProps {
    int allocType, handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned char reserved[56];
};
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    int flags; /* 0 none, 1 read, 3 read and write */
};

struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    int f;          /* 0 signed, 1 unsigned, 2 float, 3 none */
};

enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags; /* CUDA 12 and later; not read */
};
struct cudaTextureDesc {
    int addressMode[3]; /* 0 wrap, 1 clamp, 2 mirror, 3 border */
    int filterMode;     /* 0 point, 1 linear */
    int readMode;       /* 0 element type, 1 normalized float */
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
    /* CUDA 12 and later; ours end before reserved */
    int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
};

struct cudaPointerAttributes {
    int type, device;
    void *devicePointer, *hostPointer;
};

/* cudaLaunchAttribute: the value is a union of 64 bytes. */
struct cudaLaunchAttribute {
    int id, padding;
    int value[16];
};
struct cudaLaunchConfig {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    const struct cudaLaunchAttribute *attributes;
    unsigned numAttrs;
};

/* ---- graphs ---------------------------------------------------------------------------------- */

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height; /* elements, rows */
};
struct cudaHostNodeParams {
    void (*fn)(void *userData);
    void *userData;
};
struct cudaMemAllocNodeParams {
    int pool[22]; /* cudaMemPoolProps */
    const void *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
struct cudaConditionalNodeParams {
    unsigned long long handle;
    int type;      /* cudaGraphConditionalNodeType */
    unsigned size; /* bodies */
    struct graph **phGraph_out;
};
struct cudaGraphNodeParams {
    int type; /* cudaGraphNodeType */
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            struct cudaMemcpy3DParms copyParams;
        } memcpy;
        struct cudaMemsetParams memset;
        struct cudaHostNodeParams host;
        struct cudaMemAllocNodeParams alloc;
        struct cudaConditionalNodeParams conditional;
        struct graph *graph;
        struct event *event;
        void *dptr;
    };
    long long reserved2;
};
struct cudaGraphExecUpdateResultInfo {
    int result; /* cudaGraphExecUpdateResult */
    struct node *errorNode, *errorFromNode;
};
struct cudaGraphInstantiateParams {
    unsigned long long flags;
    cudaStream_t uploadStream;
    struct node *errNode_out;
    int result_out; /* cudaGraphInstantiateResult */
};
_Static_assert(sizeof(struct cudaGraphNodeParams) == 256, "cudaGraphNodeParams of CUDA 12");

/* What __cudaRegisterFatBinary gets. */
struct fatbin_wrapper {
    int magic, version;
    const void *data;
    const void *const *filename_or_fatbins; /* version 2: the parts that were linked, up to NULL */
};

#endif
