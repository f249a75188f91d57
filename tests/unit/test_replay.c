// SPDX-License-Identifier: Apache-2.0
/* Recorded traces through the public interface: counts worked out by hand from the lines, and every
 * kind of damaged trace with the line that the message names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <warpsage/warpsage.h>

#include "api/handles.h"
#include "measure/trace.h"

#define HEADER_AS(version)                                                                         \
    "-kernel name = _Z3addPf\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"        \
    "-shmem = 256\n-nregs = 20\n-binary version = 80\n"                                            \
    "-shmem base_addr = 0x00007fb139000000\n-local mem base_addr = 0x00007fb137000000\n"           \
    "-accelsim tracer version = " version "\n-enable lineinfo = 0\n\n#traces format = ...\n\n"
#define HEADER HEADER_AS("5") /* 14 lines: the body starts in line 15 */
#define BLOCK "#BEGIN_TB\n\nthread block = 0,0,0\n\n"
#define EXIT_LINE "0f00 ffffffff 0 EXIT 0 0 0\n"
/* One warp of block 0, whose only other lines are `lines`, `count` of them in quotes. */
#define ONE_WARP(count, lines) HEADER BLOCK "warp = 0\ninsts = " count "\n" lines "\n#END_TB\n"

struct fixture {
    ws_context *context;
    char folder[64], path[96], map[96], list[96];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(ws_context_create(&f->context), WS_OK);
    strcpy(f->folder, "/tmp/warpsage-replay-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/kernel-1.traceg", f->folder);
    snprintf(f->map, sizeof f->map, "%s/map", f->folder);
    snprintf(f->list, sizeof f->list, "%s/kernelslist.g", f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    unlink(f->path);
    unlink(f->map);
    unlink(f->list);
    rmdir(f->folder);
    ws_context_destroy(f->context);
    free(f);
    return 0;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static ws_status replay_file(struct fixture *f, const char *path, const char *map, ws_profile **out)
{
    ws_trace *trace;
    ws_replay_options options = {.size = sizeof options, .opcode_map = map, .unknown_share = -1};
    *out = NULL;
    ws_status status = ws_trace_open(f->context, path, &trace);
    if (status != WS_OK) return status;
    status = ws_trace_replay(trace, 0, &options, out);
    ws_trace_destroy(trace);
    return status;
}

static ws_profile *replay_text(struct fixture *f, const char *text)
{
    ws_profile *profile;
    write_file(f->path, text);
    ws_status status = replay_file(f, f->path, NULL, &profile);
    if (status != WS_OK) print_error("%s\n", ws_context_error(f->context));
    assert_int_equal(status, WS_OK);
    return profile;
}

static void expect(const ws_profile *profile, const char *id, double want)
{
    double value;
    assert_int_equal(ws_profile_get(profile, id, &value), WS_OK);
    if (value != want) print_error("%s is %.17g, not %g\n", id, value, want);
    assert_true(value == want);
}

static void expect_failure(struct fixture *f, const char *text, ws_status want, const char *place,
                           const char *words)
{
    ws_profile *profile;
    write_file(f->path, text);
    ws_status status = replay_file(f, f->path, NULL, &profile);
    const char *message = ws_context_error(f->context);
    if (status != want || !strstr(message, place) || !strstr(message, words))
        print_error("want %s, '%s', '%s'; got %s: %s\n", ws_status_text(want), place, words,
                    ws_status_text(status), message);
    assert_int_equal(status, want);
    assert_null(profile);
    assert_non_null(strstr(message, place));
    assert_non_null(strstr(message, words));
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Four loads of 4 bytes: one sector of 8 lanes; 8 lanes 128 bytes apart as stride and as list; two
 * lanes, the second 96 bytes behind the first. */
static void test_address_modes(void **state)
{
    ws_profile *p = replay_text(*state, ONE_WARP("5", "0000 000000ff 1 R4 LDG.E 1 R2 4 1 "
                                                      "0x7fb0fc400000 4 0 \n"
                                                      "0010 000000ff 1 R4 LDG.E 1 R2 4 1 "
                                                      "0x7fb0fc400000 128 0 \n"
                                                      "0020 00000003 1 R4 LDG.E 1 R2 4 0 "
                                                      "0x7fb0fc400000 0x7fb0fc400080 \n"
                                                      "0030 80000001 1 R4 LDG.E 1 R2 4 2 "
                                                      "0x7fb0fc400000 96 16\n" EXIT_LINE));
    expect(p, "inst.warp", 5);
    expect(p, "inst.thread", 8 + 8 + 2 + 2 + 32);
    expect(p, "mem.global.load.requests", 4);
    expect(p, "mem.global.load.bytes_requested", 4 * 20);
    expect(p, "mem.global.load.sectors32", 1 + 8 + 2 + 2);
    expect(p, "mem.global.load.lines128", 1 + 8 + 2 + 1);
    expect(p, "blocks.executed", 1);
    ws_profile_destroy(p);
}

/* Single lane in mode 2 has no difference; mask 0 has mode 1 and a base of 0, and is no request. */
static void test_few_lanes(void **state)
{
    ws_profile *p =
        replay_text(*state, ONE_WARP("3", "0000 00000100 1 R4 LDG.E.64 1 R2 8 2 0x7fb0fc400008 0\n"
                                          "0010 00000000 1 R4 LDG.E 1 R2 4 1 0x0 0 0\n" EXIT_LINE));
    expect(p, "inst.warp.mem.global.load", 2);
    expect(p, "mem.global.load.requests", 1);
    expect(p, "mem.global.load.bytes_requested", 8);
    ws_profile_destroy(p);
}

/* Widths: as the opcode says, also .S16, where Accel-Sim's own reader takes 4; else as recorded. */
static void test_widths(void **state)
{
    ws_profile *p = replay_text(
        *state, ONE_WARP("5", "0000 00000001 1 R4 LDG.E.S16 1 R2 4 2 0x7fb000000002\n"
                              "0010 00000001 1 R4 LDG.E.U8 1 R2 1 2 0x7fb000000001\n"
                              "0020 00000001 1 R4 LDG.E.128.SYS 1 R2 16 2 0x7fb000000010"
                              "\n"
                              "0030 00000001 1 R4 LDG.E 1 R2 8 2 0x7fb000000010\n"
                              "0040 00000001 0 EXIT 0 0\n"));
    expect(p, "mem.global.load.bytes_requested", 2 + 1 + 16 + 8);
    ws_profile_destroy(p);
}

/* A generic store of three lanes: one in each window. The lanes' words in shared memory are 32 words
 * apart: the same bank, but one lane only. */
static void test_generic_windows(void **state)
{
    ws_profile *p = replay_text(*state, ONE_WARP("2", "0000 00000007 0 ST.E 2 R2 R4 4 0 "
                                                      "0x7fb0fc400000 0x7fb139000080 "
                                                      "0x7fb137000004 0\n" EXIT_LINE));
    expect(p, "mem.global.store.requests", 1);
    expect(p, "mem.shared.store.requests", 1);
    expect(p, "mem.local.store.requests", 1);
    expect(p, "mem.shared.store.wavefronts32", 1);
    ws_profile_destroy(p);
}

/* Words 32 apart are in one bank: 8 lanes, 8 passes. LDSM of one matrix reads 8 rows of 16 bytes that
 * are 128 bytes apart: all in banks 0 to 3. */
static void test_shared(void **state)
{
    ws_profile *p = replay_text(*state, ONE_WARP("3", "0000 000000ff 1 R4 LDS 1 R2 4 1 0x0 128 0\n"
                                                      "0010 ffffffff 1 R4 LDSM.16.M88 1 R2 4 1 "
                                                      "0x100 128 0\n" EXIT_LINE));
    expect(p, "mem.shared.load.requests", 2);
    expect(p, "mem.shared.load.wavefronts32", 8 + 8);
    expect(p, "mem.shared.load.bytes_requested", 8 * 4 + 8 * 16);
    ws_profile_destroy(p);
}

/* One instruction, whichever address comes first; without its pair it counts as well. */
static void test_copy_twice(void **state)
{
#define GLOBAL_SIDE(pc) pc " 00000003 0 LDGSTS.E 2 R2 R4 4 1 0x7fb0fc400000 64 0\n"
#define SHARED_SIDE(pc) pc " 00000003 0 LDGSTS.E 2 R2 R4 4 1 0x7fb139000010 4 0\n"
    ws_profile *p = replay_text(*state, ONE_WARP("6", SHARED_SIDE("0000") GLOBAL_SIDE("0000")
                                                          GLOBAL_SIDE("0010") SHARED_SIDE("0010")
                                                              GLOBAL_SIDE("0020") EXIT_LINE));
    expect(p, "inst.warp", 4);
    expect(p, "mem.global.load.requests", 3);
    expect(p, "mem.global.load.sectors32", 6);
    expect(p, "mem.shared.load.requests", 0);
    ws_profile_destroy(p);
}

#define LOOP_BODY                                                                                  \
    "0010 ffffffff 1 R5 FFMA 3 R5 R6 R7 0 0\n0020 ffffffff 1 R8 FADD 2 R5 R5 0 0\n"                \
    "0030 0000ffff 1 R9 MUFU.RCP 1 R8 0 0\n"

/* A loop of three rounds whose branch lanes 0-15 take, then half of them; the block of the loop is
 * found from the order of the lines, its active lanes from the widest mask. */
static void test_blocks_and_divergence(void **state)
{
    ws_profile *p = replay_text(*state, ONE_WARP("14", "0000 ffffffff 1 R5 MOV 0 0 0\n" LOOP_BODY
                                                       "0040 ffffffff 0 BRA 0 0 0\n" LOOP_BODY
                                                       "0040 0000ffff 0 BRA 0 0 0\n" LOOP_BODY
                                                       "0040 00000000 0 BRA 0 0 0\n" EXIT_LINE));
    expect(p, "branch.warp", 3);
    expect(p, "branch.divergent", 1);
    expect(p, "inst.thread", 32 + 3 * (32 + 32 + 16) + 48 + 32);
    expect(p, "inst.thread.active", 14 * 32);
    /* Blocks of 1, 4 and 1 instructions; in the loop FFMA -> FADD -> MUFU: 3 deep. */
    double ilp;
    assert_int_equal(ws_profile_get(p, "dep.ilp", &ilp), WS_OK);
    assert_true(ilp > 14.0 / 11 - 1e-12 && ilp < 14.0 / 11 + 1e-12);
    /* Distances: FFMA 1 (MOV), then 3 + 1 (to itself, a round before); FADD 1; MUFU 1. */
    expect(p, "dep.distance", (1 + 4 + 4 + 3 * (1 + 1)) / 9.0);
    ws_profile_destroy(p);
}

/* The warp trace of the profile: each line a step, with the lanes that its mask says. */
static void test_warp_trace(void **state)
{
    ws_profile *p =
        replay_text(*state, ONE_WARP("6", "0000 0000ffff 1 R5 MOV 0 0 0\n"
                                          "0010 00000003 1 R4 LDG.E 1 R2 4 1 0x7fb0fc400000 64 0\n"
                                          "0020 ffffffff 1 R6 FADD 2 R4 R5 0 0\n"
                                          "0030 ffffffff 0 BAR.SYNC 0 0 0\n"
                                          "0040 ffffffff 0 BAR.SYNC 0 0 64\n" EXIT_LINE));
    static const uint32_t on[] = {0xffff, 3, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const struct trace *trace = p->profile->trace;
    struct trace_cursor cursor;
    struct trace_step step;
    uint32_t count = 0;
    assert_non_null(trace);
    assert_int_equal(trace->block_count, 1);
    assert_int_equal(trace->head.target, 80);
    trace_cursor_init(&cursor, trace, &trace->blocks[0], 0);
    while (trace_cursor_next(&cursor, &step)) {
        const struct trace_insn *insn = &trace->insns[step.insn];
        assert_true(count < 6);
        assert_int_equal(step.on, on[count]);
        assert_int_equal(step.access_count, count == 1);
        if (count == 1) assert_true(step.accesses[0].base == 0x7fb0fc400000);
        if (count == 3) assert_int_equal(insn->barrier_id, 0);
        if (count == 3) assert_int_equal(insn->barrier_threads, TRACE_BARRIER_ALL);
        if (count == 4) assert_int_equal(insn->barrier_id, TRACE_BARRIER_ID_UNKNOWN);
        if (count == 4) assert_int_equal(insn->barrier_threads, 64);
        count++;
    }
    assert_int_equal(count, 6);
    trace_cursor_clear(&cursor);
    ws_profile_destroy(p);
}

#define TWO_WARPS(first, second)                                                                   \
    HEADER BLOCK "warp = 0\ninsts = 4\n0000 ffffffff 1 R1 MOV 0 0 0\n" first                       \
                 "0020 ffffffff 1 R1 IADD3 2 R1 R1 0 0\n" EXIT_LINE                                \
                 "warp = 1\ninsts = 4\n0000 ffffffff 1 R1 MOV 0 0 0\n" second                      \
                 "0020 ffffffff 1 R1 IADD3 2 R1 R1 0 0\n" EXIT_LINE "#END_TB\n"

static void test_stages(void **state)
{
    double value;
    ws_profile *p =
        replay_text(*state, TWO_WARPS("0010 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0\n",
                                      "0010 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0\n"));
    expect(p, "barrier.warp", 2);
    assert_int_equal(ws_profile_get_stage(p, 0, "inst.warp", &value), WS_OK);
    assert_true(value == 4);
    assert_int_equal(ws_profile_get_stage(p, 1, "inst.warp.int.add", &value), WS_OK);
    assert_true(value == 2);
    ws_profile_destroy(p);
}

/* The first version of the options ended before trace_blocks: what lies there is not read, and the first
 * blocks are traced as by default. */
static void test_first_options(void **state)
{
    struct fixture *f = *state;
    ws_trace *trace;
    ws_profile *profile;
    ws_replay_options options = {.unknown_share = -1, .trace_blocks = WS_TRACE_NONE};
    write_file(f->path, ONE_WARP("2", "0000 ffffffff 1 R5 MOV 0 0 0\n" EXIT_LINE));
    assert_int_equal(ws_trace_open(f->context, f->path, &trace), WS_OK);
    const struct {
        size_t size;
        uint64_t traced;
    } rows[] = {{offsetof(ws_replay_options, trace_blocks), 1}, {sizeof options, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        options.size = rows[i].size;
        assert_int_equal(ws_trace_replay(trace, 0, &options, &profile), WS_OK);
        expect(profile, "inst.warp", 2);
        assert_int_equal(ws_profile_traced_blocks(profile), rows[i].traced);
        ws_profile_destroy(profile);
    }
    options.size = offsetof(ws_replay_options, trace_blocks) - 1;
    assert_int_equal(ws_trace_replay(trace, 0, &options, &profile), WS_ERR_ARGUMENT);
    ws_trace_destroy(trace);
}

static void test_classes(void **state)
{
    ws_profile *p = replay_text(
        *state,
        ONE_WARP("9",
                 "0000 ffffffff 1 R1 IMAD.SHL.U32 2 R1 R255 0 0\n"
                 "0010 ffffffff 1 R1 HADD2.F32 2 R255 R2 0 0\n"
                 "0020 ffffffff 1 R1 HFMA2.MMA.BF16_V2 3 R1 R2 R3 0 0\n"
                 "0030 ffffffff 1 R1 MUFU.RSQ64H 1 R1 0 0\n"
                 "0040 ffffffff 1 R1 ATOMS.ADD 2 R1 R2 4 2 0x10 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 "
                 "4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0\n"
                 "0050 00000001 0 RED.E.ADD.STRONG.GPU 2 R2 R4 4 2 0x7fb0fc400000 0\n"
                 "0060 ffffffff 1 R1 LDC 1 R2 0 0\n"
                 "0070 ffffffff 0 WARPSYNC 0 0 0\n" EXIT_LINE));
    static const char *const once[] = {
        "int.mad",           "fp16",          "bf16", "sfu.rsqrt", "mem.shared.atomic",
        "mem.global.atomic", "mem.const.load"};
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        char id[64];
        snprintf(id, sizeof id, "inst.warp.%s", once[i]);
        expect(p, id, 1);
    }
    expect(p, "inst.warp.control", 2);
    expect(p, "barrier.warp", 0);
    expect(p, "mem.shared.atomic.wavefronts32", 1);
    ws_profile_destroy(p);
}

/* Versions 3 and 4 have no immediate; a file may lack its last line end, or have those of Windows. */
static void test_older_versions(void **state)
{
    ws_profile *p = replay_text(*state, HEADER_AS("3") BLOCK
                                "warp = 0\ninsts = 2\n0000 00000003 1 R4 LDG.E.SYS 1 R2 4 1 "
                                "0x7fb0fc400000 4\r\n0010 ffffffff 0 EXIT 0 0\n#END_TB");
    expect(p, "mem.global.load.sectors32", 1);
    ws_profile_destroy(p);
}

/* ---- lists and maps -------------------------------------------------------------------------- */

static void test_list(void **state)
{
    struct fixture *f = *state;
    ws_trace *trace;
    ws_trace_kernel kernel;
    write_file(f->path, ONE_WARP("1", EXIT_LINE));
    write_file(f->list, "MemcpyHtoD,0x00007fb0fc400000,200000\n\nkernel-1.traceg\n"
                        "MemcpyDtoH,whatever\nkernel-1.traceg\n");
    assert_true(ws_trace_recognises(f->list));
    assert_true(ws_trace_recognises(f->path));
    assert_int_equal(ws_trace_open(f->context, f->list, &trace), WS_OK);
    assert_int_equal(ws_trace_kernel_count(trace), 2);
    assert_int_equal(ws_trace_describe(trace, 1, &kernel), WS_OK);
    assert_string_equal(kernel.name, "add");
    assert_string_equal(kernel.mangled, "_Z3addPf");
    assert_int_equal(kernel.grid[0], 2);
    assert_int_equal(kernel.block[0], 64);
    assert_int_equal(kernel.target, 80);
    assert_int_equal(kernel.registers, 20);
    assert_int_equal(kernel.shared_bytes, 256);
    assert_int_equal(ws_trace_describe(trace, 2, &kernel), WS_ERR_ARGUMENT);
    ws_trace_destroy(trace);
    write_file(f->list, "kernel-1.traceg\nkernel-2.traceg\n");
    assert_int_equal(ws_trace_open(f->context, f->list, &trace), WS_ERR_IO);
    assert_non_null(strstr(ws_context_error(f->context), "kernelslist.g, line 2"));
    write_file(f->list, "MemcpyHtoD,0x0,\n");
    assert_int_equal(ws_trace_open(f->context, f->list, &trace), WS_ERR_INPUT);
    assert_non_null(strstr(ws_context_error(f->context), "kernelslist.g:1:"));
}

#define UNKNOWN ONE_WARP("2", "0000 ffffffff 1 R1 FROB.X 0 0 0\n" EXIT_LINE)

static void test_unknown_opcode(void **state)
{
    struct fixture *f = *state;
    ws_profile *profile;
    expect_failure(f, UNKNOWN, WS_ERR_UNSUPPORTED, "kernel-1.traceg", "FROB.X (1)");
    write_file(f->map, "# foreign\n\nFROB fp64.fma # as measured\n");
    assert_int_equal(replay_file(f, f->path, f->map, &profile), WS_OK);
    expect(profile, "inst.warp.fp64.fma", 1);
    ws_profile_destroy(profile);
    write_file(f->map, "FROB fp64.fma\nFROB.X int.add\nEXIT other\n");
    assert_int_equal(replay_file(f, f->path, f->map, &profile), WS_OK);
    expect(profile, "inst.warp.int.add", 1);
    expect(profile, "inst.warp.other", 1);
    ws_profile_destroy(profile);
    write_file(f->map, "FROB fp64.fma\nFROB.X int.ad\n");
    assert_int_equal(replay_file(f, f->path, f->map, &profile), WS_ERR_INPUT);
    assert_non_null(strstr(ws_context_error(f->context), "map:2:"));
    assert_non_null(strstr(ws_context_error(f->context), "'int.add'"));
    write_file(f->map, "FROB\n");
    assert_int_equal(replay_file(f, f->path, f->map, &profile), WS_ERR_INPUT);
    assert_non_null(strstr(ws_context_error(f->context), "map:1:"));
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void test_damaged_headers(void **state)
{
    struct fixture *f = *state;
    expect_failure(f, "-kernel name = k\n-grid dim = (1,1,1)\n", WS_ERR_INPUT, "traceg:2",
                   "header");
    expect_failure(f, HEADER_AS("6") BLOCK, WS_ERR_UNSUPPORTED, "traceg", "version 6");
    expect_failure(f, HEADER_AS("2") BLOCK, WS_ERR_UNSUPPORTED, "traceg", "version 2");
    expect_failure(f, "-kernel name = k\n-block dim = (1,1)\n#\n", WS_ERR_INPUT, "traceg:2",
                   "(1,1)");
    expect_failure(f, "-kernel name = k\n-grid dim = (1,1,1)\n#\n", WS_ERR_INPUT, "traceg:3",
                   "-block dim");
    expect_failure(f,
                   "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (2048,1,1)\n"
                   "-binary version = 80\n-accelsim tracer version = 5\n#\n",
                   WS_ERR_INPUT, "traceg", "2048");
    expect_failure(f, HEADER, WS_ERR_INPUT, "traceg", "no warp executes any instruction");
    expect_failure(f, HEADER BLOCK "warp = 0\ninsts = 0\n#END_TB\n", WS_ERR_INPUT, "traceg",
                   "no warp executes any instruction");
}

static void test_damaged_bodies(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {HEADER BLOCK "warp = 0\ninsts = 2\n" EXIT_LINE, "traceg:21", "truncated"},
        {ONE_WARP("2", EXIT_LINE), "traceg:23", "1 missing"},
        {ONE_WARP("1", EXIT_LINE EXIT_LINE), "traceg:22", "more instructions"},
        {HEADER EXIT_LINE, "traceg:15", "post-traces-processing"},
        {HEADER BLOCK "warp = 2\ninsts = 1\n" EXIT_LINE "#END_TB\n", "traceg:19:8", "2 warps"},
        {HEADER BLOCK "warp = 0\ninsts = 0\nwarp = 0\n", "traceg:21", "duplicate warp 0"},
        {HEADER "#BEGIN_TB\nthread block = 2,0,0\n", "traceg:16:16", "outside the grid"},
        {HEADER BLOCK "#BEGIN_TB\n", "traceg:19", "#END_TB"},
        {HEADER "#END_TB\n", "traceg:15", "#BEGIN_TB"},
        {HEADER "#BEGIN_TB\nwarp = 0\n", "traceg:16", "thread block"},
        {ONE_WARP("1", "0000 fffffffff 0 EXIT 0 0 0\n"), "traceg:21:6", "mask"},
        {ONE_WARP("1", "0000 ffffffff 2 R1 R2 FADD 0 0 0\n"), "traceg:21:15", "destinations"},
        {ONE_WARP("1", "0000 ffffffff 1 P1 FADD 0 0 0\n"), "traceg:21:17", "R0 to R255"},
        {ONE_WARP("1", "0000 ffffffff 1 R1 FADD 9 0 0\n"), "traceg:21:25", "sources"},
        {ONE_WARP("1", "0000 ffffffff 1 R1\n"), "traceg:21:19", "opcode"},
        {ONE_WARP("1", "0000 ffffffff 1 R1 FADD 0\n"), "traceg:21:26", "width"},
        {ONE_WARP("1", "0000 00000003 1 R1 LDG.E 1 R2 4 3 0x0 0\n"), "traceg:21:33",
         "address mode"},
        {ONE_WARP("1", "0000 00000003 1 R1 LDG.E 1 R2 4 0 0x7fb0fc400000\n"), "traceg:21:49",
         "lane 1"},
        {ONE_WARP("1", "0000 00000007 1 R1 LDG.E 1 R2 4 2 0x7fb0fc400000 4\n"), "traceg:21:51",
         "lane 2"},
        {ONE_WARP("1", "0000 00000003 1 R1 LDG.E 1 R2 4 2 0x7fb0fc400000 4 4 4\n"), "traceg:21",
         "only an immediate"},
        {ONE_WARP("1", "0000 00000003 1 R1 LDG.E 1 R2 4 1 0x7fb0fc400002 4 0\n"), "traceg:21",
         "misaligned"},
        {ONE_WARP("1", "0000 00000003 1 R1 LDG.E 1 R2 4 1 0x17fb0fc4000027fb0 4 0\n"),
         "traceg:21:35", "base address"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_failure(f, cases[i].text, WS_ERR_INPUT, cases[i].place, cases[i].words);
}

/* Warp 0 waits; warp 1 ends without EXIT (or leaves, which lets warp 0 pass). */
static void test_deadlock(void **state)
{
#define WAITS "warp = 0\ninsts = 2\n0000 ffffffff 0 BAR.SYNC 0 0 0\n" EXIT_LINE
    expect_failure(
        *state, HEADER BLOCK WAITS "warp = 1\ninsts = 1\n0010 ffffffff 1 R1 MOV 0 0 0\n#END_TB\n",
        WS_ERR_DEADLOCK, "traceg:21", "warp 1 ends without EXIT");
    ws_profile *p =
        replay_text(*state, HEADER BLOCK WAITS "warp = 1\ninsts = 1\n" EXIT_LINE "#END_TB\n");
    expect(p, "barrier.warp", 1);
    ws_profile_destroy(p);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_address_modes),
        TEST(test_few_lanes),
        TEST(test_widths),
        TEST(test_generic_windows),
        TEST(test_shared),
        TEST(test_copy_twice),
        TEST(test_blocks_and_divergence),
        TEST(test_stages),
        TEST(test_warp_trace),
        TEST(test_first_options),
        TEST(test_classes),
        TEST(test_older_versions),
        TEST(test_list),
        TEST(test_unknown_opcode),
        TEST(test_damaged_headers),
        TEST(test_damaged_bodies),
        TEST(test_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
