// SPDX-License-Identifier: Apache-2.0
/* Operations with .sync in lanes that their member mask leaves out: PTX leaves them undefined, and
 * the launch says so. Lane t has %t = t; %upper is true from lane 16 on, %second in block (1,0,0). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

static const char frame[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".file 1 \"sum.cu\"\n"
                            ".visible .entry k()\n{\n"
                            ".reg .u32 %%a, %%b, %%t, %%block;\n"
                            ".reg .pred %%p, %%upper, %%second;\n"
                            "mov.u32 %%t, %%tid.x;\n"
                            "mov.u32 %%block, %%ctaid.x;\n"
                            "setp.ge.u32 %%upper, %%t, 16;\n"
                            "setp.eq.u32 %%second, %%block, 1;\n"
                            ".loc 1 77 3\n"
                            "%s\n"
                            "ret;\n}\n";

/* What the launch says of the statements; to be freed with ws_free. */
static char *undefined(const char *statements, unsigned threads, bool counts)
{
    char text[2048];
    snprintf(text, sizeof text, frame, statements);
    ws_context *context;
    ws_module *module;
    ws_device *device;
    ws_profile *profile = NULL;
    assert_int_equal(ws_context_create(&context), WS_OK);
    if (ws_module_load_memory(context, "k.ptx", text, strlen(text), &module) != WS_OK)
        fail_msg("%s", ws_context_error(context));
    ws_device_options options = {.size = sizeof options, .threads = threads};
    assert_int_equal(ws_device_create(context, &options, &device), WS_OK);
    ws_launch_result result = {.size = sizeof result};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {400, 1, 1},
                        .block = {32, 1, 1},
                        .counters = counts,
                        .result = &result};
    if (ws_device_launch(device, module, &launch, &profile) != WS_OK)
        fail_msg("%s: %s", statements, ws_context_error(context));
    assert_null(result.tolerated);
    ws_profile_destroy(profile);
    ws_device_destroy(device);
    ws_module_destroy(module);
    ws_context_destroy(context);
    return result.undefined;
}

static void outsiders_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *statements, *expected;
    } cases[] = {
        {"vote.sync.ballot.b32 %a, %upper, 0x0000ffff;",
         "'vote.sync.ballot.b32', k.ptx:14, source sum.cu:77: executed by lane 16, which its "
         "member "
         "mask 0x0000ffff excludes (block (0,0,0), warp 0)"},
        {"vote.sync.all.pred %p, %upper, 0x7fffffff;", "lane 31"},
        {"shfl.sync.bfly.b32 %a, %t, 1, 31, 0xffff0000;", "lane 0"},
        {"match.any.sync.b32 %a, %t, 0x0000ffff;", "lane 16"},
        {"redux.sync.add.u32 %a, %t, 0xfffffffd;", "lane 1,"},
        {"elect.sync %a|%p, 0x00000001;", "lane 1,"},
        {"bar.warp.sync 0x0000ffff;", "'bar.warp.sync'"},
        {"mov.u32 %b, 0x1; bar.warp.sync %b;", "lane 1, which its member mask 0x00000001"},
        {"@%second bar.warp.sync 0x0000ffff;", "lane 16, which its member mask 0x0000ffff excludes "
                                               "(block (1,0,0), warp 0)"},
        {"@%upper vote.sync.any.pred %p, %upper, 0x80000000;", "lane 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            char *text = undefined(cases[i].statements, threads, threads == 1);
            if (!text || !strstr(text, cases[i].expected))
                fail_msg("%s: %s", cases[i].statements, text ? text : "nothing was told");
            ws_free(text);
        }
}

static void members_are_not(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "vote.sync.ballot.b32 %a, %upper, 0xffffffff;",
        "@%upper bar.warp.sync 0xffff0000;",
        "@%upper shfl.sync.idx.b32 %a, %t, 20, 31, 0xffff0000;",
        "selp.b32 %b, 0xffff0000, 0x0000ffff, %upper; vote.sync.ballot.b32 %a, %upper, %b;",
        "selp.b32 %b, 0xffff0000, 0x0000ffff, %upper; redux.sync.max.u32 %a, %t, %b;",
        "activemask.b32 %b; bar.warp.sync %b;",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = undefined(cases[i], 1, true);
        if (text) fail_msg("%s: %s", cases[i], text);
    }
}

/* An earlier version's struct, without the field: nothing is written behind it. */
static void an_older_result_is_accepted(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, frame, "bar.warp.sync 0x1;");
    ws_context *context;
    ws_module *module;
    ws_device *device;
    char *mark = text;
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_module_load_memory(context, "k.ptx", text, strlen(text), &module), WS_OK);
    ws_device_options options = {.size = sizeof options, .threads = 1};
    assert_int_equal(ws_device_create(context, &options, &device), WS_OK);
    ws_launch_result result = {.size = offsetof(ws_launch_result, undefined), .undefined = mark};
    ws_launch launch = {
        .size = sizeof launch, .grid = {1, 1, 1}, .block = {32, 1, 1}, .result = &result};
    assert_int_equal(ws_device_launch(device, module, &launch, NULL), WS_OK);
    assert_ptr_equal(result.undefined, mark);
    ws_device_destroy(device);
    ws_module_destroy(module);
    ws_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outsiders_are_told),
        cmocka_unit_test(members_are_not),
        cmocka_unit_test(an_older_result_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
