// SPDX-License-Identifier: Apache-2.0
/* Addresses of a warp as two half-warps of one stride, strides that go round all addresses among them:
 * the first lane that leaves the memory is the one that is told, in every space, for every kind of
 * access, mask and level of the host's instructions. What is expected comes lane by lane from the bounds. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

enum { WINDOW = 1024, LANES = 32 };

/* `base` puts the address of 1024 bytes into %a; `access` uses it. */
struct form {
    const char *name, *base, *access;
    unsigned bytes;
    unsigned before; /* bytes of the same space in front of the window */
    bool generic;    /* an address outside may be one of another space: then any fault will do */
};

#define GLOBAL "ld.param.u64 %a, [data];\n"
#define SHARED "mov.u64 %a, s;\n"
#define LOCAL "mov.u64 %a, l;\n"
#define CONST "mov.u64 %a, c;\n"

static const struct form forms[] = {
    {"ld.global.u64", GLOBAL, "ld.global.u64 %d, [%a];", 8, 0, false},
    {"ld.global.u8", GLOBAL, "ld.global.u8 %h, [%a];", 1, 0, false},
    {"ld.global.v4.u32", GLOBAL, "ld.global.v4.u32 {%r, %x, %y, %z}, [%a];", 16, 0, false},
    {"ld.global.v2.u64", GLOBAL, "ld.global.v2.u64 {%d, %e}, [%a];", 16, 0, false},
    {"st.global.u32", GLOBAL, "st.global.u32 [%a], %r;", 4, 0, false},
    {"st.global.v2.u32", GLOBAL, "st.global.v2.u32 [%a], {%r, %x};", 8, 0, false},
    {"atom.global", GLOBAL, "atom.global.add.u64 %d, [%a], %d;", 8, 0, false},
    {"red.global", GLOBAL, "red.global.add.u32 [%a], %r;", 4, 0, false},
    {"ld.shared", SHARED, "ld.shared.u64 %d, [%a];", 8, 0, false},
    {"st.shared.v4", SHARED, "st.shared.v4.u32 [%a], {%r, %x, %y, %z};", 16, 0, false},
    {"atom.shared", SHARED, "atom.shared.exch.b32 %r, [%a], %r;", 4, 0, false},
    {"red.shared", SHARED, "red.shared.or.b32 [%a], %r;", 4, 0, false},
    {"ld.local", LOCAL, "ld.local.u32 %r, [%a];", 4, 0, false},
    {"st.local.v2", LOCAL, "st.local.v2.u64 [%a], {%d, %e};", 16, 0, false},
    {"ld.const", CONST, "ld.const.u64 %d, [%a];", 8, 0, false},
    {"ld.param", "mov.b64 %a, block;\n", "ld.param.u32 %r, [%a];", 4, 32, false},
    {"ld global", GLOBAL, "ld.u64 %d, [%a];", 8, 0, true},
    {"st shared", "mov.u64 %a, s;\ncvta.shared.u64 %a, %a;\n", "st.u64 [%a], %d;", 8, 0, true},
    {"st.v2 local", "mov.u64 %a, l;\ncvta.local.u64 %a, %a;\n", "st.v2.u32 [%a], {%r, %x};", 8, 0,
     true},
    {"atom global", GLOBAL, "atom.cas.b32 %r, [%a], %r, %x;", 4, 0, true},
};
enum { FORMS = sizeof forms / sizeof *forms };

static const uint64_t strides[] = {
    0,
    4,
    8,
    16,
    64,
    UINT64_C(-8),
    UINT64_C(0x7777777777777778), /* 15 of them: 8 bytes beyond where they began */
    UINT64_C(0x8888888888888888),
    UINT64_C(0x1111111111111110),
    UINT64_C(1) << 63,
    UINT64_C(1) << 62,
    UINT64_C(1) << 60,
    UINT64_C(1) << 59,
    (UINT64_C(1) << 58) + 16,
    UINT64_C(1) << 58,
    (UINT64_C(1) << 58) - 8,
    UINT64_C(-1) << 58,
};
static const uint64_t starts[] = {0, 8, 120, 1008, 1020};
static const uint64_t gaps[] = {0, 128, 512, UINT64_C(1) << 63}; /* between the halves */
static const uint32_t masks[] = {UINT32_MAX, 0xffff, 0xffff0000, 0x7fffffff, 0x80000001, 0x8001};

struct place {
    ws_context *context;
    ws_module *module;
    ws_device *device;
    uint64_t offsets, data;
};

static void must(struct place *p, ws_status status)
{
    if (status != WS_OK) fail_msg("%s", ws_context_error(p->context));
}

