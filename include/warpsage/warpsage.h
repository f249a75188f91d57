// SPDX-License-Identifier: Apache-2.0
/* warpsage: how fast will this GPU kernel run, and why? Answered without a GPU.
 *
 * The flow of a program that uses this library (examples/api/predict.c does it in 40 lines):
 *
 *     ws_context_create                      one per thread of control; carries the last error
 *     ws_module_load_file / _memory          PTX text (or .cu through the compiler that is found)
 *     ws_device_create, ws_device_alloc ...  a CPU-side device with its own memory
 *     ws_device_launch                       executes the kernel and returns its profile
 *     ws_machine_load                        a GPU description, data/machines/NAME.yaml
 *     ws_ask, ws_answer_number, ws_answer_write   what every model says of it: a tree, text, JSON or CSV
 *
 * Rules that hold everywhere
 * - Every fallible function returns ws_status and hands its result through its last pointer, which
 *   is set to NULL (or 0) on failure. ws_context_error() holds the message of the last failure.
 * - Handles are opaque. A handle must be destroyed before the context it was made with;
 *   destroy(NULL) does nothing.
 * - The library never prints, never exits, reads no environment variable and has no global state.
 *   Handles of different contexts may be used from different threads at once; predictions of several
 *   contexts may share one profile, which they do not change.
 * - The caller's floating-point state (rounding, flushing of subnormals, traps, flags) changes no result and is
 *   as before when a call returns. Callbacks run in the default state.
 * - Memory of the host that runs out is WS_ERR_MEMORY in every function with a status, NULL where a text
 *   is returned; the call has given back what it took, and handles stay as usable as before.
 * - SI base units: seconds, bytes, hertz, watts, joules. Names say so where it is not plain.
 */
#ifndef WARPSAGE_H
#define WARPSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WS_API __attribute__((visibility("default")))
#define WS_CHECKED __attribute__((warn_unused_result))
#else
#define WS_API
#define WS_CHECKED
#endif

/* The version, the only place that has it: the build reads it from here. WS_VERSION_NUMBER compares:
 * #if WS_VERSION_NUMBER >= WS_VERSION(0, 2, 0). */
#define WS_VERSION_MAJOR 0
#define WS_VERSION_MINOR 2
#define WS_VERSION_PATCH 0
#define WS_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define WS_VERSION_NUMBER WS_VERSION(WS_VERSION_MAJOR, WS_VERSION_MINOR, WS_VERSION_PATCH)
#define WS_VERSION_STRING "0.2.0"

/* One row a status: name, exit code of the command line (doc/arguments.md#exit-status), words. */
#define WS_STATUS_LIST(X)                                                                          \
    X(WS_OK, 0, "done")                                                                            \
    X(WS_ERR_CHECK, 1, "a check or a gate failed")                                                 \
    X(WS_ERR_ARGUMENT, 2, "bad option, name or argument")                                          \
    X(WS_ERR_LAUNCH, 2, "launch beyond the limits")                                                \
    X(WS_ERR_IO, 3, "input cannot be read or output cannot be written")                            \
    X(WS_ERR_INPUT, 3, "input cannot be decoded")                                                  \
    X(WS_ERR_UNSUPPORTED, 3, "unsupported instruction or feature")                                 \
    X(WS_ERR_MACHINE, 3, "bad machine file")                                                       \
    X(WS_ERR_FAULT, 4, "the kernel did something illegal")                                         \
    X(WS_ERR_DEADLOCK, 4, "the kernel waits for itself")                                           \
    X(WS_ERR_LIMIT, 4, "the instruction limit was reached")                                        \
    X(WS_ERR_NO_MODEL, 4, "no model can answer")                                                   \
    X(WS_ERR_COMPARE, 4, "the comparison is impossible")                                           \
    X(WS_ERR_DEVICE, 5, "no device or no permission")                                              \
    X(WS_ERR_MEMORY, 2, "out of host memory")                                                      \
    X(WS_ERR_INTERNAL, 70, "a bug in warpsage")                                                    \
    X(WS_ERR_CANCELLED, 130, "interrupted")

typedef enum ws_status {
#define WS_STATUS_ENUM(name, exit_code, words) name,
    WS_STATUS_LIST(WS_STATUS_ENUM)
#undef WS_STATUS_ENUM
} ws_status;

/* Words for a status and the exit code a command-line program should end with. */
WS_API const char *ws_status_text(ws_status status);
WS_API int ws_status_exit_code(ws_status status);
WS_API const char *ws_version(void);

typedef struct ws_context ws_context;
typedef struct ws_module ws_module;
typedef struct ws_device ws_device;
typedef struct ws_check ws_check;
typedef struct ws_profile ws_profile;
typedef struct ws_machine ws_machine;

/* ---- context ------------------------------------------------------------------------------- */

/* Called from the thread that launched, a few times a second at most; fraction is in [0,1]. */
typedef void ws_progress_fn(void *user, const char *what, double fraction);
/* Polled during long work; true stops it with WS_ERR_CANCELLED. Must be safe from any thread. */
typedef bool ws_cancel_fn(void *user);
/* Receives bytes of a report or of what a kernel prints; a false return stops writing, a report with
 * WS_ERR_IO. */
typedef bool ws_write_fn(void *user, const char *bytes, size_t size);

WS_API WS_CHECKED ws_status ws_context_create(ws_context **out);
WS_API void ws_context_destroy(ws_context *context);
/* Message of the last failure, with place and remedy; valid until the next call that fails. */
WS_API const char *ws_context_error(const ws_context *context);
WS_API void ws_context_set_progress(ws_context *context, ws_progress_fn *fn, void *user);
WS_API void ws_context_set_cancel(ws_context *context, ws_cancel_fn *fn, void *user);
/* Gets what kernels print (printf), block by block in the order of their indices, 16 MiB a launch at
 * most; a last line then tells how much was lost. It comes when the launch has ended, well or with a
 * fault, and while it runs whenever a mebibyte is complete: then from any thread, once at a time. A false
 * return drops the rest. Without a function nothing is kept. */
WS_API void ws_context_set_print(ws_context *context, ws_write_fn *fn, void *user);
/* Folder of the machine files. NULL: share/warpsage/machines beside the library or the program, else
 * the folder that was fixed when the library was built. */
WS_API WS_CHECKED ws_status ws_context_set_machine_dir(ws_context *context, const char *path);
WS_API const char *ws_context_machine_dir(const ws_context *context);
/* File of the models' errors on measured kernels, by which the best suited model is chosen. NULL:
 * evidence.yaml in the folder that holds the installed folder of machine files; if that does not exist, the
 * best suited model is the one whose answer is the median, and reports say so. A file that cannot be read,
 * or is malformed, fails the first prediction. Call it before that. */
WS_API WS_CHECKED ws_status ws_context_set_evidence(ws_context *context, const char *path);
/* Compilers for .cu and .cl input and ptxas for register counts; searched in the colon-separated `path`
 * (normally the caller's PATH). Without it only PTX is read and registers come from liveness. */
WS_API WS_CHECKED ws_status ws_context_set_tool_path(ws_context *context, const char *path);
/* Where that path has the program `name`, and what it prints when it is run with `option`, such as --version: both to
 * be freed with ws_free. *out_path NULL: not found; *out_said NULL: it did not end with 0 within ten seconds. */
WS_API WS_CHECKED ws_status ws_context_ask_tool(ws_context *context, const char *name,
                                                const char *option, char **out_path,
                                                char **out_said);

/* ---- numbers as people read them ------------------------------------------------------------ */

/* "447 us", "1.20 TB/s": three digits and a prefix that suits the unit ("s", "B", "B/s", "Hz", "W", "J",
 * "flop/s"), as reports have them. Cut at `size` bytes, as snprintf does. */
WS_API void ws_format_quantity(double value, const char *unit, char *out, size_t size);
/* "1 block", "4,096 blocks": a number of what the noun, in the singular, names. */
WS_API void ws_format_count(double count, const char *noun, char *out, size_t size);

/* ---- files ---------------------------------------------------------------------------------- */

/* A file that is written whole or not at all, as all files are that the library writes: the bytes lie
 * beside the target and replace it at the end, with its permissions. Anything but a regular file (a pipe,
 * /dev/stdout) is written directly. */
typedef struct ws_output ws_output;
/* WS_ERR_IO: the file can be neither created nor replaced. */
WS_API WS_CHECKED ws_status ws_output_open(ws_context *context, const char *path, ws_output **out);
/* A ws_write_fn, with the ws_output as `user`. false: it failed; ws_output_close says why. */
WS_API bool ws_output_write(void *output, const char *bytes, size_t size);
/* Puts the file in place and frees the handle, also if that fails with WS_ERR_IO: the old file stays. */
WS_API WS_CHECKED ws_status ws_output_close(ws_output *output);
/* Leaves the old file as it is and frees the handle. NULL: nothing. */
WS_API void ws_output_discard(ws_output *output);

