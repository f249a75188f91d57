// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "emulate/emulate.h"
#include "support/instruction_run.h"

enum { BLOCK = 96, TEXT_MAX = 4096 };

static void append(char *text, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text + length, TEXT_MAX - length, format, arguments);
    va_end(arguments);
    assert_true(written >= 0 && (size_t)written < TEXT_MAX - length);
}

static void append_address(char *text, char name, unsigned bits)
{
    append(text, "ld.param.u64 %%at_%c, [p_%c];\nmad.wide.u32 %%at_%c, %%i, %u, %%at_%c;\n", name,
           name, name, bits / 8, name);
}

static void write_kernel(char *text, const struct instruction *instruction, bool guarded)
{
    static const char names[] = "abc";
    append(text,
           ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p_d, "
           ".param .u64 p_a, .param .u64 p_b, .param .u64 p_c, .param .u32 n)\n{\n"
           ".reg .pred %%p, %%q, %%on, %%end;\n.reg .b32 %%i, %%t, %%n;\n"
           ".reg .b64 %%at_d, %%at_a, %%at_b, %%at_c;\n");
    append(text, ".reg .b%u %%d;\n", instruction->bits_d);
    append(text,
           "mov.u32 %%i, %%ctaid.x;\nmov.u32 %%t, %%tid.x;\nmad.lo.u32 %%i, %%i, %u, %%t;\n"
           "ld.param.u32 %%n, [n];\nsetp.ge.u32 %%end, %%i, %%n;\n@%%end ret;\n"
           "rem.u32 %%t, %%i, 3;\nsetp.eq.u32 %%p, %%t, 0;\n"
           "and.b32 %%t, %%i, 3;\nsetp.ne.u32 %%on, %%t, 3;\n",
           (unsigned)BLOCK);
    append_address(text, 'd', instruction->bits_d);
    append(text, "ld.global.b%u %%d, [%%at_d];\n", instruction->bits_d);
    for (unsigned k = 0; k < INSTRUCTION_SOURCES; k++) {
        unsigned bits = instruction->bits[k];
        if (!bits) continue;
        append_address(text, names[k], bits);
        append(text, ".reg .b%u %%%c;\nld.global.b%u %%%c, [%%at_%c];\n", bits, names[k], bits,
               names[k], names[k]);
    }
    if (guarded) append(text, "@!%%on bra DONE;\n");
    append(text, "%s\nDONE:\nst.global.b%u [%%at_d], %%d;\nret;\n}\n", instruction->text,
           instruction->bits_d);
}

static uint64_t place(struct diag *diag, struct device *device, const void *data, size_t bytes)
{
    uint64_t address;
    assert_int_equal(device_alloc(diag, device, bytes, &address), WS_OK);
    if (data)
        assert_int_equal(device_copy_in(diag, device, address, data, bytes), WS_OK);
    else
        assert_int_equal(device_fill(diag, device, address, UNTOUCHED, bytes), WS_OK);
    return address;
}

void instruction_run(const struct instruction *instruction, int level, bool guarded,
                     const void *const sources[INSTRUCTION_SOURCES], size_t count, void *result)
{
    char text[TEXT_MAX] = "";
    struct diag diag = {0};
    struct module *module = NULL;
    struct device *device = NULL;
    struct {
        uint64_t d, sources[INSTRUCTION_SOURCES];
        uint32_t count;
    } parameters = {.count = (uint32_t)count};
    bool is_compiled = level == INSTRUCTION_COMPILED;
    struct device_options options = {.threads = 1,
                                     .isa_level = is_compiled ? -1 : level,
                                     .engine = is_compiled ? compile_engine() : NULL};
    write_kernel(text, instruction, guarded);
    if (module_load_memory(&diag, "instruction.ptx", text, strlen(text), &module) != WS_OK ||
        device_create(&diag, &options, &device) != WS_OK)
        fail_msg("%s", diag.text);
    parameters.d = place(&diag, device, NULL, count * instruction->bits_d / 8);
    for (unsigned k = 0; k < INSTRUCTION_SOURCES; k++)
        if (instruction->bits[k])
            parameters.sources[k] =
                place(&diag, device, sources[k], count * instruction->bits[k] / 8);
    struct launch_options launch = {.grid = {(uint32_t)((count + BLOCK - 1) / BLOCK), 1, 1},
                                    .block = {BLOCK, 1, 1},
                                    .parameters = &parameters,
                                    .parameter_bytes = 4 * sizeof(uint64_t) + sizeof(uint32_t)};
    if (device_launch(&diag, device, module, &launch, NULL) != WS_OK ||
        device_copy_out(&diag, device, result, parameters.d, count * instruction->bits_d / 8) !=
            WS_OK)
        fail_msg("%s: %s", instruction->text, diag.text);
    device_destroy(device);
    module_destroy(module);
    diag_clear(&diag);
}
