// SPDX-License-Identifier: Apache-2.0
/* An image turned by a texture of a CUDA array: normalized coordinates, linear filter, every address mode,
 * against the formulas of the CUDA Programming Guide's appendix on texture fetching in plain C. */
#include "check.h"

const int width = 60, height = 44; /* no powers of two */

__global__ void rotate(float *out, cudaTextureObject_t image, int w, int h, float angle)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float u = x / (float)w - 0.5f, v = y / (float)h - 0.5f;
    float tu = u * cosf(angle) - v * sinf(angle) + 0.5f;
    float tv = v * cosf(angle) + u * sinf(angle) + 0.5f;
    float *to = out + 3 * (y * w + x);
    to[0] = tu;
    to[1] = tv;
    to[2] = tex2D<float>(image, tu, tv);
}

static int beside(int i, int n, cudaTextureAddressMode mode)
{
    if (mode == cudaAddressModeWrap) return (i % n + n) % n;
    if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
    if (mode == cudaAddressModeMirror) { /* 0 1 2 2 1 0 0 1 2 */
        int j = (i % (2 * n) + 2 * n) % (2 * n);
        return j < n ? j : 2 * n - 1 - j;
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel(const std::vector<float> &image, int i, int j, cudaTextureAddressMode mode)
{
    i = beside(i, width, mode);
    j = beside(j, height, mode);
    return i < 0 || j < 0 ? 0 : image[j * width + i];
}

static double reference(const std::vector<float> &image, double u, double v,
                        cudaTextureAddressMode mode)
{
    double x = u * width - 0.5, y = v * height - 0.5;
    int i = (int)floor(x), j = (int)floor(y);
    double a = x - i, b = y - j; /* not rounded to 256 steps: hence the tolerance */
    return (1 - a) * (1 - b) * texel(image, i, j, mode) +
           a * (1 - b) * texel(image, i + 1, j, mode) + (1 - a) * b * texel(image, i, j + 1, mode) +
           a * b * texel(image, i + 1, j + 1, mode);
}

static double turn(cudaArray_t array, const std::vector<float> &image, cudaTextureAddressMode mode)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling = {};
    sampling.addressMode[0] = sampling.addressMode[1] = mode;
    sampling.filterMode = cudaFilterModeLinear;
    sampling.readMode = cudaReadModeElementType;
    sampling.normalizedCoords = 1;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    cudaTextureDesc told;
    CHECK(cudaGetTextureObjectTextureDesc(&told, texture));
    float *out;
    std::vector<float> result(3 * width * height);
    CHECK(cudaMalloc(&out, result.size() * sizeof(float)));
    rotate<<<dim3(8, 6), dim3(8, 8)>>>(out, texture, width, height, 0.7f);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), out, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double worst = told.addressMode[0] == mode ? 0 : 1e9;
    for (int k = 0; k < width * height; k++)
        worst = fmax(worst, fabs(result[3 * k + 2] -
                                 reference(image, result[3 * k], result[3 * k + 1], mode)));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(out));
    return worst;
}

int main()
{
    std::vector<float> image(width * height);
    unsigned state = 1;
    for (float &pixel : image)
        pixel = (next_random(&state) % 1024) / 1024.0f;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * sizeof(float),
                              width * sizeof(float), height, cudaMemcpyHostToDevice));
    double worst = 0;
    for (int mode = 0; mode < 4; mode++)
        worst = fmax(worst, turn(array, image, (cudaTextureAddressMode)mode));
    CHECK(cudaFreeArray(array));
    /* texels differ by at most 1, each of two fractions is wrong by at most 1/512 */
    printf("largest difference %s\n",
           worst <= 2 * 2.0 / 512 ? "within the fractions' steps" : "too large");
    return verdict(worst <= 2 * 2.0 / 512);
}
