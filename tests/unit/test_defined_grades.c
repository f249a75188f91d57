// SPDX-License-Identifier: Apache-2.0
/* What the tool init tells of a kernel: an error where a value that nothing has written decides something, a warning or a
 * note where it reaches the host, and nothing where it is only moved about, as compilers and libraries do. Of `in` the
 * first 2048 bytes are zeros, the others undefined; of `out` the host copies the first 128 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/findings.h"
#include "emulate/emulate.h"

static const char frame[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .global .align 4 .b32 variable[4];\n"
    ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %%a, %%b;\n.reg .pred %%c;\n"
    ".local .b32 l[4];\nld.param.b32 %%a, [a];\nld.local.b32 %%b, [l];\n"
    "setp.eq.b32 %%c, %%a, 77;\n@!%%c bra DONE;\nsetp.eq.b32 %%c, %%b, 1;\n@%%c bra DONE;\n"
    "DONE:\nst.local.b32 [l], %%a;\nadd.u32 %%a, %%a, %%a;\nst.param.b32 [r], %%a;\nret;\n}\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .b32 n)\n{\n"
    ".reg .b64 %%in, %%out, %%at, %%to, %%d<8>;\n.reg .b32 %%t, %%a, %%b, %%c, %%e, %%never;\n"
    ".reg .b16 %%h, %%g;\n.reg .f32 %%f, %%i;\n.reg .pred %%p, %%q, %%low;\n"
    ".shared .align 16 .b8 s[4096];\n.local .align 16 .b8 l[256];\n"
    "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%t, %%tid.x;\n"
    "setp.lt.u32 %%low, %%t, 16;\n"
    "mad.wide.u32 %%at, %%t, 4, %%in;\nmad.wide.u32 %%to, %%t, 4, %%out;\n"
    "st.global.b32 [%%to], 0;\n%s\nEND:\nret;\n}\n";

#define UNDEFINED "ld.global.b32 %a, [%at+2048];\n"

static const struct {
    const char *body, *expected; /* ids of the findings */
} cases[] = {
    /* decisions */
    {UNDEFINED "setp.eq.u32 %p, %a, 0;\n@%p bra END;\nst.global.b32 [%to], 1;", "I02"},
    {"setp.eq.u32 %p, %never, 0;\n@%p bra END;\nst.global.b32 [%to], 1;", "I02"},
    {"ld.shared.b32 %a, [s+64];\nsetp.eq.u32 %p, %a, 0;\n@%p bra END;", "I02"},
    {"ld.local.b32 %a, [l+8];\nsetp.eq.u32 %p, %a, 0;\n@%p bra END;", "I02"},
    {UNDEFINED "and.b32 %a, %a, 0x1c;\nmov.b32 %b, s;\nadd.u32 %b, %b, %a;\nst.shared.b32 [%b], 1;",
     "I03"},
    {"ld.global.b64 %d0, [%in+2048];\nadd.u64 %d0, %d0, %in;\nld.global.b32 %a, [%d0];", "I03"},
    {UNDEFINED "div.u32 %b, 5, %a;", "I04"},
    {UNDEFINED "rem.s32 %b, 5, %a;", "I04"},
    {"red.shared.add.u32 [s], 1;", "I05"},
    {"atom.global.add.u32 %a, [%at+2048], 1;", "I05"},
    {UNDEFINED "red.global.add.u32 [%in], %a;", "I05"},
    {"atom.shared.cas.b32 %a, [s], 0, 1;", "I05"},
    {UNDEFINED "setp.eq.u32 %p, %a, 0;\n@%p st.global.b32 [%to], 1;", "I06"},
    {UNDEFINED "setp.eq.u32 %p, %a, 0;\n@%p red.global.add.u32 [%in], 1;", "I06"},
    {UNDEFINED "shfl.sync.idx.b32 %b, %t, 0, 31, %a;", "I07"},
    {UNDEFINED "setp.eq.u32 %p, %a, 0;\nbarrier.red.or.pred %q, 0, %p;", "I07"},
    {UNDEFINED "bar.sync 1, %a;", "I07"},
    /* after an error the value counts as defined */
    {UNDEFINED "setp.eq.u32 %p, %a, 0;\n@%p bra END;\n@%p st.global.b32 [%to], 1;\n@!%p bra END;",
     "I02"},
    /* to the host */
    {UNDEFINED "st.global.b32 [%to], %a;", "I09"},
    {UNDEFINED "add.u32 %a, %a, 1;\nst.global.b32 [%to], %a;", "I08"},
    {"st.global.b32 [%to], %never;", "I09"},
    {UNDEFINED "add.u32 %a, %a, 1;\nst.global.b32 [%to+512], %a;", ""},
    /* what only moves */
    {UNDEFINED "st.shared.b32 [s], %a;\nst.local.b32 [l], %a;\nst.global.b32 [%to+512], %a;", ""},
    {UNDEFINED "selp.b32 %b, 5, %a, %low;\nselp.b32 %c, %b, 6, %low;\nst.global.b32 [%to], %c;",
     ""},
    {UNDEFINED
     "setp.eq.u32 %p, %a, 0;\nand.pred %q, %p, !%low;\n@!%low bra L1;\n@%q bra END;\nL1:\n",
     ""},
    {UNDEFINED "setp.eq.and.u32 %q, %a, 0, %low;\nsetp.lt.u32 %p, %t, 16;\n@!%p bra L1;\nbra END;\n"
               "L1:\n@%q bra END;",
     ""},
    {UNDEFINED "mul.lo.u32 %b, %a, 0;\nsetp.eq.u32 %p, %b, 0;\n@%p bra END;", ""},
    {UNDEFINED "or.b32 %b, %a, 1;\nand.b32 %b, %b, 1;\nsetp.eq.u32 %p, %b, 1;\n@%p bra END;", ""},
    {UNDEFINED "add.u32 %b, %a, 3;\nmov.b32 %a, 2;\nsetp.eq.u32 %p, %a, 2;\n@%p bra END;", ""},
    {UNDEFINED "@%low mov.b32 %a, 2;\n@!%low bra L1;\nsetp.eq.u32 %p, %a, 2;\n@%p bra END;\nL1:\n",
     ""},
    {UNDEFINED "@%low st.global.b32 [%to], %t;\n@!%low st.global.b32 [%to+512], %a;", ""},
    {"@%low ld.global.b32 %never, [%in];\n@!%low mov.b32 %never, 3;\nsetp.eq.u32 %p, %never, 0;\n"
     "@%p bra END;",
     ""},
    /* half of a warp discards what it gets from the other */
    {"mov.b32 %a, %never;\n@%low mov.b32 %a, %t;\nshfl.sync.down.b32 %b|%p, %a, 8, 31, -1;\n"
     "setp.lt.u32 %q, %t, 8;\n@!%q bra END;\nsetp.eq.u32 %p, %b, 99;\n@%p bra END;",
     ""},
    {"mov.b32 %a, %never;\n@%low mov.b32 %a, %t;\nsetp.ne.u32 %p, %a, 3;\n"
     "vote.sync.ballot.b32 %b, %p, -1;\nand.b32 %b, %b, 0xffff;\nsetp.eq.u32 %q, %b, 0;\n@%q bra "
     "END;",
     ""},
    {"mov.b32 %a, %never;\n@%low mov.b32 %a, %t;\nsetp.ne.u32 %p, %a, 3;\nand.pred %p, %p, %low;\n"
     "vote.sync.any.pred %q, %p, -1;\n@%q bra END;",
     ""},
    /* bytes and bit-fields of a word */
    {"st.shared.u8 [s+1], 5;\nld.shared.b32 %a, [s];\nshr.u32 %a, %a, 8;\nand.b32 %a, %a, 255;\n"
     "setp.eq.u32 %p, %a, 5;\n@%p bra END;",
     ""},
    {"ld.shared.b32 %a, [s];\nand.b32 %a, %a, 0xfffffff8;\nor.b32 %a, %a, 5;\nst.shared.b32 [s], "
     "%a;\n"
     "ld.shared.u8 %h, [s];\nand.b16 %h, %h, 7;\nsetp.eq.u16 %p, %h, 5;\n@%p bra END;",
     ""},
    {"ld.shared.b32 %a, [s];\nand.b32 %a, %a, 0xfffffff8;\nor.b32 %a, %a, 5;\nst.shared.b32 [s], "
     "%a;\n"
     "ld.shared.u8 %h, [s];\nand.b16 %h, %h, 15;\nsetp.eq.u16 %p, %h, 5;\n@%p bra END;",
     "I02"},
    {"st.shared.u8 [s], 5;\nld.shared.v2.b32 {%a, %b}, [s];\nand.b32 %a, %a, 255;\n"
     "setp.eq.u32 %p, %a, 5;\n@%p bra END;",
     ""},
    {"mov.b32 %a, {%h, %g};\nmov.b16 %h, 1;\nmov.b32 %b, {%h, %g};\nmov.b32 {%h, %g}, %b;\n"
     "setp.eq.u16 %p, %h, 1;\n@%p bra END;",
     ""},
    /* initialising by an atomic; a byte of a word by compare and swap */
    {"atom.shared.exch.b32 %a, [s], 0;\nbar.sync 0;\nred.shared.add.u32 [s], 1;", ""},
    {"st.shared.u8 [s], 1;\nld.shared.b32 %a, [s];\nand.b32 %b, %a, 0xffffff00;\nor.b32 %b, %b, "
     "2;\n"
     "atom.shared.cas.b32 %c, [s], %a, %b;\nsetp.eq.u32 %p, %c, %a;\n@%p bra END;",
     ""},
    /* calls */
    {"{\n.param .b32 v;\n.param .b32 r;\nst.param.b32 [v], 4;\ncall (r), twice, (v);\n"
     "ld.param.b32 %a, [r];\n}\nsetp.eq.u32 %p, %a, 8;\n@%p bra END;",
     ""},
    {"{\n.param .b32 v;\n.param .b32 r;\nst.param.b32 [v], 77;\ncall (r), twice, (v);\n"
     "ld.param.b32 %a, [r];\n}\nsetp.eq.u32 %p, %a, 8;\n@%p bra END;",
     "I02"},
    /* locals of a second call are not those of the first */
    {"{\n.param .b32 v;\n.param .b32 r;\nst.param.b32 [v], 4;\ncall (r), twice, (v);\n"
     "st.param.b32 [v], 77;\ncall (r), twice, (v);\nld.param.b32 %a, [r];\n}\n",
     "I02"},
    {"{\n.param .b32 v;\n.param .b32 r;\nld.global.b32 %a, [%at+2048];\nst.param.b32 [v], %a;\n"
     "call (r), twice, (v);\n}\n",
     "I02"},
    /* variables, parameters and what a kernel wrote are defined */
    {"ld.global.b32 %a, [variable];\nld.param.b32 %b, [n];\nadd.u32 %a, %a, %b;\n"
     "st.global.b32 [%to+512], %a;\nld.global.b32 %a, [%to+512];\nsetp.eq.u32 %p, %a, 0;\n@%p bra "
     "END;",
     ""},
    {"cp.async.ca.shared.global [s], [%in+2048], 16;\ncp.async.wait_all;\nld.shared.b32 %a, [s];\n"
     "setp.eq.u32 %p, %a, 0;\n@%p bra END;",
     "I02"},
    {"cp.async.ca.shared.global [s], [%in], 16;\ncp.async.wait_all;\nld.shared.b32 %a, [s];\n"
     "setp.eq.u32 %p, %a, 0;\n@%p bra END;",
     ""},
};

