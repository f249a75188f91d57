// SPDX-License-Identifier: Apache-2.0
/* The files of a design: what they hold, and sources with values before them. */
#ifndef CLI_SWEEP_DESIGN_FILES_H
#define CLI_SWEEP_DESIGN_FILES_H

#include "cli/sweep/design.h"

/* The whole text of a file. */
int design_text(struct cli *cli, const char *path, const char **out);
/* `name` as seen from the folder of `path`. */
const char *design_beside(struct cli *cli, const char *path, const char *name);
/* Fills digest: of the design, and of the launch files and kernels of all its launches; and the threads of these. */
int design_digest(struct cli *cli, struct design *design);
/* Makes it another design for who stores its results. */
void design_mark(struct design *design, const char *text);
/* The file of this process in `folder` for sources of that suffix: ".cu" or ".cl". */
const char *design_defined_file(struct cli *cli, const char *folder, const char *suffix);
/* Puts a file into `folder` that defines the values and then includes the kernel's source. */
int design_define(struct cli *cli, const struct design *design, const struct sweep_values *values,
                  const char *folder, struct request *request);

#endif
