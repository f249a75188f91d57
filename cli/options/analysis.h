// SPDX-License-Identifier: Apache-2.0
/* From a command line to a kernel that has been executed: what analyze and whatif share. */
#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include "cli/options/options.h"
#include "cli/options/request.h"

/* Options of commands that execute a kernel. */
enum analysis_option {
    OPTION_KERNEL = 1,
    OPTION_GRID,
    OPTION_BLOCK,
    OPTION_GLOBAL,
    OPTION_SHARED,
    OPTION_CLUSTER,
    OPTION_ARG,
    OPTION_GPU,
    OPTION_CPU,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_DETAILS,
    OPTION_BRIEF,
    OPTION_CODE,
    OPTION_CHARTS,
    OPTION_PRINT,
    OPTION_SAVE,
    OPTION_CHECK,
    OPTION_EFFORT,
    OPTION_SEED,
    OPTION_MAX_INSTRUCTIONS,
    OPTION_THREADS,
    OPTION_SAVE_PROFILE,
    OPTION_SAVE_TRACE,
    OPTION_PROFILE,
    OPTION_REGS,
    OPTION_RULES,
    OPTION_ISA_VIEW,
    OPTION_ISA,
    OPTION_UNORDERED,
    OPTION_TRACE_BLOCKS,
    OPTION_WITHOUT,
    OPTION_L2,
    OPTION_SPILLS,
    OPTION_MODEL_OPTION,
    OPTION_TRACE_KERNEL,
    OPTION_OPCODE_MAP,
    OPTION_FORCE_ARCH,
    OPTION_HOST_ISA,
    OPTION_ENGINE,
    OPTION_TIMEOUT,
    OPTION_OWN, /* a command's own begin here */
};

#define ANALYSIS_KERNEL_HELP                                                                       \
    "kernel name, if the file has several; also a pattern ('sgemm*') or regex:EXPRESSION"

/* The rows that every such command has. */
#define ANALYSIS_OPTION_ROWS                                                                       \
    {OPTION_KERNEL, 'k', "kernel", "{kernel}NAME", ANALYSIS_KERNEL_HELP},                          \
        {OPTION_GRID, 'g', "grid", "X[,Y[,Z]]", "grid size in blocks"},                            \
        {OPTION_BLOCK, 'b', "block", "X[,Y[,Z]]", "block size in threads"},                        \
        {OPTION_GLOBAL, 0, "global", "X[,Y[,Z]]",                                                  \
         "OpenCL global size in work-items, instead of --grid"},                                   \
        {OPTION_BLOCK, 0, "local", "X[,Y[,Z]]", "OpenCL local size, same as --block"},             \
        {OPTION_SHARED, 's', "shared", "BYTES", "dynamic shared memory per block"},                \
        {OPTION_CLUSTER, 0, "cluster", "X[,Y[,Z]]", "cluster size in blocks"},                     \
        {OPTION_ARG, 'a', "arg", "ARG", "next kernel argument; see Arguments"},                    \
        {OPTION_GPU, 0, "gpu", "{gpu}ID[,ID...]",                                                  \
         "predict for these GPUs; `warpsage machines` lists them"},                                \
        {OPTION_OUTPUT, 'o', "output", ">FILE", "write the report to FILE"},                       \
        {OPTION_EFFORT, 0, "effort", "full|auto|N%|Ns",                                            \
         "blocks to execute: all, as many as fit in 20 s, N percent, or as many as fit in N s"},   \
        {OPTION_SEED, 0, "seed", "N",                                                              \
         "draw other blocks to count (--effort) and to trace (default: 0)"},                       \
        {OPTION_MAX_INSTRUCTIONS, 0, "max-instructions", "N", "stop after N warp instructions"},   \
        {OPTION_TIMEOUT, 0, "timeout", "S", "stop after S seconds, as on an interrupt"},           \
        {OPTION_THREADS, 't', "threads", "N", "host threads (default: all cores)"},                \
        {OPTION_HOST_ISA, 0, "host-isa", "base|v3|v4",                                             \
         "host SIMD level used to execute lanes (default: the best available); results are the "   \
         "same"},                                                                                  \
        {OPTION_ENGINE, 0, "engine", "interpreter|compiled|auto",                                  \
         "execute kernels by the interpreter (default) or as machine code, or by both; results "   \
         "are the same"},                                                                          \
        {OPTION_PROFILE, 0, "profile", "<FILE",                                                    \
         "predict from a profile or saved trace instead of executing"},                            \
        {OPTION_REGS, 0, "regs", "N",                                                              \
         "registers per thread, overriding ptxas or the liveness estimate"},                       \
        {OPTION_ISA_VIEW, 0, "isa-view", "ptx|native|gt200",                                       \
         "count instructions as PTX has them, as ptxas makes them (default where all GPUs are of " \
         "cc "                                                                                     \
         "7.0 or later), or as GT200 has them"},                                                   \
        {OPTION_ISA, 0, "isa", "ptx|native|auto",                                                  \
         "what is executed: the kernel's PTX, the native code that ptxas makes of it for the "     \
         "first GPU, or (default) that where ptxas is found and all GPUs can run it"},             \
        {OPTION_UNORDERED, 0, "unordered", NULL,                                                   \
         "run blocks of order-dependent kernels in parallel: not reproducible"},                   \
        {OPTION_TRACE_BLOCKS, 0, "trace-blocks", "N",                                              \
         "trace the warps of the first N blocks for models that replay instructions (default: "    \
         "32; "                                                                                    \
         "0: none)"},                                                                              \
        {OPTION_TRACE_KERNEL, 0, "kernel-index", "N",                                              \
         "launch number in a recorded trace, from 1"},                                             \
        {OPTION_OPCODE_MAP, 0, "opcode-map", "<FILE",                                              \
         "classes of unknown opcodes in a recorded trace, one OPCODE CLASS per line"},             \
        {OPTION_FORCE_ARCH, 0, "force-arch", NULL,                                                 \
         "predict a trace for GPUs that cannot run its native code"},                              \
        {OPTION_L2, 0, "l2", "cold|warm|kept|N%",                                                  \
         "L2 as the launch starts: empty (default), as a launch like it left it, as the program "  \
         "left it (profiles of `run`), or with N percent of what the launch reads"},               \
        {OPTION_SPILLS, 0, "spills", "auto|none",                                                  \
         "registers that ptxas spills: stored and loaded (default), or ignored"},                  \
    {                                                                                              \
        OPTION_MODEL_OPTION, 0, "model-option", "KEY=VALUE", "select an interpretation of a model" \
    }

