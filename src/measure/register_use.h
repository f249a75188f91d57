// SPDX-License-Identifier: Apache-2.0
/* Which registers an instruction reads and writes. */
#ifndef MEASURE_REGISTER_USE_H
#define MEASURE_REGISTER_USE_H

#include "emulate/observer.h"

enum { READS_MAX = OPERANDS_MAX + 1 };

/* Sources, address registers and the guard; returns how many. Repetitions are left out. */
unsigned insn_reads(const struct insn *insn, uint32_t reads[READS_MAX]);
unsigned insn_writes(const struct insn *insn, uint32_t writes[OPERANDS_MAX]);
/* Registers of all functions of the launch: one more than the greatest number. */
uint32_t launch_register_count(const struct launch_view *launch);

#endif
