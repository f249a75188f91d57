// SPDX-License-Identifier: Apache-2.0
/* The stand-in for the CUDA runtime library: what its files share. It is loaded into the program that
 * `warpsage run` starts, so it has what a library has not: one state for the process, the environment
 * and messages on standard error.
 *
 *   divert.c     calls of a statically linked runtime are led here
 *   binary.c     modules out of the PTX and machine code that nvcc embeds, linked if need be
 *   registry.c   what the compiler's code registers: fat binaries, kernels, variables
 *   session.c    options from `warpsage run`, and the table it reads when the program has ended
 *   work.c       what a stream is asked for: done at once, or kept
 *   device_runtime.c   what kernels ask for: launches and the like
 *   texture_reference.c   texture references of programs before CUDA 12
 *   graph.c      work with dependencies
 *   event_log.c  the timeline of calls, launches and copies
 *   power_log.c  power and temperature in virtual time, by gpu_history.c
 *   host_*.c     misuse of the API and leaks, for `warpsage check` (host_check.h)
 *   cudart_*.c   the functions of the runtime API that programs call
 *   driver_*.c   those of the driver API
 *   nvml_*.c     those of NVML
 *
 * Every function that a program calls begins with `api_begin` and ends with `api_end`; one lock holds
 * all state. Work is done at once and in order, so streams have nothing to wait for. */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <warpsage/warpsage.h>

#include "cuda_abi.h"
#include "live_handles.h"

#define CUDART __attribute__((visibility("default")))

/* What events report: the time that the headline model predicts, that of the host, or that of one model, which
 * kernels' clocks follow, too, if it is teg. */
enum clock_kind { CLOCK_PREDICTED, CLOCK_HOST, CLOCK_MODEL };

/* What of a program's code is executed: PTX, else machine code; PTX only; machine code. */
enum isa { ISA_AUTO, ISA_PTX, ISA_NATIVE };

struct binary;

/* A __global__ function. */
struct kernel {
    const void *host; /* what the program calls it by */
    const char *name; /* in PTX; of the program */
    struct binary *binary;
    bool resolved;
    cudaError_t failure; /* why it cannot be launched; cudaSuccess: it can */
    size_t index;        /* in binary->module */
    ws_kernel_info info;
    unsigned registers;
    size_t parameter_count;
    ws_parameter *parameters;
    size_t parameter_bytes;
    uint64_t max_dynamic_shared; /* cudaFuncSetAttribute; 0: the default */
    bool allows_large_clusters;  /* cudaFuncSetAttribute */
    struct {
        uint32_t grid[3], block[3], cluster[3];
        uint64_t shared;
    } fitting; /* the last shape that the GPU can launch */
    struct {
        uint64_t threads, shared, blocks;
    } resident;          /* the last answer of kernel_resident_blocks */
    struct tally *tally; /* tally.c */
    struct kernel *next; /* of binary->functions */
};

/* A __device__, __constant__ or __managed__ variable. */
struct variable {
    const void *host; /* its shadow in the program */
    const char *name;
    struct binary *binary;
    size_t size;
    void **managed; /* where the program keeps the address; NULL: not managed */
    uint64_t address;
};

/* One fat binary. */
struct binary {
    const void *image;        /* a fat binary or a cubin, or */
    const char *text;         /* PTX, up to a zero */
    size_t image_bytes;       /* at most; SIZE_MAX: what its header says */
    struct kernel *functions; /* that cuModuleGetFunction gave */
    const void *const
        *parts; /* fat binaries that it was linked from (-rdc=true), up to NULL; or NULL */
    bool loaded;
    cudaError_t failure;
    ws_module *module;
    struct binary *next;
    struct kernel **kernels; /* kernel_in; NULL: nobody has asked */
    unsigned targets[8];     /* of the machine code beside the PTX */
    size_t target_count;
    unsigned (*registers)[8]; /* of kernels in them, by index of the module's kernel; 0: not told */
};

