// SPDX-License-Identifier: Apache-2.0
/* Texture and surface references by the driver API and by what compilers before CUDA 12 made of the runtime's. Headers of
 * today declare neither.
 *
 *     texture_references FILE.ptx
 *
 * Expected: linear memory gives its floats (0 beyond the end); a plane with a linear filter halfway between texels their
 * mean, clamped at the borders. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, ROWS = 3, FLOAT_FORMAT = 0x20, WORD_FORMAT = 0x03, LINEAR = 1, CLAMP = 1 };

struct array_2d {
    size_t width, height;
    unsigned format, channels;
};
struct array_3d {
    size_t width, height, depth;
    unsigned format, channels, flags;
};
struct format {
    int x, y, z, w, kind;
};
struct settings { /* textureReference */
    int normalized, filter, modes[3];
    struct format format;
    int others[20];
};
struct dim3 {
    unsigned x, y, z;
};

/* Each by its name; all return 0 if they succeed. */
static int call(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                uint64_t f, uint64_t g)
{
    int (*function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(&function, &found, sizeof function);
    if (!found) return -1;
    return function(a, b, c, d, e, f, g);
}
#define P(x) ((uint64_t)(uintptr_t)(x))
#define CALL(name, ...) CALL_(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define CALL_(name, a, b, c, d, e, f, g, ...)                                                      \
    check(name, call(name, P(a), P(b), P(c), P(d), P(e), P(f), P(g)))

static void check(const char *name, int error)
{
    if (!error) return;
    printf("%s: error %d\n", name, error);
    exit(1);
}

static float line[N], plane[ROWS][N];

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        line[i] = (float)(100 * i);
        for (int y = 0; y < ROWS; y++)
            plane[y][i] = (float)(i + 16 * y);
    }
}

/* plane(i, 1.5): between columns i - 1 and i, on row 1. */
static float expected(int i)
{
    float left = plane[1][i ? i - 1 : 0], right = plane[1][i];
    return line[i] + (left + right) / 2;
}

static bool is_right(const float *got, const char *what)
{
    for (int i = 0; i < N; i++)
        if (got[i] != expected(i)) {
            printf("%s: element %d is %g, not %g\n", what, i, (double)got[i], (double)expected(i));
            return false;
        }
    return true;
}

