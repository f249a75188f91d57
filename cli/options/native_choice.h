// SPDX-License-Identifier: Apache-2.0
/* What is executed of a kernel file that holds PTX: the PTX, or the native code that ptxas makes of it (--isa). */
#ifndef CLI_OPTIONS_NATIVE_CHOICE_H
#define CLI_OPTIONS_NATIVE_CHOICE_H

#include "cli/options/analysis.h"

/* request->isa; `from`: where the text comes from, --isa or the variable WARPSAGE_ISA, which says what holds without. */
int native_parse(struct cli *cli, const char *from, const char *text, struct request *request);
/* Puts native code in the place of a->module where the request asks for it: always, or (`auto`) where it can be had,
 * runs on every GPU of the request, and nothing asked for needs PTX. */
int native_choose(struct analysis *a);
/* After native code chosen by `auto` failed as it ran: PTX is in its place again, and shows whose fault it was. False:
 * what ran was not chosen so, or stopped for another reason. */
bool native_fall_back(struct analysis *a, ws_status status);

#endif
