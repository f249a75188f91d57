// SPDX-License-Identifier: Apache-2.0
/* Occupancy for programs: JSON (schemas/occupancy.schema.json) and CSV. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/occupancy.h"

void occupancy_put_limiters(FILE *out, unsigned limiters, const char *between)
{
    const char *name, *lead = "";
    for (unsigned i = 0; (name = ws_limit_name(i)) != NULL; i++) {
        if (!(limiters >> i & 1)) continue;
        fprintf(out, "%s%s", lead, name);
        lead = between;
    }
}

int occupancy_cliff(const struct occupancy_answer *answer, size_t point)
{
    if (point + 1 >= answer->point_count) return 0;
    return (int)answer->points[point].warps_per_sm - (int)answer->points[point + 1].warps_per_sm;
}

bool occupancy_is_here(const struct occupancy_request *request, const ws_occupancy_point *point)
{
    const ws_occupancy_query *query = &request->query;
    uint64_t value = request->curve == WS_VARY_BLOCK       ? query->threads_per_block
                     : request->curve == WS_VARY_REGISTERS ? query->registers_per_thread
                                                           : query->shared_bytes;
    return point->first <= value && value <= point->last;
}

const char *occupancy_vary_name(ws_vary vary)
{
    return vary == WS_VARY_BLOCK       ? "threads_per_block"
           : vary == WS_VARY_REGISTERS ? "registers_per_thread"
                                       : "shared_bytes";
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void put_limit(FILE *out, const char *key, unsigned limit)
{
    if (limit == UINT_MAX)
        fprintf(out, "\"block_limit_%s\": null, ", key);
    else
        fprintf(out, "\"block_limit_%s\": %u, ", key, limit);
}

static void put_limiters(FILE *out, unsigned limiters)
{
    fputs(limiters ? "\"limiters\": [\"" : "\"limiters\": [", out);
    occupancy_put_limiters(out, limiters, "\", \"");
    fputs(limiters ? "\"]" : "]", out);
}

static void put_occupancy(FILE *out, const ws_occupancy *occupancy)
{
    fprintf(out,
            "{\"fraction\": %.17g, \"blocks_per_sm\": %u, \"warps_per_sm\": %u, "
            "\"warps_per_block\": %u, \"max_warps_per_sm\": %u, ",
            occupancy->fraction, occupancy->blocks_per_sm, occupancy->warps_per_sm,
            occupancy->warps_per_block, occupancy->max_warps_per_sm);
    put_limit(out, "sm", occupancy->limit_sm);
    put_limit(out, "registers", occupancy->limit_registers);
    put_limit(out, "shared", occupancy->limit_shared);
    put_limit(out, "warps", occupancy->limit_warps);
    put_limit(out, "barriers", occupancy->limit_barriers);
    put_limiters(out, occupancy->limiters);
    fputs("}", out);
}

/* 0: not asked for. */
static void put_asked(FILE *out, const char *key, unsigned value)
{
    fputs(key, out);
    if (value)
        fprintf(out, "%u", value);
    else
        fputs("null", out);
}

static void put_query(FILE *out, const ws_occupancy_query *query)
{
    put_asked(out, "{\"threads_per_block\": ", query->threads_per_block);
    put_asked(out, ", \"registers_per_thread\": ", query->registers_per_thread);
    fprintf(out, ", \"shared_bytes\": %llu, \"barriers\": %u, \"partitioned_caching\": %s, ",
            (unsigned long long)query->shared_bytes, query->barriers,
            query->partitioned_caching ? "true" : "false");
    fprintf(out, "\"granularity\": %s}", query->no_granularity ? "false" : "true");
}

static void put_curve(FILE *out, const struct occupancy_request *request,
                      const struct occupancy_answer *answer)
{
    if (!request->curve) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"over\": \"%s\", \"points\": [", occupancy_vary_name(request->curve));
    for (size_t i = 0; i < answer->point_count; i++) {
        const ws_occupancy_point *point = &answer->points[i];
        fprintf(out,
                "%s\n        {\"first\": %llu, \"last\": %llu, \"blocks_per_sm\": %u, "
                "\"warps_per_sm\": %u, ",
                i ? "," : "", (unsigned long long)point->first, (unsigned long long)point->last,
                point->blocks_per_sm, point->warps_per_sm);
        put_limiters(out, point->limiters);
        fprintf(out, ", \"warps_lost_next\": %d, \"is_here\": %s}", occupancy_cliff(answer, i),
                occupancy_is_here(request, point) ? "true" : "false");
    }
    fputs("]}", out);
}

