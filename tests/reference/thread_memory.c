// SPDX-License-Identifier: Apache-2.0
/* Where variables lie, and what ld, st, atom and red do: PTX ISA 9.7.9 and 9.7.13. */
#include <string.h>

#include "reference/scalar.h"
#include "reference/thread.h"

/* In the space of the variable. */
uint64_t thread_symbol_address(struct thread *thread, int32_t symbol)
{
    const struct state *state = thread->block->state;
    const struct variable *variable = &state->launch->module->variables[symbol];
    bool in_frame = variable->space == SPACE_LOCAL || variable->space == SPACE_PARAM;
    return in_frame ? thread->frame->places[symbol] : state->places[symbol];
}

static unsigned char *inside(unsigned char *bytes, uint64_t size, uint64_t at, uint64_t count)
{
    return at <= size && count <= size - at ? bytes + at : NULL;
}

static unsigned char *global_place(struct state *state, uint64_t address, uint64_t count)
{
    const struct reference_launch *launch = state->launch;
    for (unsigned i = 0; i < launch->buffer_count; i++) {
        const struct reference_buffer *buffer = &launch->buffers[i];
        if (address < buffer->address || address >= buffer->address + buffer->size) continue;
        return inside(buffer->bytes, buffer->size, address - buffer->address, count);
    }
    return inside(state->variables, state->variable_bytes, address - VARIABLES_GENERIC, count);
}

unsigned char *thread_place(struct thread *thread, unsigned space, uint64_t address, uint64_t count,
                            uint64_t alignment)
{
    struct block *block = thread->block;
    if (space == SPACE_GENERIC || space == SPACE_NONE) {
        space = SPACE_GLOBAL;
        if (address >= SHARED_GENERIC && address < LOCAL_GENERIC)
            space = SPACE_SHARED, address -= SHARED_GENERIC;
        else if (address >= LOCAL_GENERIC && address < VARIABLES_GENERIC)
            space = SPACE_LOCAL, address -= LOCAL_GENERIC;
    }
    if (address % alignment != 0) return NULL;
    if (space == SPACE_SHARED) {
        block = block_at(block, &address);
        return block ? inside(block->shared, block->state->shared_bytes, address, count) : NULL;
    }
    if (space == SPACE_LOCAL || space == SPACE_PARAM)
        return inside(thread->stack, STACK_BYTES, address, count);
    return global_place(block->state, address, count);
}

unsigned char *thread_accessed(struct thread *thread, const struct insn *insn, uint64_t count)
{
    const struct operand *operand = insn_source(insn, 0);
    uint64_t address = (uint64_t)operand->imm;
    if (operand->reg >= 0) address += thread->frame->registers[operand->reg];
    if (operand->symbol >= 0) address += thread_symbol_address(thread, operand->symbol);
    unsigned char *place = thread_place(thread, insn->space, address, count, count);
    if (!place) thread_fault(thread, insn, "there is no memory at the address");
    return place;
}

/* Memory is little-endian, as the host is. Of 16 bytes the lower half. */
static uint64_t bytes_read(const unsigned char *place, unsigned count)
{
    uint64_t value = 0;
    memcpy(&value, place, count > 8 ? 8 : count);
    return value;
}

static bool is_wide(const struct insn *insn)
{
    return insn->type == TYPE_B128;
}

static void load(struct thread *thread, const struct insn *insn, const unsigned char *place)
{
    unsigned bits = type_infos[insn->type].bits, size = bits / 8;
    for (unsigned k = 0; k < insn->vector; k++) {
        uint64_t value = bytes_read(place + k * size, size);
        if (is_kind(insn->type, KIND_SIGNED)) value = (uint64_t)signed_value(value, bits);
        thread_write(thread, &insn->operands[k], value);
        if (is_wide(insn))
            thread_write_upper(thread, &insn->operands[k], bytes_read(place + k * size + 8, 8));
    }
}

static void store(struct thread *thread, const struct insn *insn, unsigned char *place)
{
    unsigned size = type_infos[insn->type].bits / 8;
    unsigned char bytes[COPY_BYTES_MAX], *to = place;
    bool is_copy = insn->flags & INSN_ASYNC && thread->block->state->launch->schedule;
    if (is_copy) place = bytes;
    for (unsigned k = 0; k < insn->vector; k++) {
        const struct operand *source = insn_source(insn, 1 + k);
        uint64_t value[2] = {thread_read(thread, source, insn->type),
                             thread_read_upper(thread, source)};
        memcpy(place + k * size, value, size);
    }
    if (is_copy) thread_copy_later(thread, insn, to, bytes, insn_access_bytes(insn));
}

/* exch and cas of 16 bytes. */
static void update_wide(struct thread *thread, const struct insn *insn, unsigned char *place)
{
    uint64_t old[2], values[2][2];
    unsigned count = insn->nsrc - 1u;
    memcpy(old, place, sizeof old);
    for (unsigned k = 0; k < count; k++) {
        values[k][0] = thread_read(thread, insn_source(insn, 1 + k), TYPE_B128);
        values[k][1] = thread_read_upper(thread, insn_source(insn, 1 + k));
    }
    if (count == 1 || memcmp(old, values[0], sizeof old) == 0)
        memcpy(place, values[count - 1], sizeof old);
    thread_write(thread, &insn->operands[0], old[0]);
    thread_write_upper(thread, &insn->operands[0], old[1]);
}

static void update(struct thread *thread, const struct insn *insn, unsigned char *place)
{
    unsigned size = type_infos[insn->type].bits / 8;
    uint64_t old[8];
    for (unsigned k = 0; k < insn->vector; k++) {
        uint64_t a[2] = {0};
        a[0] = thread_read(thread, insn_source(insn, 1 + k), insn->type);
        if (insn->nsrc > 2) a[1] = thread_read(thread, insn_source(insn, 2), insn->type);
        old[k] = bytes_read(place + k * size, size);
        uint64_t value = scalar_atomic(insn, old[k], a);
        memcpy(place + k * size, &value, size);
    }
    for (unsigned k = 0; k < insn->ndst; k++)
        thread_write(thread, &insn->operands[k], old[k]);
}

void thread_access(struct thread *thread, const struct insn *insn)
{
    unsigned char *place = thread_accessed(thread, insn, insn_access_bytes(insn));
    if (!place) return;
    if (insn->op == OP_LD || insn->op == OP_LDU)
        load(thread, insn, place);
    else if (insn->op == OP_ST)
        store(thread, insn, place);
    else if (is_wide(insn))
        update_wide(thread, insn, place);
    else
        update(thread, insn, place);
}