/* ---- module -------------------------------------------------------------------------------- */

/* Does the file's name say that it is a kernel: .ptx, .cu, .cl, .cubin? */
WS_API bool ws_module_recognises(const char *path);
/* .ptx is decoded; .cu goes through nvcc, else clang; .cl (OpenCL C) through clang and libclc. Any other
 * file is read as native code (an ELF file of sm_75, 80, 86, 89 or 90) or as PTX, by its contents. */
WS_API WS_CHECKED ws_status ws_module_load_file(ws_context *context, const char *path,
                                                ws_module **out);
/* PTX text or a cubin; `name` stands in messages for the file name. The bytes may be freed after the call.
 * Several modules, one after the other in one text or file, are linked as nvlink does it. */
WS_API WS_CHECKED ws_status ws_module_load_memory(ws_context *context, const char *name,
                                                  const void *bytes, size_t size, ws_module **out);
/* Is it PTX, and a ptxas in the tool path? */
WS_API bool ws_module_can_compile(const ws_module *ptx);
/* The native code that ptxas makes of a module of PTX for sm_`target` (75, 80, 86, 89, 90), in a module of its own.
 * WS_ERR_COMPARE: there is no ptxas in the tool path, or it fails. */
WS_API WS_CHECKED ws_status ws_module_compile(const ws_module *ptx, unsigned target,
                                              ws_module **out);
/* Is it native code (SASS) and not PTX? */
WS_API bool ws_module_is_native(const ws_module *module);
/* Can a kernel, with all that it calls, be executed? WS_ERR_UNSUPPORTED names what cannot. */
WS_API WS_CHECKED ws_status ws_module_check_kernel(const ws_module *module, size_t kernel);
/* Its variables are freed on all devices of the context; their addresses are no longer valid. */
WS_API void ws_module_destroy(ws_module *module);
WS_API size_t ws_module_kernel_count(const ws_module *module);
/* Name as in PTX (mangled), and as in the source. NULL if index is out of range. */
WS_API const char *ws_module_kernel_name(const ws_module *module, size_t index);
WS_API const char *ws_module_kernel_display_name(const ws_module *module, size_t index);
/* Exact name, demangled name, or base name if that is unique; else an error with nearest names. */
WS_API WS_CHECKED ws_status ws_module_find_kernel(const ws_module *module, const char *name,
                                                  size_t *out_index);

typedef struct ws_parameter {
    const char *name; /* owned by the module */
    size_t offset;    /* bytes from the start of the parameter block */
    size_t size;      /* bytes */
    size_t alignment; /* bytes */
    bool is_float;    /* declared .f16/.f32/.f64 */
    bool is_pointer;  /* pointer-sized and used (or declared) as an address; a hint */
    const char *type; /* as declared: "u32", "b8" (an array of bytes is a struct); static */
} ws_parameter;
WS_API size_t ws_module_parameter_count(const ws_module *module, size_t kernel);
WS_API WS_CHECKED ws_status ws_module_parameter(const ws_module *module, size_t kernel,
                                                size_t index, ws_parameter *out);
/* The parameters of a kernel for a message, one line each: index, name, type, bytes. To be freed
 * with ws_free; NULL if the kernel is out of range. */
WS_API char *ws_module_describe_parameters(const ws_module *module, size_t kernel);
/* Size in bytes of the parameter block of a kernel. */
WS_API size_t ws_module_parameter_bytes(const ws_module *module, size_t kernel);

/* What a kernel takes and demands, as its PTX says. */
typedef struct ws_kernel_info {
    size_t size; /* sizeof(ws_kernel_info), set by the caller */
    uint64_t static_shared_bytes, local_bytes;
    unsigned registers; /* per thread, from the liveness of PTX registers: an estimate */
    unsigned max_threads_per_block; /* .maxntid or .reqntid; 0: not given */
    bool ordered;                   /* its blocks run in the order of their indices */
    /* Data in memory may decide what it executes or which addresses it accesses. If not, launches with
     * equal geometry and equal arguments that are no pointers execute the same instructions. */
    bool follows_data;
    bool reads_clock;             /* may read %clock, %globaltimer or %smid */
    uint32_t required_cluster[3]; /* .reqnctapercluster, in blocks; zeros: not given */
    bool calls_device_runtime; /* may launch kernels, or do what belongs to that (ws_device_call) */
} ws_kernel_info;
WS_API WS_CHECKED ws_status ws_module_kernel_info(const ws_module *module, size_t kernel,
                                                  ws_kernel_info *out);
/* Shared memory of a block of this kernel, launched with so much dynamic shared memory, which begins at
 * a multiple of 16 bytes. */
WS_API uint64_t ws_kernel_shared_bytes(const ws_kernel_info *info, uint64_t dynamic_shared_bytes);
/* The PTX that was decoded, also of CUDA and OpenCL sources; owned by the module. */
WS_API const char *ws_module_ptx(const ws_module *module);
/* Target of the PTX: 75 for sm_75. */
WS_API unsigned ws_module_target(const ws_module *module);
/* Registers per thread of `kernel` in native code for compute capability `target` (75 for 7.5), as the
 * compiler's own output tells them; profiles of later launches say ptxas. */
WS_API void ws_module_set_registers(ws_module *module, size_t kernel, unsigned target,
                                    unsigned registers);

/* ---- images: PTX and machine code in files and programs --------------------------------------- */

/* What a cubin, a fat binary, or a program, library or object file that nvcc made holds. */
typedef struct ws_images ws_images;
typedef struct ws_image {
    size_t size;      /* sizeof(ws_image), set by the caller */
    bool is_ptx;      /* else machine code, a cubin */
    bool is_readable; /* PTX, or machine code of an architecture that ws_module_load_memory reads */
    unsigned target;  /* 80 for sm_80 */
    unsigned group;   /* from 0: images of one fat binary are alternatives */
} ws_image;
/* The bytes must stay until ws_images_destroy. size SIZE_MAX: a cubin or fat binary in memory, of which its headers
 * tell the size. A fat binary may be empty. */
WS_API WS_CHECKED ws_status ws_images_read(ws_context *context, const char *name, const void *bytes,
                                           size_t size, ws_images **out);
WS_API void ws_images_destroy(ws_images *images);
WS_API size_t ws_images_count(const ws_images *images);
WS_API WS_CHECKED ws_status ws_images_get(const ws_images *images, size_t index, ws_image *out);
/* The image unpacked, with a zero behind it; to be freed with ws_free. */
WS_API WS_CHECKED ws_status ws_images_unpack(const ws_images *images, size_t index, void **out,
                                             size_t *out_size);
/* The PTX for the newest target up to `most`; false: there is none. */
WS_API bool ws_images_find_ptx(const ws_images *images, unsigned most, size_t *out_index);
/* The machine code that a GPU of `gpu` (86 for sm_86) executes: that for its own target, else the newest older one
 * of its generation, of those that can be read; false: there is none. */
WS_API bool ws_images_find_code(const ws_images *images, unsigned gpu, size_t *out_index);
/* "machine code of sm_61, sm_120, PTX of sm_90", to be freed with ws_free; NULL: out of memory. */
WS_API char *ws_images_describe(const ws_images *images);
/* What machine code, also of an architecture that is not read, tells of the registers of a module's kernels, for
 * ws_module_set_registers: registers[i] of kernel i; 0: it has no such kernel. */
WS_API WS_CHECKED ws_status ws_images_registers(const ws_images *images, size_t index,
                                                const ws_module *module, unsigned *registers);
typedef struct ws_link_input {
    const void *bytes;
    size_t size;
} ws_link_input;
/* Relocatable code (PTX, cubins, fat binaries, object files, libraries) linked to a cubin for sm_`target`, to be freed
 * with ws_free. WS_ERR_COMPARE: nvlink, or ptxas for PTX, is not in the tool path, or fails. */
WS_API WS_CHECKED ws_status ws_link(ws_context *context, unsigned target,
                                    const ws_link_input *inputs, size_t count, void **out,
                                    size_t *out_size);
/* The target whose machine code a GPU gets of ws_module_compile: its own, else the next lower one that can be read,
 * else the lowest. */
WS_API unsigned ws_native_target(unsigned gpu);

/* ---- checks: errors of the programs that a device executes (doc/checks.md) -------------------- */

