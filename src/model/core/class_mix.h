// SPDX-License-Identifier: Apache-2.0
/* What instructions count as in Hong's thesis, section 5.3.1 and table 15. */
#ifndef MODEL_CLASS_MIX_H
#define MODEL_CLASS_MIX_H

#include "isa/insn.h"

double class_flops(enum insn_class id); /* of a lane; useful instructions have some */
bool class_is_integer(enum insn_class id);
bool class_is_memory(enum insn_class id); /* global or local */

#endif
