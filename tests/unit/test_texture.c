// SPDX-License-Identifier: Apache-2.0
/* Texture fetches against numbers worked out by hand from the appendix "Texture Fetching" of the CUDA C++
 * Programming Guide: nearest T[floor(x)]; linear (1 - a) T[i] + a T[i + 1] with i = floor(x - 0.5) and
 * a = frac(x - 0.5) in steps of 1/256. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka.h needs those above
#include <cmocka.h>
#include <warpsage/warpsage.h>

/* to[0 .. 3] of one thread: what one fetch of the text's instruction gives */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry fetch(.param .u64 handle, .param .f32 x, .param .f32 y,"
                           " .param .u64 to) {\n"
                           "  .reg .u64 %%h, %%to; .reg .f32 %%x, %%y; .reg .b32 %%r<4>;\n"
                           "  .reg .%s %%t<4>; .reg .s32 %%i;\n"
                           "  ld.param.u64 %%h, [handle]; ld.param.u64 %%to, [to];\n"
                           "  ld.param.f32 %%x, [x]; ld.param.f32 %%y, [y];\n"
                           "  cvt.rzi.s32.f32 %%i, %%x;\n"
                           "  %s {%%t0, %%t1, %%t2, %%t3}, [%%h, %s];\n"
                           "  st.global.v4.%s [%%to], {%%t0, %%t1, %%t2, %%t3};\n"
                           "  ret;\n}\n";

struct fixture {
    ws_context *context;
    ws_device *device;
    uint64_t memory, to;
};
enum { BYTES = 4096 };

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return ws_context_create(&f->context) || ws_device_create(f->context, NULL, &f->device) ||
           ws_device_alloc(f->device, BYTES, &f->memory) || ws_device_alloc(f->device, 16, &f->to);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    ws_device_destroy(f->device);
    ws_context_destroy(f->context);
    free(f);
    return 0;
}

struct kernel_arguments {
    uint64_t handle;
    float x, y;
    uint64_t to;
};

/* With WARPSAGE_NATIVE=80 each fetch runs once more, as the native code that ptxas makes for sm_80. Needs ptxas;
 * for who changes native code. */
static void check_native(const struct fixture *f, const char *ptx, ws_launch launch,
                         const void *expected)
{
    const char *target = getenv("WARPSAGE_NATIVE");
    ws_module *module, *native;
    ws_profile *profile = NULL;
    unsigned char got[16];
    if (!target) return;
    char path[] = P_tmpdir "/warpsage-texture-XXXXXX.ptx";
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, ptx, strlen(ptx)), strlen(ptx));
    close(descriptor);
    assert_int_equal(ws_context_set_tool_path(f->context, getenv("PATH")), WS_OK);
    assert_int_equal(ws_module_load_file(f->context, path, &module), WS_OK);
    unlink(path);
    if (ws_module_compile(module, (unsigned)atoi(target), &native) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    ws_status status = ws_device_launch(f->device, native, &launch, &profile);
    if (status != WS_OK) fail_msg("sm_%s: %s", target, ws_context_error(f->context));
    assert_int_equal(ws_device_copy_out(f->device, got, f->to, sizeof got), WS_OK);
    assert_memory_equal(got, expected, sizeof got);
    ws_profile_destroy(profile);
    ws_module_destroy(native);
    ws_module_destroy(module);
}

static ws_status fetch(const struct fixture *f, const char *instruction, const char *coordinates,
                       const char *type, struct kernel_arguments arguments, void *out)
{
    char ptx[2048];
    ws_module *module;
    ws_profile *profile = NULL;
    snprintf(ptx, sizeof ptx, text, type, instruction, coordinates, type);
    assert_int_equal(ws_module_load_memory(f->context, "test", ptx, strlen(ptx), &module), WS_OK);
    arguments.to = f->to;
    ws_launch launch = {.size = sizeof launch,
                        .grid = {1, 1, 1},
                        .block = {1, 1, 1},
                        .parameters = &arguments,
                        .parameter_bytes = sizeof arguments};
    ws_status status = ws_device_launch(f->device, module, &launch, &profile);
    if (status == WS_OK) assert_int_equal(ws_device_copy_out(f->device, out, f->to, 16), WS_OK);
    ws_profile_destroy(profile);
    if (status == WS_OK) check_native(f, ptx, launch, out);
    ws_module_destroy(module);
    return status;
}

