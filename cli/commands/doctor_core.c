// SPDX-License-Identifier: Apache-2.0
/* What every prediction requires, tried: machine files are read, a kernel is executed and predicted. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/doctor.h"

#define INSTALL_DATA "the package warpsage-data, or another folder in WARPSAGE_MACHINES"

/* ---- machine files ----------------------------------------------------------------------------- */

static void add_broken_machine(struct doctor *doctor, const char *folder, const char *id)
{
    const struct doctor_row row = {
        .id = cli_format(doctor->cli, "machine file %s", id),
        .is_core = true,
        .where = cli_format(doctor->cli, "%s/%s.yaml", folder, id),
        .problem = doctor_problem(doctor),
        .needed_for = cli_format(doctor->cli, "--gpu %s", id),
        .install = "correct the file (warpsage machines check FILE), or " INSTALL_DATA,
    };
    doctor_add(doctor, &row);
}

/* *out_gpu: a GPU that can be predicted for; NULL: none. */
static void check_machines(struct doctor *doctor, const char **out_gpu)
{
    struct cli *cli = doctor->cli;
    const char *folder = ws_context_machine_dir(cli->context);
    char *ids = NULL, *rest;
    size_t gpus = 0, cpus = 0;
    struct doctor_row row = {.id = "machine files",
                             .is_core = true,
                             .where = access(folder, F_OK) == 0 ? folder : NULL,
                             .needed_for = "every prediction: the figures of GPUs and CPUs",
                             .install = INSTALL_DATA};
    *out_gpu = NULL;
    if (ws_machine_list(cli->context, &ids) != WS_OK) row.problem = doctor_problem(doctor);
    rest = ids;
    for (char *id; (id = strsep(&rest, "\n")) != NULL;) {
        ws_machine *machine;
        if (!*id) continue;
        if (ws_machine_load(cli->context, id, &machine) != WS_OK) {
            add_broken_machine(doctor, folder, id);
            continue;
        }
        bool is_cpu = ws_machine_is_cpu(machine);
        if (!is_cpu && !*out_gpu) *out_gpu = cli_copy(cli, id);
        gpus += !is_cpu;
        cpus += is_cpu;
        ws_machine_destroy(machine);
    }
    ws_free(ids);
    if (!row.problem && !gpus)
        row.problem = cli_format(cli, "%s has no machine file of a GPU that can be read", folder);
    row.is_found = !row.problem;
    if (row.is_found)
        row.version = cli_format(cli, "%s, %s", cli_count(cli, (double)gpus, "GPU"),
                                 cli_count(cli, (double)cpus, "CPU"));
    doctor_add(doctor, &row);
}

/* ---- a prediction ------------------------------------------------------------------------------ */

/* Each thread stores its number: integers, a branch-free path, one coalesced store. */
static const char kernel_text[] = ".version 6.0\n.target sm_30\n.address_size 64\n"
                                  ".visible .entry doctor(.param .u64 out)\n"
                                  "{\n"
                                  "  .reg .b32 %r<5>;\n"
                                  "  .reg .b64 %rd<4>;\n"
                                  "  ld.param.u64 %rd1, [out];\n"
                                  "  mov.u32 %r1, %ctaid.x;\n"
                                  "  mov.u32 %r2, %ntid.x;\n"
                                  "  mov.u32 %r3, %tid.x;\n"
                                  "  mad.lo.s32 %r4, %r1, %r2, %r3;\n"
                                  "  mul.wide.s32 %rd2, %r4, 4;\n"
                                  "  add.s64 %rd3, %rd1, %rd2;\n"
                                  "  st.global.u32 [%rd3], %r4;\n"
                                  "  ret;\n"
                                  "}\n";

enum { GRID = 64, BLOCK = 128, NUMBERS = GRID * BLOCK };

/* What the attempt holds, whatever becomes of it. */
struct attempt {
    ws_module *module;
    ws_device *device;
    ws_profile *profile;
    ws_machine *machine;
    ws_answer *answer;
    const char *problem; /* beyond what the context says */
};

static ws_status execute(ws_context *context, struct attempt *a)
{
    uint64_t out = 0;
    uint32_t numbers[NUMBERS] = {0};
    const ws_device_options how = {.size = sizeof how, .max_bytes = 1 << 20};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {GRID, 1, 1},
                        .block = {BLOCK, 1, 1},
                        .parameters = &out,
                        .parameter_bytes = sizeof out,
                        .counters = true};
    ws_status status =
        ws_module_load_memory(context, "doctor.ptx", kernel_text, strlen(kernel_text), &a->module);
    if (status == WS_OK) status = ws_device_create(context, &how, &a->device);
    if (status == WS_OK) status = ws_device_alloc(a->device, sizeof numbers, &out);
    if (status == WS_OK) status = ws_device_launch(a->device, a->module, &launch, &a->profile);
    if (status == WS_OK) status = ws_device_copy_out(a->device, numbers, out, sizeof numbers);
    for (uint32_t i = 0; status == WS_OK && i < NUMBERS; i++)
        if (numbers[i] != i) a->problem = "the kernel was executed and wrote wrong numbers";
    return status;
}

static ws_status predict(ws_context *context, const char *gpu, struct attempt *a)
{
    ws_status status = ws_machine_load(context, gpu, &a->machine);
    const ws_question question = {.size = sizeof question,
                                  .name = "analyze",
                                  .profiles = (const ws_profile *const *)&a->profile,
                                  .profile_count = 1,
                                  .machines = (const ws_machine *const *)&a->machine,
                                  .machine_count = 1};
    if (status == WS_OK) status = ws_ask(context, &question, &a->answer);
    if (status == WS_OK && !(ws_answer_time(a->answer, 0, 0) > 0))
        a->problem = "no model predicts a time";
    return status;
}