/* Fields that `warpsage run` gives (session.c). */
struct options {
    char *gpu, *machines, *tools, *only, *report_dir, *folder, *host_isa, *engine;
    uint64_t skip, count;
    uint64_t max_instructions; /* of a launch; 0: what the library has */
    enum clock_kind clock;
    enum isa isa;
    char *model;   /* of CLOCK_MODEL */
    double jitter; /* intervals that timers report are off by at most this part */
    unsigned threads;
    bool every_launch; /* count each, whatever was counted before */
    bool timeline;     /* events are kept for it (event_log.h) */
    bool traces;       /* counted launches keep warp traces for their reports */
    char *check;       /* tools of `warpsage check`; NULL: none */
    bool virtual_time; /* the host's clocks follow it */
    bool leaks;        /* what the program has not freed is told */
    char *l2;          /* what launches find there, as the input of predictions */
};

struct runtime {
    pthread_mutex_t lock;
    bool started, failed;
    bool used; /* by calls of the runtime API: its context is there */
    cudaError_t start_failure;
    struct options options;
    ws_context *context;
    ws_machine *machine;
    ws_check *check; /* NULL: no checks */
    ws_device *device;
    ws_launch prepared;    /* what the machine wants counted */
    uint64_t memory_bytes; /* of the GPU */
    double bandwidth;      /* of its memory, bytes per second; 0: unknown */
    double l2_bytes;       /* 0: unknown */
    double now;            /* virtual time of the host, seconds (virtual_time.h) */
    bool has_managed;      /* the host may change memory of the device unseen */
    cudaError_t pending;   /* a fault that the next call that waits will tell */
    cudaError_t sticky;    /* and every call after it */
    uint64_t launches;     /* of kernels that are of interest */
    uint64_t measured;     /* launches that were counted */

    struct binary *binaries;
};
extern struct runtime runtime;

/* Takes the lock and starts the device if need be. Not cudaSuccess: return api_end of it. */
#define api_begin() api_begin_as(__func__)
cudaError_t api_begin_as(const char *name);
/* The same for the driver API, whose calls do not make the runtime's context. */
cudaError_t device_begin(void);
/* Starts the device if need be; with the lock. */
cudaError_t device_start(void);
/* The same for calls that need no device and forget no error: only the lock. */
void api_lock(void);
void api_unlock(void);
/* Releases the lock; remembers an error for cudaGetLastError. */
cudaError_t api_end(cudaError_t error);
/* The error of this thread for cudaGetLastError. */
cudaError_t *api_last(void);

/* event_log.c: a call of the API. In a function that goes through others or through helpers, API_CALL comes first: the
 * call is the program's, and the others are none. */
#define API_CALL                                                                                   \
    __attribute__((cleanup(api_leave), unused)) const char *call_before = api_enter(__func__)
const char *api_enter(const char *name);
void api_leave(const char **before);
/* With the lock; `name`: of the function, if it is the program's call. */
void api_called(const char *name);
/* The call of this thread that goes on. */
const char *api_current(void);

/* Words on standard error, each line "warpsage: ..." */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The context's last message as a note, told once; and the CUDA error that fits the status. */
cudaError_t fail(ws_status status);