/* Tools, as a set. */
enum {
    WS_CHECK_MEMORY =
        1, /* accesses out of bounds, to freed memory, misaligned ...; misuse of the API; leaks */
    WS_CHECK_INIT = 2, /* use of uninitialised memory and registers */
    WS_CHECK_RACE = 4, /* unordered accesses to the same memory */
    WS_CHECK_SYNC = 8, /* misuse of barriers and masks, deadlocks, endless loops */
    WS_CHECK_ALL = 15
};

/* Stacks of the host that the caller may know. */
typedef enum ws_check_host {
    WS_CHECK_HOST_CALL, /* of the call that goes on, as of a launch */
    WS_CHECK_HOST_ALLOCATED, /* where the memory at an address was allocated, also if it was freed since */
    WS_CHECK_HOST_FREED, /* where it was freed */
} ws_check_host;

typedef struct ws_check_options {
    size_t size;    /* sizeof(ws_check_options) */
    unsigned tools; /* set of WS_CHECK_...; 0: all */
    /* A stack, innermost first, a frame a line; NULL: unknown. Asked for once per finding; the text lives until the
     * next call. NULL: no stacks are known. */
    const char *(*host)(void *user, ws_check_host what, uint64_t address);
    void *host_user;
} ws_check_options;

/* Give it to devices (ws_device_options.check). options: NULL for all tools. */
WS_API WS_CHECKED ws_status ws_check_create(ws_context *context, const ws_check_options *options,
                                            ws_check **out);
/* After the devices that have it. */
WS_API void ws_check_destroy(ws_check *check);
/* Grows with each report, also of what was found before. */
WS_API uint64_t ws_check_changes(const ws_check *check);
/* Findings that are kept: each place counts once, of each grade 10,000 places. */
WS_API uint64_t ws_check_count(const ws_check *check);
/* Forgets what was found, as the child of a fork does. */
WS_API void ws_check_forget(ws_check *check);

/* What was found outside kernels. */
typedef struct ws_check_finding {
    size_t size;        /* sizeof(ws_check_finding) */
    const char *code;   /* "M20"; see `warpsage explain` */
    const char *detail; /* sentences, separated by newlines; NULL: none */
    const char *host;   /* the host's stack, innermost first, a frame a line; NULL: unknown */
    uint64_t address;   /* that it is about; 0: none */
    uint64_t bytes;
    const char *memory;  /* what the address is of: "cudaMalloc"; NULL: unknown */
    uint64_t allocation; /* its first byte, of which ws_check_options.host is asked; 0: none */
    bool is_freed;       /* the allocation */
} ws_check_finding;
WS_API WS_CHECKED ws_status ws_check_report(ws_check *check, const ws_check_finding *finding);
/* What was not covered, or forgotten to stay within bounds; told once. */
WS_API WS_CHECKED ws_status ws_check_note(ws_check *check, const char *text);
/* A launch of the kernel that could not be executed, so that nothing of it was checked; why: in words. */
WS_API WS_CHECKED ws_status ws_check_unchecked(ws_check *check, const char *kernel,
                                               const char *why);
/* The set that names say: "memory,race" or "all"; compute-sanitizer's names do, too. WS_ERR_ARGUMENT: unknown, or none. */
WS_API WS_CHECKED ws_status ws_check_tools(ws_context *context, const char *names,
                                           unsigned *out_tools);
/* Writes what was found so far as JSON, for the question `check` (input `findings`); the old file stays until the new one
 * is whole. */
WS_API WS_CHECKED ws_status ws_check_save(ws_check *check, const char *path);

/* Operations of streams: launches, copies, fills. Each has a number in its timeline, from 1; operations of one timeline
 * are in order. */
typedef struct ws_check_operation {
    size_t size; /* sizeof(ws_check_operation) */
    uint32_t timeline;
    uint64_t index;
    /* An earlier operation is ordered before this one if its index is at most seen[its timeline]; not known there: 0. */
    const uint64_t *seen;
    size_t seen_count;
    /* The same for all operations that are still to come. */
    const uint64_t *done;
    size_t done_count;
    const char *what; /* "copy", "fill"; NULL: the launch that follows */
} ws_check_operation;
/* The launch and the accesses that follow are this operation's. Without any, all launches are in order. */
WS_API WS_CHECKED ws_status ws_check_begin(ws_check *check, const ws_check_operation *operation);
/* Bytes of device memory that a copy or fill reads or writes. */
WS_API WS_CHECKED ws_status ws_check_access(ws_check *check, uint64_t address, uint64_t bytes,
                                            bool is_write);

/* ---- device: memory and execution on the CPU ------------------------------------------------ */

/* A thread of a kernel calls a function of CUDA's device runtime (libcudadevrt) that has to do with launches by kernels. */
typedef struct ws_device_call {
    const char *function;      /* what follows __cudaCDP2, without _ptsz: "LaunchDeviceV2" */
    const uint64_t *arguments; /* of a dim3 three; of a kernel its index, UINT64_MAX: it is none */
    uint64_t block;            /* of the caller, in the grid */
    uint32_t thread;           /* in the block */
    const void *caller;        /* for ws_device_call_write */
} ws_device_call;
/* Does it and returns what it returns to the kernel. The launch is under way: memory of the device may be written
 * and copied, but not be allocated or freed. */
typedef uint64_t ws_device_call_fn(void *user, const ws_device_call *call);
/* To memory of the calling thread, whatever its space. False: a fault, which ends the launch behind the call. */
WS_API bool ws_device_call_write(const ws_device_call *call, uint64_t address, const void *from,
                                 uint32_t bytes);
/* The call gives the thread memory of the device that another had before: for checks, what that did is past, and the
 * bytes are uninitialised. */
WS_API void ws_device_call_renew(const ws_device_call *call, uint64_t address, uint64_t bytes);

typedef struct ws_device_options {
    size_t size; /* sizeof(ws_device_options): lets later versions add fields */
    uint64_t
        max_bytes; /* upper bound of device memory; 0: 64 GiB (address space, less if that is limited) */
    unsigned threads; /* host threads for launches; 0: all cores */
    /* Addresses of the device are addresses of the host, which may read and write through them
     * between launches (managed and pinned memory). Not for modules with 32-bit addresses. */
    bool host_addresses;
    /* Tolerate what hardware tolerates: uninitialised memory reads as zeros, and an access
     * past an allocation that stays within mapped pages of 2 MiB is only told by ws_launch_result. */
    bool as_hardware;
    /* Kernels stay prepared for execution between launches, as long as their module lives. */
    bool keep_programs;
    /* Instructions of the host that lanes are computed with: "base", "v3" or "v4" (x86-64 levels); NULL:
     * the best that it has. Results are the same with each; for tests of that, and comparisons. One
     * that the host lacks is WS_ERR_ARGUMENT. */
    const char *host_isa;
    /* Remember what launches and ws_device_touch leave in an L2, so that profiles say what their launch found
     * there (the input `l2` of predictions: "kept"). */
    bool l2_history;
    /* Finds errors of the programs that it executes; NULL: does not. The check outlives the device, whose launches then
     * run on one host thread. */
    ws_check *check;
    /* What executes kernels: "interpreter", "compiled" (machine code for warps with all their lanes, from the first
     * instruction on; the interpreter for everything else) or "auto" (the same for kernels that run for long enough);
     * NULL: "auto". Results and counts are the same with each. Machine code needs x86-64-v4; where there is
     * none, the interpreter executes everything. */
    const char *engine;
    /* Does what kernels call of the device runtime; such kernels run on one thread. NULL: they are refused. */
    ws_device_call_fn *call;
    void *call_user;
} ws_device_options;

WS_API WS_CHECKED ws_status ws_device_create(ws_context *context, const ws_device_options *options,
                                             ws_device **out);
WS_API void ws_device_destroy(ws_device *device);
/* Addresses are aligned to 512 bytes; the memory counts as uninitialised until it is written. */
WS_API WS_CHECKED ws_status ws_device_alloc(ws_device *device, uint64_t bytes, uint64_t *out);
/* Memory of the host that kernels reach; it does not count against max_bytes. */
WS_API WS_CHECKED ws_status ws_device_alloc_host(ws_device *device, uint64_t bytes, uint64_t *out);
/* The host writes the allocation or variable at the address by pointers of its own (managed memory): it counts as initialised. */
WS_API void ws_device_open(ws_device *device, uint64_t address);
/* Lets kernels reach the caller's own memory at its own address, until ws_device_free. Only with
 * host_addresses; WS_ERR_ARGUMENT if part of it is reachable already. */
