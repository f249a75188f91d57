// SPDX-License-Identifier: Apache-2.0
/* Names of tools, as users write them. */
#ifndef CHECK_CHECK_NAMES_H
#define CHECK_CHECK_NAMES_H

#include "base/diag.h"
#include "check/findings.h"

/* The tool of that name, or of compute-sanitizer's (memcheck, initcheck, racecheck, synccheck); 0: none. */
unsigned check_tool_find(const char *name);
/* A set of names, with commas between them, or "all". WS_ERR_ARGUMENT: an unknown one, or none. */
ws_status check_tools_parse(struct diag *diag, const char *text, unsigned *out);
/* Index of the code with that id, in any case; CHECK_CODE_COUNT: none. */
unsigned check_code_named(const char *id);

#endif
