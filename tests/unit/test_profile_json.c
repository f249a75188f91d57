// SPDX-License-Identifier: Apache-2.0
/* Profiles as JSON: what is saved is read back bit by bit, hand-written ones are enough for a
 * model, and bad ones are refused with the place and the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/profile.h"

/* ---- a full profile -------------------------------------------------------------------------- */

static void add_instruction(struct profile *profile)
{
    static const uint16_t ids[] = {COUNTER_INST_WARP, COUNTER_MEM_GLOBAL_LOAD_SECTORS32};
    static const double values[] = {9007199254740991.0, 12345678901.0};
    profile->instruction_count = 2;
    profile->instructions = ARENA_ARRAY(&profile->arena, struct instruction_profile, 2);
    profile->instructions[0] = (struct instruction_profile){.pc = 7,
                                                            .line = 41,
                                                            .file = "a \"quoted\" name\n.cu",
                                                            .source_line = 12,
                                                            .op = "ld.global.nc.f32",
                                                            .text = "ld.global.nc.f32 %f1, [%rd1]",
                                                            .class_id = CLASS_MEM_GLOBAL_LOAD,
                                                            .counter_count = 2,
                                                            .counters = ids,
                                                            .values = values};
    profile->instructions[1] =
        (struct instruction_profile){.pc = 8, .op = "ret", .class_id = CLASS_CONTROL};
}

static struct profile *full_profile(void)
{
    struct profile *profile = profile_create();
    struct arena *arena = &profile->arena;
    profile->kernel = arena_copy(arena, "k<int>");
    profile->mangled = arena_copy(arena, "_Z1kIiE");
    profile->isa = arena_copy(arena, "ptx 9.0 sm_80");
    profile->source_path = arena_copy(arena, "dir/k.ptx");
    for (uint32_t i = 0; i < 3; i++) {
        profile->grid[i] = 100 + i;
        profile->block[i] = 4 + i;
    }
    profile->static_shared_bytes = 4096;
    profile->dynamic_shared_bytes = 99;
    profile->local_bytes_per_thread = 16;
    profile->register_count = 2;
    profile->registers[0] = (struct register_count){.target = 75, .value = 31, .from = "ptxas"};
    profile->registers[1] = (struct register_count){.target = 80, .value = 20, .from = "liveness"};
    profile->ordered = true;
    profile->unordered_by_user = true;
    profile->sampled_fraction = 1.0 / 3;
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (i % 5) profile_set(profile, (enum counter)i, i * 1e12 + 7, (enum origin)(1 + i % 7));
    profile_set(profile, COUNTER_DEP_DISTANCE, 1.0 / 7, ORIGIN_SAMPLED);
    profile->counters[COUNTER_DEP_DISTANCE].lo = 0.1;
    profile->counters[COUNTER_DEP_DISTANCE].hi = 0.2;
    profile->counters[COUNTER_INST_WARP] = (struct counter_value){.reason = "a reason"};
    add_instruction(profile);
    profile->stage_count = 1;
    profile->stages = ARENA_ARRAY(arena, struct stage_profile, 1);
    profile->stages[0] =
        (struct stage_profile){.index = 1024, .warps_working = 7.1, .threads_working = 1.0 / 3};
    profile->stages[0].counters[COUNTER_INST_WARP_FIRST + CLASS_TENSOR] = 3;
    return profile;
}

static struct profile *load_text(struct diag *diag, const char *text)
{
    struct profile *profile = NULL;
    ws_status status = profile_load_memory(diag, "p.json", text, strlen(text), &profile);
    if (status != WS_OK) fail_msg("%s", diag->text);
    return profile;
}

static void assert_same_counter(const struct counter_value *a, const struct counter_value *b)
{
    assert_true(a->value == b->value && a->lo == b->lo && a->hi == b->hi);
    assert_int_equal(a->origin, b->origin);
    if (a->origin == ORIGIN_NONE) assert_string_equal(a->reason, b->reason);
}

