// SPDX-License-Identifier: Apache-2.0
/* mbarrier objects: operations on what is none, and counts out of their range, which the PTX ISA leaves undefined. */
#include <stdio.h>

#include "emulate/check_sync.h"
#include "emulate/cluster.h"
#include "emulate/mbarrier.h"

/* What was an mbarrier object at some time. */
struct known_object {
    uint64_t key; /* address, plus 1 */
    bool is_live; /* it was not invalidated since */
};

void sync_mbarriers_reset(struct sync_state *state)
{
    hash_table_reset(&state->objects, sizeof(struct known_object));
}

static void tell(const struct exec *x, enum check_code code, const struct insn *insn, uint32_t lane,
                 uint64_t address, const char *detail)
{
    struct check_report report = sync_report_at(x, code, insn, x->warp->index, lane);
    report.has_address = true;
    report.address = address;
    report.bytes = sizeof(uint64_t);
    report.space = SPACE_SHARED;
    report.detail = detail;
    sync_send(x, &report);
}

static void check_init(const struct exec *x, struct hash_table *objects, const struct insn *insn,
                       uint32_t lane, uint64_t address, uint64_t count)
{
    struct known_object *object = hash_table_add(objects, address + 1, sizeof *object);
    char detail[160];
    if (object->is_live)
        tell(x, CHECK_CODE_MBARRIER_AGAIN, insn, lane, address,
             "the object was initialised before and not invalidated since");
    object->is_live = true;
    if (count >= 1 && count <= MBARRIER_COUNT_MAX) return;
    snprintf(detail, sizeof detail, "the count is %llu: it must be 1 to %d",
             (unsigned long long)count, MBARRIER_COUNT_MAX);
    tell(x, CHECK_CODE_MBARRIER_COUNT, insn, lane, address, detail);
}

/* False: in words, which of the counts leaves its range. */
static bool in_range(const struct insn *insn, const struct mbarrier *before,
                     const struct mbarrier_change *change, char *detail, size_t size)
{
    struct mbarrier after = *before;
    int64_t bytes = (int64_t)before->bytes + (int32_t)change->bytes;
    uint32_t least =
        change->drops && before->expected < before->pending ? before->expected : before->pending;
    bool counts_itself = insn->op == OP_MBARRIER_COPIES && !(insn->flags & INSN_NOINC);
    if (change->arrivals > least)
        snprintf(detail, size, "%u arrivals, but the phase expects only %u more", change->arrivals,
                 least);
    else if (bytes > MBARRIER_COUNT_MAX || bytes < -MBARRIER_COUNT_MAX)
        snprintf(detail, size, "the count of bytes becomes %lld: it must be -%d to %d",
                 (long long)bytes, MBARRIER_COUNT_MAX, MBARRIER_COUNT_MAX);
    else if (counts_itself && before->pending == MBARRIER_COUNT_MAX)
        snprintf(detail, size, "the count of arrivals exceeds %d", MBARRIER_COUNT_MAX);
    else if (mbarrier_apply(&after, change) && insn->flags & INSN_NO_COMPLETE)
        snprintf(detail, size, "'.noComplete' with the last %u arrivals of the phase",
                 change->arrivals);
    else
        return true;
    return false;
}

void sync_mbarrier(struct exec *x, const struct insn *insn, uint32_t lane, uint64_t address,
                   uint64_t bits, uint64_t operand)
{
    char detail[160];
    struct hash_table *objects = &cluster_home(x, &address)->sync->objects;
    if (insn->op == OP_MBARRIER_INIT) {
        check_init(x, objects, insn, lane, address, operand);
        return;
    }
    struct known_object *object = hash_table_find(objects, address + 1, sizeof *object);
    if (!object || !object->is_live) {
        tell(x, CHECK_CODE_MBARRIER_NONE, insn, lane, address,
             object ? "the object was invalidated before" : NULL);
        return;
    }
    if (insn->op == OP_MBARRIER_INVAL) object->is_live = false;
    if (insn->op == OP_MBARRIER_INVAL || insn_is_mbarrier_wait(insn)) return;
    struct mbarrier before = mbarrier_of(bits);
    struct mbarrier_change change = mbarrier_change_of(insn, (uint32_t)operand);
    if (!in_range(insn, &before, &change, detail, sizeof detail))
        tell(x, CHECK_CODE_MBARRIER_COUNT, insn, lane, address, detail);
}