WS_API WS_CHECKED ws_status ws_device_adopt(ws_device *device, void *host, uint64_t bytes);
typedef struct ws_device_range {
    uint64_t address, bytes;
    bool is_host;     /* of ws_device_alloc_host or ws_device_adopt */
    const char *name; /* of a variable, valid as long as its module lives; else NULL */
} ws_device_range;
/* The live allocation that holds an address; false: none does. */
WS_API bool ws_device_find(const ws_device *device, uint64_t address, ws_device_range *out);
/* Bytes that can be allocated: max_bytes of the options, or less where address space is limited (ulimit -v). */
WS_API uint64_t ws_device_max_bytes(const ws_device *device);
/* Bytes that are allocated of max_bytes. */
WS_API uint64_t ws_device_used_bytes(const ws_device *device);
/* Bytes that malloc in kernels has to hand out; 8 MiB if never called. Once a kernel that calls it was
 * launched it is an error. */
WS_API WS_CHECKED ws_status ws_device_set_heap(ws_device *device, uint64_t bytes);
/* With a check: memory that kernels took by malloc and have not freed becomes findings. */
WS_API void ws_device_check_leaks(ws_device *device);
WS_API WS_CHECKED ws_status ws_device_free(ws_device *device, uint64_t address);
WS_API WS_CHECKED ws_status ws_device_copy_in(ws_device *device, uint64_t to, const void *from,
                                              size_t bytes);
WS_API WS_CHECKED ws_status ws_device_copy_out(ws_device *device, void *to, uint64_t from,
                                               size_t bytes);
WS_API WS_CHECKED ws_status ws_device_fill(ws_device *device, uint64_t to, uint8_t value,
                                           size_t bytes);
/* Makes `bytes` bytes from byte `first` of an allocation on; called in any order, from several threads at once. `first`
 * is a multiple of 4096, and so is `bytes` but at the end. Must not call this library. */
typedef void ws_make_fn(void *user, uint64_t first, size_t bytes, void *to);
/* Fills the allocation that begins at `address` with what `make` says, parts of it when they are first touched: a
 * sample of a large grid pays for what it reads. `user` must live until the allocation is freed or the device
 * destroyed. With host_addresses all is made at once. */
WS_API WS_CHECKED ws_status ws_device_fill_by(ws_device *device, uint64_t address, ws_make_fn *make,
                                              void *user);
/* With l2_history: these bytes passed the L2, as those of a copy do. */
WS_API void ws_device_touch(ws_device *device, uint64_t address, uint64_t bytes);
/* Share, 0 to 1, of the distinct sectors that the last launch read that it found in an L2 of this size; 0
 * without l2_history. */
WS_API double ws_device_l2_found(const ws_device *device, uint64_t l2_bytes);
/* Textures: what a handle that a kernel passes to `tex`, `suld` or `sust` refers to. The memory is the caller's, row
 * after row, and must stay as long as the texture is used. */
typedef enum ws_texture_kind {
    WS_TEXTURE_LINEAR_MEMORY, /* texels by an integer; 0 beyond the end; neither filter nor modes */
    WS_TEXTURE_1D,
    WS_TEXTURE_2D,
    WS_TEXTURE_3D,
    WS_TEXTURE_1D_LAYERED,
    WS_TEXTURE_2D_LAYERED,
    WS_TEXTURE_CUBE, /* depth: six faces, +x -x +y -y +z -z */
    WS_TEXTURE_CUBE_LAYERED
} ws_texture_kind;
typedef enum ws_channel_kind {
    WS_CHANNEL_SIGNED,
    WS_CHANNEL_UNSIGNED,
    WS_CHANNEL_FLOAT
} ws_channel_kind;
/* Coordinates beyond the texture. Wrap and mirror need normalized coordinates, else they clamp. */
typedef enum ws_address_mode {
    WS_ADDRESS_WRAP,
    WS_ADDRESS_CLAMP,
    WS_ADDRESS_MIRROR,
    WS_ADDRESS_BORDER
} ws_address_mode;
typedef struct ws_texture {
    size_t size; /* sizeof(ws_texture): lets later versions add fields */
    ws_texture_kind kind;
    uint64_t address; /* of the first texel, on the device */
    uint64_t width, height,
        depth; /* texels; depth: slices or layers; what the kind lacks: ignored */
    uint64_t pitch_bytes, slice_bytes; /* from row to row, from slice (layer) to slice */
    unsigned channels, channel_bits;   /* 1, 2 or 4 of 8, 16 or 32 bits; floats have 16 or 32 */
    ws_channel_kind channel_kind;
    ws_address_mode address_modes[3]; /* x, y, z */
    bool linear_filter;               /* only of what is read as floats */
    bool normalized_coordinates;      /* 0 to 1 for the whole width */
    bool normalized_read;             /* integers of 8 and 16 bits as floats of 0 or -1 to 1 */
    float border[4];                  /* for WS_ADDRESS_BORDER; integers: their bits */
} ws_texture;
/* WS_ERR_ARGUMENT if its memory does not lie in one allocation, or its fields contradict each other.
 * The handle is never 0, and no later texture gets it. */
WS_API WS_CHECKED ws_status ws_device_texture_create(ws_device *device, const ws_texture *texture,
                                                     uint64_t *out);
WS_API WS_CHECKED ws_status ws_device_texture_destroy(ws_device *device, uint64_t handle);
/* Address of a module-level .global or .const variable, materialised on this device. */
WS_API WS_CHECKED ws_status ws_device_symbol(ws_device *device, const ws_module *module,
                                             const char *name, uint64_t *out_address,
                                             size_t *out_bytes);

/* How a launch ended, in the kinds that CUDA has errors for. */
typedef enum ws_fault {
    WS_FAULT_NONE,
    WS_FAULT_ADDRESS, /* out of bounds, freed, read-only or uninitialised memory */
    WS_FAULT_MISALIGNED,
    WS_FAULT_ASSERT,
    WS_FAULT_STACK, /* calls nested too deep */
    WS_FAULT_OTHER  /* a trap, a deadlock, the instruction limit ... */
} ws_fault;

/* What a launch did, counted or not. */
typedef struct ws_launch_result {
    size_t size; /* sizeof(ws_launch_result) */
    uint64_t blocks, warp_instructions;
    ws_fault fault; /* of a launch that failed with WS_ERR_FAULT, _DEADLOCK or _LIMIT */
    /* With as_hardware: the first access out of bounds that hardware would have let pass, as a
     * message; to be freed with ws_free. NULL: none. */
    char *tolerated;
    /* The first thing that the kernel did and the PTX ISA leaves undefined (a .sync operation in a lane
     * that its member mask leaves out), as a message; to be freed with ws_free. NULL: none was seen.
     * Profiles have it among their notes. */
    char *undefined;
    /* A launch that was counted: executed again as the next thing that happens to the device it would leave memory as
     * it is. Known of kernels without atomics, calls of the device runtime, clocks and volatile accesses,
     * that write no sector of 32 bytes that they read, and touch no memory of the host. */
    bool is_repeatable;
} ws_launch_result;

/* The time of a launch by one model, and what the kernel reads as its clocks (doc/run.md#time). With the model "teg"
 * and counters, a kernel that reads %clock, %globaltimer or %smid is executed twice: what the first execution
 * writes is taken back, and the second reads the times at which the model issues these instructions. */
typedef struct ws_launch_clock {
    size_t size;               /* sizeof(ws_launch_clock) */
    const ws_machine *machine; /* a GPU */
    const char *model;         /* "teg", or another model of time */
    const char *l2; /* what the launch finds in the L2, as the input of questions; NULL: as that */
    double begin_seconds; /* from which on the clocks count */
    double
        jitter; /* 0 to 0.5: each interval between two reads of a warp is off by at most this part */
    uint64_t seed; /* of these errors */
    /* Set by a launch with counters: what the model alone says, not raised to the speed of light; NAN: it has no
     * answer, and the error text of the context says why. */
    double seconds;
} ws_launch_clock;