static unsigned check(const char *body, const char *expected)
{
    static char text[1 << 14];
    struct diag diag = {0};
    struct module *module;
    struct device *device;
    struct findings *findings = findings_create(CHECK_INIT);
    uint64_t in, out;
    uint32_t entry;
    static const char zeros[2048];
    char host[128], found[64] = "";
    snprintf(text, sizeof text, frame, body);
    if (module_load_memory(&diag, "k.ptx", text, strlen(text), &module) != WS_OK)
        fail_msg("%s", diag.text);
    struct device_options options = {.threads = 1, .isa_level = -1, .check = &findings->checker};
    assert_int_equal(device_create(&diag, &options, &device), WS_OK);
    assert_int_equal(device_alloc(&diag, device, 4096, &in), WS_OK);
    assert_int_equal(device_alloc(&diag, device, 4096, &out), WS_OK);
    assert_int_equal(device_copy_in(&diag, device, in, zeros, sizeof zeros), WS_OK);
    assert_int_equal(module_find_entry(&diag, module, "k", &entry), WS_OK);
    const struct {
        uint64_t in, out;
        uint32_t n;
    } parameters = {in, out, 3};
    struct launch_options launch = {.entry = entry,
                                    .grid = {1, 1, 1},
                                    .block = {32, 1, 1},
                                    .parameters = &parameters,
                                    .parameter_bytes = 20};
    if (device_launch(&diag, device, module, &launch, NULL) != WS_OK)
        fail_msg("%s\n%s", body, diag.text);
    assert_int_equal(device_copy_out(&diag, device, host, out, sizeof host), WS_OK);
    for (size_t i = 0; i < findings->count && i < 8; i++) {
        if (i) strcat(found, " ");
        strcat(found, check_codes[findings->items[i]->code].id);
        assert_non_null(findings->items[i]->detail);
    }
    if (strcmp(found, expected) != 0)
        print_error("%s\nfound '%s', expected '%s': %s\n", body, found, expected,
                    findings->count ? findings->items[0]->detail : "");
    device_destroy(device);
    module_destroy(module);
    findings_destroy(findings);
    return strcmp(found, expected) != 0;
}

static void grades(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        failed += check(cases[i].body, cases[i].expected);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grades)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
