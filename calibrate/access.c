// SPDX-License-Identifier: Apache-2.0
#include "calibrate/access.h"

#include <math.h>
#include <string.h>

/* Registers of the k-th word: %l16 and up (two of 16 bytes), or %f0 and up. */
static void put_access(struct kernel_writer *writer, const struct access *access, unsigned k,
                       bool is_store)
{
    char suffix[8] = "";
    if (!is_store) snprintf(suffix, sizeof suffix, ".%s", access->cache);
    put(writer, "    %s.global%s", is_store ? "st" : "ld", suffix);
    const char *type = access->width == 16 ? "v2.u64" : "f32";
    char place[48], words[48];
    snprintf(place, sizeof place, "[%%l0+%u]", k * access->step);
    if (access->width == 16)
        snprintf(words, sizeof words, "{%%l%u, %%l%u}", 16 + 2 * k, 17 + 2 * k);
    else
        snprintf(words, sizeof words, "%%f%u", k);
    if (is_store)
        put(writer, ".%s %s, %s;\n", type, place, words);
    else
        put(writer, ".%s %s, %s;\n", type, words, place);
}

/* All that was loaded, which is 0, goes into one value; two words of 4 bytes at a time. */
static void put_use(struct kernel_writer *writer, const struct access *access)
{
    for (unsigned k = 0; k < access->unroll && access->width == 16; k++)
        put(writer, "    or.b64 %%l2, %%l2, %%l%u;\n    or.b64 %%l3, %%l3, %%l%u;\n", 16 + 2 * k,
            17 + 2 * k);
    for (unsigned k = 0; k + 1 < access->unroll && access->width == 4; k += 2)
        put(writer, "    fma.rn.f32 %%f64, %%f%u, %%f%u, %%f64;\n", k, k + 1);
}

static void put_round(struct kernel_writer *writer, const struct access *access)
{
    bool loads = access->operation == ACCESS_LOAD || access->operation == ACCESS_SCALE;
    bool stores = access->operation == ACCESS_STORE || access->operation == ACCESS_SCALE;
    for (unsigned k = 0; k < access->unroll && loads; k++)
        put_access(writer, access, k, false);
    for (unsigned k = 0; k < access->unroll && stores; k++)
        put_access(writer, access, k, true);
    if (!stores) put_use(writer, access);
}

/* What is stored without having been loaded. */
static void put_zeros(struct kernel_writer *writer, const struct access *access)
{
    for (unsigned k = 0; k < access->unroll && access->width == 16; k++)
        put(writer, "    mov.u64 %%l%u, 0;\n    mov.u64 %%l%u, 0;\n", 16 + 2 * k, 17 + 2 * k);
    for (unsigned k = 0; k < access->unroll && access->width == 4; k++)
        put(writer, "    mov.f32 %%f%u, 0f00000000;\n", k);
}

char *access_text(const struct plan *plan, const struct access *access)
{
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, access->name, 0);
    put(&writer,
        "    %s\n    cvt.u64.u32 %%l1, %%r0;\n    add.u64 %%l0, %%data, %%l1;\n"
        "    cvt.u64.u32 %%l4, %%b;\n    mov.u64 %%l2, 0;\n    mov.u64 %%l3, 0;\n"
        "    mov.f32 %%f64, 0f00000000;\n",
        access->place);
    put_zeros(&writer, access);
    kernel_clock_passes(&writer, 1);
    put(&writer, "    mov.u32 %%r2, %%a;\nround:\n");
    put_round(&writer, access);
    put(&writer, "    add.u64 %%l0, %%l0, %%l4;\n    sub.u32 %%r2, %%r2, 1;\n"
                 "    setp.ne.u32 %%p0, %%r2, 0;\n    @%%p0 bra round;\n"
                 "    or.b64 %%l2, %%l2, %%l3;\n    cvt.u32.u64 %%result, %%l2;\n"
                 "    mov.b32 %%r3, %%f64;\n    or.b32 %%result, %%result, %%r3;\n");
    return kernel_end(&writer);
}

unsigned access_kernel(struct plan *plan, const struct access *access)
{
    for (unsigned i = 0; i < plan->kernel_count; i++)
        if (!strcmp(plan->kernels[i].name, access->name)) return i;
    return plan_kernel(plan, access->name, access_text(plan, access));
}

static double slope(const struct raw *raw, const char *bench, const double *x, unsigned axis,
                    double few, double many, bool is_seconds)
{
    double place[BENCH_AXES], times[2];
    const double ends[] = {few, many};
    memcpy(place, x, sizeof place);
    for (unsigned i = 0; i < 2; i++) {
        place[axis] = ends[i];
        const struct raw_point *point = raw ? raw_find(raw, bench, place) : NULL;
        if (!point || !point->is_checked) return NAN;
        times[i] = middle(is_seconds ? point->seconds : point->sm_cycles, point->count, NULL);
    }
    return (times[1] - times[0]) / (many - few);
}

double access_cycles(const struct raw *raw, const char *bench, const double *x, unsigned axis,
                     double few, double many)
{
    return slope(raw, bench, x, axis, few, many, false);
}

double access_seconds(const struct raw *raw, const char *bench, const double *x, unsigned axis,
                      double few, double many)
{
    return slope(raw, bench, x, axis, few, many, true);
}