static ws_texture texels(const struct fixture *f, ws_texture_kind kind, uint64_t width,
                         uint64_t height)
{
    return (ws_texture){.size = sizeof(ws_texture),
                        .kind = kind,
                        .address = f->memory,
                        .width = width,
                        .height = height,
                        .depth = 1,
                        .pitch_bytes = 4 * width,
                        .channels = 1,
                        .channel_bits = 32,
                        .channel_kind = WS_CHANNEL_FLOAT};
}

static float fetch_1d(const struct fixture *f, const ws_texture *texture, float x)
{
    uint64_t handle;
    float out[4];
    assert_int_equal(ws_device_texture_create(f->device, texture, &handle), WS_OK);
    struct kernel_arguments arguments = {.handle = handle, .x = x};
    assert_int_equal(fetch(f, "tex.1d.v4.f32.f32", "{%x}", "f32", arguments, out), WS_OK);
    assert_int_equal(ws_device_texture_destroy(f->device, handle), WS_OK);
    return out[0];
}

static void test_line(void **state)
{
    const struct fixture *f = *state;
    const float T[4] = {10, 20, 40, 80};
    assert_int_equal(ws_device_copy_in(f->device, f->memory, T, sizeof T), WS_OK);
    static const struct {
        ws_address_mode mode;
        bool linear, normalized;
        float x, expected;
    } cases[] = {
        {WS_ADDRESS_CLAMP, false, false, 1.99F, 20},
        {WS_ADDRESS_CLAMP, false, false, 2, 40},
        {WS_ADDRESS_CLAMP, false, false, -7, 10},
        {WS_ADDRESS_CLAMP, false, false, 4, 80},
        {WS_ADDRESS_BORDER, false, false, -0.01F, 3},
        {WS_ADDRESS_BORDER, false, false, 4, 3},
        {WS_ADDRESS_WRAP, false, false, 5, 80},          /* not normalized: clamps */
        {WS_ADDRESS_WRAP, false, true, 1.25F, 20},       /* frac 0.25, 4 * 0.25 = 1 */
        {WS_ADDRESS_WRAP, false, true, -0.25F, 80},      /* frac 0.75 */
        {WS_ADDRESS_WRAP, false, true, -1e-9F, 80},      /* frac just below 1 */
        {WS_ADDRESS_MIRROR, false, true, 1.125F, 80},    /* 1 - 0.125: 3.5 */
        {WS_ADDRESS_MIRROR, false, true, -0.125F, 10},   /* floor -1 is odd: 1 - 0.875 */
        {WS_ADDRESS_MIRROR, false, true, 2.3F, 20},      /* frac 0.3: 1.2 */
        {WS_ADDRESS_CLAMP, true, false, 1.5F, 20},       /* a = 0 */
        {WS_ADDRESS_CLAMP, true, false, 2, 30},          /* a = 1/2 */
        {WS_ADDRESS_CLAMP, true, false, 0.25F, 10},      /* both are T[0] */
        {WS_ADDRESS_CLAMP, true, false, 2.6F, 44.0625F}, /* a = 0.1, 26/256: 40 + 40 * 26/256 */
        {WS_ADDRESS_BORDER, true, false, 0, 6.5F},       /* half of 3, half of 10 */
        {WS_ADDRESS_BORDER, true, false, 4.25F, 22.25F}, /* a = 3/4: 80/4 + 3 * 3/4 */
        {WS_ADDRESS_WRAP, true, true, 0, 45},            /* half of T[3], half of T[0] */
        {WS_ADDRESS_WRAP, true, true, 0.9375F, 62.5F},   /* 3.75 - 0.5: T[3] 3/4, T[0] 1/4 */
        {WS_ADDRESS_MIRROR, true, true, 1.0625F, 80},    /* 3.75: T[3] and its mirror image */
        {WS_ADDRESS_CLAMP, true, false, 1.4999F, 20},    /* a = 0.9999 rounds to 256/256 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ws_texture texture = texels(f, WS_TEXTURE_1D, 4, 1);
        texture.address_modes[0] = cases[i].mode;
        texture.linear_filter = cases[i].linear;
        texture.normalized_coordinates = cases[i].normalized;
        texture.border[0] = 3;
        float got = fetch_1d(f, &texture, cases[i].x);
        if (got != cases[i].expected)
            fail_msg("case %zu: %g, not %g", i, (double)got, (double)cases[i].expected);
    }
    ws_texture texture = texels(f, WS_TEXTURE_1D, 4, 1);
    texture.address_modes[0] = WS_ADDRESS_CLAMP;
    assert_true(fetch_1d(f, &texture, NAN) == 10);
    assert_true(fetch_1d(f, &texture, INFINITY) == 80);
    assert_true(fetch_1d(f, &texture, -INFINITY) == 10);
}

/* (1-a)(1-b) T[i,j] + a(1-b) T[i+1,j] + (1-a)b T[i,j+1] + ab T[i+1,j+1], of two halves by texel */
static void test_plane(void **state)
{
    const struct fixture *f = *state;
    const uint16_t T[2][2][2] = {{{0x3c00, 0x4000}, {0x4400, 0}}, {{0x4800, 0}, {0x4c00, 0xc000}}};
    /* 1 4 / 8 16 and 2 0 / 0 -2 */
    float out[4];
    uint64_t handle;
    assert_int_equal(ws_device_copy_in(f->device, f->memory, T, sizeof T), WS_OK);
    ws_texture texture = texels(f, WS_TEXTURE_2D, 2, 2);
    texture.channels = 2;
    texture.channel_bits = 16;
    texture.linear_filter = true;
    texture.address_modes[0] = texture.address_modes[1] = WS_ADDRESS_CLAMP;
    assert_int_equal(ws_device_texture_create(f->device, &texture, &handle), WS_OK);
    /* a = 1/4, b = 1/2: (3/4 + 4/4)/2 + (8 * 3/4 + 16/4)/2 = 5.875; (3/4 * 2)/2 - 2/4/2 = 0.5 */
    struct kernel_arguments arguments = {.handle = handle, .x = 0.75F, .y = 1};
    assert_int_equal(fetch(f, "tex.2d.v4.f32.f32", "{%x, %y}", "f32", arguments, out), WS_OK);
    assert_true(out[0] == 5.875F && out[1] == 0.5F && out[2] == 0 && out[3] == 0);
    assert_int_equal(
        fetch(f, "tex.level.2d.v4.f32.f32", "{%x, %y}], %y; //", "f32", arguments, out), WS_OK);
    assert_true(out[0] == 5.875F);
}

/* Linear memory; signed bytes as they are and as fractions, of which the least two are -1. */
static void test_integers(void **state)
{
    const struct fixture *f = *state;
    const int8_t T[4] = {-128, -127, 0, 127};
    static const int32_t numbers[6] = {0, -128, -127, 0, 127, 0};
    static const float fractions[6] = {0, -1, -1, 0, 1, 0};
    uint64_t plain, normalized;
    assert_int_equal(ws_device_copy_in(f->device, f->memory, T, sizeof T), WS_OK);
    ws_texture texture = texels(f, WS_TEXTURE_LINEAR_MEMORY, 4, 1);
    texture.channel_bits = 8;
    texture.channel_kind = WS_CHANNEL_SIGNED;
    assert_int_equal(ws_device_texture_create(f->device, &texture, &plain), WS_OK);
    texture.normalized_read = true;
    assert_int_equal(ws_device_texture_create(f->device, &texture, &normalized), WS_OK);
    for (int i = 0; i < 6; i++) {
        int32_t number[4];
        float fraction[4];
        struct kernel_arguments arguments = {.handle = plain, .x = (float)(i - 1)};
        assert_int_equal(fetch(f, "tex.1d.v4.s32.s32", "{%i}", "s32", arguments, number), WS_OK);
        assert_int_equal(number[0], numbers[i]);
        arguments.handle = normalized;
        assert_int_equal(fetch(f, "tex.1d.v4.f32.s32", "{%i}", "f32", arguments, fraction), WS_OK);
        assert_true(fraction[0] == fractions[i]);
    }
}

/* Layers of one row each: the layer is clamped to those that there are. */
static void test_layers(void **state)
{
    const struct fixture *f = *state;
    const float T[3][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}, {100, 200, 300, 400}};
    static const float expected[] = {2, 20, 200, 200};
    uint64_t handle;
    float out[4];
    assert_int_equal(ws_device_copy_in(f->device, f->memory, T, sizeof T), WS_OK);
    ws_texture texture = texels(f, WS_TEXTURE_1D_LAYERED, 4, 1);
    texture.depth = 3;
    texture.slice_bytes = sizeof T[0];
    assert_int_equal(ws_device_texture_create(f->device, &texture, &handle), WS_OK);
    for (int layer = 0; layer < 4; layer++) {
        struct kernel_arguments arguments = {.handle = handle, .x = (float)layer, .y = 1.5F};
        assert_int_equal(fetch(f, "tex.a1d.v4.f32.f32", "{%i, %y}", "f32", arguments, out), WS_OK);
        assert_true(out[0] == expected[layer]);
    }
}

/* ---- 32 lanes: each with a texture and coordinates of its own; every third fetches nothing ----- */

enum { LANES = 32, SIDE = 7 };
static const char lanes_text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry lanes(.param .u64 in, .param .u64 to) {\n"
    "  .reg .u64 %h, %in, %to, %o; .reg .f32 %x, %y, %t<4>; .reg .u32 %i, %m; .reg .pred %p;\n"
    "  ld.param.u64 %in, [in]; ld.param.u64 %to, [to]; mov.u32 %i, %tid.x;\n"
    "  mul.wide.u32 %o, %i, 16; add.u64 %in, %in, %o; add.u64 %to, %to, %o;\n"
    "  ld.global.u64 %h, [%in]; ld.global.f32 %x, [%in + 8]; ld.global.f32 %y, [%in + 12];\n"
    "  mov.f32 %t0, -1.0; mov.f32 %t1, -1.0; mov.f32 %t2, -1.0; mov.f32 %t3, -1.0;\n"
    "  rem.u32 %m, %i, 3; setp.ne.u32 %p, %m, 0;\n"
    "  @%p tex.2d.v4.f32.f32 {%t0, %t1, %t2, %t3}, [%h, {%x, %y}];\n"
    "  st.global.v4.f32 [%to], {%t0, %t1, %t2, %t3};\n"
    "  ret;\n}\n";
struct lane_input {
    uint64_t handle;
    float x, y;
};

/* T[i, j] by the guide: beyond the texture the nearest texel, or 3. */
static double texel(const int16_t *T, int i, int j, bool is_border)
{
    if (is_border && (i < 0 || j < 0 || i >= SIDE || j >= SIDE)) return 3;
    i = i < 0 ? 0 : i >= SIDE ? SIDE - 1 : i;
    j = j < 0 ? 0 : j >= SIDE ? SIDE - 1 : j;
    return T[j * SIDE + i] / 32767.0;
}

static double fetched(const int16_t *T, const struct lane_input *at, bool is_linear)
{
    if (!is_linear) return texel(T, (int)floorf(at->x), (int)floorf(at->y), false);
    int i = (int)floorf(at->x - 0.5F), j = (int)floorf(at->y - 0.5F);
    double a = round(256 * ((double)at->x - 0.5 - i)) / 256;
    double b = round(256 * ((double)at->y - 0.5 - j)) / 256;
    return (1 - a) * (1 - b) * texel(T, i, j, true) + a * (1 - b) * texel(T, i + 1, j, true) +
           (1 - a) * b * texel(T, i, j + 1, true) + a * b * texel(T, i + 1, j + 1, true);
}

static void test_lanes(void **state)
{
    const struct fixture *f = *state;
    int16_t T[SIDE][SIDE];
    struct lane_input in[LANES];
    float out[LANES][4];
    uint64_t handles[2], memory[2];
    ws_module *module;
    ws_profile *profile = NULL;
    for (int i = 0; i < SIDE * SIDE; i++)
        T[i / SIDE][i % SIDE] = (int16_t)(i * 2731 % 65537 - 32767);
    assert_int_equal(ws_device_copy_in(f->device, f->memory, T, sizeof T), WS_OK);
    for (unsigned k = 0; k < 2; k++) {
        ws_texture t = texels(f, WS_TEXTURE_2D, SIDE, SIDE);
        t.pitch_bytes = sizeof T[0];
        t.channel_bits = 16;
        t.channel_kind = WS_CHANNEL_SIGNED;
        t.normalized_read = true;
        t.linear_filter = k;
        t.address_modes[0] = t.address_modes[1] = k ? WS_ADDRESS_BORDER : WS_ADDRESS_CLAMP;
        t.border[0] = 3;
        assert_int_equal(ws_device_texture_create(f->device, &t, &handles[k]), WS_OK);
        assert_int_equal(ws_device_alloc(f->device, sizeof out, &memory[k]), WS_OK);
    }
    for (unsigned i = 0; i < LANES; i++)
        in[i] = (struct lane_input){handles[i / 4 % 2], 9 * sinf((float)i), 4 + 5 * cosf((float)i)};
    assert_int_equal(ws_device_copy_in(f->device, memory[0], in, sizeof in), WS_OK);
    assert_int_equal(
        ws_module_load_memory(f->context, "test", lanes_text, strlen(lanes_text), &module), WS_OK);
    ws_launch launch = {.size = sizeof launch,
                        .grid = {1, 1, 1},
                        .block = {LANES, 1, 1},
                        .parameters = memory,
                        .parameter_bytes = sizeof memory};
    ws_status status = ws_device_launch(f->device, module, &launch, &profile);
    if (status != WS_OK) fail_msg("%s", ws_context_error(f->context));
    assert_int_equal(ws_device_copy_out(f->device, out, memory[1], sizeof out), WS_OK);
    for (unsigned i = 0; i < LANES; i++) {
        double expected = i % 3 ? fetched(T[0], &in[i], i / 4 % 2) : -1;
        if (fabs((double)out[i][0] - expected) > 1e-6)
            fail_msg("lane %u: %.9g, not %.9g", i, (double)out[i][0], expected);
        assert_true(out[i][1] == (i % 3 ? 0 : -1));
    }
    ws_profile_destroy(profile);
    ws_module_destroy(module);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static const char query_text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                 ".visible .entry query(.param .u64 handle, .param .u64 to) {\n"
                                 "  .reg .u64 %%h, %%to; .reg .b32 %%d;\n"
                                 "  ld.param.u64 %%h, [handle]; ld.param.u64 %%to, [to];\n"
                                 "  %s %%d, [%%h]%s; st.global.b32 [%%to], %%d; ret;\n}\n";

static uint32_t query(const struct fixture *f, uint64_t handle, const char *instruction)
{
    char ptx[1024];
    uint32_t out;
    ws_module *module;
    uint64_t parameters[2] = {handle, f->to};
    snprintf(ptx, sizeof ptx, query_text, instruction, strstr(instruction, "level.") ? ", 0" : "");
    if (ws_module_load_memory(f->context, "test", ptx, strlen(ptx), &module) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    ws_launch launch = {.size = sizeof launch,
                        .grid = {1, 1, 1},
                        .block = {1, 1, 1},
                        .parameters = parameters,
                        .parameter_bytes = sizeof parameters};
    if (ws_device_launch(f->device, module, &launch, NULL) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    assert_int_equal(ws_device_copy_out(f->device, &out, f->to, sizeof out), WS_OK);
    ws_module_destroy(module);
    return out;
}

/* Numbers of modes and filters: PTX ISA, table of the attributes of txq. */
static void test_attributes(void **state)
{
    const struct fixture *f = *state;
    enum { VOLUME, LAYERS, TEXTURES };
    enum { MIRROR = 1, CLAMP_TO_EDGE = 3, CLAMP_TO_BORDER = 4, NEAREST = 0, LINEAR = 1 };
    static const struct {
        int of;
        const char *instruction;
        uint32_t expected;
    } cases[] = {{VOLUME, "txq.width.b32", 5},
                 {VOLUME, "txq.height.b32", 4},
                 {VOLUME, "txq.depth.b32", 3},
                 {VOLUME, "txq.level.depth.b32", 3},
                 {VOLUME, "txq.array_size.b32", 0},
                 {VOLUME, "txq.normalized_coords.b32", 1},
                 {VOLUME, "txq.num_mipmap_levels.b32", 0},
                 {VOLUME, "txq.num_samples.b32", 0},
                 {VOLUME, "txq.filter_mode.b32", LINEAR},
                 {VOLUME, "txq.addr_mode_0.b32", MIRROR},
                 {VOLUME, "txq.addr_mode_1.b32", CLAMP_TO_BORDER},
                 {VOLUME, "txq.addr_mode_2.b32", CLAMP_TO_EDGE},
                 {VOLUME, "suq.depth.b32", 3},
                 {LAYERS, "txq.width.b32", 5},
                 {LAYERS, "txq.height.b32", 4},
                 {LAYERS, "txq.array_size.b32", 3},
                 {LAYERS, "txq.normalized_coords.b32", 0},
                 {LAYERS, "txq.filter_mode.b32", NEAREST},
                 {LAYERS, "suq.array_size.b32", 3},
                 {LAYERS, "suq.memory_layout.b32", 0}};
    uint64_t handles[TEXTURES];
    ws_texture texture = texels(f, WS_TEXTURE_3D, 5, 4);
    texture.depth = 3;
    texture.slice_bytes = 80;
    texture.normalized_coordinates = texture.linear_filter = true;
    texture.address_modes[0] = WS_ADDRESS_MIRROR;
    texture.address_modes[1] = WS_ADDRESS_BORDER;
    texture.address_modes[2] = WS_ADDRESS_CLAMP;
    assert_int_equal(ws_device_texture_create(f->device, &texture, &handles[VOLUME]), WS_OK);
    texture.kind = WS_TEXTURE_2D_LAYERED;
    texture.normalized_coordinates = texture.linear_filter = false;
    assert_int_equal(ws_device_texture_create(f->device, &texture, &handles[LAYERS]), WS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t got = query(f, handles[cases[i].of], cases[i].instruction);
        if (got != cases[i].expected)
            fail_msg("%s of texture %d: %u, not %u", cases[i].instruction, cases[i].of, got,
                     cases[i].expected);
    }
}

static void expect_fault(const struct fixture *f, uint64_t handle, const char *instruction,
                         const char *coordinates, const char *words)
{
    float out[4];
    struct kernel_arguments arguments = {.handle = handle, .x = 1};
    assert_int_equal(fetch(f, instruction, coordinates, "f32", arguments, out), WS_ERR_FAULT);
    if (!strstr(ws_context_error(f->context), words))
        fail_msg("no '%s' in: %s", words, ws_context_error(f->context));
    assert_non_null(strstr(ws_context_error(f->context), "in kernel fetch"));
}

static void test_faults(void **state)
{
    struct fixture *f = *state;
    uint64_t handle, other, memory;
    const float zeros[16] = {0};
    const char *plane = "tex.2d.v4.f32.f32", *xy = "{%x, %y}";
    ws_texture texture = texels(f, WS_TEXTURE_2D, 4, 4);
    assert_int_equal(ws_device_texture_create(f->device, &texture, &handle), WS_OK);
    expect_fault(f, handle, plane, xy, "uninitialised");
    assert_int_equal(ws_device_copy_in(f->device, f->memory, zeros, sizeof zeros), WS_OK);
    expect_fault(f, 0, plane, xy, "no texture object has this handle");
    expect_fault(f, handle + 1, plane, xy, "no texture object has this handle");
    expect_fault(f, handle, "tex.a1d.v4.f32.f32", "{%i, %x}", "geometry mismatch");
    assert_int_equal(ws_device_texture_destroy(f->device, handle), WS_OK);
    expect_fault(f, handle, plane, xy, "was destroyed");
    assert_int_equal(ws_device_texture_destroy(f->device, handle), WS_ERR_ARGUMENT);
    assert_int_equal(ws_device_alloc(f->device, 64, &memory), WS_OK);
    texture.address = memory;
    assert_int_equal(ws_device_texture_create(f->device, &texture, &other), WS_OK);
    assert_int_not_equal(other, handle);
    expect_fault(f, handle, plane, xy, "was destroyed");
    assert_int_equal(ws_device_free(f->device, memory), WS_OK);
    expect_fault(f, other, plane, xy, "freed");
}

static void test_wrong_textures(void **state)
{
    const struct fixture *f = *state;
    const ws_texture good = texels(f, WS_TEXTURE_2D, 4, 4);
    ws_texture wrong[12];
    for (size_t i = 0; i < 12; i++)
        wrong[i] = good;
    wrong[0].channels = 3;
    wrong[1].channel_bits = 8; /* of floats */
    wrong[2].width = 0;
    wrong[3].pitch_bytes = 12;
    wrong[4].address += 2;
    wrong[5].height = BYTES; /* beyond the allocation */
    wrong[6].address = 64;
    wrong[7].channel_kind = WS_CHANNEL_UNSIGNED;
    wrong[7].linear_filter = true;
    wrong[8].channel_kind = WS_CHANNEL_UNSIGNED;
    wrong[8].normalized_read = true;
    wrong[9].width = UINT64_MAX;
    wrong[10].pitch_bytes = UINT64_MAX - 3;
    wrong[11].size = 1;
    for (size_t i = 0; i < 12; i++) {
        uint64_t handle;
        if (ws_device_texture_create(f->device, &wrong[i], &handle) != WS_ERR_ARGUMENT)
            fail_msg("texture %zu was taken", i);
        assert_int_equal(handle, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plane, setup, teardown),
        cmocka_unit_test_setup_teardown(test_integers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_layers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_attributes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_textures, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
