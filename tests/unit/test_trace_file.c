// SPDX-License-Identifier: Apache-2.0
/* Saved traces: what was saved comes back, and whatever is cut off or changed in a file is refused with
 * the byte, or can be walked. The walks look for what the sanitizers see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"
#include "base/packed.h"
#include "measure/trace_file.h"

enum { WARPS = 2, TURNS = 40 };

/* Every kind of pattern, guards, a barrier, two blocks; a profile of the same launch. */
static struct profile *make(void)
{
    struct fixture f;
    fixture_begin(&f, 4, 32 * WARPS);
    uint32_t load = fixture_access(&f, CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, 4, 1, 2);
    uint32_t store = fixture_access(&f, CLASS_MEM_SHARED_STORE, SPACE_SHARED, 8, 1, 2);
    uint32_t add = fixture_plain(&f, CLASS_FP32_ADD, 3, 1, 3);
    uint32_t wait = fixture_barrier(&f, TRACE_BARRIER_SYNC, 1, 64);
    struct trace_insn guarded = {
        .class_id = CLASS_INT_ADD, .op = "add.s32", .guarded = true, .clock_reads = 2};
    uint32_t maybe = trace_builder_add_insn(f.builder, &guarded, NULL, 0, NULL, 0);
    for (uint64_t block = 0; block < 4; block += 3) {
        fixture_block(&f, block);
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            uint64_t addresses[32];
            fixture_warp(&f, warp);
            for (unsigned turn = 0; turn < TURNS; turn++) {
                fixture_step_at(&f, load, SPACE_GLOBAL, 4, 4096 + 128 * turn, 4);
                for (unsigned i = 0; i < 32; i++)
                    addresses[i] = (i * i + turn % 3) * 8 + (turn == 7 ? (uint64_t)i << 36 : 0);
                struct access access = {.space = SPACE_SHARED,
                                        .shape = ACCESS_GENERAL,
                                        .bytes = 8,
                                        .mask = UINT32_MAX >> turn % 5,
                                        .addresses = addresses};
                trace_builder_step(f.builder, store, access.mask, access.mask, &access, 1);
                fixture_step(&f, add);
                trace_builder_step(f.builder, maybe, UINT32_MAX, turn * 77, NULL, 0);
            }
            fixture_step(&f, wait);
        }
    }
    fixture_finish(&f);
    struct profile *profile = profile_create();
    profile->kernel = arena_copy(&profile->arena, "by_hand");
    profile->isa = arena_copy(&profile->arena, "hand-written");
    memcpy(profile->grid, f.trace->head.grid, sizeof profile->grid);
    memcpy(profile->block, f.trace->head.block, sizeof profile->block);
    profile_set(profile, COUNTER_INST_WARP, (double)f.trace->step_count, ORIGIN_ASSUMED);
    profile->trace = f.trace;
    return profile;
}

static void encode(const struct profile *profile, struct strbuf *out)
{
    trace_encode(profile->trace, out);
}

/* All of its steps and addresses; returns how many steps. */
static uint64_t walk(const struct trace *trace)
{
    uint64_t steps = 0;
    for (uint32_t b = 0; b < trace->block_count; b++)
        for (uint32_t w = 0; w < trace->head.warps_per_block; w++) {
            struct trace_cursor cursor;
            struct trace_step step;
            trace_cursor_init(&cursor, trace, &trace->blocks[b], w);
            for (; trace_cursor_next(&cursor, &step); steps++)
                for (uint32_t i = 0; i < step.access_count; i++) {
                    uint64_t addresses[32];
                    trace_lanes(trace, &step.accesses[i], addresses);
                }
            trace_cursor_clear(&cursor);
        }
    return steps;
}

