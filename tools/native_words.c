// SPDX-License-Identifier: Apache-2.0
/* Decodes words from standard input, one a line as "ADDRESS LOW HIGH" in hexadecimal:
 *     native_words TARGET [--control]  <  lines
 * prints a line for each: its text, or "?" if no row has it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "decode/native/word.h"

int main(int argc, char **argv)
{
    unsigned target = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    char line[256];
    if (!target) {
        fputs("native_words TARGET < lines\n", stderr);
        return 2;
    }
    if (native_rows_fault()) {
        fprintf(stderr, "rows.def: %s\n", native_rows_fault());
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        uint64_t pc;
        struct native_word word;
        struct native_insn insn;
        struct strbuf text = {0};
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &pc, &word.low, &word.high) != 3)
            return 2;
        if (native_decode(target, word, pc, &insn)) {
            native_print_guard(&insn, &text);
            native_print(&insn, &text);
        } else {
            strbuf_puts(&text, "?");
        }
        puts(text.data);
        strbuf_clear(&text);
    }
    return 0;
}
