// SPDX-License-Identifier: Apache-2.0
/* One of the kernels of bench_engine through OpenCL: bench_opencl PLATFORM INDEX full|small prints
 * the seconds of the best launch. bench_engine calls it for PoCL and Oclgrind. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

static void must(const char *what, cl_int code)
{
    if (code == CL_SUCCESS) return;
    fprintf(stderr, "bench_opencl: %s: error %d\n", what, (int)code);
    exit(1);
}

static cl_platform_id find_platform(const char *wanted)
{
    cl_platform_id list[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, list, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256];
        must("clGetPlatformInfo",
             clGetPlatformInfo(list[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (strstr(name, wanted)) return list[i];
    }
    fprintf(stderr, "bench_opencl: no platform '%s'\n", wanted);
    exit(1);
}

struct session {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem buffers[BUFFERS_MAX];
};

static char *read_source(void)
{
    static char source[16384];
    FILE *file = fopen(SOURCE_DIR "/bench/kernels.cl", "rb");
    if (!file) must("bench/kernels.cl", -1);
    source[fread(source, 1, sizeof source - 1, file)] = '\0';
    fclose(file);
    return source;
}

static void open_session(struct session *s, const char *platform, const char *kernel)
{
    const char *source = read_source();
    cl_int code;
    must("clGetDeviceIDs",
         clGetDeviceIDs(find_platform(platform), CL_DEVICE_TYPE_ALL, 1, &s->device, NULL));
    s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &code);
    must("clCreateContext", code);
    s->queue = clCreateCommandQueue(s->context, s->device, 0, &code);
    must("clCreateCommandQueue", code);
    cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &code);
    must("clCreateProgramWithSource", code);
    must("clBuildProgram", clBuildProgram(program, 1, &s->device, "", NULL, NULL));
    s->kernel = clCreateKernel(program, kernel, &code);
    must("clCreateKernel", code);
}

static void set_arguments(struct session *s, const struct bench *bench)
{
    cl_uint index = 0;
    cl_int code;
    must("n", clSetKernelArg(s->kernel, index++, sizeof bench->n, &bench->n));
    if (bench->has_factor)
        must("factor", clSetKernelArg(s->kernel, index++, sizeof bench_factor, &bench_factor));
    for (size_t b = 0; b < BUFFERS_MAX && bench->elements[b] > 0; b++) {
        s->buffers[b] = clCreateBuffer(s->context, CL_MEM_READ_WRITE,
                                       bench->elements[b] * sizeof(float), NULL, &code);
        must("clCreateBuffer", code);
        must("buffer", clSetKernelArg(s->kernel, index++, sizeof(cl_mem), &s->buffers[b]));
    }
}

static void copy_in(struct session *s, const struct bench *bench, float *const buffers[])
{
    for (size_t b = 0; b < BUFFERS_MAX && bench->elements[b] > 0; b++)
        must("clEnqueueWriteBuffer",
             clEnqueueWriteBuffer(s->queue, s->buffers[b], CL_TRUE, 0,
                                  bench->elements[b] * sizeof(float), buffers[b], 0, NULL, NULL));
}

static double launch(struct session *s, const struct bench *bench)
{
    size_t global[2], local[2];
    for (unsigned k = 0; k < 2; k++) {
        local[k] = bench->block[k];
        global[k] = (size_t)bench->grid[k] * bench->block[k];
    }
    double start = bench_now();
    must("clEnqueueNDRangeKernel",
         clEnqueueNDRangeKernel(s->queue, s->kernel, 2, NULL, global, local, 0, NULL, NULL));
    must("clFinish", clFinish(s->queue));
    return bench_now() - start;
}

static void check_output(struct session *s, const struct bench *bench, float *const buffers[])
{
    size_t out = bench->output;
    for (size_t i = 0; i < bench->elements[out]; i += bench_check_step(bench)) {
        float got, expected = bench->expected(bench, buffers, i);
        must("clEnqueueReadBuffer", clEnqueueReadBuffer(s->queue, s->buffers[out], CL_TRUE, 4 * i,
                                                        sizeof got, &got, 0, NULL, NULL));
        if (memcmp(&got, &expected, sizeof got) != 0) must("wrong result", -1);
    }
}

int main(int argc, char **argv)
{
    unsigned index = argc == 4 ? (unsigned)atoi(argv[2]) : BENCH_COUNT;
    if (index >= BENCH_COUNT) {
        fprintf(stderr, "usage: bench_opencl PLATFORM 0|1|2 full|small\n");
        return 2;
    }
    double ratio, best = INFINITY;
    struct bench bench = benches[index];
    if (!strcmp(argv[3], "small")) bench = bench_shrunk(&benches[index], &ratio);
    float *buffers[BUFFERS_MAX];
    struct session session = {0};
    bench_fill(&bench, buffers);
    open_session(&session, argv[1], bench.kernel);
    set_arguments(&session, &bench);
    for (int i = 0; i < REPETITIONS; i++) {
        copy_in(&session, &bench, buffers); /* saxpy adds to its output: start again */
        best = fmin(best, launch(&session, &bench));
    }
    check_output(&session, &bench, buffers);
    bench_free(buffers);
    printf("%.9g\n", best);
    return 0;
}
