// SPDX-License-Identifier: Apache-2.0
/* A fat binary from anywhere: its images lie inside it, what is unpacked has the size that was told and a
 * zero behind, and machine code is asked for registers of kernels that it may not have. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_image(const struct fatbin_image *image, const uint8_t *data, size_t size)
{
    static const char *const kernels[] = {"_Z3addPKfS0_Pfi", "", "k"};
    assert(image->bytes >= data && image->bytes <= data + size);
    assert(image->stored <= (size_t)(data + size - image->bytes));
    assert(image->packing != FATBIN_PLAIN || image->size == image->stored);
    char *bytes = fatbin_unpack(image);
    if (!bytes) return;
    assert(bytes[image->size] == '\0');
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        fatbin_registers(bytes, image->size, kernels[i]);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { IMAGES = 8 };
    struct fatbin_image images[IMAGES];
    size_t count = fatbin_list(data, size, images, IMAGES);
    for (size_t i = 0; i < count && i < IMAGES; i++)
        check_image(&images[i], data, size);
    return 0;
}
