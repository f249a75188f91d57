// SPDX-License-Identifier: Apache-2.0
/* Random programs on the engine and on the interpreter of this folder: all registers and all memory
 * must be equal. On a mismatch the program is made as short as it still fails, and shown.
 *
 *     test_random_programs [--count N] [--seed S] [--level base|v3|v4] [--threads N] [--failures N] [--compiled]
 *
 * Without --level and --threads every program runs on all levels that the host has, with one and with
 * two threads. --print: the programs instead of running them.
 *
 * --compiled: by the compiled engine, every second program from the first instruction on, the others from a random
 * one; profiles must be the interpreter's. The share of warp instructions that ran compiled is printed; that it is
 * below 80 % of those of the first, or that none of the others changes over, is a failure, if there are enough.
 *
 * --native 80: as the native code that ptxas makes of them for sm_80, without what the target lacks; what the engine
 * refuses is counted, and is no failure. The ptxas of PATH must be one that does not contract: a script
 * `exec /usr/local/cuda/bin/ptxas --fmad false "$@"`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "emulate/emulate.h"
#include "reference/compare.h"
#include "reference/native.h"

enum { CHOICES_MAX = 8 };

struct arguments {
    uint64_t seed;
    unsigned long count, failures; /* to stop after */
    unsigned native;
    unsigned long refused;
    bool print, compiled;
    struct engine_choice choices[CHOICES_MAX];
    unsigned choice_count;
};

/* What ptxas makes of registers without a value, it may choose. */
static bool must_stay(const struct program *program, uint32_t group)
{
    for (uint32_t i = 0; i < program->line_count; i++)
        if (program->lines[i].group == group && program->lines[i].fills) return true;
    return false;
}

/* Leaves out group after group as long as the program fails in the same way. */
static void shrink(const struct program *program, const struct engine_choice *choice,
                   enum comparison kind, bool *removed)
{
    bool shorter = true;
    while (shorter) {
        shorter = false;
        for (uint32_t group = program->group_count; group >= 1; group--) {
            unsigned failed;
            char *message;
            if (removed[group] || (choice->native && must_stay(program, group))) continue;
            removed[group] = true;
            if (compare_program(program, removed, choice, 1, &failed, &message) == kind)
                shorter = true;
            else
                removed[group] = false;
            mem_free(message);
        }
    }
}

static void report(const struct program *program, const struct engine_choice *choice,
                   enum comparison kind, const char *message, bool *removed)
{
    char *shown = NULL;
    unsigned failed;
    shrink(program, choice, kind, removed);
    compare_program(program, removed, choice, 1, &failed, &shown);
    char *text = program_text(program, removed);
    printf("%s\n", text);
    printf("seed %llu, grid %u x %u, block %u x %u x %u, level %s, %u threads: %s\n",
           (unsigned long long)program->seed, program->grid[0], program->grid[1], program->block[0],
           program->block[1], program->block[2], device_isa_name(choice->level), choice->threads,
           kind == COMPARE_DIFFERENT ? "results differ" : "not executed");
    printf("%s\n", shown ? shown : message);
    fflush(stdout); /* a long run may be cut off */
    mem_free(text);
    mem_free(shown);
}

/* For native code: without what the target lacks. An instruction that the engine lacks is no failure. */
static enum comparison compare(struct arguments *arguments, const struct program *program,
                               bool *removed, unsigned *failed, char **message)
{
    if (arguments->native && !native_fit(program, arguments->native, removed, message))
        return COMPARE_NOT_RUN;
    enum comparison result = compare_program(program, removed, arguments->choices,
                                             arguments->choice_count, failed, message);
    if (!arguments->native || result != COMPARE_NOT_RUN || !strstr(*message, "cannot be executed"))
        return result;
    printf("seed %llu refused: %s\n", (unsigned long long)program->seed, *message);
    arguments->refused++;
    return COMPARE_EQUAL;
}

