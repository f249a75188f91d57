// SPDX-License-Identifier: Apache-2.0
/* The floorplan of a machine file in words, JSON and CSV, and two of them side by side. */
#include <stdio.h>
#include <string.h>

#include "api/machine_text.h"
#include "base/strbuf.h"
#include "render/json_out.h"

static const char *plan_source(const struct floorplan *plan)
{
    return plan->assumed ? "assumed" : plan->source;
}

static bool has_sm(const struct floorplan_block *block)
{
    return block->kind == FLOORPLAN_SM;
}

static bool has_tpc(const struct floorplan_block *block)
{
    return block->kind == FLOORPLAN_SM || block->kind == FLOORPLAN_TPC;
}

/* ---- one machine ----------------------------------------------------------------------------- */

static void block_text(const struct floorplan_block *block, struct strbuf *out)
{
    char sm[16] = "-", tpc[16] = "-";
    if (has_sm(block)) snprintf(sm, sizeof sm, "%u", block->sm);
    if (has_tpc(block)) snprintf(tpc, sizeof tpc, "%u", block->tpc);
    strbuf_printf(out, "  %-16s %-18s %5s %5s %8.3f %8.3f %8.3f %8.3f\n", block->name,
                  floorplan_kind_words[block->kind], sm, tpc, 1e3 * block->x_metres,
                  1e3 * block->y_metres, 1e3 * block->width_metres, 1e3 * block->height_metres);
}

void machine_floorplan_text(const struct machine *machine, struct strbuf *out)
{
    const struct floorplan *plan = machine->floorplan;
    if (!plan) return;
    strbuf_printf(out, "\nmachine.floorplan  %.4g x %.4g mm, %zu blocks, %u SMs in %u TPCs  %s%s\n",
                  1e3 * plan->width_metres, 1e3 * plan->height_metres, plan->block_count,
                  plan->sm_count, plan->tpc_count, plan_source(plan),
                  plan->assumed ? ": an estimate" : "");
    strbuf_printf(out, "  %-16s %-18s %5s %5s %8s %8s %8s %8s\n", "block", "kind", "SM", "TPC",
                  "x mm", "y mm", "width", "height");
    for (size_t i = 0; i < plan->block_count; i++)
        block_text(&plan->blocks[i], out);
}

static void block_json(const struct floorplan_block *block, struct json_out *json)
{
    json_out_open(json, NULL, '{');
    json_out_string(json, "name", block->name);
    json_out_string(json, "kind", floorplan_kind_words[block->kind]);
    if (has_sm(block)) json_out_number(json, "sm", block->sm);
    if (has_tpc(block)) json_out_number(json, "tpc", block->tpc);
    json_out_number(json, "x_metres", block->x_metres);
    json_out_number(json, "y_metres", block->y_metres);
    json_out_number(json, "width_metres", block->width_metres);
    json_out_number(json, "height_metres", block->height_metres);
    json_out_close(json, '}');
}

void machine_floorplan_json(const struct machine *machine, struct json_out *json)
{
    const struct floorplan *plan = machine->floorplan;
    if (!plan) {
        json_out_null(json, "floorplan");
        json_out_string(json, "floorplan_reason", "not in the machine file");
        return;
    }
    json_out_open(json, "floorplan", '{');
    json_out_number(json, "width_metres", plan->width_metres);
    json_out_number(json, "height_metres", plan->height_metres);
    json_out_number(json, "sm_count", plan->sm_count);
    json_out_number(json, "tpc_count", plan->tpc_count);
    json_out_string(json, "source", plan_source(plan));
    json_out_open(json, "blocks", '[');
    for (size_t i = 0; i < plan->block_count; i++)
        block_json(&plan->blocks[i], json);
    json_out_close(json, ']');
    json_out_close(json, '}');
}

void machine_floorplan_csv(const struct machine *machine, struct strbuf *out)
{
    const struct floorplan *plan = machine->floorplan;
    static const char *const sides[] = {"x", "y", "width", "height"};
    for (size_t i = 0; plan && i < plan->block_count; i++) {
        const struct floorplan_block *block = &plan->blocks[i];
        const double metres[] = {block->x_metres, block->y_metres, block->width_metres,
                                 block->height_metres};
        for (size_t k = 0; k < 4; k++) {
            char number[NUMBER_TEXT];
            number_exact(number, metres[k]);
            strbuf_printf(out, "%s,floorplan.%s.%s,%s,m,%s\n", machine->id, block->name, sides[k],
                          number, plan_source(plan));
        }
    }
}

void machine_floorplan_assess(const struct machine *machine, struct strbuf *out)
{
    const struct floorplan *plan = machine->floorplan;
    if (!plan)
        strbuf_printf(out, "  %-16s none\n", "floorplan");
    else
        strbuf_printf(out, "  %-16s %zu blocks, %u SMs in %u TPCs, %s\n", "floorplan",
                      plan->block_count, plan->sm_count, plan->tpc_count,
                      plan->assumed ? "an estimate" : plan->source);
}

/* ---- two machines ---------------------------------------------------------------------------- */

static const struct floorplan_block *find_block(const struct floorplan *plan, const char *name)
{
    for (size_t i = 0; plan && i < plan->block_count; i++)
        if (!strcmp(plan->blocks[i].name, name)) return &plan->blocks[i];
    return NULL;
}

static bool is_same_block(const struct floorplan_block *a, const struct floorplan_block *b)
{
    return a && b && a->kind == b->kind && a->sm == b->sm && a->tpc == b->tpc &&
           a->x_metres == b->x_metres && a->y_metres == b->y_metres &&
           a->width_metres == b->width_metres && a->height_metres == b->height_metres;
}

static void place_text(char text[64], const struct floorplan_block *block)
{
    snprintf(text, 64, "not known");
    if (block)
        snprintf(text, 64, "%.4g,%.4g %.4gx%.4g", 1e3 * block->x_metres, 1e3 * block->y_metres,
                 1e3 * block->width_metres, 1e3 * block->height_metres);
}

static void diff_blocks(const struct machine *a, const struct machine *b, bool of_b,
                        struct strbuf *out)
{
    const struct floorplan *plan = of_b ? b->floorplan : a->floorplan;
    for (size_t i = 0; plan && i < plan->block_count; i++) {
        const char *name = plan->blocks[i].name;
        const struct floorplan_block *in_a = find_block(a->floorplan, name);
        const struct floorplan_block *in_b = find_block(b->floorplan, name);
        char first[64], second[64], key[96];
        if (is_same_block(in_a, in_b) || (of_b && in_a)) continue;
        place_text(first, in_a);
        place_text(second, in_b);
        snprintf(key, sizeof key, "floorplan.%s", name);
        strbuf_printf(out, "%-36s %-26s %-26s mm\n", key, first, second);
    }
}

void machine_floorplan_diff_text(const struct machine *a, const struct machine *b,
                                 struct strbuf *out)
{
    diff_blocks(a, b, false, out);
    diff_blocks(a, b, true, out);
}

bool machine_floorplan_differs(const struct machine *a, const struct machine *b)
{
    struct strbuf text = {0};
    machine_floorplan_diff_text(a, b, &text);
    bool differs = text.length > 0;
    strbuf_clear(&text);
    return differs;
}
