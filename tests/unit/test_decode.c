// SPDX-License-Identifier: Apache-2.0
/* What the decoder makes of instructions, variables, names and kernels. Expectations are written
 * from the PTX ISA and, for names, from c++filt. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/module.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define KERNEL_OPEN                                                                                \
    HEAD ".entry k(.param .u64 p) {\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n"     \
         ".reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.reg .f64 %d<8>;\n"

static struct module *load_text(const char *text)
{
    struct diag diag = {0};
    struct module *module;
    if (module_load_memory(&diag, "text.ptx", text, strlen(text), &module) != WS_OK)
        fail_msg("%s", diag.text);
    diag_clear(&diag);
    return module;
}

static struct module *load_file(const char *path)
{
    struct diag diag = {0};
    struct module *module;
    if (module_load_file(&diag, path, NULL, &module) != WS_OK) fail_msg("%s", diag.text);
    diag_clear(&diag);
    return module;
}

static const struct function *find(const struct module *module, const char *name)
{
    for (uint32_t f = 0; f < module->function_count; f++)
        if (!strcmp(module->functions[f].name, name)) return &module->functions[f];
    fail_msg("no function %s", name);
    return NULL;
}

static const struct variable *find_variable(const struct module *module, const char *name)
{
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (!strcmp(module->variables[v].name, name)) return &module->variables[v];
    fail_msg("no variable %s", name);
    return NULL;
}

/* One instruction in a kernel of its own. */
struct single {
    struct module *module;
    const struct function *function;
    const struct insn *insn;
};
static struct single decode_one(const char *statement)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", KERNEL_OPEN, statement);
    struct module *module = load_text(text);
    const struct function *function = find(module, "k");
    assert_true(function->insn_count == 2);
    return (struct single){module, function, &function->insns[0]};
}

static const char *name_of(const struct single *one, unsigned operand)
{
    assert_int_equal(one->insn->operands[operand].kind, OPERAND_REGISTER);
    return one->function->vregs[one->insn->operands[operand].reg].name;
}