typedef struct ws_launch {
    size_t size; /* sizeof(ws_launch) */
    size_t kernel;
    uint32_t grid[3], block[3], cluster[3]; /* cluster 0,0,0: none */
    uint64_t dynamic_shared_bytes;
    const void *parameters; /* the raw parameter block, laid out as ws_module_parameter says */
    size_t parameter_bytes;
    uint64_t max_instructions; /* thread-blocks' warp instructions in all; 0: 2^40 */
    bool counters;             /* false: execute only, out_profile may be NULL */
    bool all_rules;            /* also count the rules of cc 1.x (enum ws_rule) */
    bool unordered;            /* run ordered kernels in parallel: not reproducible */
    double effort;             /* fraction of the blocks to count, 0 or 1: all (doc/sampling.md) */
    unsigned rules;            /* bit set of enum ws_rule, counted besides what is always counted */
    /* Compute capabilities (70 for 7.0) whose register counts are asked of ptxas; NULL: the
     * module's own target only. Each is asked once a kernel and module. */
    const unsigned *register_targets;
    size_t register_target_count;
    /* Segments of WS_RULE_CC12 in bytes; 0: 128 and 32, those of cc 1.2 and 1.3. Powers of two,
     * initial 4 to 256, min 4 to initial. */
    unsigned initial_segment_bytes, min_segment_bytes;
    /* Count what native code of a GPU makes of the instructions: "native", of compute capability 7.0 and
     * later (doc/models/native.md), "gt200" (doc/models/quantitative.md). NULL, "ptx": those of PTX. */
    const char *isa_view;
    unsigned shared_banks; /* of WS_RULE_BANK16, 1 to 64; 0: 16 */
    /* Warp traces of blocks drawn over the grid become part of the profile, for the models that follow
     * instructions one by one. 0: 32 blocks, as far as they fit in trace_bytes; WS_TRACE_NONE: none.
     * trace_bytes 0: 128 MiB. */
    uint32_t trace_blocks;
    uint64_t trace_bytes;
    /* What %envreg1 (upper half) and %envreg2 tell the kernel: the address of 8 bytes of device memory,
     * zeros, through which the blocks of a cooperative launch wait for each other. 0: none. */
    uint64_t grid_workspace;
    /* NULL: not wanted; zeros if the launch failed, but for the blocks that had ended when it was
     * cancelled. */
    ws_launch_result *result;
    uint64_t
        seed; /* of the draws that choose the counted blocks of a sample and the traced blocks */
    /* With l2_history: launches of one class touch the same parts of the buffers that their parameters name, so that
     * one without counters leaves in the L2 what the last counted one would have. 0: of no class; without
     * counters it touches all of these buffers. */
    uint64_t l2_class;
    ws_launch_clock *clock; /* NULL: clocks of kernels count their block's warp instructions */
    /* Blocks of the kernel that the GPU holds at once (ws_machine_occupancy, times the SMs): with WS_CHECK_SYNC, blocks
     * that wait for others beyond these are a deadlock. 0: unknown. */
    uint64_t resident_blocks;
} ws_launch;

#define WS_TRACE_NONE UINT32_MAX

/* Address and bank rules that cost time to count (doc/definitions.md#counting-rules). */
enum ws_rule {
    WS_RULE_CC10 = 1,   /* half-warp protocol of cc 1.0 and 1.1 */
    WS_RULE_CC12 = 2,   /* half-warp protocol of cc 1.2 and 1.3 */
    WS_RULE_BANK16 = 4, /* 16 banks of shared memory */
};

/* Executes the kernel. A fault of the guest is WS_ERR_FAULT with its place in the message. After
 * WS_ERR_CANCELLED *out_profile is what was counted until then, with a note that says so; a launch looks
 * several times a second whether it is cancelled. */
WS_API WS_CHECKED ws_status ws_device_launch(ws_device *device, const ws_module *module,
                                             const ws_launch *launch, ws_profile **out_profile);

/* Is it the name of a model that predicts times of GPU kernels? */
WS_API bool ws_model_is_time(const char *model);
/* What one model alone says of a profile, in seconds, not raised to the speed of light. WS_ERR_NO_MODEL if it has no
 * answer. `l2` as in ws_launch_clock. */
WS_API WS_CHECKED ws_status ws_model_time(ws_context *context, const ws_profile *profile,
                                          const ws_machine *machine, const char *model,
                                          const char *l2, double *out_seconds);

/* Differs from an earlier answer if anything happened since that may have changed the device's memory or L2. */
WS_API uint64_t ws_device_changes(const ws_device *device);
/* Instead of executing a repeatable launch again: leaves in the L2 what it would. */
WS_API void ws_device_repeat(ws_device *device, const ws_module *module, const ws_launch *launch);

/* A number from -1 to 1, evenly distributed and the same for the same arguments: with it timers err. */
WS_API double ws_clock_error(uint64_t seed, uint64_t a, uint64_t b);

/* ---- maps of tensors ------------------------------------------------------------------------- */

enum ws_tensor_type {
    WS_TENSOR_U8,
    WS_TENSOR_U16,
    WS_TENSOR_U32,
    WS_TENSOR_S32,
    WS_TENSOR_U64,
    WS_TENSOR_S64,
    WS_TENSOR_F16,
    WS_TENSOR_F32,
    WS_TENSOR_F64,
    WS_TENSOR_BF16,
    WS_TENSOR_TYPES
};

/* A tensor in device memory and the box of it that a copy moves (cp.async.bulk.tensor). Dimension 0 is the innermost, of
 * neighbours in memory. */
typedef struct ws_tensor {
    size_t size; /* sizeof(ws_tensor) */
    enum ws_tensor_type type;
    unsigned rank;       /* 1 to 5 */
    unsigned swizzle;    /* span in bytes: 0, 32, 64 or 128 */
    bool fills_nan;      /* elements outside of the tensor read as NaN; else 0 */
    uint64_t address;    /* multiple of 16 */
    uint64_t strides[4]; /* bytes, of dimensions 1 and up: multiples of 16 */
    uint64_t sizes[5];
    unsigned steps[5]; /* 1 to 8: every how many-th element; of dimension 0 ignored */
    unsigned box[5];   /* 1 to 256 elements */
    /* im2col, of ranks 3 to 5 (channels, up to three of space, images): the corners of the box of pixels relative to those
     * of the image, how many pixels a copy moves, and channels of each. pixels 0: a tile. */
    int lower[3], upper[3];
    unsigned channels, pixels;
} ws_tensor;
/* The 128 bytes that a kernel names. */
WS_API WS_CHECKED ws_status ws_tensor_encode(ws_context *context, const ws_tensor *tensor,
                                             unsigned char out[128]);

/* ---- recorded traces ------------------------------------------------------------------------ */

/* What a real GPU executed, recorded by Accel-Sim's tracer (NVBit): a kernelslist.g or one .traceg,
 * tracer versions 3 to 5, plain, xz, zstd, gzip or lz4 (doc/traces.md). Replaying one gives the
 * profile of its native code. */
typedef struct ws_trace ws_trace;

/* Does the file look like one, by its name or its first line? */
WS_API bool ws_trace_recognises(const char *path);
WS_API WS_CHECKED ws_status ws_trace_open(ws_context *context, const char *path, ws_trace **out);
WS_API void ws_trace_destroy(ws_trace *trace);
WS_API size_t ws_trace_kernel_count(const ws_trace *trace);

/* A launch of the list; texts are owned by the trace. */
typedef struct ws_trace_kernel {
    const char *name, *mangled; /* as in the source; as in the binary */
    const char *path;           /* of its .traceg */
    uint32_t grid[3], block[3];
    unsigned target;       /* 80 for native code of sm_80 */
    unsigned registers;    /* per thread; 0: not told */
    uint64_t shared_bytes; /* per block, static and dynamic */
} ws_trace_kernel;
WS_API WS_CHECKED ws_status ws_trace_describe(const ws_trace *trace, size_t index,
                                              ws_trace_kernel *out);

typedef struct ws_replay_options {
    size_t size;           /* sizeof(ws_replay_options) */
    unsigned rules;        /* bit set of enum ws_rule, counted besides what is always counted */
    unsigned shared_banks; /* as in ws_launch, and so are the segments */
    unsigned initial_segment_bytes, min_segment_bytes;
    const char *opcode_map; /* file with lines `OPCODE class` for unknown opcodes; NULL */
    /* Share of the warp instructions, 0 to 1, that may have opcodes of no known class (they count as
     * `other`); more is WS_ERR_UNSUPPORTED. Negative: 0.01. */
    double unknown_share;
    uint32_t trace_blocks; /* as in ws_launch: warp traces of the first blocks for the profile */
    uint64_t trace_bytes;
} ws_replay_options;

/* Reads the trace of kernel `index` twice and counts; memory holds one basic block of it. `options`
 * may be NULL. */
WS_API WS_CHECKED ws_status ws_trace_replay(const ws_trace *trace, size_t index,
                                            const ws_replay_options *options, ws_profile **out);
/* WS_ERR_ARGUMENT unless native code of this target runs on the machine: the same major compute
 * capability, and no greater minor one. */
WS_API WS_CHECKED ws_status ws_machine_check_native(const ws_machine *machine, unsigned target);

