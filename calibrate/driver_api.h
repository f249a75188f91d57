// SPDX-License-Identifier: Apache-2.0
/* The functions of the CUDA driver that calibration calls, by the names and numbers of its documented ABI. */
#ifndef CALIBRATE_DRIVER_API_H
#define CALIBRATE_DRIVER_API_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t driver_address;
typedef void *driver_handle;

/* CUDA_RESOURCE_DESC of linear memory, and CUDA_TEXTURE_DESC. */
struct driver_resource {
    int type;
    union {
        struct {
            driver_address address;
            unsigned format, channels;
            size_t bytes;
        } linear;
        int reserved[32];
    };
    unsigned flags;
};
struct driver_sampling {
    int address_modes[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float bias, least_level, most_level, border[4];
    int reserved[12];
};

/* DRIVER(field, "symbol", parameters) */
#define DRIVER_FUNCTIONS(DRIVER)                                                                   \
    DRIVER(init, "cuInit", (unsigned flags))                                                       \
    DRIVER(version, "cuDriverGetVersion", (int *out))                                              \
    DRIVER(error_name, "cuGetErrorName", (int error, const char **out))                            \
    DRIVER(error_text, "cuGetErrorString", (int error, const char **out))                          \
    DRIVER(device_count, "cuDeviceGetCount", (int *out))                                           \
    DRIVER(device_get, "cuDeviceGet", (int *out, int ordinal))                                     \
    DRIVER(device_name, "cuDeviceGetName", (char *out, int bytes, int device))                     \
    DRIVER(device_uuid, "cuDeviceGetUuid", (unsigned char *out, int device))                       \
    DRIVER(device_memory, "cuDeviceTotalMem_v2", (size_t * out, int device))                       \
    DRIVER(device_attribute, "cuDeviceGetAttribute", (int *out, int attribute, int device))        \
    DRIVER(context_create, "cuCtxCreate_v2", (driver_handle * out, unsigned flags, int device))    \
    DRIVER(context_destroy, "cuCtxDestroy_v2", (driver_handle context))                            \
    DRIVER(context_wait, "cuCtxSynchronize", (void))                                               \
    DRIVER(module_load, "cuModuleLoadDataEx",                                                      \
           (driver_handle * out, const void *image, unsigned count, int *options, void **values))  \
    DRIVER(module_unload, "cuModuleUnload", (driver_handle module))                                \
    DRIVER(module_function, "cuModuleGetFunction",                                                 \
           (driver_handle * out, driver_handle module, const char *name))                          \
    DRIVER(function_set, "cuFuncSetAttribute", (driver_handle function, int attribute, int value)) \
    DRIVER(function_get, "cuFuncGetAttribute", (int *out, int attribute, driver_handle function))  \
    DRIVER(allocate, "cuMemAlloc_v2", (driver_address * out, size_t bytes))                        \
    DRIVER(release, "cuMemFree_v2", (driver_address address))                                      \
    DRIVER(to_device, "cuMemcpyHtoD_v2", (driver_address to, const void *from, size_t bytes))      \
    DRIVER(to_host, "cuMemcpyDtoH_v2", (void *to, driver_address from, size_t bytes))              \
    DRIVER(fill, "cuMemsetD32_v2", (driver_address to, unsigned value, size_t words))              \
    DRIVER(event_create, "cuEventCreate", (driver_handle * out, unsigned flags))                   \
    DRIVER(event_destroy, "cuEventDestroy_v2", (driver_handle event))                              \
    DRIVER(event_record, "cuEventRecord", (driver_handle event, driver_handle stream))             \
    DRIVER(event_wait, "cuEventSynchronize", (driver_handle event))                                \
    DRIVER(event_elapsed, "cuEventElapsedTime",                                                    \
           (float *out_ms, driver_handle begin, driver_handle end))                                \
    DRIVER(launch, "cuLaunchKernel",                                                               \
           (driver_handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,            \
            unsigned by, unsigned bz, unsigned shared, driver_handle stream, void **arguments,     \
            void **extra))                                                                         \
    DRIVER(resident, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                \
           (int *out, driver_handle function, int block, size_t shared))                           \
    DRIVER(texture_create, "cuTexObjectCreate",                                                    \
           (uint64_t * out, const struct driver_resource *resource,                                \
            const struct driver_sampling *sampling, const void *view))                             \
    DRIVER(texture_destroy, "cuTexObjectDestroy", (uint64_t texture))

struct driver_api {
#define DRIVER(field, symbol, parameters) int(*field) parameters;
    DRIVER_FUNCTIONS(DRIVER)
#undef DRIVER
};

/* Numbers of CUdevice_attribute. */
enum {
    DEVICE_MAX_THREADS = 1,
    DEVICE_MAX_BLOCK_X = 2,
    DEVICE_MAX_GRID_X = 5,
    DEVICE_SHARED_BLOCK = 8,
    DEVICE_WARP = 10,
    DEVICE_REGISTERS_BLOCK = 12,
    DEVICE_CLOCK_KHZ = 13,
    DEVICE_SMS = 16,
    DEVICE_MEMORY_CLOCK_KHZ = 36,
    DEVICE_BUS_BITS = 37,
    DEVICE_L2_BYTES = 38,
    DEVICE_THREADS_SM = 39,
    DEVICE_CC_MAJOR = 75,
    DEVICE_CC_MINOR = 76,
    DEVICE_SHARED_SM = 81,
    DEVICE_REGISTERS_SM = 82,
    DEVICE_SHARED_OPTIN = 97,
    DEVICE_BLOCKS_SM = 106,
    DEVICE_SHARED_RESERVED = 111,
    FUNCTION_REGISTERS = 4,
    FUNCTION_MAX_SHARED = 8,
    OPTION_ERROR_LOG = 5,
    OPTION_ERROR_LOG_BYTES = 6,
    RESOURCE_LINEAR = 2,
    FORMAT_INT32 = 0x0a,
    SAMPLE_INTEGERS = 1
};

#endif