static void put_answer(FILE *out, const struct occupancy_request *request,
                       const struct occupancy_answer *answer)
{
    unsigned target = ws_machine_target(answer->machine);
    fputs("\n    {\"machine\": ", out);
    cli_put_json(out, ws_machine_id(answer->machine));
    fputs(", \"name\": ", out);
    cli_put_json(out, ws_machine_name(answer->machine));
    fprintf(out, ", \"compute_capability\": \"%u.%u\",\n      \"occupancy\": ", target / 10,
            target % 10);
    if (answer->occupancy.blocks_per_sm)
        put_occupancy(out, &answer->occupancy);
    else
        fputs("null", out);
    fputs(",\n      \"reason\": ", out);
    if (answer->occupancy.blocks_per_sm)
        fputs("null", out);
    else
        cli_put_json(out, answer->reason ? answer->reason : "no block was given");
    fputs(",\n      \"next\": [", out);
    for (size_t i = 0; i < answer->next_count; i++) {
        fprintf(out, "%s\n        {\"launch\": ", i ? "," : "");
        put_query(out, &answer->next[i].query);
        fputs(", \"occupancy\": ", out);
        put_occupancy(out, &answer->next[i].occupancy);
        fputs("}", out);
    }
    fputs("],\n      \"curve\": ", out);
    put_curve(out, request, answer);
    fputs("}", out);
}

static void write_json(FILE *out, const struct occupancy_request *request,
                       const struct occupancy_answer *answers, size_t count)
{
    fprintf(out,
            "{\n  \"schema\": \"warpsage.occupancy/1\",\n  \"tool\": {\"name\": \"warpsage\", "
            "\"version\": \"%s\"},\n  \"launch\": ",
            ws_version());
    put_query(out, &request->query);
    fputs(",\n  \"machines\": [", out);
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(",", out);
        put_answer(out, request, &answers[i]);
    }
    fputs("]\n}\n", out);
}

/* ---- CSV --------------------------------------------------------------------------------------- */

/* Empty: does not limit. */
static void put_csv_limit(FILE *out, unsigned limit)
{
    if (limit != UINT_MAX) fprintf(out, "%u", limit);
    fputc(',', out);
}

static void write_csv_table(FILE *out, const struct occupancy_request *request,
                            const struct occupancy_answer *answers, size_t count)
{
    fputs("machine,threads_per_block,registers_per_thread,shared_bytes,blocks_per_sm,warps_per_sm,"
          "max_warps_per_sm,fraction,block_limit_sm,block_limit_registers,block_limit_shared,"
          "block_limit_warps,block_limit_barriers,limiters\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const ws_occupancy *occupancy = &answers[i].occupancy;
        const ws_occupancy_query *query = &request->query;
        fprintf(out, "%s,%u,", ws_machine_id(answers[i].machine), query->threads_per_block);
        if (query->registers_per_thread) fprintf(out, "%u", query->registers_per_thread);
        fprintf(out, ",%llu,", (unsigned long long)query->shared_bytes);
        if (!occupancy->blocks_per_sm) {
            fputs("0,0,,0,,,,,,\n", out);
            continue;
        }
        fprintf(out, "%u,%u,%u,%.17g,", occupancy->blocks_per_sm, occupancy->warps_per_sm,
                occupancy->max_warps_per_sm, occupancy->fraction);
        put_csv_limit(out, occupancy->limit_sm);
        put_csv_limit(out, occupancy->limit_registers);
        put_csv_limit(out, occupancy->limit_shared);
        put_csv_limit(out, occupancy->limit_warps);
        put_csv_limit(out, occupancy->limit_barriers);
        occupancy_put_limiters(out, occupancy->limiters, "+");
        fputc('\n', out);
    }
}

static void write_csv_curves(FILE *out, const struct occupancy_request *request,
                             const struct occupancy_answer *answers, size_t count)
{
    fputs("machine,over,first,last,blocks_per_sm,warps_per_sm,limiters,warps_lost_next,is_here\n",
          out);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < answers[i].point_count; k++) {
            const ws_occupancy_point *point = &answers[i].points[k];
            fprintf(out, "%s,%s,%llu,%llu,%u,%u,", ws_machine_id(answers[i].machine),
                    occupancy_vary_name(request->curve), (unsigned long long)point->first,
                    (unsigned long long)point->last, point->blocks_per_sm, point->warps_per_sm);
            occupancy_put_limiters(out, point->limiters, "+");
            fprintf(out, ",%d,%d\n", occupancy_cliff(&answers[i], k),
                    occupancy_is_here(request, point));
        }
}

/* ---- all --------------------------------------------------------------------------------------- */

int occupancy_write(struct cli *cli, const struct occupancy_request *request,
                    const struct occupancy_answer *answers, size_t count)
{
    struct cli_text whole;
    int exit_code = cli_text_open(cli, &whole);
    if (exit_code != EXIT_DONE) return exit_code;
    FILE *out = whole.out;
    unsigned columns = request->output ? 0 : cli_columns(stdout);
    const struct occupancy_text text = {cli, out, columns ? columns : 96, cli_has_utf8()};
    if (request->format == WS_FORMAT_JSON)
        write_json(out, request, answers, count);
    else if (request->format == WS_FORMAT_TEXT)
        occupancy_write_text(&text, request, answers, count);
    else if (request->curve)
        write_csv_curves(out, request, answers, count);
    else
        write_csv_table(out, request, answers, count);
    return cli_text_close(cli, &whole, request->output);
}