/* ---- profile -------------------------------------------------------------------------------- */

/* JSON, with the warp traces of the file that it names, or such a file itself. */
WS_API WS_CHECKED ws_status ws_profile_load(ws_context *context, const char *path,
                                            ws_profile **out);
WS_API WS_CHECKED ws_status ws_profile_save(const ws_profile *profile, const char *path);
/* Keeps the warp traces of the profile. The name tells the form: kernelslist.g, *.traceg, *.traceg.xz
 * and *.traceg.zst are Accel-Sim's (doc/traces.md); any other name is a file of warpsage's own with
 * the counters in it, too (doc/warp-traces.md), which ws_profile_load reads and whose name a later
 * ws_profile_save of this profile puts down. WS_ERR_NO_MODEL: the profile has no warp traces. */
WS_API WS_CHECKED ws_status ws_profile_save_trace(ws_profile *profile, const char *path);
/* Blocks whose warp traces the profile has. */
WS_API uint64_t ws_profile_traced_blocks(const ws_profile *profile);
/* Is this a file that ws_profile_save_trace wrote in warpsage's own form? */
WS_API bool ws_profile_is_trace(const char *path);
WS_API void ws_profile_destroy(ws_profile *profile);
/* Value of a counter by id ("inst.warp"); WS_ERR_ARGUMENT with similar names if unknown,
 * WS_ERR_COMPARE if it was not counted (the message says why). */
WS_API WS_CHECKED ws_status ws_profile_get(const ws_profile *profile, const char *id,
                                           double *out_value);
/* The same for one stage, the interval between two barriers of a block, from 0; a stage sums up all
 * blocks. WS_ERR_COMPARE if there is no such stage, or the counter is not kept by stage. */
WS_API WS_CHECKED ws_status ws_profile_get_stage(const ws_profile *profile, size_t stage,
                                                 const char *id, double *out_value);
/* Arguments of the launch as somebody gave them, copied; reports of other arguments are not compared. At most 1024. */
WS_API WS_CHECKED ws_status ws_profile_set_arguments(ws_profile *profile, const char *const *texts,
                                                     size_t count);
/* Registers per thread given by the user; marked so in every report. */
WS_API WS_CHECKED ws_status ws_profile_set_registers(ws_profile *profile, unsigned registers);
/* Bytes that a thread's code stores and loads because these registers do not suffice, as `ptxas -v` prints them; 0
 * after ws_profile_set_registers, before which WS_ERR_ARGUMENT. At most 16 MiB each. */
WS_API WS_CHECKED ws_status ws_profile_set_spills(ws_profile *profile, unsigned store_bytes,
                                                  unsigned load_bytes);
/* A profile of its own with the same figures. */
WS_API WS_CHECKED ws_status ws_profile_copy(const ws_profile *profile, ws_profile **out);
/* Bytes of shared memory that a block takes of an SM, static and dynamic. */
WS_API uint64_t ws_profile_shared(const ws_profile *profile);
/* As if a block took so many: for occupancy; what the kernel did stays as it was counted. */
WS_API WS_CHECKED ws_status ws_profile_set_shared(ws_profile *profile, uint64_t bytes);
/* Registers per thread that predictions for this machine count with; 0: none known. */
WS_API unsigned ws_profile_registers(const ws_profile *profile, const ws_machine *machine);
/* Name of the kernel as in the source; owned by the profile. */
WS_API const char *ws_profile_kernel(const ws_profile *profile);
/* Grid and block of the launch; zeros in a hand-written profile that does not say. */
WS_API void ws_profile_shape(const ws_profile *profile, uint32_t out_grid[3],
                             uint32_t out_block[3]);

/* The table of counters: id, unit, one sentence, Nsight Compute's name or NULL. */
typedef struct ws_counter_info {
    const char *id, *unit, *text, *ncu;
} ws_counter_info;
WS_API size_t ws_counter_count(void);
WS_API ws_counter_info ws_counter_describe(size_t index);

/* ---- machine -------------------------------------------------------------------------------- */

/* `name` is a file name of the machine folder without .yaml, an alias, or a path ending in .yaml. */
WS_API WS_CHECKED ws_status ws_machine_load(ws_context *context, const char *name,
                                            ws_machine **out);
/* This computer's CPU, with the id "host": its topology by hwloc, clock, floating-point throughput and
 * memory bandwidth measured on every core, in less than two seconds. `notes` of the question `machine`
 * tell the spread. WS_ERR_DEVICE says why it could not be measured. */
WS_API WS_CHECKED ws_status ws_machine_measure_host(ws_context *context, ws_machine **out);
/* Writes a CPU as a machine file. WS_ERR_ARGUMENT for a GPU. */
WS_API WS_CHECKED ws_status ws_machine_save(const ws_machine *machine, const char *path);
WS_API void ws_machine_destroy(ws_machine *machine);
WS_API const char *ws_machine_id(const ws_machine *machine);
WS_API const char *ws_machine_name(const ws_machine *machine);
/* Is it a CPU (`kind: cpu`), for which fewer models answer? Else a GPU. */
WS_API bool ws_machine_is_cpu(const ws_machine *machine);
/* Compute capability: 70 for 7.0; 0 of a CPU. */
WS_API unsigned ws_machine_target(const ws_machine *machine);
/* Rules of enum ws_rule that predictions for this machine are based on. */
WS_API unsigned ws_machine_rules(const ws_machine *machine);
/* Adds to `launch` what predictions for this machine need counted: its rules, and its segments where
 * these are by the rule of cc 1.2, and its view: "native" if the machine is of compute capability 7.0 or later and
 * `launch` names none. WS_ERR_COMPARE if `launch` has other segments already: one launch
 * counts with one kind of them. */
WS_API WS_CHECKED ws_status ws_machine_prepare_launch(const ws_machine *machine, ws_launch *launch);
/* Changes a figure: "machine.sm.count", "=60" (also =*2, =+2, =-2, =+10%, =-10%; a unit may follow
 * the number). WS_ERR_ARGUMENT names a wrong key, unit or value. */
WS_API WS_CHECKED ws_status ws_machine_set(ws_machine *machine, const char *key,
                                           const char *change);
/* WS_ERR_LAUNCH, with the limit in the message, if grid, block or shared memory exceed what the
 * machine can launch. Limits that the machine file does not know are not checked. */
WS_API WS_CHECKED ws_status ws_machine_check_launch(const ws_machine *machine,
                                                    const ws_launch *launch);
/* Numeric leaf by dotted path ("sm.count"), in SI units; WS_ERR_ARGUMENT if no such key,
 * WS_ERR_COMPARE if the machine file does not know it. */
WS_API WS_CHECKED ws_status ws_machine_get(const ws_machine *machine, const char *key,
                                           double *out_value);
/* Ids of all machine files, sorted, as one string with newlines, to be freed with ws_free. */
WS_API WS_CHECKED ws_status ws_machine_list(ws_context *context, char **out);
WS_API void ws_free(void *memory);

typedef enum ws_format {
    WS_FORMAT_TEXT,
    WS_FORMAT_JSON,
    WS_FORMAT_CSV,
    WS_FORMAT_SVG,
    WS_FORMAT_HTML,     /* one file that needs no network (doc/reports.md) */
    WS_FORMAT_MARKDOWN, /* tables, as comments on pull requests show them */
    WS_FORMAT_SARIF,    /* findings with their source lines: SARIF 2.1.0 */
    WS_FORMAT_JUNIT,    /* the same as test cases: JUnit XML */
} ws_format;

/* Is `word` part of the id, an alias, the name, the chip, "cc 7.0" or "sm_70"? In any case. */
WS_API bool ws_machine_matches(const ws_machine *machine, const char *word);

/* ---- occupancy ------------------------------------------------------------------------------- */

/* What a launch takes of an SM. */
typedef struct ws_occupancy_query {
    size_t size; /* sizeof(ws_occupancy_query) */
    unsigned threads_per_block;
    unsigned registers_per_thread; /* 0: registers do not limit */
    uint64_t shared_bytes;         /* static and dynamic, per block */
    unsigned barriers;             /* named barriers of a block; 0 and 1 do not limit */
    bool partitioned_caching;      /* cc 5.2, 5.3, 6.1, 6.2: a block stays in half an SM */
    bool no_granularity;           /* plain division: no allocation units, nothing reserved */
} ws_occupancy_query;

/* Bits of ws_occupancy.limiters. */
typedef enum ws_limit {
    WS_LIMIT_SM = 1, /* blocks that an SM can hold */
    WS_LIMIT_REGISTERS = 2,
    WS_LIMIT_SHARED = 4,
    WS_LIMIT_WARPS = 8, /* warps that an SM can hold */
    WS_LIMIT_BARRIERS = 16
} ws_limit;