static void round_trip(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct profile *a = full_profile();
    char *text = profile_to_json(a);
    struct profile *b = load_text(&diag, text);
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->mangled, b->mangled);
    assert_string_equal(a->isa, b->isa);
    assert_string_equal(a->source_path, b->source_path);
    assert_memory_equal(a->grid, b->grid, sizeof a->grid);
    assert_memory_equal(a->block, b->block, sizeof a->block);
    assert_int_equal(b->static_shared_bytes, 4096);
    assert_int_equal(b->dynamic_shared_bytes, 99);
    assert_int_equal(b->local_bytes_per_thread, 16);
    assert_int_equal(b->register_count, 2);
    assert_int_equal(b->registers[1].target, 80);
    assert_int_equal(b->registers[1].value, 20);
    assert_string_equal(b->registers[1].from, "liveness");
    assert_true(b->ordered && b->unordered_by_user && b->sampled_fraction == 1.0 / 3);
    for (int i = 0; i < COUNTER_COUNT; i++)
        assert_same_counter(&a->counters[i], &b->counters[i]);
    const struct instruction_profile *insn = b->instructions;
    assert_int_equal(b->instruction_count, 2);
    assert_int_equal(insn->pc, 7);
    assert_int_equal(insn->line, 41);
    assert_int_equal(insn->source_line, 12);
    assert_string_equal(insn->file, "a \"quoted\" name\n.cu");
    assert_string_equal(insn->op, "ld.global.nc.f32");
    assert_string_equal(insn->text, "ld.global.nc.f32 %f1, [%rd1]");
    assert_int_equal(insn->class_id, CLASS_MEM_GLOBAL_LOAD);
    assert_int_equal(insn->counter_count, 2);
    assert_int_equal(insn->counters[1], COUNTER_MEM_GLOBAL_LOAD_SECTORS32);
    assert_true(insn->values[0] == 9007199254740991.0);
    assert_null(b->instructions[1].file);
    assert_int_equal(b->stage_count, 1);
    assert_memory_equal(&a->stages[0], &b->stages[0], sizeof a->stages[0]);
    char *again = profile_to_json(b);
    assert_string_equal(text, again);
    mem_free(text);
    mem_free(again);
    profile_destroy(a);
    profile_destroy(b);
}

static void names_that_are_no_utf8(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct profile *a = profile_create();
    a->kernel = arena_copy(&a->arena, "k\xff");
    char *text = profile_to_json(a);
    struct profile *b = load_text(&diag, text);
    assert_string_equal(b->kernel, "k?");
    mem_free(text);
    profile_destroy(a);
    profile_destroy(b);
}

/* ---- hand-written ---------------------------------------------------------------------------- */

static void hand_written(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct profile *p = NULL;
    assert_int_equal(profile_load(&diag, TESTS_DIR "/profiles/hand_written.json", &p), WS_OK);
    assert_string_equal(p->kernel, "saxpy");
    assert_string_equal(p->isa, "hand-written");
    assert_int_equal(profile_blocks(p), 4096);
    assert_int_equal(profile_threads_per_block(p), 256);
    assert_true(profile_get(p, COUNTER_INST_WARP) == 360448);
    assert_int_equal(p->counters[COUNTER_INST_WARP].origin, ORIGIN_ASSUMED);
    assert_int_equal(p->counters[COUNTER_WARPS_EXECUTED].origin, ORIGIN_ASSUMED);
    assert_int_equal(p->counters[COUNTER_MEM_GLOBAL_LOAD_REQUESTS].origin, ORIGIN_MEASURED);
    assert_true(profile_get(p, COUNTER_DEP_DISTANCE) == 2.5);
    assert_false(profile_has(p, COUNTER_MEM_MSTR));
    assert_string_equal(p->counters[COUNTER_MEM_MSTR].reason, "not looked at");
    assert_string_equal(p->counters[COUNTER_BRANCH_WARP].reason, "null in this profile");
    assert_string_equal(p->counters[COUNTER_BARRIER_WARP].reason, "not in this profile");
    unsigned registers, target;
    const char *from;
    assert_true(profile_registers(p, 13, &registers, &from, &target));
    assert_int_equal(registers, 12);
    assert_string_equal(from, "assumed");
    profile_destroy(p);
}

