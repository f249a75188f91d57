// SPDX-License-Identifier: Apache-2.0
#include "calibrate/tensor.h"

static const struct tensor_shape shapes[] = {
    {80, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 16 * 8 * 16, "HMMA"},
    {75, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 16 * 8 * 8, "HMMA"},
    {70, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8, 16 * 16 * 16, NULL},
};

const struct tensor_shape *tensor_shape_of(const struct gpu_facts *gpu)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (gpu->cc >= shapes[i].from_cc) return &shapes[i];
    return NULL;
}

static void put_registers(struct kernel_writer *writer, char pool, unsigned first, unsigned count,
                          const char *after)
{
    for (unsigned i = 0; i < count; i++)
        put(writer, "%s%%%c%u", i ? ", " : "{", pool, first + i);
    put(writer, "}%s", after);
}

void put_tensor(struct kernel_writer *writer, const struct tensor_shape *shape, unsigned first,
                unsigned factors)
{
    put(writer, "    %s ", shape->instruction);
    put_registers(writer, 'f', first, shape->sums, ", ");
    put_registers(writer, 'r', factors, shape->a, ", ");
    put_registers(writer, 'r', factors, shape->b, ", ");
    put_registers(writer, 'f', first, shape->sums, ";\n");
}