/* Of commands that answer for CPUs. */
#define CPU_OPTION_ROW                                                                             \
    {                                                                                              \
        OPTION_CPU, 0, "cpu", "{cpu}ID[,ID...]",                                                   \
            "predict for these CPUs; `warpsage machines list cpu`"                                 \
    }

struct analysis {
    struct cli *cli;
    struct request request;
    ws_machine **machines;
    const char **names; /* by machine: as the request names it */
    size_t machine_count;
    unsigned *targets; /* compute capabilities of the GPUs */
    size_t target_count;
    bool
        takes_cpus; /* the command answers for CPUs, too; else those of a launch file are left out */
    ws_launch counted;       /* rules and segments that the machines ask for */
    ws_module *module;       /* what is executed */
    ws_module *other_module; /* the PTX of native code, or native code that failed; NULL: none */
    size_t *other_kernels;
    size_t *kernels; /* that the request names; several only if the command takes them */
    size_t kernel_count;
    bool takes_kernels;
    size_t kernel; /* the one of them that is executed */
    struct arg *args;
    uint64_t local_bytes; /* of arguments in local memory: dynamic shared memory */
    ws_device *device;
    ws_check *check; /* of the devices; NULL: nothing is checked */
    ws_profile *profile;
    ws_profile **earlier; /* launches of a recorded trace, or kernels, before that one */
    size_t earlier_count;
};

/* Fills the request from a launch file and the command line, which wins; options that the command
 * does not know are left to it. */
int analysis_read(struct cli *cli, const struct command *command, const struct command_line *line,
                  struct request *request);
/* Loads the machines of the request and notes what they need counted. */
int analysis_load_machines(struct analysis *a);
/* EXIT_USAGE with the list of GPUs; `text` ends the message. */
int analysis_ask_gpu(struct analysis *a, const char *text);
/* Loads the module and checks kernels and arguments; a->kernel is the first. */
int analysis_load_kernel(struct analysis *a, const struct command *command);
/* Runs the kernel; its profile is a->profile, its memory a->device. */
int analysis_execute(struct analysis *a);
/* Is there a profile or a trace instead of a kernel to execute? */
bool analysis_is_counted(const struct analysis *a);
/* Moves the profile, if there is one, behind the earlier ones. */
void analysis_keep_profile(struct analysis *a);
/* The profile of the request's file, or of its trace: of one launch, or with `several` of all that
 * the request names, those before the last in a->earlier. */
int analysis_load_profile(struct analysis *a, bool several);
/* The profile of the request: read, of a trace, or of a kernel that is executed now; with the registers
 * that the request says. */
int analysis_find_profile(struct analysis *a, const struct command *command);
/* As if --model-option KEY=VALUE had been given last. */
void analysis_add_model_option(struct analysis *a, const char *key, const char *value);
/* The trace's side of it (trace_input.c). */
int trace_load(struct analysis *a, bool several);
struct asking;
/* Asks about the profiles, if any, and the machines, and writes the answer as the options say. */
int analysis_answer(struct analysis *a, struct asking *asking);
void analysis_clear(struct analysis *a);

#endif