/* session.c */
void session_start(struct options *options);
/* A line of the table for the report: kept in a file that outlives this process. */
struct row;
struct row *row_create(const char *kind);
void row_set(struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The place of its field `index`, from 0, of so many bytes; NULL: row_set had no room for it. */
char *row_field(struct row *row, unsigned index, size_t bytes);
/* A note that the report shows; the same words only once. */
/* Where CUDA has no error to give: says so and ends the program with 125, warpsage's own failure. */
_Noreturn void out_of_memory(size_t bytes);
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A function that does not exist here was called. */
void note_missing(const char *name);
/* Was anything missing? */
bool session_has_missing(void);
/* Has `warpsage run` been asked to end the program? Looks ten times a second at most. */
bool session_is_over(void *unused);
/* A path in the folder that the report reads. */
char *session_path(const char *name);

/* binary.c: decodes what it holds, once. */
void binary_load(struct binary *binary);
/* What a program gives as an image: PTX up to a zero, a cubin, a fat binary, or what nvcc wraps around one. `bytes`:
 * how many there are before a zero, SIZE_MAX: the image tells. To be loaded before the image goes. */
cudaError_t binary_create(const void *image, size_t bytes, struct binary **out);

/* registry.c */
struct kernel *kernel_find(const void *host_or_handle);
/* host: what the program calls it by; NULL: it has no other handle. The name is kept as it is. */
struct kernel *kernel_add(const void *host, const char *name, struct binary *binary);
/* Its module goes: the handle is one no more, and launches that were prepared fail. */
void kernel_remove(struct kernel *kernel);
/* By its index in the module, which is loaded; NULL: it has no such kernel. */
struct kernel *kernel_in(struct binary *binary, size_t index);
/* Decodes the module of a kernel on first use. */
cudaError_t kernel_resolve(struct kernel *kernel);
/* Device address of a variable; also of a kernel's own symbol. */
cudaError_t variable_find(const void *host, struct variable **out);
/* Is a __managed__ variable there? */
bool variable_is_managed(uint64_t address);
/* Managed variables of all binaries get their place. */
void registry_place_managed(void);

/* divert.c: of the CUDA runtime that the program was built with, 11, 12 or 13. */
unsigned runtime_version(void);

/* A launch. */
struct kernel_work {
    struct kernel *kernel;
    dim3 grid, block;
    uint64_t shared; /* dynamic, bytes */
    bool cooperative;
    unsigned char *parameters; /* as the kernel reads them */
    uint32_t cluster[3];       /* blocks by dimension; zeros: none are asked for */
};

/* cudart_launch.c */
/* Checks it and packs the arguments into `parameters`, to be freed by the caller. They come by pointers
 * to them, or packed in `extra` (cuLaunchKernel). */
cudaError_t launch_prepare(struct kernel_work *work, void **arguments, void **extra);
cudaError_t launch_run(const struct kernel_work *work);
/* Can the GPU launch it so? */
cudaError_t launch_check(const struct kernel_work *work);
/* Both, for a stream that may be captured. */
cudaError_t launch(cudaStream_t stream, struct kernel_work *work, void **arguments, void **extra);

/* The same with the attributes of a configuration; its kernel by what the program calls it. */
cudaError_t launch_with(const struct cudaLaunchConfig *configuration, const void *host,
                        void **arguments, void **extra);

/* cudart_function.c: blocks of a kernel that are on the GPU at once; 0: not one fits. */
uint64_t kernel_resident_blocks(struct kernel *kernel, uint64_t threads, uint64_t shared);
cudaError_t kernel_blocks_per_sm(const struct kernel *kernel, int threads, size_t shared, int *out);
/* Of a kernel that is resolved. */
void kernel_attributes(const struct kernel *kernel, struct cudaFuncAttributes *out);

/* cudart_device.c: with the lock. */
cudaError_t device_attribute(int attribute, int device, int *out);
cudaError_t device_limit(int limit, size_t *out);

/* cudart_pool.c: an allocation of a pool (NULL: the current one), and its end. */
struct pool;
void pool_add(struct pool *pool, uint64_t address, uint64_t bytes);
void pool_drop(uint64_t address);
bool pool_is_valid(const struct pool *pool);

/* cudart_memory.c */
cudaError_t copy_bytes(void *to, const void *from, size_t bytes, int kind);
/* With elements of 1, 2 or 4 bytes. */
cudaError_t fill_bytes(void *to, unsigned value, unsigned element_bytes, size_t bytes);
/* The place of `bytes` from `offset` on in a variable. */
cudaError_t locate(const void *symbol, size_t bytes, size_t offset, void **out);

#endif