static float as_float(int64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static double as_double(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void immediates(void **state)
{
    (void)state;
    struct single one = decode_one("add.f32 %f1, %f2, 1.5;");
    assert_true(as_float(insn_source(one.insn, 1)->imm) == 1.5f);
    module_destroy(one.module);
    one = decode_one("mul.f32 %f1, %f2, 0fC0490FDB;");
    assert_true(fabsf(as_float(insn_source(one.insn, 1)->imm) + 3.14159274f) < 1e-7f);
    module_destroy(one.module);
    one = decode_one("mov.f64 %d1, 0d3FE0000000000000;");
    assert_true(as_double(insn_source(one.insn, 0)->imm) == 0.5);
    module_destroy(one.module);
    one = decode_one("mov.b32 %r1, 0f40000000;");
    assert_int_equal(insn_source(one.insn, 0)->imm, 0x40000000);
    module_destroy(one.module);
    one = decode_one("add.s16 %h1, %h2, 0xFFFF;");
    assert_int_equal(insn_source(one.insn, 1)->imm, -1);
    module_destroy(one.module);
    one = decode_one("mov.u64 %rd1, 0x8000000000000000;");
    assert_true((uint64_t)insn_source(one.insn, 0)->imm == UINT64_C(1) << 63);
    module_destroy(one.module);
    one = decode_one("mov.u32 %r1, (1 << 4) + 3 * -2;");
    assert_int_equal(insn_source(one.insn, 0)->imm, 10);
    module_destroy(one.module);
    one = decode_one("mov.pred %p1, 1;");
    assert_true(insn_source(one.insn, 0)->imm != 0);
    module_destroy(one.module);
    one = decode_one("neg.f32 %f1, -2.0;");
    assert_true(as_float(insn_source(one.insn, 0)->imm) == -2.0f);
    module_destroy(one.module);
}

static void operands(void **state)
{
    (void)state;
    struct single one = decode_one("@!%p1 setp.lt.and.s32 %p2|%p3, %r1, 3, !%p4;");
    assert_int_equal(one.insn->ndst, 2);
    assert_int_equal(one.insn->nsrc, 3);
    assert_string_equal(name_of(&one, 0), "%p2");
    assert_string_equal(name_of(&one, 1), "%p3");
    assert_string_equal(name_of(&one, 4), "%p4");
    assert_true(one.insn->operands[4].negate);
    assert_true(one.insn->flags & INSN_NEG_GUARD);
    assert_string_equal(one.function->vregs[one.insn->guard].name, "%p1");
    assert_int_equal(one.insn->compare, CMP_LT);
    assert_int_equal(one.insn->combine, COMBINE_AND);
    module_destroy(one.module);
    one = decode_one("ld.global.nc.v4.f32 {%f1, _, %f3, %f4}, [%rd1+-16];");
    assert_int_equal(one.insn->vector, 4);
    assert_int_equal(one.insn->ndst, 4);
    assert_int_equal(one.insn->operands[1].kind, OPERAND_NONE);
    assert_int_equal(insn_source(one.insn, 0)->kind, OPERAND_ADDRESS);
    assert_int_equal(insn_source(one.insn, 0)->imm, -16);
    assert_int_equal(insn_access_bytes(one.insn), 16);
    assert_true(one.insn->flags & INSN_NC);
    assert_string_equal(one.insn->text, "ld.global.nc.v4.f32");
    module_destroy(one.module);
    one = decode_one("bar.red.popc.u32 %r1, 0, !%p1;");
    assert_int_equal(one.insn->sub_op, SUB_RED_POPC);
    assert_int_equal(one.insn->nsrc, 3); /* barrier, threads (left out), predicate */
    assert_int_equal(insn_source(one.insn, 1)->kind, OPERAND_NONE);
    assert_true(insn_source(one.insn, 2)->negate);
    module_destroy(one.module);
    one = decode_one("mov.b64 {%r1, %r2}, %rd1;");
    assert_int_equal(one.insn->ndst, 2);
    assert_int_equal(one.insn->nsrc, 1);
    module_destroy(one.module);
    one = decode_one("mov.u32 %r1, %ntid.y;");
    assert_int_equal(insn_source(one.insn, 0)->kind, OPERAND_SPECIAL);
    assert_int_equal(insn_source(one.insn, 0)->reg, SREG_NTID_Y);
    module_destroy(one.module);
    one = decode_one("atom.global.cas.b64 %rd1, [%rd2], %rd3, %rd4;");
    assert_int_equal(one.insn->nsrc, 3);
    assert_int_equal(one.insn->atom_op, ATOM_CAS);
    module_destroy(one.module);
    one = decode_one("shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 0x1f, -1;");
    assert_int_equal(one.insn->ndst, 2);
    assert_int_equal(one.insn->nsrc, 4);
    assert_int_equal(one.insn->sub_op, SUB_BFLY);
    assert_true(one.insn->flags & INSN_SYNC);
    module_destroy(one.module);
}

static void check_class(const char *statement, const char *id)
{
    struct single one = decode_one(statement);
    if (strcmp(class_ids[one.insn->class_id], id) != 0)
        fail_msg("%s is %s, not %s", statement, class_ids[one.insn->class_id], id);
    assert_int_equal(one.insn->class_id, insn_classify(one.insn));
    module_destroy(one.module);
}

/* doc/definitions.md, classes and units. */
static void classes(void **state)
{
    (void)state;
    check_class("add.s64 %rd1, %rd2, 1;", "int.add");
    check_class("neg.f32 %f1, %f2;", "fp32.add");
    check_class("fma.rn.f64 %d1, %d2, %d3, %d4;", "fp64.fma");
    check_class("mad.wide.u32 %rd1, %r1, 4, %rd2;", "int.mad");
    check_class("mul24.lo.s32 %r1, %r2, %r3;", "int.mul24");
    check_class("rem.u32 %r1, %r2, %r3;", "int.div");
    check_class("div.full.f32 %f1, %f2, %f3;", "fp32.div");
    check_class("max.f32 %f1, %f2, %f3;", "fp32.minmax");
    check_class("fma.rn.f16 %h1, %h2, %h3, %h4;", "fp16");
    check_class("add.rn.bf16 %h1, %h2, %h3;", "bf16");
    check_class("rsqrt.approx.f32 %f1, %f2;", "sfu.rsqrt");
    check_class("ld.u32 %r1, [%rd1];", "mem.global.load");
    check_class("st.shared.u32 [%r1], %r2;", "mem.shared.store");
    check_class("red.shared.add.u32 [%r1], %r2;", "mem.shared.atomic");
    check_class("ld.param.u64 %rd1, [p];", "mem.param.load");
    check_class("membar.gl;", "fence");
    check_class("vote.sync.any.pred %p1, %p2, -1;", "vote");
    check_class("bar.warp.sync -1;", "barrier");
    check_class("cvt.rn.f32.s32 %f1, %r1;", "convert.int");
    check_class("cvt.rz.f32.u32 %f1, %r1;", "convert.int");
    check_class("cvt.rp.f32.u32 %f1, %r1;", "convert");
    check_class("cvt.rzi.s32.f32 %r1, %f1;", "convert");
    check_class("selp.b32 %r1, %r2, %r3, %p1;", "select");
    check_class("popc.b32 %r1, %r2;", "other");
}

static void check_units(const char *statement, unsigned units)
{
    struct single one = decode_one(statement);
    if (one.insn->units != units)
        fail_msg("%s: units %x, not %x", statement, one.insn->units, units);
    module_destroy(one.module);
}

static void units(void **state)
{
    (void)state;
    const unsigned both = 1u << UNIT_REG | 1u << UNIT_FDS;
    check_units("add.f32 %f1, %f2, %f3;", both | 1u << UNIT_FP);
    check_units("mad.lo.s32 %r1, %r2, %r3, %r1;", both | 1u << UNIT_INT);
    check_units("fma.rn.f32 %f1, %f2, %f3, %f1;", both | 1u << UNIT_FP);
    check_units("sin.approx.f32 %f1, %f2;", both | 1u << UNIT_SFU);
    check_units("lg2.approx.f32 %f1, %f2;", both | 1u << UNIT_FP);
    check_units("xor.b32 %r1, %r2, %r3;", both | 1u << UNIT_ALU);
    check_units("ld.shared.u32 %r1, [%r2];", both | 1u << UNIT_SHARED);
    check_units("ld.const.u32 %r1, [%rd2];", both | 1u << UNIT_CONST);
    check_units("st.local.u32 [%rd2], %r1;", both | 1u << UNIT_LOCAL);
    check_units("st.global.u32 [%rd2], %r1;", both | 1u << UNIT_GLOBAL);
    check_units("bar.sync 0;", 1u << UNIT_FDS);
}

/* Before PTX 1.4 division was approximate unless something else was said. */
static void old_defaults(void **state)
{
    (void)state;
    struct module *module = load_file(TESTS_DIR "/ptx/ok/old_calls.ptx");
    const struct function *quotient = find(module, "quotient");
    const struct function *kernel = find(module, "quotients");
    unsigned loads = 0, stores = 0, divisions = 0;
    for (uint32_t i = 0; i < quotient->insn_count; i++) {
        const struct insn *insn = &quotient->insns[i];
        loads += insn->op == OP_LD;
        stores += insn->op == OP_ST;
        if (insn->op == OP_DIV) {
            assert_true(insn->flags & INSN_APPROX);
            assert_true(insn->flags & INSN_FTZ); /* as all f32 of sm_1x */
            divisions++;
        }
    }
    assert_int_equal(divisions, 1);
    assert_int_equal(loads, 2);  /* two parameters */
    assert_int_equal(stores, 2); /* one result, two returns */
    assert_int_equal(kernel->parameter_count, 2);
    assert_int_equal(kernel->parameter_bytes, 8);
    assert_int_equal(module->address_bits, 32);
    assert_int_equal(module->target, 11);
    assert_false(kernel->ordered);
    module_destroy(module);
}

/* ---- variables ------------------------------------------------------------------------------- */

static void variables(void **state)
{
    (void)state;
    struct module *module = load_file(TESTS_DIR "/ptx/ok/forms.ptx");
    const struct variable *vector = find_variable(module, "vector");
    const float expected[4] = {1.0f, 2.0f, -3.0f, 4.0f};
    assert_int_equal(vector->bytes, 16);
    assert_int_equal(vector->alignment, 16);
    assert_memory_equal(vector->init, expected, sizeof expected);
    const struct variable *open = find_variable(module, "open");
    const uint8_t bytes[7] = {1, 2, 3, 14, 9, 255, 10};
    assert_int_equal(open->bytes, 7);
    assert_memory_equal(open->init, bytes, sizeof bytes);
    const struct variable *mixed = find_variable(module, "mixed");
    assert_int_equal(mixed->relocation_count, 8); /* a byte of the address each */
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(mixed->relocations[i].offset, 8 + i);
        assert_int_equal(mixed->relocations[i].bytes, 1);
        assert_int_equal(mixed->relocations[i].shift, 8 * i);
        assert_ptr_equal(&module->variables[mixed->relocations[i].symbol], vector);
    }
    const struct variable *pointers = find_variable(module, "pointers");
    assert_int_equal(pointers->relocation_count, 3);
    assert_false(pointers->relocations[0].generic);
    assert_true(pointers->relocations[1].generic);
    assert_int_equal(pointers->relocations[1].addend, 2);
    assert_int_equal(pointers->relocations[1].offset, 8);
    assert_true(pointers->relocations[2].is_function);
    module_destroy(module);
}

static void kernels(void **state)
{
    (void)state;
    struct module *module = load_file(TESTS_DIR "/ptx/ok/forms.ptx");
    const struct function *forms = find(module, "forms");
    uint64_t *offsets = calloc(module->variable_count, sizeof *offsets);
    assert_int_equal(forms->parameter_count, 2);
    assert_int_equal(forms->parameter_bytes, 32);
    assert_int_equal(module->variables[forms->parameters[1]].offset, 8);
    assert_int_equal(forms->local_bytes, 12);
    assert_int_equal(forms->max_threads[0], 256);
    assert_int_equal(forms->max_threads[1], 2);
    assert_int_equal(forms->max_threads[2], 1);
    assert_int_equal(forms->required_threads[0], 0);
    assert_int_equal(forms->min_blocks_per_sm, 3);
    assert_string_equal(module->target_name, "sm_90a");
    assert_int_equal(module->target, 90);
    uint32_t index = (uint32_t)(forms - module->functions);
    assert_int_equal(module_shared_layout(module, index, offsets), 28); /* both align 8 */
    assert_int_equal(offsets[find_variable(module, "fixed") - module->variables], 0);
    assert_int_equal(offsets[find_variable(module, "more") - module->variables], 24);
    assert_int_equal(offsets[find_variable(module, "dynamic") - module->variables], 32);
    assert_true(offsets[find_variable(module, "vector") - module->variables] == UINT64_MAX);
    free(offsets);
    module_destroy(module);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void display_names(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"_Z5scaleIfLi16EEvPT_S0_", "scale<float, 16>"},
        {"_ZN2ns5scaleIdLi3EEEvPT_S1_", "ns::scale<double, 3>"},
        {"_Z1kILb1ELj4ELln5EEvv", "k<true, 4u, -5l>"},
        {"_Z1kIN2ns1SIiEES2_EvT_T0_", "k<ns::S<int>, ns::S<int> >"},
        {"_Z1kIPKfEvT_", "k<float const*>"},
        {"_ZN12_GLOBAL__N_11kEv", "(anonymous namespace)::k"},
        {"_Z1kIJifdEEvDpT_", "k<int, float, double>"},
        {"_Z1kISt6vectorIiEEvT_", "k<std::vector<int> >"},
        {"_ZN3fooIiE3barIfEEvT_", "foo<int>::bar<float>"},
        {"_Z1kI3boxIS0_IiEEEvT_", "k<box<box<int> > >"},
        {"_Z1kIiN1a1bIcEEEvv", "k<int, a::b<char> >"},
        {"_Z1kIL3Rgb2EEvv", "k<(Rgb)2>"},
        {"plain_c_name", "plain_c_name"},
        {"_Z1kIXadL_Z1fvEEEvv", "_Z1kIXadL_Z1fvEEEvv"}, /* not understood: stays */
        {"_Z999999k", "_Z999999k"},
        {"_Z", "_Z"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD ".entry %s() { ret; }\n", pairs[i][0]);
        struct module *module = load_text(text);
        assert_string_equal(module->functions[0].display_name, pairs[i][1]);
        module_destroy(module);
    }
}