/* user > ptxas > assumed > liveness; then the nearest target. */
static void nearest_registers(void **state)
{
    (void)state;
    struct profile *p = profile_create();
    unsigned registers, target;
    const char *from;
    assert_false(profile_registers(p, 80, &registers, &from, &target));
    p->registers[0] = (struct register_count){.target = 80, .value = 10, .from = "liveness"};
    p->registers[1] = (struct register_count){.target = 75, .value = 31, .from = "ptxas"};
    p->registers[2] = (struct register_count){.target = 90, .value = 33, .from = "ptxas"};
    p->register_count = 3;
    assert_true(profile_registers(p, 80, &registers, &from, &target));
    assert_int_equal(registers, 31);
    assert_int_equal(target, 75);
    assert_true(profile_registers(p, 100, &registers, &from, &target));
    assert_int_equal(registers, 33);
    p->registers[3] = (struct register_count){.target = 0, .value = 64, .from = "user"};
    p->register_count = 4;
    assert_true(profile_registers(p, 100, &registers, &from, &target));
    assert_int_equal(registers, 64);
    assert_string_equal(from, "user");
    profile_destroy(p);
}

/* ---- refused --------------------------------------------------------------------------------- */

#define HEAD "{\"schema\":\"warpsage.profile/1\",\"kernel\":\"k\","
#define LAUNCH "\"launch\":{\"grid\":[1],\"block\":[32]},"

static void bad_profiles(void **state)
{
    (void)state;
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"", "p.json:1:1: error: not valid JSON"},
        {"{\n \"a\": }", "p.json:2:"},
        {"{\"a\":1,\"a\":2}", "duplicate"},
        {"[1]", "the profile: must be an object {...} (got a list)"},
        {"{}", "schema: is missing"},
        {"{\"schema\":\"warpsage.profile/9\"}", "unsupported schema \"warpsage.profile/9\""},
        {"{\"schema\":\"warpsage.profile/1\"}", "kernel: is missing"},
        {HEAD "\"lunch\":{}}", "lunch: unknown key (did you mean 'launch'"},
        {HEAD "\"counters\":{}}", "launch: is missing"},
        {HEAD "\"launch\":{\"grid\":[1]},\"counters\":{}}", "launch.block: is missing"},
        {HEAD "\"launch\":{\"grid\":[],\"block\":[1]}}", "launch.grid: must have 1 to 3 numbers"},
        {HEAD "\"launch\":{\"grid\":[0],\"block\":[1]}}",
         "launch.grid[0]: must be a whole number from 1"},
        {HEAD "\"launch\":{\"grid\":[1.5],\"block\":[1]}}", "(got a fraction)"},
        {HEAD "\"launch\":{\"grid\":[1],\"block\":[64,32]}}", "launch.block: has 2048 threads"},
        {HEAD "\"launch\":{\"grid\":[1],\"block\":[1],\"gird\":1}}",
         "launch.gird: unknown key (did you mean 'grid'"},
        {HEAD LAUNCH "\"registers\":0}", "registers: must be a whole number from 1 to 255 (got 0)"},
        {HEAD LAUNCH "\"registers\":[{\"target\":80}]}", "registers[0]: has no \"value\""},
        {HEAD LAUNCH "\"registers\":[{\"value\":8,\"from\":\"me\"}]}",
         "registers[0]: \"from\" must be"},
        {HEAD LAUNCH "\"registers\":[1,2,3,4,5,6,7,8,9]}", "registers: has 9 entries"},
        {HEAD LAUNCH "\"ordered\":1,\"counters\":{}}",
         "ordered: must be true or false (got a number)"},
        {HEAD LAUNCH "\"sampled_fraction\":0,\"counters\":{}}",
         "sampled_fraction: must be greater than 0"},
        {HEAD LAUNCH "\"stages\":[]}", "counters: is missing"},
        {HEAD LAUNCH "\"counters\":{\"inst.wrap\":1}}",
         "counters.inst.wrap: unknown counter (did you mean 'inst.warp'"},
        {HEAD LAUNCH "\"counters\":{\"inst.warp\":-1}}",
         "counters.inst.warp: must be at least 0 (got -1)"},
        {HEAD LAUNCH "\"counters\":{\"inst.warp\":\"1\"}}",
         "counters.inst.warp: must be a number or"},
        {HEAD LAUNCH "\"counters\":{\"inst.warp\":{}}}", "counters.inst.warp: has no \"value\""},
        {HEAD LAUNCH "\"counters\":{\"inst.warp\":{\"value\":1,\"unit\":\"B\"}}}",
         "counters.inst.warp: \"unit\" must be \"1\""},
        {HEAD LAUNCH "\"counters\":{\"inst.warp\":{\"value\":1,\"from\":\"x\"}}}",
         "counters.inst.warp: \"from\" must be"},
        {HEAD LAUNCH "\"counters\":{\"inst.warp\":{\"value\":1,\"lo\":2}}}",
         "must enclose the value"},
        {HEAD LAUNCH "\"counters\":{},\"instructions\":[{}]}",
         "instructions[0]: \"class\" must be"},
        {HEAD LAUNCH
         "\"counters\":{},\"instructions\":[{\"class\":\"fence\",\"counters\":{\"x\":1}}]}",
         "instructions[0].counters.x: unknown counter"},
        {HEAD LAUNCH "\"counters\":{},\"stages\":[{\"counters\":{\"dep.ilp\":1}}]}",
         "stages[0].counters: dep.ilp is only recorded for the whole launch"},
        {HEAD LAUNCH "\"counters\":{},\"stages\":[{\"index\":1025}]}",
         "stages[0]: must be a whole number from 0 to 1024"},
        {HEAD LAUNCH "\"counters\":{\"inst.warp\":1e999}}", "p.json:1:"},
    };
    struct diag diag = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *profile = (struct profile *)&diag;
        ws_status status =
            profile_load_memory(&diag, "p.json", cases[i].json, strlen(cases[i].json), &profile);
        if (status != WS_ERR_INPUT || profile) fail_msg("accepted: %s", cases[i].json);
        if (!strstr(diag.text, cases[i].message))
            fail_msg("%s\n gave: %s\n not: %s", cases[i].json, diag.text, cases[i].message);
    }
    struct profile *profile;
    assert_int_equal(profile_load(&diag, TESTS_DIR "/profiles/none.json", &profile), WS_ERR_IO);
    assert_null(profile);
    diag_clear(&diag);
}

