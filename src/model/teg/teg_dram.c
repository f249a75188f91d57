// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_dram.h"

#include <stdlib.h>

/* Rows that are remembered, a place each by a hash. */
enum { ROWS = 4096 };

static bool has_queues(const struct teg_machine *machine)
{
    return machine->rule != RULE_IS_SECTOR;
}

void teg_dram_init(struct teg_dram *dram, const struct teg_machine *machine)
{
    *dram = (struct teg_dram){.machine = machine};
    if (!(machine->row_cycle > 0)) return;
    size_t queues = has_queues(machine) ? (size_t)machine->channels * machine->banks_of_channel : 1;
    dram->free = mem_zalloc(queues, sizeof *dram->free);
    dram->rows = mem_zalloc(ROWS, sizeof *dram->rows);
    teg_dram_share(dram, 1, machine->active_sms);
}

void teg_dram_clear(struct teg_dram *dram)
{
    mem_free(dram->free);
    mem_free(dram->rows);
    *dram = (struct teg_dram){0};
}

void teg_dram_share(struct teg_dram *dram, uint64_t own, uint64_t all)
{
    const struct teg_machine *machine = dram->machine;
    double cycle = machine->row_cycle;
    if (!dram->free) return;
    if (has_queues(machine)) /* a cluster has its share whoever works */
        cycle *= machine->clusters;
    else
        cycle *= (double)all / (double)own / machine->channels / machine->banks_of_channel;
    dram->cycle = teg_round(cycle);
}

teg_time teg_dram_open(struct teg_dram *dram, uint64_t address, teg_time start)
{
    const struct teg_machine *machine = dram->machine;
    if (!dram->cycle) return start;
    uint64_t channel = address / machine->interleave % machine->channels;
    uint64_t row = address / (machine->channels * machine->row_bytes);
    uint64_t number = row * machine->channels + channel + 1;
    struct teg_open_row *open = &dram->rows[(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % ROWS];
    bool is_open = open->row == number && start - open->last <= machine->in_flight;
    size_t queue = 0;
    if (has_queues(machine))
        queue = (size_t)(channel * machine->banks_of_channel + row % machine->banks_of_channel);
    teg_time begin = start;
    if (!is_open) {
        if (dram->free[queue] > begin) begin = dram->free[queue];
        dram->free[queue] = begin + dram->cycle;
        dram->opened++;
    }
    *open = (struct teg_open_row){number, begin};
    return begin;
}