typedef struct ws_occupancy {
    size_t size; /* sizeof(ws_occupancy), set by the caller */
    unsigned blocks_per_sm, warps_per_sm, warps_per_block;
    unsigned max_warps_per_sm;
    double fraction; /* warps_per_sm / max_warps_per_sm */
    /* Blocks per SM by each limit alone; UINT_MAX: does not limit. Nsight Compute's Block Limit SM,
     * Registers, Shared Mem, Warps. */
    unsigned limit_sm, limit_registers, limit_shared, limit_warps, limit_barriers;
    unsigned limiters; /* ws_limit: all that are as low as blocks_per_sm */
} ws_occupancy;

/* Blocks and warps that an SM holds at once (doc/occupancy.md has the rules). WS_ERR_LAUNCH if not
 * even one block fits: the message says why. WS_ERR_NO_MODEL names a figure that the machine file
 * lacks. */
WS_API WS_CHECKED ws_status ws_machine_occupancy(const ws_machine *machine,
                                                 const ws_occupancy_query *query,
                                                 ws_occupancy *out);

/* What of a launch is varied; the last two may be combined for ws_machine_occupancy_next. */
typedef enum ws_vary { WS_VARY_BLOCK = 1, WS_VARY_REGISTERS = 2, WS_VARY_SHARED = 4 } ws_vary;

/* From `first` to `last` of what is varied, blocks, warps and limiters are the same. */
typedef struct ws_occupancy_point {
    uint64_t first, last;
    unsigned blocks_per_sm, warps_per_sm; /* 0: such a launch does not fit */
    unsigned limiters;
} ws_occupancy_point;

/* Occupancy over all values that the machine allows of one figure; its own value in `query` does
 * not matter. At most `capacity` points are stored; *out_count is how many there are. */
WS_API WS_CHECKED ws_status ws_machine_occupancy_curve(const ws_machine *machine,
                                                       const ws_occupancy_query *query,
                                                       ws_vary vary, ws_occupancy_point *out,
                                                       size_t capacity, size_t *out_count);

/* The least change that puts more warps on an SM: fewer registers, less shared memory, both
 * (WS_VARY_REGISTERS | WS_VARY_SHARED), or the nearest other block of whole warps. `query` may be
 * a launch that does not fit. *out_query is the changed one, *out its occupancy (both with size set
 * by the caller). WS_ERR_COMPARE if no such change helps. */
WS_API WS_CHECKED ws_status ws_machine_occupancy_next(const ws_machine *machine,
                                                      const ws_occupancy_query *query,
                                                      unsigned vary, ws_occupancy_query *out_query,
                                                      ws_occupancy *out);

typedef enum ws_details {
    WS_DETAILS_QUIET,
    WS_DETAILS_NORMAL,
    WS_DETAILS_ALL,
    WS_DETAILS_BRIEF /* of `analyze`: one line a kernel and machine */
} ws_details;

typedef struct ws_report_options {
    size_t size; /* sizeof(ws_report_options) */
    ws_format format;
    ws_details details;
    unsigned width; /* columns of text, 40 to 200; 0: those of the view, 96 for most */
    bool utf8;      /* bars may use UTF-8 */
    bool colour;
    /* CSV: a table of an answer that has several ("cells"); NULL: the default. JSON: a table ("launches")
     * as JSON Lines, one row per line; NULL: the whole answer. */
    const char *table;
    /* SARIF: source files below this folder are named from there, others as absolute; NULL: as the compiler
     * names them. */
    const char *source_root;
} ws_report_options;

/* ---- answers ----------------------------------------------------------------------------------- */

/* The answer to a question: one tree of sections, lists, figures and tables, the same that the JSON of
 * the question shows (schemas/). It never changes, may be read from several threads at once, and outlives
 * the context, the profiles and the machines it was asked with. */
typedef struct ws_answer ws_answer;
/* A node of the tree, by value; valid as long as the answer. `at` NULL: no such node, which every
 * function below takes. */
typedef struct ws_node {
    const void *at;
} ws_node;

typedef enum ws_kind {
    WS_ABSENT, /* no such node */
    WS_SECTION,
    WS_LIST, /* its elements have keys or only an index */
    WS_NUMBER,
    WS_COUNT, /* exact, where a double is not */
    WS_FLAG,
    WS_WORD,
    WS_WORDS,
    WS_TABLE, /* rows and columns over an array: cells are not nodes */
    WS_NUMBERS
} ws_kind;

/* Where a number comes from. */
typedef enum ws_origin {
    WS_ORIGIN_UNKNOWN,
    WS_DECODED,
    WS_EMULATED,
    WS_SAMPLED,
    WS_MODELLED,
    WS_CALIBRATED,
    WS_MEASURED,
    WS_ASSUMED,
    WS_PUBLISHED
} ws_origin;

typedef struct ws_value {
    size_t size; /* sizeof(ws_value), set by the caller */
    ws_kind kind;
    bool is_known;    /* false: null in JSON; `note` may say why */
    double number;    /* SI; NAN: unknown. Of counts and flags, too */
    uint64_t count;   /* of WS_COUNT, exact; of WS_FLAG 0 or 1 */
    double low, high; /* interval; NAN: none */
    ws_origin origin;
    const char *unit, *text; /* text: the word of WS_WORD, else what the figure means */
    const char *note;        /* why it is unknown; NULL */
} ws_value;

/* A named input of a question, or of ws_model_evaluate. */
typedef struct ws_input {
    const char *name;
    double value;
    const char *word; /* of an input that is a word; NULL: a number */
} ws_input;

typedef struct ws_question {
    size_t size;      /* sizeof(ws_question) */
    const char *name; /* "occupancy"; ws_question_name lists them */
    const ws_profile *const *profiles;
    size_t profile_count;
    const ws_machine *const *machines;
    size_t machine_count;
    const ws_input *inputs; /* those that ws_question_input lists */
    size_t input_count;
} ws_question;

/* Asks. With a status other than WS_OK *out may still be an answer: then part of it is missing, and says
 * why in the tree. */
WS_API WS_CHECKED ws_status ws_ask(ws_context *context, const ws_question *question,
                                   ws_answer **out);
/* Many points of a question without a tree, of one machine: `in` has a row of input_count values for each
 * point, `out` gets one of figure_count (NAN: null). Figures have the ids of the tree, of `throughput` those
 * of its table `sweep`, whose inputs are `sms` and `n`. Of `analyze`, with one profile and the input `model`: time_s
 * and occupancy over figures of the machine ("sm.count", in SI units). Keeps no memory for a point. */
WS_API WS_CHECKED ws_status ws_ask_points(ws_context *context, const ws_question *question,
                                          const char *const *inputs, size_t input_count,
                                          const double *in, const char *const *figures,
                                          size_t figure_count, double *out, size_t count);
/* One more reference, for another owner. */
WS_API ws_answer *ws_answer_keep(ws_answer *answer);
WS_API void ws_answer_destroy(ws_answer *answer);

/* Names of the questions, by index from 0; NULL beyond the last. */
WS_API const char *ws_question_name(size_t index);
/* Inputs of a question, by index from 0: name, what it means, its unit ("" if none), whether it is a word;
 * false beyond the last. */
WS_API bool ws_question_input(const char *question, size_t index, const char **out_name,
                              const char **out_text, const char **out_unit, bool *out_is_word);

/* Walking takes no memory and no lock. */
WS_API ws_node ws_answer_root(const ws_answer *answer);
WS_API ws_kind ws_node_kind(ws_node node);
/* Id of a figure (its key in JSON, and a word that `explain` knows), or key of an element; NULL: none. */
WS_API const char *ws_node_id(ws_node node);
/* Nodes below; of a table its rows. */
WS_API size_t ws_node_count(ws_node node);
WS_API ws_node ws_node_child(ws_node node, size_t index);
/* By path: "machines/v100/occupancy/fraction". Elements of lists by key or by index; '/' and '~' in keys are
 * written '~1' and '~0' (RFC 6901). */
WS_API ws_node ws_node_find(ws_node node, const char *path);
WS_API bool ws_node_value(ws_node node, ws_value *out);
/* What most programs want of the question "analyze"; NAN or NULL: unknown, or no such kernel or machine. By
 * index, as asked: the time of the headline and the speed of light in seconds, what limits, resident warps
 * over the most; a counter of a kernel by its id ("inst.warp"). */
