// SPDX-License-Identifier: Apache-2.0
/* Functions that are not there say so, and are listed at the end, also when no kernel was launched. */
#include <cuda.h>

#include "check.h"

int main()
{
    CUcontext context;
    CUmipmappedArray mipmaps;
    CUDA_ARRAY3D_DESCRIPTOR shape = {};
    cudaMipmappedArray_t runtime_mipmaps;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
        return verdict(false);
    bool ok = true;
    for (int i = 0; i < 3; i++)
        ok &= cuMipmappedArrayCreate(&mipmaps, &shape, 1) == CUDA_ERROR_NOT_SUPPORTED;
    ok &= cudaMallocMipmappedArray(&runtime_mipmaps, &format, make_cudaExtent(8, 8, 0), 1) ==
          cudaErrorNotSupported;
    return verdict(ok);
}
