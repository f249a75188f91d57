// SPDX-License-Identifier: Apache-2.0
/* Places: the static instructions that access memory, and what of them counts. */
#include <string.h>

#include "check/race.h"

static void describe_place(struct place *place, const struct insn *insn)
{
    /* What begins and ends the life of an mbarrier object must be ordered with its use. */
    bool is_life = insn->op == OP_MBARRIER_INIT || insn->op == OP_MBARRIER_INVAL;
    unsigned family = op_infos[insn->op].family;
    bool is_atomic = (family == FAMILY_ATOMIC && !is_life) || family == FAMILY_SURFACE_ATOMIC;
    bool is_volatile = insn->cache_op == CACHE_CV || insn->cache_op == CACHE_WT;
    unsigned semantics = insn->semantics;
    place->is_atomic = is_atomic;
    place->is_mbarrier = op_infos[insn->op].form == FORM_MBARRIER;
    place->is_strong = is_atomic || is_volatile || semantics != MEM_WEAK;
    place->scope = insn->scope                                ? insn->scope
                   : semantics == MEM_VOLATILE || is_volatile ? SCOPE_SYS
                                                              : SCOPE_GPU;
    place->acquires = semantics == MEM_ACQUIRE || semantics == MEM_ACQ_REL;
    place->releases = semantics == MEM_RELEASE || semantics == MEM_ACQ_REL;
}

static const struct function *function_of(const struct launch_view *view, uint32_t index)
{
    for (uint32_t k = 0; k < view->code_block_count; k++) {
        const struct code_block *code = &view->code_blocks[k];
        if (index - code->first < code->count) return code->function;
    }
    return NULL;
}

unsigned place_of(struct race *race, const struct check_access *told)
{
    uint16_t *at = &race->place_of[told->index];
    if (*at) return *at;
    if (race->place_count > ENTRY_PLACE_MAX) {
        findings_note(race->findings,
                      "race: more instructions that access memory than are remembered; "
                      "earlier accesses were forgotten");
        race->place_count = 1;
        memset(race->place_of, 0, race->view->insn_count * sizeof *race->place_of);
        race->oldest_segment = race->next_segment;
    }
    GROW(race->places, race->place_count, race->place_room);
    mem_keep(race->places);
    struct place *place = &race->places[race->place_count];
    *place = (struct place){.insn = told->insn, .index = told->index, .launch = race->launches};
    describe_place(place, told->insn);
    const struct function *function =
        place->is_atomic ? function_of(race->view, told->index) : NULL;
    place->returns = function && function_uses_result(function, told->insn);
    *at = (uint16_t)race->place_count++;
    return *at;
}

/* ---- data that loads and stores move --------------------------------------------------------------------- */

static bool stores_data(struct race *race, const struct function *function, const struct insn *insn)
{
    if (!race->data || race->data_function != function) {
        mem_free(race->data);
        race->data = function_data_registers(function);
        mem_keep(race->data);
        race->data_function = function;
    }
    bool any = false;
    for (unsigned i = 1; i < insn->nsrc && !any; i++) { /* the first is the address */
        const struct operand *source = insn_source(insn, i);
        any = source->kind == OPERAND_REGISTER && race->data[source->reg];
    }
    return any;
}

bool place_moves_data(struct race *race, struct place *place)
{
    if (place->moves_data == MOVES_UNKNOWN) {
        const struct function *function = function_of(race->view, place->index);
        bool moves =
            function && (place->insn->op == OP_ST ? stores_data(race, function, place->insn)
                                                  : function_stores_result(function, place->insn));
        place->moves_data = moves ? MOVES_YES : MOVES_NO;
    }
    return place->moves_data == MOVES_YES;
}
