// SPDX-License-Identifier: Apache-2.0
/* Native code from cc 7.0 on says in its words when to issue (Huerta et al., MICRO 2025; doc/models/teg.md): a stall
 * count covers results of fixed latency, counters those of variable latency and sources that are read late. */
#include "base/memory.h"
#include "model/teg/teg_state.h"

enum { WORD_BYTES = 4 };

/* A memory access reads its sources on its way, what is stored last. */
static teg_time read_time(const struct teg_engine *e, const struct trace_insn *insn,
                          const struct teg_op *op)
{
    const struct teg_words_machine *words = &e->machine->words;
    bool is_shared = op->kind == OP_KIND_SHARED;
    if (insn->space == SPACE_CONST && insn->operation == TRACE_LOAD) return words->read_constant;
    if (!is_shared && op->kind != OP_KIND_GLOBAL) return words->read_other;
    if (insn->flags & TRACE_TO_SHARED) return words->read_copy;
    if (insn->operation == TRACE_LOAD)
        return is_shared ? words->read_shared_load : words->read_load;
    unsigned more = insn->bytes > WORD_BYTES ? insn->bytes / WORD_BYTES - 1u : 0;
    return (is_shared ? words->read_shared_store : words->read_store) + more * words->read_word;
}

static bool is_fixed(const struct insn_control *control)
{
    return control->writes >= CONTROL_COUNTERS && control->reads >= CONTROL_COUNTERS;
}

/* Operands of 64 bits have a register in each bank and leave the time for them: their pipes take longer. */
static bool reads_banks(const struct teg_engine *e, const struct trace_insn *insn,
                        const struct teg_op *op)
{
    bool is_plain = op->kind == OP_KIND_PLAIN && op->unit != TEG_FP64 && op->unit != TEG_TENSOR;
    return e->machine->words.has_banks && is_plain && is_fixed(&insn->control);
}

static teg_time stall_time(const struct teg_engine *e, const struct insn_control *control)
{
    if (e->machine->effects_off >> EFFECT_INST_LATENCY & 1) return e->machine->interval;
    if (!control->stall) return control->stays ? e->machine->interval : e->machine->words.asleep;
    bool skips_one = control->stall == 1 && !control->stays; /* it yields the next cycle */
    return later((control->stall + (unsigned)skips_one) * TEG_CYCLE, e->machine->interval);
}

static uint8_t counter_of(unsigned counter)
{
    return (uint8_t)(counter < CONTROL_COUNTERS ? counter : TEG_SPARE_COUNTER);
}

static void read_word(struct teg_engine *e, uint32_t index)
{
    const struct trace_insn *insn = &e->trace->insns[index];
    const struct insn_control *control = &insn->control;
    struct teg_op *op = &e->ops[index];
    struct teg_word *word = &e->words[index];
    *word = (struct teg_word){
        .read = read_time(e, insn, op),
        .awaited = control->awaited,
        .writes = counter_of(control->writes),
        .reads = counter_of(control->reads),
        .reuse = control->reuse,
    };
    for (unsigned i = 0; i < CONTROL_SLOTS; i++) {
        word->slots[i] = control->slots[i];
        if (!reads_banks(e, insn, op)) word->slots[i] = CONTROL_NO_REGISTER;
        if (word->slots[i] == CONTROL_NO_REGISTER) continue;
        word->bank_reads[word->slots[i] % TEG_BANKS]++;
        word->has_slots = true;
    }
    op->same_warp = stall_time(e, control);
}

bool teg_follows_words(const struct trace *trace, const struct teg_machine *machine)
{
    for (uint32_t i = 0; i < trace->insn_count; i++)
        if (!trace->insns[i].control.is_set) return false;
    return machine->words.is_used && trace->insn_count;
}

void teg_words_init(struct teg_engine *e)
{
    uint32_t count = e->trace->insn_count;
    if (!teg_follows_words(e->trace, e->machine)) return;
    e->words = mem_alloc((count + 1) * sizeof *e->words);
    for (uint32_t i = 0; i < count; i++)
        read_word(e, i);
}

void teg_words_issue(struct teg_warp *warp, const struct teg_op *op, const struct teg_word *word,
                     teg_time turn, teg_time done)
{
    teg_end *writes = &warp->counters[word->writes], *reads = &warp->counters[word->reads];
    *writes = later(*writes, teg_end_of(done, op->cause));
    *reads = later(*reads, teg_end_of(turn + word->read, op->cause));
    if (op->write_count) warp->done = later(warp->done, teg_end_of(done, op->cause));
}

/* ---- register banks -------------------------------------------------------------------------- */

/* Is the slot's register in the operand cache? A read of a slot from a bank drops what the slot had of it. */
static bool is_kept(struct teg_banks *banks, const struct teg_warp *warp,
                    const struct teg_word *word, unsigned slot)
{
    uint8_t reg = word->slots[slot];
    struct teg_operand *kept = &banks->kept[reg % TEG_BANKS][slot];
    bool is_there = kept->warp == warp->age + 1 && kept->reg == reg;
    bool keeps = word->reuse >> slot & 1;
    *kept = keeps ? (struct teg_operand){warp->age + 1, reg} : (struct teg_operand){0};
    return is_there;
}

teg_time teg_words_read(struct teg_scheduler *s, const struct teg_warp *warp,
                        const struct teg_word *word, teg_time now)
{
    struct teg_banks *banks = &s->banks;
    unsigned reads[TEG_BANKS] = {word->bank_reads[0], word->bank_reads[1]};
    teg_time begin = now;
    for (unsigned i = 0; i < CONTROL_SLOTS; i++)
        if (word->slots[i] != CONTROL_NO_REGISTER && is_kept(banks, warp, word, i))
            reads[word->slots[i] % TEG_BANKS]--;
    for (unsigned b = 0; b < TEG_BANKS; b++)
        if (reads[b])
            begin = later(begin, banks->free[b] + ((int)reads[b] - TEG_READ_CYCLES) * TEG_CYCLE);
    for (unsigned b = 0; b < TEG_BANKS; b++)
        if (reads[b]) banks->free[b] = later(banks->free[b], begin) + reads[b] * TEG_CYCLE;
    return begin - now;
}
