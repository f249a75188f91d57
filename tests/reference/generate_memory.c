// SPDX-License-Identifier: Apache-2.0
/* Statements that use memory, and those that threads perform together. */
#include <stdio.h>

#include "reference/generate_state.h"

/* ---- loads and stores of a thread's own memory ----------------------------------------------- */

struct element {
    const char *type;
    uint32_t bytes;
};
static const struct element elements[] = {
    {"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2}, {"b32", 4},
    {"u32", 4}, {"s32", 4}, {"f32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8},
};
enum { ELEMENTS = sizeof elements / sizeof *elements, ADDRESS_BYTES = 32 };

struct place {
    const char *space;   /* ".shared"; "": generic */
    const char *address; /* register or symbol of the row */
    bool writable, is_long;
};
static const struct place places[] = {
    {".shared", "%sh", true, false},   {".local", "%lo", true, true},
    {".global", "%row", true, true},   {"", "%gsh", true, true},
    {"", "%glo", true, true},          {"", "%row", true, true},
    {".local", "loc", true, true},     {".shared", "%sh", true, false},
    {".const", "table", false, false}, {".global.nc", "%in", false, true},
    {".const", "%table", false, true},
};
enum { PLACES = sizeof places / sizeof *places, LOCAL_PLACE = 6 };

/* An aligned offset in a row. */
static uint32_t row_offset(struct generator *g, uint32_t bytes)
{
    return pick(g, ROW_BYTES / bytes) * bytes;
}

/* {a, b} or a */
static void list_registers(char *text, size_t size, uint32_t vector, bool is_load)
{
    static const char *const loads[] = {"$c", "{$d, $_}", "{$d, $_, $d, $_}"};
    static const char *const stores[] = {"$s", "{$r, $r}", "{$r, $r, $r, $r}"};
    snprintf(text, size, "%s", (is_load ? loads : stores)[vector / 2]);
}

/* Of at most 16 bytes together. */
static const struct element *random_element(struct generator *g, uint32_t *vector)
{
    const struct element *element = &elements[pick(g, ELEMENTS)];
    *vector = 1u << pick(g, 3);
    if (element->bytes * *vector > 16) *vector = 2;
    return element;
}

static void add_access(struct generator *g, uint32_t group, const char *space, const char *address,
                       const struct element *element, uint32_t vector, bool is_load)
{
    char registers[32], vector_text[16] = "", guard[GUARD_BYTES];
    list_registers(registers, sizeof registers, vector, is_load);
    if (vector > 1) snprintf(vector_text, sizeof vector_text, ".v%u", vector);
    random_guard(g, guard);
    if (is_load)
        add_template(g, group, guard, "ld%s%s{%s} %s, [%s]", space, vector_text, element->type,
                     registers, address);
    else
        add_template(g, group, guard, "st%s%s{%s} [%s], %s", space, vector_text, element->type,
                     address, registers);
}

/* Sometimes the address is only known at run time: 0 or 32 bytes into the row. */
static void add_computed_address(struct generator *g, uint32_t group, const struct place *place,
                                 uint32_t bytes, char *address, size_t size)
{
    if (place->is_long) {
        add_template(g, group, "",
                     "and.b32 %%x0, $x, 32;cvt.u64.u32 %%y0, %%x0;"
                     "add.u64 %%y0, %%y0, %s",
                     place->address);
        snprintf(address, size, "%%y0+%u", pick(g, 16 / bytes) * bytes);
    } else {
        add_template(g, group, "", "and.b32 %%x0, $x, 32;add.u32 %%x0, %%x0, %s", place->address);
        snprintf(address, size, "%%x0+%u", pick(g, 16 / bytes) * bytes);
    }
}

/* 16 bytes in one register. */
static void add_wide_memory(struct generator *g)
{
    const struct place *place = &places[g->in_function ? LOCAL_PLACE : pick(g, PLACES)];
    char guard[GUARD_BYTES];
    random_guard(g, guard);
    if (!place->writable || chance(g, 50))
        add_template(g, new_group(g), guard, "ld%s.b128 $Z, [%s+<0|16|32|48>]", place->space,
                     place->address);
    else
        add_template(g, new_group(g), guard, "st%s.b128 [%s+<0|16|32|48>], $z", place->space,
                     place->address);
}

/* Memory of the stack, written and read again. */
static void add_stack_memory(struct generator *g)
{
    add_template(g, new_group(g), "",
                 "stacksave.u64 %%y1;alloca.u64 %%y2, <16|32|48>, 16;"
                 "st.local.v2.b64 [%%y2], {$l, $l};ld.local.v4.b32 {$X, $X, $X, $X}, [%%y2];"
                 "stackrestore.u64 %%y1");
}

void add_memory(struct generator *g)
{
    uint32_t kind = pick(g, 100);
    if (kind < 5) {
        add_wide_memory(g);
        return;
    }
    if (kind < 8) {
        add_stack_memory(g);
        return;
    }
    if (kind < 10 && !g->in_function) {
        add_template(g, new_group(g), "",
                     "isspacep<.shared|.local|.global> $p, <%%gsh|%%glo|%%row>");
        return;
    }
    const struct place *place = &places[g->in_function ? LOCAL_PLACE : pick(g, PLACES)];
    uint32_t vector, group = new_group(g);
    const struct element *element = random_element(g, &vector);
    uint32_t bytes = element->bytes * vector;
    bool is_load = !place->writable || chance(g, 50);
    char address[ADDRESS_BYTES];
    bool in_register = place->address[0] == '%';
    if (in_register && chance(g, 25))
        add_computed_address(g, group, place, bytes, address, sizeof address);
    else
        snprintf(address, sizeof address, "%s+%u", place->address, row_offset(g, bytes));
    add_access(g, group, place->space, address, element, vector, is_load);
}

void add_row_access(struct generator *g, uint32_t group, const char *space, const char *row,
                    bool is_load)
{
    uint32_t vector;
    const struct element *element = random_element(g, &vector);
    char address[ADDRESS_BYTES];
    snprintf(address, sizeof address, "%s+%u", row, row_offset(g, element->bytes * vector));
    add_access(g, group, space, address, element, vector, is_load);
}

/* Every lane reads a place of its own in what all threads were given. */
void add_gather(struct generator *g)
{
    uint32_t vector, group = new_group(g);
    const struct element *element = random_element(g, &vector);
    char registers[32], vector_text[16] = "", guard[GUARD_BYTES];
    list_registers(registers, sizeof registers, vector, true);
    if (vector > 1) snprintf(vector_text, sizeof vector_text, ".v%u", vector);
    random_guard(g, guard);
    add_template(g, group, "", "rem.u32 %%x0, $x, %u;mad.wide.u32 %%y0, %%x0, 16, %%all",
                 program_threads(g->program) * IN_BYTES / 16);
    add_template(g, group, guard, "<ld|ld.global|ld.global.nc|ldu.global>%s{%s} %s, [%%y0]",
                 vector_text, element->type, registers);
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* Operations that give the same whatever their order, each on a word of its own. .inc and .dec do as
 * long as their bound is the same. */
static const struct {
    const char *operation, *value;
    uint32_t offset;
} shared_atomics[] = {
    {".add{u32}", "$s", 0},  {".min{s32}", "$s", 4},  {".max{u32}", "$s", 8},
    {".and{b32}", "$s", 12}, {".or{b32}", "$s", 16},  {".xor{b32}", "$s", 20},
    {".add{u64}", "$s", 24}, {".min{u64}", "$s", 32}, {".max{s64}", "$s", 40},
    {".and{b64}", "$s", 48}, {".or{b64}", "$s", 56},  {".xor{b64}", "$s", 64},
    {".inc{u32}", "9", 72},  {".dec{u32}", "5", 76},  {".add{s32}", "$s", 80},
    {".max{s32}", "$s", 84}, {".min{u32}", "$s", 88},
};
enum { SHARED_ATOMICS = sizeof shared_atomics / sizeof *shared_atomics };

static void count_polls(struct generator *g)
{
    g->most_polls += UINT32_C(1) << 2 * g->loops;
}

void add_word_atomic(struct generator *g, uint32_t group, const struct words *any, uint32_t count)
{
    uint32_t at = pick(g, SHARED_ATOMICS);
    const struct words *words = &any[pick(g, count)];
    char guard[GUARD_BYTES];
    bool is_long = shared_atomics[at].offset >= 24 && shared_atomics[at].offset < 72;
    count_polls(g);
    random_guard(g, guard);
    if (chance(g, 50))
        add_template(g, group, guard, "red%s%s [%s+%u], %s", words->space,
                     shared_atomics[at].operation, words->address, shared_atomics[at].offset,
                     shared_atomics[at].value);
    else
        add_template(g, group, guard, "atom%s%s %s, [%s+%u], %s", words->space,
                     shared_atomics[at].operation, is_long ? "%y3" : "%x7", words->address,
                     shared_atomics[at].offset, shared_atomics[at].value);
}

static void add_common_atomic(struct generator *g)
{
    static const struct words any[] = {
        {".shared", "%sw"}, {".global", "%words"}, {"", "%words"}, {"", "%gsw"}};
    add_word_atomic(g, new_group(g), any, sizeof any / sizeof *any);
}

/* Vectors are for global memory. */
static void add_vector_atomic(struct generator *g, uint32_t group, const char *guard)
{
    static const char *const templates[] = {
        "red.global.add.v2{f32} [%row+<0|16|32>], {$r, $r}",
        "red.global.add.v4{f32} [%row+<0|16|32>], {$r, $r, $r, $r}",
        "red.global<.add|.min|.max>.noftz.v4{f16 bf16} [%row+<0|16|32>], {$r, $r, $r, $r}",
        "red.global<.add|.min|.max>.noftz.v8{f16 bf16} [%row+<0|16|32>], {$r, $r, $r, $r, $r, $r, "
        "$r, $r}",
        "red.global<.add|.min|.max>.noftz.v2{f16x2 bf16x2} [%row+<0|16|32>], {$r, $r}",
        "atom.global.add.v2{f32} {$d, $d}, [%row+<0|16|32>], {$r, $r}",
        "atom.global<.add|.min|.max>.noftz.v4{f16 bf16} {$d, $d, $d, $d}, [%row+<0|16|32>], "
        "{$r, $r, $r, $r}",
        "atom.global<.add|.min|.max>.noftz.v2{f16x2 bf16x2} {$d, $d}, [%row+<0|16|32>], {$r, $r}",
    };
    enum { TEMPLATES = sizeof templates / sizeof *templates, WITHOUT_RESULT = 5 };
    uint32_t at = pick(g, g->uses_old_values ? TEMPLATES : WITHOUT_RESULT);
    add_template(g, group, guard, "%s", templates[at]);
}

/* On a row that nobody else uses: every operation, and the old value counts. */
void add_row_atomic(struct generator *g, uint32_t group, const char *space, const char *row)
{
    static const char *const operations[] = {"<.add|.min|.max>{u32 s32 u64}",
                                             "<.and|.or|.xor|.exch>{b32 b64}", "<.inc|.dec>{u32}",
                                             "<.min|.max>{s64}"};
    bool swaps = chance(g, 50);
    char guard[GUARD_BYTES];
    count_polls(g);
    random_guard(g, guard);
    uint32_t offset = row_offset(g, 8);
    switch (pick(g, 10)) {
    case 5:
        add_template(g, group, guard, "atom%s.%s.b128 $Z, [%s+<0|16|32|48>], %s", space,
                     swaps ? "exch" : "cas", row, swaps ? "$z" : "$z, $z");
        break;
    case 4:
        add_vector_atomic(g, group, guard);
        break;
    case 2:
        add_template(g, group, guard, "atom%s.add{f32} $d, [%s+%u], $s", space, row, offset);
        break;
    case 3:
        add_template(g, group, guard, "atom%s.add.noftz{f16 bf16 f16x2 bf16x2} $d, [%s+%u], $r",
                     space, row, offset);
        break;
    case 0:
        add_template(g, group, guard, "atom%s.cas{b32 b64} $d, [%s+%u], $s, $s", space, row,
                     offset);
        break;
    case 1:
        add_template(g, group, guard, "atom%s.add{f64} $d, [%s+%u], $s", space, row, offset);
        break;
    default:
        add_template(g, group, guard, "atom%s%s $d, [%s+%u], $s", space,
                     operations[pick(g, sizeof operations / sizeof *operations)], row, offset);
        break;
    }
}

static void add_own_atomic(struct generator *g)
{
    bool global = g->uses_old_values && chance(g, 50);
    add_row_atomic(g, new_group(g), global ? ".global" : ".shared", global ? "%row" : "%sh");
}

void add_atomic(struct generator *g)
{
    if (chance(g, 50))
        add_common_atomic(g);
    else
        add_own_atomic(g);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void add_one_barrier(struct generator *g, uint32_t group)
{
    uint32_t barrier = pick(g, FREE_BARRIERS), form = pick(g, g->full_warps ? 4 : 3);
    if (form == 3)
        add_line(g, group, "bar.sync %u, %u;", barrier, program_block_threads(g->program));
    else
        add_template(g, group, "", "<bar.sync|barrier.sync|bar.cta.sync> %u", barrier);
}

/* Some warps only announce themselves at the barrier. */
static void add_arrival(struct generator *g, uint32_t group)
{
    uint32_t label = g->labels++, threads = program_block_threads(g->program);
    add_line(g, group, "and.b32 %%x0, %%lin, 32;");
    add_line(g, group, "setp.ne.u32 %%q0, %%x0, 0;");
    add_line(g, group, "@%%q0 bra ARRIVE%u;", label);
    add_line(g, group, "bar.sync %u, %u;", ARRIVAL_BARRIER, threads);
    add_line(g, group, "bra MET%u;", label);
    add_line(g, group, "ARRIVE%u:", label);
    add_line(g, group, "bar.arrive %u, %u;", ARRIVAL_BARRIER, threads);
    add_line(g, group, "MET%u:", label);
    add_one_barrier(g, group);
}

/* Two warps meet, the others go past. */
static void add_part_barrier(struct generator *g, uint32_t group)
{
    uint32_t label = g->labels++;
    add_line(g, group, "setp.ge.u32 %%q0, %%lin, 64;");
    add_line(g, group, "@%%q0 bra PAST%u;", label);
    add_line(g, group, "bar.sync %u, 64;", PART_BARRIER);
    add_line(g, group, "PAST%u:", label);
}

void add_barrier(struct generator *g)
{
    uint32_t group = new_group(g);
    switch (pick(g, 5)) {
    case 3:
        if (g->full_warps && program_block_threads(g->program) >= 64) {
            add_part_barrier(g, group);
            break;
        }
        /* fall through */
    case 0:
        add_template(g, group, "", "<bar|barrier>.red.popc.u32 $X, %u, $q", pick(g, FREE_BARRIERS));
        break;
    case 1:
        add_template(g, group, "", "<bar|barrier>.red<.and|.or>.pred $p, %u, $q",
                     pick(g, FREE_BARRIERS));
        break;
    case 2:
        if (g->full_warps && program_block_threads(g->program) > 32) {
            add_arrival(g, group);
            break;
        }
        /* fall through */
    default:
        add_one_barrier(g, group);
        break;
    }
}

/* A value goes through shared memory to another thread of the block. */
void add_exchange(struct generator *g)
{
    uint32_t group = new_group(g), offset = row_offset(g, 4);
    add_template(g, group, "", "st.shared.b32 [%%sh+%u], $x", offset);
    add_one_barrier(g, group);
    if (chance(g, 50))
        add_line(g, group, "add.u32 %%x0, %%lin, %u;", pick(g, 70));
    else
        add_template(g, group, "", "mov.b32 %%x0, $x");
    add_line(g, group, "rem.u32 %%x0, %%x0, %u;", program_block_threads(g->program));
    add_line(g, group, "mad.lo.u32 %%x0, %%x0, %u, %%sbase;", ROW_BYTES);
    add_template(g, group, "", "ld.shared.b32 $X, [%%x0+%u]", offset);
    add_one_barrier(g, group);
}

/* ---- warps ----------------------------------------------------------------------------------- */

/* Lanes whose predicate holds do something together, the others go past. Lanes read from the lowest
 * of them only: the others may not take part. */
static void add_masked_collective(struct generator *g)
{
    uint32_t group = new_group(g), label = g->labels++, predicate = pick(g, PREDICATES);
    add_line(g, group, "vote.sync.ballot.b32 %%x1, %%p%u, %%full;", predicate);
    add_line(g, group, "@!%%p%u bra MASKED%u;", predicate, label);
    add_line(g, group, "brev.b32 %%x2, %%x1;");
    add_line(g, group, "clz.b32 %%x2, %%x2;");
    switch (pick(g, 4)) {
    case 0:
        add_template(g, group, "", "shfl.sync.idx.b32 $X, $x, %%x2, 31, %%x1");
        break;
    case 1:
        add_template(g, group, "", "match.any.sync{b32 b64} $v, $r, %%x1");
        break;
    case 2:
        add_template(g, group, "", "redux.sync<.add|.min|.max>{u32 s32} $v, $r, %%x1");
        break;
    default:
        add_template(g, group, "", "vote.sync.ballot.b32 $X, $q, %%x1");
        break;
    }
    add_line(g, group, "MASKED%u:", label);
}

/* Lanes whose others poll for long in a loop, 16 times without a change, go on without them. Behind that, or with what may
 * come later in a loop, nobody knows who is active. */
static bool is_together(const struct generator *g)
{
    enum { POLLS = 16 };
    return !g->loops && g->most_polls < POLLS;
}

void add_collective(struct generator *g)
{
    const char *const templates[] = {
        "vote.sync<.all|.any|.uni>.pred $p, $q, %full",
        "vote.sync.ballot.b32 $X, $q, %full",
        "match.any.sync{b32 b64} $v, $r, %full",
        "match.all.sync{b32 b64} $v|$p, $r, %full",
        "redux.sync<.add|.min|.max>{u32 s32} $v, $r, %full",
        "redux.sync<.min|.max><|.abs><|.NaN>{f32} $d, $r, %full",
        "redux.sync<.and|.or|.xor>.b32 $X, $x, %full",
        is_together(g) ? "activemask.b32 $X" : "mov.b32 $X, %full",
        "bar.warp.sync %full",
        /* every lane must exist */
        "shfl.sync<.up|.down|.bfly|.idx>.b32 $X, $x, $a, <0|31|0x101f|0x1c1f|0x1e00|0x7>, %full",
        "shfl.sync<.up|.down|.bfly|.idx>.b32 $X|$p, $x, $a, <0|31|0x101f|0x1c1f|0x1e00|0x7>, -1",
        "shfl.sync<.up|.down|.bfly|.idx>.b32 $X|$p, $x, $x, $x, -1",
    };
    enum { TEMPLATES = sizeof templates / sizeof *templates, FOR_ALL = 9 };
    if (chance(g, 20))
        add_masked_collective(g);
    else
        add_template(g, new_group(g), "", "%s",
                     templates[pick(g, g->full_warps ? TEMPLATES : FOR_ALL)]);
}
