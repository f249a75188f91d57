// SPDX-License-Identifier: Apache-2.0
/* What a launch needs beside its program: its parameters, special registers, and for the first worker a block with its
 * warps. To make and clear these takes longer than to execute a few warps: the next launch of the program takes them over if
 * it has the same shape. Programs that end with their launch, and launches that are checked, leave none. */
#ifndef EMULATE_LAUNCH_KIT_H
#define EMULATE_LAUNCH_KIT_H

#include "emulate/exec.h"

/* Sets launch->kit, which is the call's until kit_end, launch->warp_specials and, but for native code, launch->parameters. */
void kit_begin(struct program *program, struct launch *launch);
/* Leaves it, and what the call allocated for it, to the program. After a fault: to nobody. */
void kit_end(struct program *program, struct launch *launch, bool has_failed);
/* The first worker's block, NULL if there is none yet, and memos. */
struct block *kit_block(const struct launch_kit *kit);
struct memo *kit_memos(const struct launch_kit *kit);
/* That worker is done with one of its blocks: true if it is the kit's from now on. */
bool kit_takes(struct launch_kit *kit, struct block *block);
void kit_destroy(struct launch_kit *kit);
/* The program goes before the device does. */
void kit_forget(struct device *device, struct program *program);

#endif
