// SPDX-License-Identifier: Apache-2.0
/* Any 16 bytes as an instruction of native code: each target decodes and prints them or refuses them, and
 * says the same twice. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "decode/native/word.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool write_text(unsigned target, struct native_word word, uint64_t pc, struct strbuf *out)
{
    struct native_insn insn;
    if (!native_decode(target, word, pc, &insn)) return false;
    assert(insn.operand_count <= NATIVE_OPERANDS_MAX);
    native_print_guard(&insn, out);
    native_print(&insn, out);
    assert(out->data && *out->data);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned targets[] = {75, 80, 86, 89, 90, 100, 120};
    for (size_t at = 0; at + NATIVE_WORD_BYTES <= size; at += NATIVE_WORD_BYTES) {
        struct native_word word;
        memcpy(&word, data + at, sizeof word);
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
            struct strbuf first = {0}, second = {0};
            bool is_known = write_text(targets[i], word, at, &first);
            assert(write_text(targets[i], word, at, &second) == is_known);
            assert(!is_known || strcmp(first.data, second.data) == 0);
            strbuf_clear(&first);
            strbuf_clear(&second);
        }
    }
    return 0;
}
