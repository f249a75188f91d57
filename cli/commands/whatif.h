// SPDX-License-Identifier: Apache-2.0
/* Changes of a launch or a machine, as --without and --set write them. */
#ifndef CLI_WHATIF_H
#define CLI_WHATIF_H

#include "cli/options/analysis.h"

enum change_kind {
    CHANGE_EFFECT,    /* --without bank-conflicts */
    CHANGE_MACHINE,   /* --set machine.sm.count=60 */
    CHANGE_BLOCK,     /* --set launch.block=256 */
    CHANGE_REGISTERS, /* --set launch.registers=32 */
    CHANGE_SHARED,    /* --set launch.shared=4096 */
};

struct change {
    enum change_kind kind;
    const char *text;  /* as in the table: "without bank-conflicts", "launch.block=256" */
    const char *key;   /* of effect or machine */
    const char *value; /* "=256", "=*2" */
};

/* "launch.block" "=256": KEY and change of --set KEY=VALUE. */
int whatif_parse_set(struct cli *cli, const char *text, struct change *out);
/* The value of =V, =*V, =+V, =-V, =+P% or =-P% applied to a whole number. */
int whatif_apply(struct cli *cli, const struct change *change, uint64_t now, uint64_t *out);

#endif