static void finding_kernels(void **state)
{
    (void)state;
    struct diag diag = {0};
    uint32_t found;
    struct module *module = load_text(
        HEAD ".entry _Z5scaleIfLi16EEvPT_S0_() { ret; }\n.entry _Z5scaleIdLi3EEvPT_S0_() { ret; }\n"
             ".entry _ZN2ns5otherEv() { ret; }\n.func helper() { ret; }\n");
    assert_int_equal(module_find_entry(&diag, module, "_Z5scaleIdLi3EEvPT_S0_", &found), WS_OK);
    assert_int_equal(found, 1);
    assert_int_equal(module_find_entry(&diag, module, "scale<float, 16>", &found), WS_OK);
    assert_int_equal(found, 0);
    assert_int_equal(module_find_entry(&diag, module, "other", &found), WS_OK);
    assert_int_equal(found, 2);
    assert_int_equal(module_find_entry(&diag, module, "scale", &found), WS_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "is ambiguous"));
    assert_non_null(strstr(diag.text, "_Z5scaleIdLi3EEvPT_S0_"));
    assert_int_equal(module_find_entry(&diag, module, "ns::othre", &found), WS_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "did you mean 'ns::other'"));
    assert_int_equal(module_find_entry(&diag, module, "helper", &found), WS_ERR_ARGUMENT);
    module_destroy(module);
    diag_clear(&diag);
}

