// SPDX-License-Identifier: Apache-2.0
/* Words of native code that compilers wrote, and NVIDIA's disassembler's text of them
 * (tests/native/words.txt, made by tools/native-words.py sample): the decoder must write the same. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/native/word.h"

enum { LINE_SIZE = 512, SHOWN = 10 };

static void rows_are_well_formed(void **state)
{
    (void)state;
    const char *fault = native_rows_fault();
    if (fault) fail_msg("%s", fault);
}

/* Without the blanks that the disassembler leaves behind infinities, as in words.txt. */
static void drop_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || (from[1] && !strchr(",]", from[1]))) *to++ = *from;
    *to = '\0';
}

static void write_text(unsigned target, uint64_t pc, struct native_word word, struct strbuf *out)
{
    struct native_insn insn;
    out->length = 0;
    if (!native_decode(target, word, pc, &insn)) {
        strbuf_puts(out, "refused");
        return;
    }
    native_print_guard(&insn, out);
    native_print(&insn, out);
}

/* A line is "TARGET[,TARGET].. ADDRESS LOW HIGH<tab>TEXT". Returns how many targets it names. */
static unsigned check_line(char *line, struct strbuf *text, unsigned *wrong)
{
    uint64_t pc;
    struct native_word word;
    unsigned count = 0;
    char *tab = strchr(line, '\t'), *targets = line;
    assert_non_null(tab);
    tab[1 + strcspn(tab + 1, "\n")] = '\0';
    assert_int_equal(
        sscanf(strchr(line, ' '), "%" SCNx64 " %" SCNx64 " %" SCNx64, &pc, &word.low, &word.high),
        3);
    for (;; targets++, count++) {
        unsigned target = (unsigned)strtoul(targets, &targets, 10);
        write_text(target, pc, word, text);
        drop_blanks(text->data);
        if (strcmp(text->data, tab + 1) != 0 && (*wrong)++ < SHOWN)
            print_error("sm_%u %016" PRIx64 "_%016" PRIx64 ": '%s', expected '%s'\n", target,
                        word.high, word.low, text->data, tab + 1);
        if (*targets != ',') return count + 1;
    }
}

static void texts_are_the_disassemblers(void **state)
{
    (void)state;
    FILE *file = fopen(TESTS_DIR "/native/words.txt", "r");
    char line[LINE_SIZE];
    struct strbuf text = {0};
    unsigned count = 0, wrong = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        count += check_line(line, &text, &wrong);
    fclose(file);
    strbuf_clear(&text);
    assert_true(count > 5000);
    assert_int_equal(wrong, 0);
}

/* A word without a row, a target before all, and a bit that no row names. */
static void others_are_refused(void **state)
{
    (void)state;
    struct native_insn insn;
    struct native_word exit = {0x000000000000794d, 0x000fea0003800000};
    struct native_word unknown = {0x0000000000007fff, 0x000fea0000000000};
    struct native_word changed = {exit.low | UINT64_C(1) << 40, exit.high};
    assert_true(native_decode(80, exit, 0, &insn));
    assert_false(native_decode(80, unknown, 0, &insn));
    assert_false(native_decode(70, exit, 0, &insn));
    assert_false(native_decode(80, changed, 0, &insn));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_well_formed),
        cmocka_unit_test(texts_are_the_disassemblers),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
