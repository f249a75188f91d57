// SPDX-License-Identifier: Apache-2.0
/* From a row of a set to the launch that is executed. */
#include <string.h>

#include "cli/validate/validate.h"

static int add_args(const struct validate_launches *of, const struct validate_row *row,
                    const char *args, struct request *request)
{
    const char *place = cli_format(of->cli, "%s:%zu", of->set->table, row->line);
    char *rest = cli_copy(of->cli, args);
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        struct arg_text text = {word, of->set->folder, place};
        if (*word) CLI_APPEND(of->cli, request->args, request->arg_count, text);
    }
    return EXIT_DONE;
}

bool validate_same_launch(const struct validate_row *a, const struct validate_row *b)
{
    if (a->parameters || b->parameters || a->request || b->request) return false;
    return !strcmp(a->file, b->file) && !strcmp(a->entry, b->entry) && !strcmp(a->args, b->args) &&
           !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) && a->shared_bytes == b->shared_bytes &&
           a->registers == b->registers && a->spill_store_bytes == b->spill_store_bytes &&
           a->spill_load_bytes == b->spill_load_bytes;
}

/* Of a set with few blocks a launch. */
static void choose_effort(const struct validate_launches *of, struct request *request)
{
    double blocks = (double)request->grid[0] * request->grid[1] * request->grid[2];
    if (of->has_effort || !(of->set->blocks > 0) || of->set->blocks >= blocks) return;
    request->effort = (struct effort){EFFORT_FRACTION, of->set->blocks / blocks};
}

/* Those of all rows of this launch: it is executed once. */
static int add_machines(const struct validate_launches *of, const struct validate_row *row,
                        struct request *request)
{
    if (!row->machine) return request_add_gpus(of->cli, request, of->set->machine);
    for (size_t i = 0; i < of->set->row_count; i++)
        if (validate_same_launch(&of->set->rows[i], row))
            CLI_TRY(request_add_gpus(of->cli, request, of->set->rows[i].machine));
    return EXIT_DONE;
}

/* A launch of a launch file, with what the command line says of all. */
static void prepare_file(const struct validate_launches *of, const struct validate_row *row,
                         struct request *request)
{
    const struct request *all = of->request;
    *request = *row->request;
    if (of->has_effort) request->effort = all->effort;
    request->threads = all->threads;
    request->seed = all->seed;
    request->without = all->without;
    request->model_options = all->model_options;
    request->l2 = all->l2;
    request->spills = all->spills;
}

int validate_prepare(const struct validate_launches *of, const struct validate_row *row,
                     struct generated *generated, struct request *request)
{
    if (row->request) {
        *generated = (struct generated){0};
        prepare_file(of, row, request);
        return EXIT_DONE;
    }
    *request = *of->request;
    *generated = (struct generated){.entry = row->entry, .args = row->args};
    request->kernel_file = row->file;
    memcpy(generated->grid, row->grid, sizeof row->grid);
    memcpy(generated->block, row->block, sizeof row->block);
    if (of->set->generator) {
        CLI_TRY(validate_generate(of->cli, of->set, row, of->target, generated));
        request->kernel_file = row->instance;
        request->kernel_text = generated->ptx.bytes;
        request->kernel_text_size = generated->ptx.size;
    }
    request->kernel = generated->entry;
    request->has_grid = request->has_block = true;
    memcpy(request->grid, generated->grid, sizeof request->grid);
    memcpy(request->block, generated->block, sizeof request->block);
    request->dynamic_shared_bytes = row->shared_bytes;
    request->registers = row->registers;
    request->spill_store_bytes = row->spill_store_bytes;
    request->spill_load_bytes = row->spill_load_bytes;
    choose_effort(of, request);
    CLI_TRY(add_machines(of, row, request));
    return add_args(of, row, generated->args, request);
}
