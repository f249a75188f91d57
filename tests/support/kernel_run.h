// SPDX-License-Identifier: Apache-2.0
/* Runs a kernel through the public API, for tests: load, allocate, launch, read back. Every call
 * that must not fail fails the cmocka test with the library's message. */
#ifndef SUPPORT_KERNEL_RUN_H
#define SUPPORT_KERNEL_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <warpsage/warpsage.h>

enum { RUN_BUFFERS_MAX = 12, RUN_PARAMETER_BYTES_MAX = 256 };

struct run {
    unsigned threads;
    ws_context *context;
    ws_module *module;
    ws_device *device;
    ws_check *check;     /* run_begin_checked */
    ws_profile *profile; /* after a good launch */
    ws_launch launch;    /* kernel, counters and all_rules are set; the rest by the test */
    unsigned char parameters[RUN_PARAMETER_BYTES_MAX];
    size_t argument_count;
    struct run_buffer {
        uint64_t address;
        size_t bytes;
    } buffers[RUN_BUFFERS_MAX]; /* in the order of run_input and run_output */
    size_t buffer_count;
};

/* `ptx`, or an OpenCL C file (.cl), is relative to the source tree. */
void run_begin(struct run *run, const char *ptx, const char *kernel, unsigned threads);
/* The same, with one host thread and a device that finds errors. */
void run_begin_checked(struct run *run, const char *ptx, const char *kernel);
void run_end(struct run *run);

void run_shape(struct run *run, uint32_t grid, uint32_t block);
void run_shape_2d(struct run *run, uint32_t grid_x, uint32_t grid_y, uint32_t block_x,
                  uint32_t block_y);

/* The next argument: a value, or a new buffer (run_input: filled; run_output: uninitialised). */
void run_value(struct run *run, const void *value, size_t size);
void run_int(struct run *run, int value);
uint64_t run_input(struct run *run, const void *data, size_t bytes);
uint64_t run_output(struct run *run, size_t bytes);

void run_launch(struct run *run);
/* For launches that must fail: the status, and the message through ws_context_error. */
ws_status run_try(struct run *run);

/* A copy of buffer `index`, to be freed. */
void *run_read(struct run *run, size_t index);
/* A counter of the profile as an exact integer. */
uint64_t run_counter(struct run *run, const char *id);
/* The profile as it is saved, to be freed. */
char *run_profile_text(struct run *run);

/* Sets up and checks a kernel with 1 host thread, then runs it again with 2 and with 3, and with the tool memory: all
 * buffers and the saved profile must be equal to the last bit, and no error may be told. */
typedef void run_step(struct run *run);
void run_kernel(const char *ptx, const char *kernel, run_step *setup, run_step *check);

/* Reproducible input. */
uint32_t random_u32(uint64_t *state);
/* [-1, 1) in steps of 2^-23. */
float random_float(uint64_t *state);

#endif