/* ---- the shipped schema ---------------------------------------------------------------------- */

static int validate(const char *path)
{
    char command[2048];
    snprintf(command, sizeof command,
             "python3 -c 'import json,sys,jsonschema; "
             "s=json.load(open(sys.argv[1])); jsonschema.Draft7Validator.check_schema(s); "
             "jsonschema.Draft7Validator(s).validate(json.load(open(sys.argv[2])))' '%s' '%s' "
             "2>/dev/null",
             SOURCE_DIR "/schemas/profile.schema.json", path);
    return system(command);
}

static void valid_by_the_schema(void **state)
{
    (void)state;
    if (system("python3 -c 'import jsonschema' 2>/dev/null") != 0) skip();
    struct diag diag = {0};
    struct profile *profile = full_profile();
    char path[] = "/tmp/test_profile_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(profile_save(&diag, profile, path), WS_OK);
    assert_int_equal(validate(path), 0);
    assert_int_equal(validate(TESTS_DIR "/profiles/hand_written.json"), 0);
    profile->register_count = 1;
    profile->registers[0].value = 300; /* what the reader refuses, the schema refuses */
    assert_int_equal(profile_save(&diag, profile, path), WS_OK);
    assert_int_not_equal(validate(path), 0);
    unlink(path);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),   cmocka_unit_test(names_that_are_no_utf8),
        cmocka_unit_test(hand_written), cmocka_unit_test(nearest_registers),
        cmocka_unit_test(bad_profiles), cmocka_unit_test(valid_by_the_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