static bool check_seed(struct arguments *arguments, uint64_t seed)
{
    struct program program;
    unsigned failed = 0;
    char *message = NULL;
    enum comparison result = COMPARE_EQUAL;
    program_generate(&program, seed);
    bool *removed = mem_zalloc(program.group_count + 1, sizeof *removed);
    for (unsigned i = 0; i < arguments->choice_count; i++) {
        /* every second program changes over while it runs, every third one is traced */
        arguments->choices[i].interpreted = seed % 2 ? (uint32_t)(seed * 2654435761u) : 0;
        arguments->choices[i].traces = seed % 3 == 0;
    }
    if (arguments->print) {
        message = program_text(&program, NULL);
        printf("%s\n", message);
    } else {
        result = compare(arguments, &program, removed, &failed, &message);
    }
    if (result != COMPARE_EQUAL)
        report(&program, &arguments->choices[failed], result, message, removed);
    mem_free(message);
    mem_free(removed);
    program_clear(&program);
    return result == COMPARE_EQUAL;
}

static void add_choices(struct arguments *arguments, const char *level_name, unsigned threads)
{
    for (int level = 0; level < device_isa_levels(); level++)
        for (unsigned count = threads ? threads : 1; count <= (threads ? threads : 2); count++) {
            if (level_name && !strstr(device_isa_name(level), level_name)) continue;
            if (arguments->compiled && level < device_isa_levels() - 1) continue;
            arguments->choices[arguments->choice_count++] =
                (struct engine_choice){.level = level,
                                       .threads = count,
                                       .native = arguments->native,
                                       .compiled = arguments->compiled};
        }
}

static bool parse(int argc, char **argv, struct arguments *out)
{
    const char *level = NULL;
    unsigned threads = 0;
    *out = (struct arguments){.seed = 1, .count = 100, .failures = 1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--print") || !strcmp(argv[i], "--compiled")) {
            *(argv[i][2] == 'p' ? &out->print : &out->compiled) = true;
            continue;
        }
        if (!strcmp(argv[i], "--count"))
            out->count = strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--failures"))
            out->failures = strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--seed"))
            out->seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--threads"))
            threads = (unsigned)strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--native"))
            out->native = (unsigned)strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "--level"))
            level = value;
        else
            return false;
        i++;
    }
    add_choices(out, level, threads);
    return true;
}

static double percent(const struct engine_share *share)
{
    return share->all ? 100.0 * (double)share->compiled / (double)share->all : 0.0;
}

/* Returns whether they are what they should be. */
static bool report_shares(void)
{
    enum { ENOUGH = 100, PERCENT_WANTED = 80 };
    const struct engine_share *first = &engine_share[0], *late = &engine_share[1];
    if (!first->runs) return true; /* on several threads */
    printf(
        "%.1f %% of the warp instructions ran compiled; %.1f %% of those of %llu runs that change "
        "over on the way, %llu of which did\n",
        percent(first), percent(late), (unsigned long long)late->runs,
        (unsigned long long)late->changed_over);
    return (first->runs < ENOUGH || percent(first) >= PERCENT_WANTED) &&
           (late->runs < ENOUGH || late->changed_over > 0);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!parse(argc, argv, &arguments)) {
        fprintf(
            stderr,
            "usage: %s [--count N] [--seed S] [--level base|v3|v4] [--threads N] [--failures N] "
            "[--native SM] [--print] [--compiled]\n",
            argv[0]);
        return 2;
    }
    if (arguments.choice_count == 0) {
        printf("this host does not run that level: nothing is tested\n");
        return 77;
    }
    unsigned long failed = 0, i = 0;
    for (; i < arguments.count && failed < arguments.failures; i++)
        failed += !check_seed(&arguments, arguments.seed + i);
    if (!arguments.print)
        printf("%lu programs from seed %llu, %u ways of running each: %lu differ, %lu refused\n", i,
               (unsigned long long)arguments.seed, arguments.choice_count, failed,
               arguments.refused);
    bool has_engine = device_isa_levels() > 2; /* x86-64-v4 */
    if (arguments.compiled && !arguments.print && has_engine && !report_shares()) return 1;
    return failed != 0;
}
