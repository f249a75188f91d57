// SPDX-License-Identifier: Apache-2.0
#include "emulate/launch_kit.h"

#include <string.h>

/* Guesses: what is larger executes for longer than it takes to make it; no more than this for all kernels of a program. */
enum { KIT_BYTES_MAX = 1 << 20, ALL_KITS_BYTES_MAX = 64 << 20 };

struct launch_kit {
    uint32_t threads[3];
    uint64_t shared_end, bytes;
    uint32_t (*warp_specials)[WARP_SPECIALS][WARP_LANES];
    unsigned char *parameters;
    struct memo *memos;
    struct block *block; /* NULL: none yet */
};

/* ---- special registers ----------------------------------------------------------------------- */

static void fill_warp_specials(const struct launch *launch, struct launch_kit *kit)
{
    const uint32_t *b = kit->threads;
    kit->warp_specials =
        mem_zalloc_aligned(64, launch->warps_per_block * sizeof *kit->warp_specials);
    for (uint32_t w = 0; w < launch->warps_per_block; w++)
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            uint32_t thread = w * WARP_LANES + i;
            uint32_t(*s)[WARP_LANES] = kit->warp_specials[w];
            s[WARP_TID_X][i] = thread % b[0];
            s[WARP_TID_Y][i] = thread / b[0] % b[1];
            s[WARP_TID_Z][i] = thread / b[0] / b[1];
            s[WARP_LANEID][i] = i;
            s[WARP_WARPID][i] = w;
            s[WARP_MASK_EQ][i] = 1u << i;
            s[WARP_MASK_LT][i] = (1u << i) - 1;
            s[WARP_MASK_LE][i] = (2u << i) - 1;
            s[WARP_MASK_GT][i] = ~((2u << i) - 1);
            s[WARP_MASK_GE][i] = ~((1u << i) - 1);
        }
}

/* ---- kits ------------------------------------------------------------------------------------ */

/* Of most of it. */
static uint64_t bytes_of(const struct launch *launch)
{
    const struct program *program = launch->program;
    uint64_t lane = (uint64_t)program->parameter_bytes_max + program->local_bytes_max;
    uint64_t warp = program->frame_bytes_first + lane * WARP_LANES + sizeof(struct warp) +
                    sizeof *launch->warp_specials;
    return warp * launch->warps_per_block + launch->shared_end +
           program->view.insn_count * sizeof(struct memo);
}

static bool may_stay(const struct launch *launch)
{
    const struct device *device = launch->device;
    uint64_t bytes = launch->kit->bytes;
    return device->keeps_programs && !device->check && !launch->cluster_blocks &&
           bytes <= KIT_BYTES_MAX && device->kit_bytes + bytes <= ALL_KITS_BYTES_MAX;
}

static bool fits(const struct launch_kit *kit, const struct launch *launch)
{
    return kit && !launch->cluster_blocks && kit->shared_end == launch->shared_end &&
           !memcmp(kit->threads, launch->options->block, sizeof kit->threads);
}

static struct launch_kit *create(const struct launch *launch)
{
    struct launch_kit *kit = mem_zalloc(1, sizeof *kit);
    memcpy(kit->threads, launch->options->block, sizeof kit->threads);
    kit->shared_end = launch->shared_end;
    kit->bytes = bytes_of(launch);
    kit->memos = mem_zalloc(launch->program->view.insn_count, sizeof *kit->memos);
    fill_warp_specials(launch, kit);
    if (!launch->program->native_code)
        kit->parameters = mem_zalloc(1, launch->parameter_bytes + 64);
    return kit;
}

/* That of the program, which has none any more. */
static struct launch_kit *take(struct device *device, struct program *program)
{
    struct launch_kit *kit = program->kit;
    program->kit = NULL;
    if (kit) device->kit_bytes -= kit->bytes;
    return kit;
}

void kit_forget(struct device *device, struct program *program)
{
    kit_destroy(take(device, program));
}

void kit_begin(struct program *program, struct launch *launch)
{
    struct launch_kit *kit = take(launch->device, program);
    bool is_fitting = fits(kit, launch);
    if (!is_fitting) {
        kit_destroy(kit);
        kit = create(launch);
    }
    launch->kit = kit;
    launch->warp_specials = kit->warp_specials;
    if (is_fitting) memset(kit->memos, 0, launch->program->view.insn_count * sizeof *kit->memos);
    if (!kit->parameters) return;
    if (launch->options->parameter_bytes)
        memcpy(kit->parameters, launch->options->parameters, launch->options->parameter_bytes);
    launch->parameters = kit->parameters;
}

struct block *kit_block(const struct launch_kit *kit)
{
    return kit->block;
}

struct memo *kit_memos(const struct launch_kit *kit)
{
    return kit->memos;
}

bool kit_takes(struct launch_kit *kit, struct block *block)
{
    if (kit->block && kit->block != block) return false;
    kit->block = block;
    block->next = NULL;
    return true;
}

static void outlive_call(struct launch_kit *kit)
{
    mem_keep(kit);
    mem_keep(kit->warp_specials);
    mem_keep(kit->parameters);
    mem_keep(kit->memos);
    if (kit->block) block_keep(kit->block);
}

void kit_end(struct program *program, struct launch *launch, bool has_failed)
{
    if (has_failed || !may_stay(launch)) {
        kit_destroy(launch->kit);
    } else {
        outlive_call(launch->kit);
        program->kit = launch->kit;
        launch->device->kit_bytes += launch->kit->bytes;
    }
    launch->kit = NULL;
}

void kit_destroy(struct launch_kit *kit)
{
    if (!kit) return;
    if (kit->block) block_destroy(kit->block);
    mem_free(kit->warp_specials);
    mem_free(kit->parameters);
    mem_free(kit->memos);
    mem_free(kit);
}
