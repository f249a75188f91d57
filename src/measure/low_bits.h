// SPDX-License-Identifier: Apache-2.0
/* Low bits of registers that are the same whenever the register has a value: what a compiler proves of the alignment
 * of addresses. */
#ifndef MEASURE_LOW_BITS_H
#define MEASURE_LOW_BITS_H

#include "emulate/observer.h"

/* The low `count` bits are those of `value`, whose other bits are 0. */
struct low_bits {
    uint64_t value;
    uint8_t count; /* 0 to 64 */
};

/* Where the variables of shared memory lie, by variable of the module (module_shared_layout); mem_free. */
uint64_t *low_bits_layout(const struct launch_view *launch);
/* By register of the launch (code_block.vreg_base added), of which there are register_count; mem_free. */
struct low_bits *low_bits_find(const struct launch_view *launch, uint32_t register_count,
                               const uint64_t *layout);
/* The address of a variable: in shared memory its place, in local and constant memory as it is aligned, in
 * global memory unknown: ptxas 13 does not use that alignment. */
struct low_bits low_bits_of_variable(const struct launch_view *launch, const uint64_t *layout,
                                     uint32_t variable);

struct low_bits low_bits_constant(uint64_t value);
struct low_bits low_bits_sum(struct low_bits a, struct low_bits b);
struct low_bits low_bits_product(struct low_bits a, struct low_bits b);

#endif
