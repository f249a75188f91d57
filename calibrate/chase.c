// SPDX-License-Identifier: Apache-2.0
#include "calibrate/chase.h"

#include <math.h>

char *chase_text(const struct plan *plan, const char *name, const char *cache, unsigned length)
{
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, name, 0);
    put(&writer, "    div.u32 %%r0, %%me, %%c;\n    mul.lo.u32 %%r1, %%r0, %%c;\n"
                 "    sub.u32 %%r1, %%me, %%r1;\n    shl.b32 %%r1, %%r1, 3;\n"
                 "    mad.lo.u32 %%r1, %%r0, %%b, %%r1;\n    cvt.u64.u32 %%l1, %%r1;\n"
                 "    add.u64 %%l0, %%data, %%l1;\n    mov.u64 %%l2, %%l0;\n");
    kernel_clock(&writer);
    put(&writer, "    mov.u32 %%r2, %%a;\nround:\n");
    for (unsigned i = 0; i < length; i++)
        put(&writer, "    ld.global.%s.u64 %%l2, [%%l2];\n", cache);
    put(&writer,
        "    sub.u32 %%r2, %%r2, 1;\n    setp.ne.u32 %%p0, %%r2, 0;\n    @%%p0 bra round;\n"
        "    sub.u64 %%l3, %%l2, %%l0;\n    cvt.u32.u64 %%result, %%l3;\n");
    return kernel_end(&writer);
}

struct point chase_point(unsigned kernel, unsigned length, unsigned rounds, uint64_t bytes,
                         uint64_t stride)
{
    uint64_t count = bytes / stride, loads = (uint64_t)length * rounds * KERNEL_PASSES;
    return (struct point){.kernel = kernel,
                          .grid = 1,
                          .block = 1,
                          .args = {rounds, 0, 1, 0},
                          .data_bytes = count * stride,
                          .stride = stride,
                          .fill = FILL_CHASE,
                          .is_checked = true,
                          .expected = (uint32_t)(loads % count * stride)};
}

double chase_cycles(const struct raw *raw, const char *bench, double x, double y, double z)
{
    const double place[BENCH_AXES] = {x, y, z};
    const struct raw_point *point = raw ? raw_find(raw, bench, place) : NULL;
    return point && point->is_checked ? middle(point->block_cycles, point->count, NULL) : NAN;
}

bool chase_slope(const struct fit *fit, const char *bench, struct line *out)
{
    enum { ROOM = 16 };
    const struct raw_point *points[ROOM];
    double x[ROOM], y[ROOM], spread[ROOM];
    unsigned count = fit_points(fit, bench, points, ROOM);
    for (unsigned i = 0; i < count; i++) {
        x[i] = points[i]->x[0];
        y[i] = middle(points[i]->block_cycles, points[i]->count, &spread[i]);
    }
    return fit_line(x, y, spread, count, out);
}
