// SPDX-License-Identifier: Apache-2.0
/* Calls as the engine runs them: where their values lie on each side, and which functions a call
 * through a pointer may reach. Both sides of a call have one signature, so that nothing is copied
 * beyond the value of either. */
#include <stdlib.h>
#include <string.h>

#include "emulate/program.h"

/* ---- signatures ------------------------------------------------------------------------------ */

static bool same_sizes(const struct call_value *a, const struct call_value *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].bytes != b[i].bytes) return false;
    return true;
}

static bool same_signature(const struct call_site *a, const struct call_site *b)
{
    return a->argument_count == b->argument_count && a->return_count == b->return_count &&
           same_sizes(a->arguments, b->arguments, a->argument_count) &&
           same_sizes(a->returns, b->returns, a->return_count);
}

static uint64_t hash_add(uint64_t hash, uint32_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3); /* FNV-1a's prime */
}

static uint64_t hash_signature(const struct call_site *site)
{
    uint64_t hash =
        hash_add(hash_add(UINT64_C(0xcbf29ce484222325), site->argument_count), site->return_count);
    for (uint32_t i = 0; i < site->argument_count; i++)
        hash = hash_add(hash, site->arguments[i].bytes);
    for (uint32_t i = 0; i < site->return_count; i++)
        hash = hash_add(hash, site->returns[i].bytes);
    return hash ^ hash >> 32;
}

/* The slot of an open hash table where this signature is or belongs; a slot holds number + 1. */
static uint32_t *signature_slot(const struct signatures *signatures, const struct call_site *site)
{
    uint32_t last = signatures->slot_count - 1;
    for (uint32_t at = (uint32_t)hash_signature(site) & last;; at = (at + 1) & last) {
        uint32_t *slot = &signatures->slots[at];
        if (!*slot || same_signature(signatures->sites[*slot - 1], site)) return slot;
    }
}

static void grow_slots(struct signatures *signatures)
{
    mem_free(signatures->slots);
    signatures->slot_count = signatures->slot_count ? 2 * signatures->slot_count : 64;
    signatures->slots = mem_zalloc(signatures->slot_count, sizeof *signatures->slots);
    for (uint32_t i = 0; i < signatures->count; i++)
        *signature_slot(signatures, signatures->sites[i]) = i + 1;
}

/* The number of the site's signature. The site must stay. */
static uint32_t signature_number(struct signatures *signatures, const struct call_site *site)
{
    if (2 * signatures->count >= signatures->slot_count) grow_slots(signatures);
    uint32_t *slot = signature_slot(signatures, site);
    if (!*slot) {
        GROW(signatures->sites, signatures->count, signatures->room);
        signatures->sites[signatures->count++] = site;
        *slot = signatures->count;
    }
    return *slot - 1;
}

void signatures_clear(struct signatures *signatures)
{
    mem_free(signatures->slots);
    mem_free(signatures->sites);
}

/* ---- sites ----------------------------------------------------------------------------------- */

static const struct call_value *make_values(struct builder *b, const int32_t *variables,
                                            uint32_t count)
{
    struct call_value *values = ARENA_ARRAY(&b->program->arena, struct call_value, count + 1u);
    for (uint32_t k = 0; k < count; k++) {
        int32_t v = variables[k];
        values[k] = (struct call_value){.offset = b->parameter_offsets[v] + b->local_shifts[v],
                                        .bytes = (uint32_t)b->module->variables[v].bytes,
                                        .home = b->parameter_homes[v]};
    }
    return values;
}

void call_formals(struct builder *b, const struct function *function, struct call_site *out)
{
    *out = (struct call_site){.argument_count = function->parameter_count,
                              .return_count = function->return_count,
                              .arguments =
                                  make_values(b, function->parameters, function->parameter_count),
                              .returns = make_values(b, function->returns, function->return_count)};
    out->signature = signature_number(&b->signatures, out);
}

const struct call_site *call_site_of(struct builder *b, const struct call_info *call)
{
    struct call_site *site = ARENA_ARRAY(&b->program->arena, struct call_site, 1);
    *site = (struct call_site){.argument_count = call->argument_count,
                               .return_count = call->return_count,
                               .arguments = make_values(b, call->arguments, call->argument_count),
                               .returns = make_values(b, call->returns, call->return_count)};
    site->signature = signature_number(&b->signatures, site);
    return site;
}