static void begin(struct place *p, const struct form *form, const char *level)
{
    char ptx[2048];
    int length = snprintf(
        ptx, sizeof ptx,
        ".version 8.0\n.target sm_70\n.address_size 64\n%s"
        ".visible .entry k(.param .u64 data, .param .u64 offsets, .param .u32 mask,\n"
        ".param .align 16 .b8 block[%d])\n{\n"
        ".reg .b16 %%h;\n.reg .b32 %%r, %%x, %%y, %%z, %%t, %%m;\n.reg .b64 %%a, %%d, %%e, %%o;\n"
        ".reg .pred %%p;\n.shared .align 16 .b8 s[%d];\n.local .align 16 .b8 l[%d];\n"
        "mov.u32 %%t, %%tid.x;\nld.param.u32 %%m, [mask];\nshr.u32 %%m, %%m, %%t;\n"
        "and.b32 %%m, %%m, 1;\nsetp.ne.u32 %%p, %%m, 0;\nld.param.u64 %%o, [offsets];\n"
        "mad.wide.u32 %%o, %%t, 8, %%o;\nld.global.u64 %%o, [%%o];\n%sadd.u64 %%a, %%a, %%o;\n"
        "@%%p %s\nret;\n}\n",
        form->base == forms[14].base ? ".const .align 16 .b8 c[1024] = {1};\n" : "", WINDOW, WINDOW,
        WINDOW, form->base, form->access);
    assert_in_range(length, 1, sizeof ptx - 1);
    must(p, ws_context_create(&p->context));
    must(p, ws_module_load_memory(p->context, form->name, ptx, (size_t)length, &p->module));
    const ws_device_options options = {.size = sizeof options,
                                       .max_bytes = 1 << 20,
                                       .threads = 1,
                                       .keep_programs = true,
                                       .host_isa = level};
    must(p, ws_device_create(p->context, &options, &p->device));
    must(p, ws_device_alloc(p->device, LANES * sizeof(uint64_t), &p->offsets));
    must(p, ws_device_alloc(p->device, WINDOW, &p->data)); /* nothing lies behind it */
    must(p, ws_device_fill(p->device, p->data, 0, WINDOW));
}

static void end(struct place *p)
{
    ws_device_destroy(p->device);
    ws_module_destroy(p->module);
    ws_context_destroy(p->context);
}

static ws_status launch(struct place *p, const uint64_t *offsets, uint32_t mask)
{
    unsigned char block[32 + WINDOW] = {0};
    must(p, ws_device_copy_in(p->device, p->offsets, offsets, LANES * sizeof *offsets));
    memcpy(block, &p->data, 8);
    memcpy(block + 8, &p->offsets, 8);
    memcpy(block + 16, &mask, 4);
    const ws_launch how = {.size = sizeof how,
                           .grid = {1, 1, 1},
                           .block = {LANES, 1, 1},
                           .parameters = block,
                           .parameter_bytes = sizeof block};
    return ws_device_launch(p->device, p->module, &how, NULL);
}

/* The first lane of the mask that is outside or misaligned; LANES: none. */
static unsigned first_bad(const struct form *form, const uint64_t *offsets, uint32_t mask)
{
    unsigned lane = 0;
    for (; lane < LANES; lane++) {
        uint64_t at = offsets[lane] + form->before;
        bool inside = at <= WINDOW + form->before - form->bytes;
        if (((mask >> lane) & 1) && (!inside || at % form->bytes)) break;
    }
    return lane;
}

static void check(struct place *p, const struct form *form, const uint64_t *offsets, uint32_t mask)
{
    unsigned bad = first_bad(form, offsets, mask);
    ws_status status = launch(p, offsets, mask);
    const char *message = status == WS_OK ? "" : ws_context_error(p->context);
    char lane[32];
    snprintf(lane, sizeof lane, "warp 0 lane %u\n", bad);
    bool told = bad == LANES ? status == WS_OK
                             : status == WS_ERR_FAULT && (form->generic || strstr(message, lane));
    if (told) return;
    fail_msg("%s, mask %#x, lanes 0, 1, 16 at %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64
             ": lane %u is the first outside, not: %s",
             form->name, mask, offsets[0], offsets[1], offsets[16], bad, message);
}

static void check_form(const struct form *form, const char *level)
{
    struct place place;
    uint64_t offsets[LANES];
    begin(&place, form, level);
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
        for (size_t b = 0; b < sizeof starts / sizeof *starts; b++)
            for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
                for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
                    for (unsigned i = 0; i < LANES; i++)
                        offsets[i] = starts[b] + (i & 15) * strides[s] + (i >> 4) * gaps[g];
                    check(&place, form, offsets, masks[m]);
                }
    end(&place);
}

static void test_half_warps(void **state)
{
    static const char *const levels[] = {"base", "v3", "v4"};
    (void)state;
    for (size_t level = 0; level < 3; level++) {
        ws_context *context;
        ws_device *device;
        const ws_device_options options = {.size = sizeof options, .host_isa = levels[level]};
        assert_int_equal(ws_context_create(&context), WS_OK);
        bool runs = ws_device_create(context, &options, &device) == WS_OK;
        ws_device_destroy(device);
        ws_context_destroy(context);
        for (size_t i = 0; i < FORMS && runs; i++)
            check_form(&forms[i], levels[level]);
    }
}

/* Levels by name: the lowest is everywhere; a wrong word is told with those that there are. */
static void test_levels(void **state)
{
    (void)state;
    ws_context *context;
    ws_device *device;
    ws_device_options options = {.size = sizeof options, .host_isa = "v5"};
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_device_create(context, &options, &device), WS_ERR_ARGUMENT);
    assert_null(device);
    assert_non_null(strstr(ws_context_error(context), "'v5'"));
    assert_non_null(strstr(ws_context_error(context), "expected base"));
    options.host_isa = "base";
    assert_int_equal(ws_device_create(context, &options, &device), WS_OK);
    ws_device_destroy(device);
    ws_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_warps),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