static char *read_file(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    if (!file || !text || !fread(text, 1, (1 << 16) - 1, file)) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

/* What was set is what is got (driver API, texture reference management). */
static bool has_settings(void *reference, uint64_t memory)
{
    enum { NORMALIZED_COORDINATES = 2, MIRROR = 2 };
    void *made;
    uint64_t address = 0;
    unsigned format = 0, flags = 0;
    int channels = 0, mode = 0, filter = 0;
    CALL("cuTexRefGetAddress_v2", &address, reference);
    CALL("cuTexRefGetFormat", &format, &channels, reference);
    CALL("cuTexRefGetAddressMode", &mode, reference, 1);
    CALL("cuTexRefGetFilterMode", &filter, reference);
    bool good = address == memory && format == FLOAT_FORMAT && channels == 1 && mode == CLAMP &&
                filter == LINEAR;
    CALL("cuTexRefCreate", &made, 0);
    CALL("cuTexRefSetFlags", made, NORMALIZED_COORDINATES);
    CALL("cuTexRefSetAddressMode", made, 2, MIRROR);
    CALL("cuTexRefGetFlags", &flags, made);
    CALL("cuTexRefGetAddressMode", &mode, made, 2);
    good = good && flags == NORMALIZED_COORDINATES && mode == MIRROR;
    good = good && call("cuTexRefGetAddress_v2", P(&address), P(made), 0, 0, 0, 0, 0) == 1;
    CALL("cuTexRefDestroy", made, 0);
    /* destroyed; of a module */
    good = good && call("cuTexRefDestroy", P(made), 0, 0, 0, 0, 0, 0) == 1;
    return good && call("cuTexRefDestroy", P(reference), 0, 0, 0, 0, 0, 0) == 1;
}

static bool by_driver(const char *ptx)
{
    void *context, *module, *function, *reference, *array;
    uint64_t memory, out;
    size_t offset;
    float got[N];
    int n = N;
    unsigned words[N];
    CALL("cuInit", 0);
    CALL("cuDevicePrimaryCtxRetain", &context, 0);
    CALL("cuCtxSetCurrent", context);
    CALL("cuModuleLoadData", &module, ptx);
    CALL("cuModuleGetFunction", &function, module, "fetch");
    CALL("cuMemAlloc_v2", &memory, 4096);
    CALL("cuMemAlloc_v2", &out, sizeof got);
    /* Not where a texture may begin: the offset tells. */
    CALL("cuMemcpyHtoD_v2", memory, line, sizeof line);
    CALL("cuModuleGetTexRef", &reference, module, "line");
    CALL("cuTexRefSetFormat", reference, FLOAT_FORMAT, 1);
    CALL("cuTexRefSetAddress_v2", &offset, reference, memory, sizeof line);
    CALL("cuMemcpyHtoD_v2", memory + 1024, plane, sizeof plane);
    CALL("cuModuleGetTexRef", &reference, module, "plane");
    struct array_2d shape = {N, ROWS, FLOAT_FORMAT, 1};
    CALL("cuTexRefSetAddress2D_v3", reference, &shape, memory + 1024, N * sizeof(float));
    CALL("cuTexRefSetFilterMode", reference, LINEAR);
    CALL("cuTexRefSetAddressMode", reference, 0, CLAMP);
    CALL("cuTexRefSetAddressMode", reference, 1, CLAMP);
    bool is_set = has_settings(reference, memory + 1024);
    if (!is_set) puts("driver: other settings than were set");
    struct array_3d surface = {N, 1, 0, WORD_FORMAT, 1, 2};
    CALL("cuArray3DCreate_v2", &array, &surface);
    CALL("cuModuleGetSurfRef", &reference, module, "written");
    CALL("cuSurfRefSetArray", reference, array, 0);
    void *arguments[] = {&out, &n};
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    void *found = dlsym(RTLD_DEFAULT, "cuLaunchKernel");
    memcpy(&launch, &found, sizeof launch);
    check("cuLaunchKernel", launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CALL("cuMemcpyDtoH_v2", got, out, sizeof got);
    CALL("cuMemcpyAtoH_v2", words, array, 0, sizeof words);
    bool good = is_right(got, "driver") && offset == 0 && is_set;
    for (unsigned i = 0; i < N; i++)
        good = good && words[i] == i;
    return good;
}

/* A fat binary of the text: src/decode/native/fat_binary.h tells the form. */
static void *fat_binary(const char *ptx)
{
    size_t bytes = (strlen(ptx) + 8) / 8 * 8;
    unsigned char *made = calloc(1, 80 + bytes);
    const uint64_t head[] = {UINT64_C(0x00100001ba55ed50), 64 + bytes};
    const uint32_t entry[] = {1, 64, (uint32_t)bytes, 0, 0, 0, 0, 70};
    memcpy(made, head, sizeof head);
    memcpy(made + 16, entry, sizeof entry);
    memcpy(made + 80, ptx, strlen(ptx));
    return made;
}

static bool by_runtime(const char *ptx)
{
    static struct settings of_line, of_plane = {.filter = LINEAR, .modes = {CLAMP, CLAMP, CLAMP}};
    static int of_surface, kernel;
    static struct {
        int magic, version;
        void *data, *unused;
    } wrapper = {0x466243b1, 1, NULL, NULL};
    void **(*enter)(void *);
    void *found = dlsym(RTLD_DEFAULT, "__cudaRegisterFatBinary");
    memcpy(&enter, &found, sizeof enter);
    wrapper.data = fat_binary(ptx);
    void **handle = enter(&wrapper);
    int (*add)(void **, void *, void *, const char *, int, int, int);
    found = dlsym(RTLD_DEFAULT, "__cudaRegisterTexture");
    memcpy(&add, &found, sizeof add);
    add(handle, &of_line, NULL, "line", 1, 0, 0);
    add(handle, &of_plane, NULL, "plane", 2, 0, 0);
    found = dlsym(RTLD_DEFAULT, "__cudaRegisterSurface");
    memcpy(&add, &found, sizeof add);
    add(handle, &of_surface, NULL, "written", 2, 0, 0);
    void (*add_kernel)(void **, void *, const char *, const char *, int, void *, void *, void *,
                       void *, void *);
    found = dlsym(RTLD_DEFAULT, "__cudaRegisterFunction");
    memcpy(&add_kernel, &found, sizeof add_kernel);
    add_kernel(handle, &kernel, "fetch", "fetch", -1, NULL, NULL, NULL, NULL, NULL);

    char *memory, *out;
    void *array;
    size_t offset;
    float got[N];
    int n = N;
    const struct format floats = {32, 0, 0, 0, 2}, words = {32, 0, 0, 0, 1};
    CALL("cudaMalloc", &memory, 4096);
    CALL("cudaMalloc", &out, sizeof got);
    CALL("cudaMemcpy", memory, line, sizeof line, 1);
    CALL("cudaMemcpy", memory + 1024, plane, sizeof plane, 1);
    CALL("cudaBindTexture", &offset, &of_line, memory, &floats, UINT32_MAX);
    CALL("cudaBindTexture2D", &offset, &of_plane, memory + 1024, &floats, N, ROWS,
         N * sizeof(float));
    CALL("cudaMallocArray", &array, &words, N, 1, 2);
    CALL("cudaBindSurfaceToArray", &of_surface, array, &words);
    void *arguments[] = {&out, &n};
    int (*launch)(void *, struct dim3, struct dim3, void **, size_t, void *);
    found = dlsym(RTLD_DEFAULT, "cudaLaunchKernel");
    memcpy(&launch, &found, sizeof launch);
    const struct dim3 one = {1, 1, 1}, warp = {32, 1, 1};
    check("cudaLaunchKernel", launch(&kernel, one, warp, arguments, 0, NULL));
    CALL("cudaMemcpy", got, out, sizeof got, 2);
    bool good = is_right(got, "runtime");

    /* 256 bytes further on: the texture begins before that, and tells. */
    CALL("cudaMemcpy", memory + 256, line, sizeof line, 1);
    CALL("cudaBindTexture", &offset, &of_line, memory + 256, &floats, sizeof line);
    CALL("cudaUnbindTexture", &of_plane);
    return good && offset == 256;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!driver) printf("%s\n", dlerror());
    fill();
    char *ptx = read_file(argv[1]);
    bool good = by_driver(ptx) && by_runtime(ptx);
    puts(good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
