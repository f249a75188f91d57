// SPDX-License-Identifier: Apache-2.0
#include "reference/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

ws_status native_compile(struct diag *diag, struct module *ptx, unsigned target,
                         struct module **out)
{
    module_find_ptxas(ptx, getenv("PATH"));
    return module_compile_native(diag, ptx, target, out);
}

/* The group of a line of program_text, from 1. */
static uint32_t group_at(const struct program *program, const bool *removed, unsigned wanted)
{
    unsigned line = 1;
    for (uint32_t i = 0; i < program->line_count; i++) {
        if (removed[program->lines[i].group]) continue;
        unsigned next = line + 1;
        for (const char *at = program->lines[i].text; (at = strchr(at, '\n')); at++)
            next++;
        if (wanted < next) return program->lines[i].group;
        line = next;
    }
    return 0;
}

/* "ptxas FILE, line 57; error : ..."; false: no line that can go. */
static bool remove_refused(const struct program *program, const char *said, bool *removed)
{
    static const char mark[] = ", line ";
    bool *refused = mem_zalloc(program->group_count + 1, sizeof *refused), found = false;
    for (const char *at = said; (at = strstr(at, mark)); at++) {
        char *end;
        unsigned long line = strtoul(at + strlen(mark), &end, 10);
        if (strncmp(end, "; error", 7) == 0)
            refused[group_at(program, removed, (unsigned)line)] = true;
    }
    for (uint32_t group = 1; group <= program->group_count; group++) {
        found |= refused[group];
        removed[group] |= refused[group];
    }
    mem_free(refused);
    return found;
}

/* What the ISA leaves open, so that ptxas may make other results of it than the interpreter: positions above 255, a base
 * above 31, divisors of 0, payloads of NANs (which of two goes on; with their signs; of conversions that change nothing),
 * a carry of before a call, who is active. And where ptxas 13.0 is wrong: it loses guards of mad.hi.u16, testp, and
 * the conversion of set to f32, stores the integer parts of 16-bit registers that it takes for f16 as bytes, and
 * saturates and extends the signs of instructions for video otherwise. */
static bool is_open(const char *text)
{
    static const char *const forms[] = {
        "bfe.",  "bfi.",    "fns.",       "div.",       "rem.",      ".f64", "addc.",
        "subc.", "madc.",   "mad.hi.u16", "mad.hi.s16", "vadd",      "vsub", "vabsdiff",
        "vmin",  "vmax",    "vshl",       "vshr",       "vmad",      "vset", "set.",
        "testp", "f32.f32", "f32.bf16",   "f32.f16",    "activemask"};
    bool is_byte = strstr(text, "8 [") && strstr(text, "st.") && strstr(text, "%h");
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !is_byte; i++)
        if (strstr(text, forms[i])) return true;
    return is_byte;
}

static void remove_open(const struct program *program, bool *removed)
{
    for (uint32_t i = 0; i < program->line_count; i++) {
        const struct program_line *line = &program->lines[i];
        if (line->group && !line->fills && is_open(line->text) && !strstr(line->text, "[%out"))
            removed[line->group] = true;
    }
}

bool native_fit(const struct program *program, unsigned target, bool *removed, char **message)
{
    *message = NULL;
    remove_open(program, removed);
    for (;;) {
        struct diag diag = {0};
        struct module *ptx = NULL, *native = NULL;
        char *text = program_text(program, removed);
        ws_status status = module_load_memory(&diag, "random.ptx", text, strlen(text), &ptx);
        if (status == WS_OK) status = native_compile(&diag, ptx, target, &native);
        bool goes_on = status == WS_ERR_COMPARE && remove_refused(program, diag.text, removed);
        if (status != WS_OK && !goes_on) *message = mem_copy(diag.text);
        module_destroy(native);
        module_destroy(ptx);
        mem_free(text);
        diag_clear(&diag);
        if (!goes_on) return status == WS_OK;
    }
}