/* ---- what is refused late -------------------------------------------------------------------- */

static bool all_execute(const struct insn *insn, const struct function *function)
{
    (void)insn, (void)function;
    return true;
}

static void unsupported_parts(void **state)
{
    (void)state;
    struct diag diag = {0};
    uint32_t kernel;
    struct module *module = load_file(TESTS_DIR "/ptx/ok/unsupported_parts.ptx");
    assert_int_equal(module_find_entry(&diag, module, "plain", &kernel), WS_OK);
    assert_int_equal(module_check_supported(&diag, module, kernel, all_execute, false), WS_OK);
    assert_int_equal(module_find_entry(&diag, module, "copies", &kernel), WS_OK);
    assert_int_equal(module_check_supported(&diag, module, kernel, all_execute, false),
                     WS_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "2 places"));
    assert_non_null(strstr(diag.text, "line 82: instruction 'tcgen05.fence::before_thread_sync'"));
    assert_non_null(strstr(diag.text, "line 85: instruction 'tcgen05.fence::after_thread_sync'"));
    module_destroy(module);
    module = load_text(HEAD ".extern .func outside();\n.extern .global .u32 elsewhere;\n"
                            ".func f() { call outside; ret; }\n"
                            ".entry k() { .reg .b32 %r<2>;\n call f;\n"
                            " ld.u32 %r1, [elsewhere]; ret; }\n");
    assert_int_equal(module_find_entry(&diag, module, "k", &kernel), WS_OK);
    assert_int_equal(module_check_supported(&diag, module, kernel, all_execute, false),
                     WS_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "outside"));
    assert_non_null(strstr(diag.text, "elsewhere"));
    module_destroy(module);
    diag_clear(&diag);
}