WS_API double ws_answer_time(const ws_answer *answer, size_t kernel, size_t machine);
WS_API double ws_answer_bound(const ws_answer *answer, size_t kernel, size_t machine);
WS_API const char *ws_answer_limit(const ws_answer *answer, size_t kernel, size_t machine);
WS_API double ws_answer_occupancy(const ws_answer *answer, size_t kernel, size_t machine);
WS_API double ws_answer_counter(const ws_answer *answer, size_t kernel, const char *id);

/* Of the node at that path; NAN or NULL: none, or it is unknown. */
WS_API double ws_answer_number(const ws_answer *answer, const char *path);
WS_API const char *ws_answer_word(const ws_answer *answer, const char *path);
/* Word `index` of a node of the kind WS_WORDS; NULL beyond the last. */
WS_API const char *ws_node_word(ws_node node, size_t index);
/* Number `index` of a node of the kind WS_NUMBERS; NAN: unknown, or beyond the last. */
WS_API double ws_node_number(ws_node node, size_t index);

/* Tables. */
WS_API size_t ws_table_columns(ws_node table);
WS_API bool ws_table_column(ws_node table, size_t column, const char **out_id,
                            const char **out_unit, ws_kind *out_kind);
/* Numbers of a column from row `first` on; returns how many were stored, at most `capacity`. Cells that are
 * unknown or no numbers are NAN. */
WS_API size_t ws_table_numbers(ws_node table, size_t column, size_t first, double *out,
                               size_t capacity);
/* A cell that is a word; NULL: none, or unknown. */
WS_API const char *ws_table_word(ws_node table, size_t column, size_t row);
/* Index of a column by its id; ws_table_columns if none. */
WS_API size_t ws_table_find(ws_node table, const char *id);

/* Writes the answer; options may be NULL. WS_ERR_ARGUMENT: the question has no output in this format. */
WS_API WS_CHECKED ws_status ws_answer_write(ws_context *context, const ws_answer *answer,
                                            const ws_report_options *options, ws_write_fn *write,
                                            void *user);
/* JSON Schema (draft 2020-12) of the question's JSON; to be freed with ws_free. */
WS_API WS_CHECKED ws_status ws_question_schema(ws_context *context, const char *question,
                                               char **out);

/* ---- pictures -------------------------------------------------------------------------------- */

/* Points in the order of x; a NAN is a gap. `name` NULL: the curve needs none. */
typedef struct ws_curve {
    const char *name;
    size_t count;
    const double *x, *y;
    bool only_points; /* not joined by a line */
} ws_curve;

/* Units are those of ws_format_quantity, "%" for fractions, NULL for plain numbers. */
typedef struct ws_plot {
    size_t size;              /* sizeof(ws_plot) */
    const char *title, *text; /* text: what it shows, in a sentence */
    const char *x_title, *x_unit, *y_title, *y_unit;
    bool x_is_log, y_is_log; /* then values that are not positive are left out */
    const ws_curve *curves;
    size_t curve_count;
} ws_plot;

/* An SVG file with its own style. WS_ERR_ARGUMENT: there is no point to draw. */
WS_API WS_CHECKED ws_status ws_plot_write(ws_context *context, const ws_plot *plot,
                                          ws_write_fn *write, void *user);

/* ---- explanations ----------------------------------------------------------------------------- */

/* What a word of a report means: an advice code ("G102"), a counter ("inst.warp"), an effect
 * ("bank-conflicts"), a model ("mwp-cwp") or a machine key ("machine.dram.latency"). NULL: the
 * list of all such words. WS_ERR_ARGUMENT names the nearest. To be freed with ws_free. */
WS_API WS_CHECKED ws_status ws_explain(ws_context *context, const char *word, char **out);
/* A text with tables and paragraphs in fewer columns, 40 to 200, as reports have it; lines that fit stay. To be freed
 * with ws_free; NULL: out of memory. */
WS_API char *ws_text_fit(const char *text, unsigned columns);
/* The names nearest to a mistyped one, "'v100', 'a100'", or "" if none is near; for messages of
 * programs on top. To be freed with ws_free. */
WS_API char *ws_nearest(const char *wanted, const char *const *names, size_t count);

/* ---- models ------------------------------------------------------------------------------------ */

/* Effects that models may switch off, by index from 0; NULL beyond the last. */
WS_API const char *ws_effect_name(size_t index);

/* Options that take a mechanism away from a model, as of the input `model_options` ("order=ptx"), by index from
 * 0; NULL beyond the last, or if there is no such model. */
WS_API const char *ws_model_ablation(const char *model, size_t index);

/* The closed form of a model: named numbers in, named terms out, without kernel or machine. The
 * functions are those of ws_model_function; doc/papers.md lists their inputs, whose units are in
 * their names. */
typedef struct ws_term {
    const char *name; /* static */
    double value;
} ws_term;
/* At most `capacity` terms are stored; *out_count is how many there are. */
WS_API WS_CHECKED ws_status ws_model_evaluate(ws_context *context, const char *function,
                                              const ws_input *inputs, size_t input_count,
                                              ws_term *out, size_t capacity, size_t *out_count);

/* Names of these functions, by index from 0; NULL beyond the last. */
WS_API const char *ws_model_function(size_t index);

/* ---- timeline --------------------------------------------------------------------------------- */

typedef struct ws_timeline_options {
    size_t size;               /* sizeof(ws_timeline_options) */
    const char *model_options; /* as the input of that name of "analyze" */
    const char *without;
    double first_cycle, last_cycle; /* what is shown; last_cycle 0: to the end */
    uint64_t max_events;            /* 1,000 to 10,000,000; 0: 100,000 */
    unsigned sm;                    /* of those that are simulated, from 0 */
    const char *l2;                 /* as the input of that name; NULL: cold */
    const char *spills;             /* likewise; NULL: auto */
} ws_timeline_options;

typedef struct ws_timeline_info {
    size_t size;     /* sizeof(ws_timeline_info), set by the caller */
    uint64_t events; /* written */
    unsigned simulated_sms;
    double cycles;                  /* simulated */
    double first_cycle, last_cycle; /* written */
    char note[256];                 /* why part of what was asked for is missing; "": nothing is */
} ws_timeline_info;

/* What one SM does, cycle by cycle, as the model teg executes the warp traces of the profile: JSON of
 * the Trace Event Format, which ui.perfetto.dev and chrome://tracing show (doc/timeline.md). `options`
 * and `out` may be NULL. WS_ERR_NO_MODEL if teg cannot answer (the profile has no warp traces ...),
 * WS_ERR_ARGUMENT for an empty window, or one beyond the end, or an SM that is not simulated. */
WS_API WS_CHECKED ws_status ws_timeline_write(ws_context *context, const ws_profile *profile,
                                              const ws_machine *machine,
                                              const ws_timeline_options *options,
                                              ws_write_fn *write, void *user,
                                              ws_timeline_info *out);

/* ---- machine code ------------------------------------------------------------------------------ */

typedef enum ws_disasm_lines {
    WS_DISASM_NO_LINES = 0,
    WS_DISASM_SOURCE = 1, /* what -lineinfo tells, with the text if the source file is found */
    WS_DISASM_PTX = 2     /* of the PTX that the cubin holds, if it was compiled with -lineinfo */
} ws_disasm_lines;

typedef struct ws_disasm_options {
    size_t size;        /* sizeof(ws_disasm_options) */
    const char *kernel; /* mangled, demangled or base name; NULL: all */
    unsigned target;  /* 80 for sm_80: which code of a fat binary; 0: the newest that can be read */
    ws_format format; /* text or JSON */
    unsigned lines;   /* ws_disasm_lines, or-ed: shown between the instructions of the text */
} ws_disasm_options;

typedef struct ws_disasm_info {
    size_t size;     /* sizeof(ws_disasm_info), set by the caller */
    unsigned target; /* 80 for sm_80 */
    uint64_t functions, instructions;
    uint64_t unknown; /* instructions that cannot be decoded */
} ws_disasm_info;

/* NVIDIA machine code of a cubin, a fat binary, or a program, library or object file that nvcc made:
 * functions with their resources, and instructions with labels, control words, relocated symbols and the lines
 * they come from. JSON has the schema schemas/disasm.schema.json. `options` and `out` may be NULL.
 * WS_ERR_UNSUPPORTED: another architecture; or, with everything written and *out filled, some instructions
 * are unknown: then out->instructions is not 0. */
WS_API WS_CHECKED ws_status ws_disassemble(ws_context *context, const char *path,
                                           const ws_disasm_options *options, ws_write_fn *write,
                                           void *user, ws_disasm_info *out);

#ifdef __cplusplus
}
#endif
#endif
