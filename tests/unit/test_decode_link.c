// SPDX-License-Identifier: Apache-2.0
/* Several PTX modules in one file, linked as nvlink does it: run, and compared with arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>
#include <warpsage/warpsage.h>

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
#define RETURNS(value) "{ st.param.b32 [r], " value "; ret; }\n"

/* The kernel stores what functions and variables of both other parts give. `own` is a name of each. */
static const char first[] = HEAD
    ".file 1 \"first.cu\"\n"
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".extern .global .align 4 .b32 table[];\n"
    ".weak .func (.param .b32 r) weak_here() " RETURNS(
        "1") ".weak .func (.param .b32 r) weak_all() " RETURNS("2") ".global .align 4 .b32 own = "
                                                                    "10;\n"
                                                                    ".weak .global .align 4 .b32 "
                                                                    "weak_value = 3;\n"
                                                                    ".visible .entry k(.param .u64 "
                                                                    "out) {\n"
                                                                    ".loc 1 7 0\n"
                                                                    ".reg .b32 %r<9>; .reg .b64 "
                                                                    "%rd<2>; .param .b32 p; .param "
                                                                    ".b32 q;\n"
                                                                    "ld.param.u64 %rd0, [out]; "
                                                                    "cvta.to.global.u64 %rd1, "
                                                                    "%rd0;\n"
                                                                    "ld.global.b32 %r0, [own]; "
                                                                    "st.param.b32 [p], %r0;\n"
                                                                    "call (q), twice, (p); "
                                                                    "ld.param.b32 %r1, [q]; "
                                                                    "st.global.b32 [%rd1], %r1;\n"
                                                                    "ld.global.b32 %r2, [table+8]; "
                                                                    "st.global.b32 [%rd1+4], %r2;\n"
                                                                    "call (q), weak_here; "
                                                                    "ld.param.b32 %r3, [q]; "
                                                                    "st.global.b32 [%rd1+8], %r3;\n"
                                                                    "call (q), weak_all; "
                                                                    "ld.param.b32 %r4, [q]; "
                                                                    "st.global.b32 [%rd1+12], "
                                                                    "%r4;\n"
                                                                    "ld.global.b32 %r5, "
                                                                    "[weak_value]; st.global.b32 "
                                                                    "[%rd1+16], %r5;\n"
                                                                    "ret; }\n";
static const char second[] = HEAD
    ".file 1 \"second.cu\"\n"
    ".global .align 4 .b32 own = 100;\n"
    ".visible .global .align 4 .b32 table[3] = {5, 6, 7};\n"
    ".visible .global .align 4 .b32 weak_value = 4;\n"
    ".weak .func (.param .b32 r) weak_all() " RETURNS(
        "99") ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
              ".reg .b32 %a<4>; ld.param.b32 %a0, [x]; shl.b32 %a1, %a0, 1;\n"
              "ld.global.b32 %a2, [own]; add.s32 %a3, %a1, %a2; st.param.b32 [r], %a3; ret; }\n";
static const char third[] = HEAD ".visible .func (.param .b32 r) weak_here() " RETURNS(
    "8") ".weak .global .align 4 .b32 weak_value = 5;\n"
         ".entry own(.param .u64 out) { ret; }\n";

enum { RESULTS = 5 };

static void run(ws_context *context, const char *text, int32_t *out)
{
    ws_module *module;
    ws_device *device;
    uint64_t address;
    size_t kernel;
    ws_device_options options = {.size = sizeof options, .threads = 1};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {1, 1, 1},
                        .block = {1, 1, 1},
                        .parameters = &address,
                        .parameter_bytes = sizeof address};
    if (ws_module_load_memory(context, "linked", text, strlen(text), &module) != WS_OK)
        fail_msg("%s", ws_context_error(context));
    assert_int_equal(ws_module_find_kernel(module, "k", &kernel), WS_OK);
    launch.kernel = kernel;
    assert_int_equal(ws_device_create(context, &options, &device), WS_OK);
    assert_int_equal(ws_device_alloc(device, RESULTS * sizeof *out, &address), WS_OK);
    if (ws_device_launch(device, module, &launch, NULL) != WS_OK)
        fail_msg("%s", ws_context_error(context));
    assert_int_equal(ws_device_copy_out(device, out, address, RESULTS * sizeof *out), WS_OK);
    ws_device_destroy(device);
    ws_module_destroy(module);
}

/* twice(10) with the 100 of its own file; table[2]; the definition that is not weak stands above the
 * weak one, of two weak ones the first counts; the value that is not weak. */
static void test_parts_in_any_order(void **state)
{
    (void)state;
    static const char *const orders[][3] = {
        {first, second, third}, {third, second, first}, {second, first, third}};
    static const int32_t weak_all[] = {2, 99, 99}; /* of first, of second, of second */
    ws_context *context;
    assert_int_equal(ws_context_create(&context), WS_OK);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char text[8192] = "";
        int32_t got[RESULTS];
        for (size_t k = 0; k < 3; k++)
            strcat(text, orders[i][k]);
        run(context, text, got);
        assert_int_equal(got[0], 120);
        assert_int_equal(got[1], 7);
        assert_int_equal(got[2], 8);
        assert_int_equal(got[3], weak_all[i]);
        assert_int_equal(got[4], 4);
    }
    ws_context_destroy(context);
}

/* What no part defines is told by name when the kernel is launched. */
static void test_missing_definition(void **state)
{
    (void)state;
    ws_context *context;
    ws_module *module;
    ws_device *device;
    uint64_t address = 0;
    ws_device_options options = {.size = sizeof options, .threads = 1};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {1, 1, 1},
                        .block = {1, 1, 1},
                        .parameters = &address,
                        .parameter_bytes = sizeof address};
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_device_create(context, &options, &device), WS_OK);
    assert_int_equal(ws_module_load_memory(context, "alone", first, strlen(first), &module), WS_OK);
    assert_int_equal(ws_device_launch(device, module, &launch, NULL), WS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ws_context_error(context), "twice"));
    assert_non_null(strstr(ws_context_error(context), "table"));
    ws_device_destroy(device);
    ws_module_destroy(module);
    ws_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_in_any_order),
        cmocka_unit_test(test_missing_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