static void clear_attempt(struct attempt *a)
{
    ws_answer_destroy(a->answer);
    ws_machine_destroy(a->machine);
    ws_profile_destroy(a->profile);
    ws_device_destroy(a->device);
    ws_module_destroy(a->module);
}

/* The best of the levels that this CPU has. */
static const char *vector_level(struct doctor *doctor)
{
    static const char *const levels[] = {"v4", "v3", "base"};
    static const char *const words[] = {"AVX-512 (v4)", "AVX2 (v3)", "base"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const ws_device_options how = {
            .size = sizeof how, .max_bytes = 1 << 20, .host_isa = levels[i]};
        ws_device *device;
        if (ws_device_create(doctor->cli->context, &how, &device) != WS_OK) continue;
        ws_device_destroy(device);
        return words[i];
    }
    return "unknown";
}

static void check_execution(struct doctor *doctor, struct attempt *a)
{
    ws_status status = execute(doctor->cli->context, a);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const struct doctor_row row = {
        .id = "executing a kernel",
        .is_core = true,
        .is_found = status == WS_OK && !a->problem,
        .version = cli_format(doctor->cli, "%s, vector instructions %s",
                              cli_count(doctor->cli, (double)(cores > 0 ? cores : 1), "thread"),
                              vector_level(doctor)),
        .where = "this CPU",
        .problem = a->problem        ? a->problem
                   : status != WS_OK ? doctor_problem(doctor)
                                     : NULL,
        .needed_for = "every prediction: kernels are executed on the CPU",
        .install =
            "more memory or address space (ulimit -v), else report it as a fault of warpsage",
    };
    doctor_add(doctor, &row);
}

static void check_prediction(struct doctor *doctor, const char *gpu, struct attempt *a)
{
    struct doctor_row row = {.id = "predicting a time",
                             .is_core = true,
                             .needed_for = "every prediction",
                             .install =
                                 "a machine file of a GPU, and an evidence file that can be read"};
    if (!a->profile || a->problem) row.problem = "no kernel could be executed";
    if (!row.problem && !gpu) row.problem = "no machine file of a GPU";
    if (!row.problem) {
        ws_status status = predict(doctor->cli->context, gpu, a);
        row.where = cli_format(doctor->cli, "for %s", gpu);
        row.problem = status != WS_OK ? doctor_problem(doctor) : a->problem;
    }
    row.is_found = !row.problem;
    doctor_add(doctor, &row);
}

/* ---- evidence ---------------------------------------------------------------------------------- */

/* As the library finds it: beside its own folder of machine files, whichever is used. */
static const char *evidence_path(struct doctor *doctor)
{
    const char *given = getenv("WARPSAGE_EVIDENCE"), *path = NULL;
    ws_context *fresh;
    if (given && *given) return given;
    if (ws_context_create(&fresh) != WS_OK) return NULL;
    path = cli_format(doctor->cli, "%s/../evidence.yaml", ws_context_machine_dir(fresh));
    ws_context_destroy(fresh);
    char *whole = realpath(path, NULL);
    if (whole) path = cli_copy(doctor->cli, whole);
    free(whole);
    return path;
}

/* Whether it can be read, the prediction tells. */
static void check_evidence(struct doctor *doctor)
{
    const char *path = evidence_path(doctor);
    bool is_found = path && access(path, R_OK) == 0;
    const struct doctor_row row = {
        .id = "evidence",
        .is_found = is_found,
        .where = is_found ? path : NULL,
        .problem =
            is_found ? NULL : cli_format(doctor->cli, "%s cannot be read", path ? path : "?"),
        .needed_for =
            "choosing the model with the lowest error on hardware; without it, the median",
        .install = "the package warpsage-data, or another file in WARPSAGE_EVIDENCE",
    };
    doctor_add(doctor, &row);
}

/* ---- surroundings ------------------------------------------------------------------------------ */

/* Compilers get their files in /tmp; `run` keeps to TMPDIR. */
static void check_folder(struct doctor *doctor, const char *id, const char *folder, const char *use)
{
    char *path = cli_format(doctor->cli, "%s/warpsage-doctor-XXXXXX", folder);
    bool is_found = mkdtemp(path) != NULL;
    if (is_found) rmdir(path);
    const struct doctor_row row = {
        .id = id,
        .is_found = is_found,
        .where = folder,
        .problem = is_found ? NULL : "nothing can be created in it",
        .needed_for = use,
        .install = "make it writable, or free space in it",
    };
    doctor_add(doctor, &row);
}

static void check_surroundings(struct doctor *doctor)
{
    struct cli *cli = doctor->cli;
    const char *base = getenv("TMPDIR");
    bool has_own = base && *base == '/' && strcmp(base, "/tmp") != 0;
    check_folder(doctor, "temporary folder", "/tmp",
                 has_own ? "native code, .cu and .cl files"
                         : "native code, .cu and .cl files, warpsage run");
    if (has_own) check_folder(doctor, "TMPDIR", base, "warpsage run");
    const struct doctor_row row = {
        .id = "text",
        .is_found = true,
        .version = cli_format(cli, "%s, %s", cli_has_utf8() ? "UTF-8" : "ASCII: not a UTF-8 locale",
                              cli_wants_colour(cli, stdout) ? "colour" : "no colour"),
        .needed_for = "bars and colour of reports",
    };
    doctor_add(doctor, &row);
}

void doctor_core(struct doctor *doctor)
{
    struct attempt attempt = {0};
    const char *gpu;
    check_machines(doctor, &gpu);
    check_execution(doctor, &attempt);
    check_prediction(doctor, gpu, &attempt);
    clear_attempt(&attempt);
    doctor->group = "Data and surroundings";
    check_evidence(doctor);
    check_surroundings(doctor);
}
