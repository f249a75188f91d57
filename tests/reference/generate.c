// SPDX-License-Identifier: Apache-2.0
/* The frame of a random program: declarations, functions, control flow, what is written at the end. */
#include "reference/generate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "reference/generate_state.h"

enum { FUNCTIONS_MAX = 3, TABLE_BYTES = 64 };

/* ---- lines ----------------------------------------------------------------------------------- */

uint32_t new_group(struct generator *g)
{
    return ++g->program->group_count;
}

void add_line(struct generator *g, uint32_t group, const char *format, ...)
{
    struct program *program = g->program;
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    GROW(program->lines, program->line_count, program->line_capacity);
    program->lines[program->line_count++] =
        (struct program_line){strbuf_take(&text), group, g->fills};
}

char *program_text(const struct program *program, const bool *removed)
{
    struct strbuf text = {0};
    for (uint32_t i = 0; i < program->line_count; i++) {
        const struct program_line *line = &program->lines[i];
        if (removed && removed[line->group]) continue;
        strbuf_puts(&text, line->text);
        strbuf_putc(&text, '\n');
    }
    return strbuf_take(&text);
}

void program_clear(struct program *program)
{
    for (uint32_t i = 0; i < program->line_count; i++)
        mem_free(program->lines[i].text);
    mem_free(program->lines);
    *program = (struct program){0};
}

uint32_t program_threads(const struct program *program)
{
    const uint32_t *grid = program->grid;
    return grid[0] * grid[1] * grid[2] * program_block_threads(program);
}

uint32_t program_block_threads(const struct program *program)
{
    return program->block[0] * program->block[1] * program->block[2];
}

uint32_t program_cluster_blocks(const struct program *program)
{
    return program->cluster[0] * program->cluster[1] * program->cluster[2];
}

/* ---- registers ------------------------------------------------------------------------------- */

struct register_slots {
    const char *type, *prefix;
    uint32_t count;
};
static const struct register_slots register_slots[] = {
    {"b16", "%h", HALF_REGISTERS},    {"b32", "%r", WORD_REGISTERS},
    {"b64", "%d", LONG_REGISTERS},    {"f32", "%f", SINGLE_REGISTERS},
    {"f64", "%fd", DOUBLE_REGISTERS},
};
enum { SLOT_CLASSES = sizeof register_slots / sizeof *register_slots };

static void declare_registers(struct generator *g)
{
    for (unsigned c = 0; c < SLOT_CLASSES; c++)
        add_line(g, 0, ".reg .%s %s<%u>;", register_slots[c].type, register_slots[c].prefix,
                 register_slots[c].count);
    add_line(g, 0, ".reg .pred %%p<%u>, %%q<2>;", PREDICATES);
    add_line(g, 0, ".reg .b32 %%x<8>, %%c<%u>;", COUNTERS_MAX);
    add_line(g, 0, ".reg .b64 %%y<4>;");
    add_line(g, 0, ".reg .b128 %%w<%u>;", WIDE_REGISTERS);
}

static void load_registers(struct generator *g)
{
    uint32_t slot = 0;
    for (unsigned c = 0; c < SLOT_CLASSES; c++)
        for (uint32_t i = 0; i < register_slots[c].count; i++)
            add_line(g, new_group(g), "ld.global.%s %s%u, [%%in+%u];", register_slots[c].type,
                     register_slots[c].prefix, i, SLOT_BYTES * slot++);
    for (uint32_t i = 0; i < PREDICATES; i++) {
        uint32_t group = new_group(g);
        add_line(g, group, "ld.global.s8 %%x0, [%%in+%u];", SLOT_BYTES * slot++);
        add_line(g, group, "setp.lt.s32 %%p%u, %%x0, 16;", i);
    }
}

static void fill_wide_registers(struct generator *g)
{
    for (uint32_t i = 0; i < WIDE_REGISTERS; i++)
        add_line(g, new_group(g), "mov.b128 %%w%u, {%%d%u, %%d%u};", i, i, i + 1);
}

