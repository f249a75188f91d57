// SPDX-License-Identifier: Apache-2.0
/* What is told of uses of undefined values (defined.h). */
#include <stdlib.h>

#include "base/strbuf.h"
#include "emulate/defined.h"

static void add_register(const struct exec *x, uint32_t origin, struct strbuf *text)
{
    uint32_t function = (origin & ~ORIGIN_REGISTER) >> ORIGIN_FUNCTION_AT;
    const struct program_function *of = &x->launch->program->functions[function];
    uint32_t i = origin & ORIGIN_ZERO_MASK;
    if (!of->zero_registers || i >= of->zero_count) return;
    strbuf_printf(text, "register %s of %s is read before it is written",
                  of->function->vregs[of->zero_registers[i]].name, of->function->display_name);
}

/* Which bytes the value was loaded from. */
static void add_bytes(const struct exec *x, const struct origin_place *place, struct strbuf *text)
{
    unsigned space = place->space;
    bool is_global = space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_GENERIC;
    const struct allocation *found =
        is_global ? devmem_find(x->launch->memory, place->address) : NULL;
    if (!is_global)
        strbuf_printf(text, "byte %llu of %s memory", (unsigned long long)place->address,
                      space < SPACE_COUNT ? space_names[space] : "param");
    else if (found && found->name)
        strbuf_printf(text, "byte %llu of '%s'",
                      (unsigned long long)(place->address - found->address), found->name);
    else if (found)
        strbuf_printf(text, "byte %llu of an allocation of %llu bytes",
                      (unsigned long long)(place->address - found->address),
                      (unsigned long long)found->bytes);
    else
        strbuf_printf(text, "address 0x%llx", (unsigned long long)place->address);
}

void defined_report(struct exec *x, enum check_code code, const struct insn *insn, uint32_t lanes,
                    uint32_t origin, const char *detail)
{
    struct check_report report = {
        .code = code,
        .here = {insn, x->block->index, x->warp->index, (uint32_t)__builtin_ctz(lanes)}};
    struct strbuf text = {0}, memory = {0};
    if (detail) strbuf_puts(&text, detail);
    origin &= ~ORIGIN_COMPUTED;
    if (detail && origin) strbuf_putc(&text, '\n');
    if (origin & ORIGIN_REGISTER) {
        add_register(x, origin, &text);
    } else if (origin && x->defined->places[origin - 1].is_set) {
        const struct origin_place *place = &x->defined->places[origin - 1];
        report.has_other = true;
        report.other = (struct check_place){x->launch->program->view.insns[origin - 1],
                                            place->block, place->warp, place->lane};
        report.has_address = true;
        report.address = place->address;
        report.space = place->space;
        add_bytes(x, place, &memory);
        report.memory = memory.data;
        strbuf_printf(&text, "the value was read from %s, which nothing has written", memory.data);
    }
    report.detail = text.data;
    x->check->ops->report(x->check->self, &report);
    strbuf_clear(&text);
    strbuf_clear(&memory);
}