/* A kernel with many such places names all their lines. */
static void many_unsupported(void **state)
{
    (void)state;
    struct diag diag = {0};
    char text[4096] = HEAD ".entry k() {\n";
    for (unsigned i = 0; i < 25; i++)
        strcat(text, i == 20 ? "\n" : "tcgen05.fence::before_thread_sync;\n");
    strcat(text, "ret; }\n");
    struct module *module = load_text(text);
    assert_int_equal(module_check_supported(&diag, module, 0, all_execute, false),
                     WS_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "24 places"));
    assert_non_null(
        strstr(diag.text, "lines 5-24, 26-29: instruction 'tcgen05.fence::before_thread_sync'"));
    module_destroy(module);
    diag_clear(&diag);
}

/* ---- source lines ---------------------------------------------------------------------------- */

/* Code inlined from another file counts for the line that called it. */
static void source_lines(void **state)
{
    (void)state;
    struct module *module = load_text(
        HEAD ".entry k() {\n.reg .b32 %r<2>;\n.loc 1 7 0\nmov.u32 %r1, 1;\n"
             ".loc 2 207 3, function_name $L__x, inlined_at 1 9 5\nmov.u32 %r1, 2;\n"
             ".loc 1 30 3, function_name $L__y+20, inlined_at 1 11 5\nmov.u32 %r1, 3;\nret;\n}\n"
             ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.section .debug_str\n{\n$L__x: .b8 1,2\n}\n");
    const struct insn *insns = module->functions[0].insns;
    assert_int_equal(insns[0].source_line, 7);
    assert_int_equal(insns[1].source_line, 9);
    assert_string_equal(module->files[insns[1].source_file], "a.cu");
    assert_int_equal(insns[2].source_line, 30);
    assert_int_equal(insns[0].line, 7);
    module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(immediates),       cmocka_unit_test(operands),
        cmocka_unit_test(classes),          cmocka_unit_test(units),
        cmocka_unit_test(old_defaults),     cmocka_unit_test(variables),
        cmocka_unit_test(kernels),          cmocka_unit_test(display_names),
        cmocka_unit_test(finding_kernels),  cmocka_unit_test(unsupported_parts),
        cmocka_unit_test(many_unsupported), cmocka_unit_test(source_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