/* Saves it and hands out the bytes of the file. */
static void save(struct profile *profile, struct strbuf *out)
{
    char path[] = "/tmp/test_trace_file_XXXXXX", block[4096];
    struct diag diag = {0};
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(trace_file_save(&diag, profile, path), WS_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        strbuf_append(out, block, got);
    fclose(file);
    unlink(path);
}

static void test_file_comes_back(void **state)
{
    (void)state;
    struct profile *profile = make(), *again;
    struct strbuf file = {0}, first = {0}, second = {0};
    struct diag diag = {0};
    save(profile, &file);
    assert_true(trace_file_recognises(file.data, file.length));
    assert_int_equal(trace_file_read(&diag, "f", file.data, file.length, &again), WS_OK);
    assert_int_equal(walk(again->trace), 2 * WARPS * (4 * TURNS + 1));
    assert_int_equal(again->trace->step_count, profile->trace->step_count);
    assert_int_equal(again->trace->register_count, profile->trace->register_count);
    assert_int_equal(again->trace->site_count, profile->trace->site_count);
    encode(profile, &first);
    encode(again, &second);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    strbuf_clear(&file);
    strbuf_clear(&first);
    strbuf_clear(&second);
    profile_destroy(profile);
    profile_destroy(again);
}

/* Each length names itself; each changed byte is found, by a sum or by what cannot be. */
static void test_damaged_files(void **state)
{
    (void)state;
    struct profile *profile = make(), *again;
    struct strbuf file = {0};
    save(profile, &file);
    for (size_t length = 8; length < file.length; length++) {
        struct diag diag = {0};
        char byte[32];
        /* A copy of this size, so that sanitizers see what lies behind it. */
        char *cut = memcpy(malloc(length), file.data, length);
        assert_int_equal(trace_file_read(&diag, "f", cut, length, &again), WS_ERR_INPUT);
        snprintf(byte, sizeof byte, "byte %zu:", length);
        assert_non_null(strstr(diag.text, byte));
        assert_null(again);
        free(cut);
        diag_clear(&diag);
    }
    for (size_t at = 8; at < file.length; at++) {
        struct diag diag = {0};
        file.data[at] = (char)(file.data[at] ^ 0x21);
        assert_int_not_equal(trace_file_read(&diag, "f", file.data, file.length, &again), WS_OK);
        assert_non_null(strstr(diag.text, "byte "));
        assert_null(again);
        file.data[at] = (char)(file.data[at] ^ 0x21);
        diag_clear(&diag);
    }
    strbuf_clear(&file);
    profile_destroy(profile);
}

/* Behind right sums anything may stand. */
static void test_forged_traces(void **state)
{
    (void)state;
    struct profile *profile = make();
    struct strbuf bytes = {0};
    struct trace *again;
    unsigned refused = 0;
    encode(profile, &bytes);
    for (size_t length = 0; length < bytes.length; length++) {
        struct diag diag = {0};
        char *cut = malloc(length + 1);
        memcpy(cut, bytes.data, length);
        assert_int_equal(trace_decode(&diag, "f", cut, length, &again), WS_ERR_INPUT);
        assert_non_null(strstr(diag.text, "byte "));
        free(cut);
        diag_clear(&diag);
    }
    static const uint8_t changes[] = {0x01, 0x80, 0xff, 0x10};
    for (size_t at = 0; at < bytes.length; at++)
        for (size_t i = 0; i < sizeof changes; i++) {
            struct diag diag = {0};
            bytes.data[at] = (char)((uint8_t)bytes.data[at] ^ changes[i]);
            if (trace_decode(&diag, "f", bytes.data, bytes.length, &again) == WS_OK) {
                (void)walk(again);
                trace_destroy(again);
            } else {
                refused++;
            }
            bytes.data[at] = (char)((uint8_t)bytes.data[at] ^ changes[i]);
            diag_clear(&diag);
        }
    assert_true(refused > 100);
    strbuf_clear(&bytes);
    profile_destroy(profile);
}

/* The check value of CRC-32 that its registers publish. */
static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(packed_crc32("123456789", 9), 0xcbf43926);
    assert_int_equal(packed_crc32("", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_comes_back),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_forged_traces),
        cmocka_unit_test(test_crc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
