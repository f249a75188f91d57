// SPDX-License-Identifier: Apache-2.0
#include "calibrate/kernel_text.h"

#include <stdarg.h>
#include <stdlib.h>

/* Targets, and a version of PTX that has them. A GPU between two
 * rows, or behind the last, takes the code of the one before. */
static const struct target {
    unsigned cc;
    const char *version;
} targets[] = {
    {30, "6.4"}, {50, "6.4"},  {52, "6.4"},  {53, "6.4"},  {60, "6.4"},  {61, "6.4"},  {62, "6.4"},
    {70, "6.4"}, {72, "6.4"},  {75, "7.1"},  {80, "7.1"},  {86, "7.1"},  {87, "7.4"},  {89, "7.8"},
    {90, "8.0"}, {100, "8.7"}, {103, "8.8"}, {110, "9.0"}, {120, "8.7"}, {121, "8.8"},
};

static const struct target *target_of(const struct gpu_facts *gpu)
{
    size_t at = 0;
    while (at + 1 < sizeof targets / sizeof *targets && targets[at + 1].cc <= gpu->cc)
        at++;
    return &targets[at];
}

void put(struct kernel_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(writer->out, format, arguments);
    va_end(arguments);
}

void kernel_begin(struct kernel_writer *writer, const struct gpu_facts *gpu, const char *name,
                  unsigned shared)
{
    const struct target *target = target_of(gpu);
    *writer = (struct kernel_writer){.name = name, .gpu = gpu};
    writer->out = open_memstream(&writer->text, &writer->size);
    if (!writer->out) abort();
    put(writer, ".version %s\n.target sm_%u\n.address_size 64\n\n", target->version, target->cc);
    if (shared) put(writer, ".shared .align 16 .b8 smem[%u];\n", shared);
    put(writer,
        ".visible .entry %s(.param .u64 out, .param .u64 data, .param .u32 a, .param .u32 b,\n"
        "    .param .u32 c, .param .u32 d)\n{\n",
        name);
    put(writer,
        "    .reg .u64 %%out, %%data, %%place;\n"
        "    .reg .u32 %%a, %%b, %%c, %%d, %%me, %%group, %%threads, %%thread, %%warp, %%lane,\n"
        "        %%begin, %%end, %%sm, %%pass;\n"
        "    .reg .b32 %%result, %%r<96>;\n    .reg .b64 %%l<96>;\n    .reg .f32 %%f<96>;\n"
        "    .reg .f64 %%g<96>;\n    .reg .b16 %%h<96>;\n    .reg .pred %%more, %%first, "
        "%%p<16>;\n");
    put(writer,
        "    ld.param.u64 %%out, [out];\n    ld.param.u64 %%data, [data];\n"
        "    ld.param.u32 %%a, [a];\n    ld.param.u32 %%b, [b];\n"
        "    ld.param.u32 %%c, [c];\n    ld.param.u32 %%d, [d];\n"
        "    mov.u32 %%me, %%tid.x;\n    mov.u32 %%group, %%ctaid.x;\n    mov.u32 %%threads, "
        "%%ntid.x;\n"
        "    mad.lo.u32 %%thread, %%group, %%threads, %%me;\n    and.b32 %%lane, %%me, 31;\n"
        "    add.u32 %%warp, %%threads, 31;\n    shr.u32 %%warp, %%warp, 5;\n"
        "    mul.lo.u32 %%warp, %%warp, %%group;\n    shr.u32 %%r0, %%me, 5;\n"
        "    add.u32 %%warp, %%warp, %%r0;\n    mov.b32 %%result, 0;\n    mov.u32 %%end, 0;\n");
}

void kernel_clock(struct kernel_writer *writer)
{
    kernel_clock_passes(writer, KERNEL_PASSES);
}

void kernel_clock_passes(struct kernel_writer *writer, unsigned passes)
{
    put(writer,
        "    mov.u32 %%pass, %u;\nagain:\n    .pragma \"nounroll\";\n    bar.sync 0;\n"
        "    mov.u32 %%begin, %%clock;\n",
        passes);
}

/* The compiler may read a clock as early as it likes: the guard makes it wait for the result. */
char *kernel_end(struct kernel_writer *writer)
{
    put(writer,
        "    setp.ne.u32 %%more, %%result, 0x9e3779b9;\n    @%%more mov.u32 %%end, %%clock;\n"
        "    sub.u32 %%pass, %%pass, 1;\n"
        "    setp.ne.u32 %%more, %%pass, 0;\n    @%%more bra again;\n"
        "    mov.u32 %%sm, %%smid;\n    setp.ne.u32 %%first, %%lane, 0;\n"
        "    @%%first ret;\n    mul.wide.u32 %%place, %%warp, 16;\n"
        "    add.u64 %%place, %%place, %%out;\n"
        "    st.global.v4.u32 [%%place], {%%begin, %%end, %%sm, %%result};\n    ret;\n}\n");
    if (fclose(writer->out) != 0) abort();
    return writer->text;
}

char *kernel_end_unless(struct kernel_writer *writer)
{
    put(writer, "    setp.ne.u32 %%first, %%result, %%d;\n    @%%first ret;\nleave:\n"
                "    mul.wide.u32 %%place, %%warp, 16;\n    add.u64 %%place, %%place, %%out;\n"
                "    st.global.u32 [%%place+12], %%result;\n    ret;\n}\n");
    if (fclose(writer->out) != 0) abort();
    return writer->text;
}