static void store_registers(struct generator *g)
{
    uint32_t slot = 0;
    for (unsigned c = 0; c < SLOT_CLASSES; c++)
        for (uint32_t i = 0; i < register_slots[c].count; i++)
            add_line(g, new_group(g), "st.global.%s [%%out+%u], %s%u;", register_slots[c].type,
                     SLOT_BYTES * slot++, register_slots[c].prefix, i);
    for (uint32_t i = 0; i < PREDICATES; i++) {
        uint32_t group = new_group(g);
        add_line(g, group, "selp.b32 %%x0, 1, 0, %%p%u;", i);
        add_line(g, group, "st.global.b32 [%%out+%u], %%x0;", SLOT_BYTES * slot++);
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

static void clear_row(struct generator *g, const char *space, const char *row)
{
    add_line(g, 0, "mov.u32 %%x0, 0;");
    for (uint32_t i = 0; i < ROW_BYTES; i += 16)
        add_line(g, new_group(g), "st.%s.v4.b32 [%s+%u], {%%x0, %%x0, %%x0, %%x0};", space, row, i);
}

/* Registers of a function come from its two parameters. */
static void fill_registers(struct generator *g)
{
    add_line(g, 0, "ld.param.b32 %%r0, [first];");
    add_line(g, 0, "ld.param.b64 %%d0, [second];");
    for (uint32_t i = 1; i < WORD_REGISTERS; i++)
        add_line(g, 0, "mad.lo.u32 %%r%u, %%r%u, 77, %u;", i, i - 1, pick(g, 1000));
    for (uint32_t i = 1; i < LONG_REGISTERS; i++)
        add_line(g, 0, "mad.lo.u64 %%d%u, %%d%u, 5, %u;", i, i - 1, pick(g, 1000));
    for (uint32_t i = 0; i < HALF_REGISTERS; i++)
        add_line(g, 0, "cvt.u16.u32 %%h%u, %%r%u;", i, pick(g, WORD_REGISTERS));
    for (uint32_t i = 0; i < SINGLE_REGISTERS; i++)
        add_line(g, 0, "mov.b32 %%f%u, %%r%u;", i, pick(g, WORD_REGISTERS));
    for (uint32_t i = 0; i < DOUBLE_REGISTERS; i++)
        add_line(g, 0, "mov.b64 %%fd%u, %%d%u;", i, pick(g, LONG_REGISTERS));
    for (uint32_t i = 0; i < PREDICATES; i++)
        add_line(g, 0, "setp.lt.s32 %%p%u, %%r%u, 16;", i, i);
}

/* Up to three times deeper, each lane by its own parameter. */
static void add_recursion(struct generator *g, uint32_t index)
{
    uint32_t group = new_group(g), label = g->labels++;
    add_line(g, group, "and.b32 %%x1, %%r0, 3;");
    add_line(g, group, "setp.eq.u32 %%q1, %%x1, 0;");
    add_line(g, group, "@%%q1 bra BOTTOM%u;", label);
    add_line(g, group, "sub.u32 %%x1, %%x1, 1;");
    add_line(g, group, "{ .param .b32 word; .param .b64 longer; .param .b32 result;");
    add_template(g, group, "", "st.param.b32 [word], %%x1;st.param.b64 [longer], $l");
    add_line(g, group, "call (result), f%u, (word, longer);", index);
    add_template(g, group, "", "ld.param.b32 $X, [result]");
    add_line(g, group, "}");
    add_line(g, group, "BOTTOM%u:", label);
}

/* All threads of the block meet in the function, which may only be called where they are together. */
static void add_meeting(struct generator *g, uint32_t index)
{
    add_template(g, new_group(g), "", "<bar|barrier>.red<.and|.or>.pred $p, %u, $q",
                 pick(g, FREE_BARRIERS));
    g->meeting_functions |= 1u << index;
}

static void add_function(struct generator *g, uint32_t index)
{
    add_line(g, 0, ".func (.param .b32 value) f%u(.param .b32 first, .param .b64 second)", index);
    add_line(g, 0, "{");
    add_line(g, 0, ".local .align 16 .b8 loc[%u];", ROW_BYTES);
    declare_registers(g);
    g->fills = true;
    fill_registers(g);
    fill_wide_registers(g);
    clear_row(g, "local", "loc");
    g->fills = false;
    bool meets = chance(g, 20);
    if (meets)
        add_meeting(g, index);
    else if (chance(g, 40))
        add_recursion(g, index);
    g->in_function = true;
    g->uniform = false;
    g->depth = 1;
    add_statements(g, 3 + pick(g, 6));
    if (chance(g, 40)) { /* some lanes return early */
        uint32_t group = new_group(g);
        add_template(g, group, "@%p0 ", "st.param.b32 [value], $x;ret");
        add_statements(g, 1 + pick(g, 4));
    }
    add_template(g, 0, "", "st.param.b32 [value], $x");
    add_line(g, 0, "ret;");
    add_line(g, 0, "}");
    g->functions = index + 1;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void choose_shape(struct generator *g)
{
    static const uint32_t blocks[][3] = {{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {16, 2, 1}, {8, 4, 2},
                                         {33, 1, 1}, {5, 7, 1},  {20, 1, 1}, {3, 3, 5}};
    struct program *program = g->program;
    memcpy(program->block, blocks[pick(g, sizeof blocks / sizeof *blocks)], sizeof program->block);
    uint32_t threads = program->block[0] * program->block[1] * program->block[2];
    g->full_warps = threads % 32 == 0;
    program->grid[0] = 1 + pick(g, 3);
    program->grid[1] = 1 + (program->grid[0] == 1 ? pick(g, 2) : 0);
    program->grid[2] = 1;
}

/* By draws of its own: programs without clusters stay what they were before there were any. */
static void choose_cluster(struct program *program)
{
    static const uint32_t clusters[][3] = {{2, 1, 1}, {1, 2, 1}, {4, 1, 1}, {2, 2, 1}};
    struct generator draws = {.random = program->seed * UINT64_C(0xd1342543de82ef95)};
    if (!chance(&draws, 10)) return;
    memcpy(program->cluster, clusters[pick(&draws, sizeof clusters / sizeof *clusters)],
           sizeof program->cluster);
    program->requires_cluster = chance(&draws, 50);
    memcpy(program->grid, program->cluster, sizeof program->grid);
    if (program_cluster_blocks(program) == 2) program->grid[pick(&draws, 2)] *= 2;
}

static void add_table(struct generator *g)
{
    struct strbuf bytes = {0};
    for (unsigned i = 0; i < TABLE_BYTES / 8; i++) {
        uint64_t value = program_random_bits(&g->random);
        for (unsigned k = 0; k < 8; k++)
            strbuf_printf(&bytes, "%s%u", i + k ? ", " : "", (unsigned)(value >> (8 * k) & 255));
    }
    add_line(g, 0, ".const .align 16 .b8 table[%u] = {%s};", TABLE_BYTES, bytes.data);
    strbuf_clear(&bytes);
}

/* Each thread's place in the grid and its rows. */
static void add_addresses(struct generator *g)
{
    const uint32_t *block = g->program->block;
    uint32_t threads = block[0] * block[1] * block[2];
    add_template(g, 0, "",
                 "mov.u32 %%x0, %%tid.x;mov.u32 %%x1, %%tid.y;mov.u32 %%x2, %%tid.z;"
                 "mad.lo.u32 %%lin, %%x2, %u, %%x1;mad.lo.u32 %%lin, %%lin, %u, %%x0",
                 block[1], block[0]);
    add_template(g, 0, "",
                 "mov.u32 %%x0, %%ctaid.x;mov.u32 %%x1, %%ctaid.y;mov.u32 %%x2, %%nctaid.x;"
                 "mad.lo.u32 %%x0, %%x1, %%x2, %%x0;mad.lo.u32 %%x0, %%x0, %u, %%lin",
                 threads);
    add_template(g, 0, "",
                 "ld.param.u64 %%all, [in];mov.u64 %%in, %%all;mov.u64 %%table, table;mad.wide.u32 "
                 "%%in, %%x0, %u, %%in;"
                 "ld.param.u64 %%out, [out];mad.wide.u32 %%out, %%x0, %u, %%out;"
                 "ld.param.u64 %%row, [rows];mad.wide.u32 %%row, %%x0, %u, %%row;"
                 "ld.param.u64 %%words, [words]",
                 IN_BYTES, OUT_BYTES, ROW_BYTES);
    add_template(g, 0, "",
                 "mov.u32 %%sbase, shared_rows;mad.lo.u32 %%sh, %%lin, %u, %%sbase;"
                 "mov.u32 %%sw, shared_words;mov.u64 %%lo, loc;cvta.local.u64 %%glo, %%lo;"
                 "cvt.u64.u32 %%gsh, %%sh;cvta.shared.u64 %%gsh, %%gsh;"
                 "cvt.u64.u32 %%gsw, %%sw;cvta.shared.u64 %%gsw, %%gsw",
                 ROW_BYTES);
    add_template(g, 0, "",
                 "and.b32 %%x0, %%lin, -32;sub.u32 %%x0, %u, %%x0;min.u32 %%x0, %%x0, 32;"
                 "bmsk.clamp.b32 %%full, 0, %%x0",
                 threads);
}

/* Shared and local rows and the shared words begin as zeros. */
static void clear_memory(struct generator *g)
{
    clear_row(g, "local", "loc");
    clear_row(g, "shared", "%sh");
    for (uint32_t i = 0; i < WORDS_BYTES; i += 16)
        add_line(g, new_group(g), "st.shared.v4.b32 [%%sw+%u], {%%x0, %%x0, %%x0, %%x0};", i);
    add_line(g, 0, "bar.sync 0;");
}

static void store_row(struct generator *g, const char *space, const char *row, uint32_t to)
{
    for (uint32_t i = 0; i < ROW_BYTES; i += 8) {
        uint32_t group = new_group(g);
        add_line(g, group, "ld.%s.b64 %%y0, [%s+%u];", space, row, i);
        add_line(g, group, "st.global.b64 [%%out+%u], %%y0;", to + i);
    }
}

static void store_memory(struct generator *g)
{
    add_line(g, 0, "bar.sync 0;");
    store_row(g, "shared", "%sh", IN_BYTES);
    store_row(g, "local", "loc", IN_BYTES + ROW_BYTES);
    for (uint32_t i = 0; i < WORDS_BYTES; i += 16) {
        uint32_t group = new_group(g);
        add_line(g, group, "ld.shared.v2.b64 {%%y0, %%y1}, [%%sw+%u];", i);
        add_line(g, group, "st.global.v2.b64 [%%out+%u], {%%y0, %%y1};",
                 IN_BYTES + 2 * ROW_BYTES + i);
    }
}

static void add_kernel(struct generator *g)
{
    const uint32_t *block = g->program->block, *cluster = g->program->cluster;
    add_line(
        g, 0,
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 rows, .param .u64 words)");
    if (g->program->requires_cluster)
        add_line(g, new_group(g), ".explicitcluster .reqnctapercluster %u, %u, %u", cluster[0],
                 cluster[1], cluster[2]);
    add_line(g, 0, "{");
    add_line(g, 0, ".shared .align 16 .b8 shared_rows[%u];",
             block[0] * block[1] * block[2] * ROW_BYTES);
    add_line(g, 0, ".shared .align 16 .b8 shared_words[%u];", WORDS_BYTES);
    if (has_cluster(g))
        add_line(g, 0, ".shared .align 8 .b64 boxes[%u];", program_block_threads(g->program));
    add_line(g, 0, ".local .align 16 .b8 loc[%u];", ROW_BYTES);
    add_line(g, 0, ".reg .b32 %%lin, %%full, %%sbase, %%sh, %%sw;");
    add_line(g, 0,
             ".reg .b64 %%all, %%table, %%in, %%out, %%row, %%words, %%lo, %%glo, %%gsh, %%gsw;");
    declare_registers(g);
    add_addresses(g);
    g->fills = true;
    clear_memory(g);
    load_registers(g);
    fill_wide_registers(g);
    g->fills = false;
    g->in_function = false;
    g->uniform = true;
    g->depth = 0;
    add_statements(g, 20 + pick(g, 60));
    add_mbarriers(g);
    add_bulk_copies(g);
    add_matrix_moves(g);
    add_cluster_phases(g);
    store_registers(g);
    store_memory(g);
    add_line(g, 0, "ret;");
    add_line(g, 0, "}");
}

void program_generate(struct program *program, uint64_t seed)
{
    *program = (struct program){.seed = seed};
    struct generator g = {.program = program, .random = seed * UINT64_C(0x2545f4914f6cdd1d)};
    choose_shape(&g);
    choose_cluster(program);
    g.uses_old_values = chance(&g, 30);
    add_line(&g, 0, ".version 8.8");
    add_line(&g, 0, ".target sm_100a");
    add_line(&g, 0, ".address_size 64");
    add_table(&g);
    uint32_t functions = pick(&g, FUNCTIONS_MAX + 1);
    for (uint32_t i = 0; i < functions; i++)
        add_function(&g, i);
    add_kernel(&g);
}
