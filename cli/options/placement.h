// SPDX-License-Identifier: Apache-2.0
/* Which SMs a kernel is put on: the heat that ipp-power says, under the machine's floorplan. */
#ifndef CLI_PLACEMENT_H
#define CLI_PLACEMENT_H

#include "cli/cli.h"

struct placement {
    const char *reason; /* why it is not known; NULL: it is */
    const unsigned *sms;
    size_t count, sm_count;
    bool made_up; /* the machine file has no floorplan: an array, and a usual package */
    ws_thermal_choice choice;
};

/* "0-2, 4, 7-9" in ascending order; "none". */
const char *placement_list(struct cli *cli, const unsigned *sms, size_t count);
/* Heat of the kernel on the chip: units of its SMs on these, and what is drawn as soon as anything runs
 * all over the die; what a TPC draws is in the SMs' watts unless the machine file tells it apart. L2 and
 * DRAM are left out: table 8 of Hong's thesis has the DRAM as off the chip. */
double placement_activation(const ws_core_point *point); /* watts all over the die */
int placement_load(struct cli *cli, const ws_machine *machine, const ws_thermal *thermal,
                   const ws_core_point *point, ws_thermal_load *out);
/* The SMs with the least power and the lowest peak for the launch of `point`. */
int placement_find(struct cli *cli, const ws_machine *machine, const ws_core_point *point,
                   struct placement *out);
/* "SMs 0-2, 5 ...: at most 61 degC ..." */
const char *placement_text(struct cli *cli, const struct placement *placement);

#endif
