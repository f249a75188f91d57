// SPDX-License-Identifier: Apache-2.0
/* Memory of this process that holds compiled code. */
#ifndef SUPPORT_CODE_MAPPINGS_H
#define SUPPORT_CODE_MAPPINGS_H

/* Executable mappings of no file. Fails the test if one can be written, too. */
unsigned count_code_mappings(void);

#endif
