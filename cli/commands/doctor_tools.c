// SPDX-License-Identifier: Apache-2.0
/* Compilers and tools of the CUDA toolkit: found in PATH and asked for their version. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/doctor.h"

/* Debian's own package, and that of NVIDIA's repository. */
#define INSTALL(package)                                                                           \
    "NVIDIA's CUDA toolkit (Debian: nvidia-cuda-toolkit; NVIDIA's repository: " package            \
    "), with its bin folder in PATH"

/* "13.0.88" of "..., release 13.0, V13.0.88", else the first number with a point; NULL: none. */
static const char *version_in(struct doctor *doctor, const char *said)
{
    const char *release = strstr(said, ", V"), *at = release ? release + 3 : said;
    for (; *at; at++) {
        size_t length = strspn(at, "0123456789.");
        size_t digits = strspn(at, "0123456789");
        if (digits && length > digits) return cli_format(doctor->cli, "%.*s", (int)length, at);
        if (length) at += length - 1;
    }
    return NULL;
}

/* The tool with its version. *out_said, unless NULL: what it printed; NULL: not found, or it failed. */
static struct doctor_row look_for(struct doctor *doctor, const char *name, const char *option,
                                  const char **out_said)
{
    struct doctor_row row = {.id = name, .install = INSTALL("cuda-nvcc")};
    char *path = NULL, *said = NULL;
    *out_said = NULL;
    if (ws_context_ask_tool(doctor->cli->context, name, option, &path, &said) != WS_OK)
        row.problem = doctor_problem(doctor);
    if (path) row.where = cli_copy(doctor->cli, path);
    if (said) *out_said = cli_copy(doctor->cli, said);
    if (said) row.version = version_in(doctor, said);
    ws_free(path);
    ws_free(said);
    if (row.where && !*out_said)
        row.problem = cli_format(doctor->cli, "%s does not end with 0 within ten seconds", option);
    row.is_found = row.where && !row.problem;
    return row;
}

/* ---- ptxas ------------------------------------------------------------------------------------- */

/* "sm_75 to sm_121" of the help; NULL: it lists none. Quoted, as ptxas lists them. */
static const char *targets_in(struct doctor *doctor, const char *help)
{
    unsigned long least = 0, most = 0;
    for (const char *at = help; (at = strstr(at, "'sm_")) != NULL; at++) {
        char *end;
        unsigned long target = strtoul(at + 4, &end, 10);
        if (end == at + 4 || *end != '\'') continue;
        if (!least || target < least) least = target;
        if (target > most) most = target;
    }
    return least ? cli_format(doctor->cli, "sm_%lu to sm_%lu", least, most) : NULL;
}

static void check_ptxas(struct doctor *doctor)
{
    const char *said, *help;
    struct doctor_row row = look_for(doctor, "ptxas", "--version", &said);
    if (row.is_found) {
        struct doctor_row asked = look_for(doctor, "ptxas", "--help", &help);
        const char *targets = help ? targets_in(doctor, help) : NULL;
        if (targets)
            row.version = cli_format(doctor->cli, "%s%s%s", row.version ? row.version : "",
                                     row.version ? ", " : "", targets);
        else
            row.problem = asked.problem ? asked.problem : "--help lists no targets";
        row.is_found = !row.problem;
    }
    row.needed_for =
        "native code of GPUs and register counts of PTX; without it, PTX is executed and "
        "registers are estimated";
    doctor_add(doctor, &row);
}

/* ---- OpenCL ------------------------------------------------------------------------------------ */

/* Compiled as an input would be, so that what is missing is told as then. */
static const char *opencl_problem(struct doctor *doctor)
{
    static const char text[] = "__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }\n";
    struct cli *cli = doctor->cli;
    char *folder = cli_copy(cli, "/tmp/warpsage-doctor-XXXXXX");
    ws_module *module = NULL;
    if (!mkdtemp(folder)) return "no temporary file could be created in /tmp";
    const char *path = cli_format(cli, "%s/doctor.cl", folder), *problem = NULL;
    FILE *file = fopen(path, "we");
    bool is_written = file && fputs(text, file) >= 0;
    if (file) is_written = fclose(file) == 0 && is_written;
    if (!is_written)
        problem = "no temporary file could be written in /tmp";
    else if (ws_module_load_file(cli->context, path, &module) != WS_OK)
        problem = doctor_problem(doctor);
    ws_module_destroy(module);
    unlink(path);
    rmdir(folder);
    /* The name of a file that is gone tells nothing. */
    size_t length = strlen(path);
    return problem && !strncmp(problem, path, length)
               ? problem + length + strspn(problem + length, ": ")
               : problem;
}

static void check_opencl(struct doctor *doctor, const struct doctor_row *clang)
{
    const char *problem = opencl_problem(doctor);
    const struct doctor_row row = {
        .id = "OpenCL C",
        .is_found = !problem,
        .version = problem ? NULL : "a kernel was compiled by clang with libclc",
        .where = clang->where,
        .problem = problem,
        .needed_for = ".cl files",
        .install = "clang and libclc-N of the same version (Debian: clang, libclc-14)",
    };
    doctor_add(doctor, &row);
}

/* ---- all --------------------------------------------------------------------------------------- */

void doctor_tools(struct doctor *doctor)
{
    static const struct {
        const char *name, *use, *install;
    } others[] = {
        {"nvcc", ".cu files (clang compiles them, too)", INSTALL("cuda-nvcc")},
        {"nvlink", "programs of several linked pieces of machine code, under warpsage run",
         INSTALL("cuda-nvcc")},
        {"nvdisasm", "warpsage calibrate, to count native instructions (or cuobjdump)",
         INSTALL("cuda-nvdisasm")},
        {"cuobjdump", "warpsage calibrate, to count native instructions (or nvdisasm)",
         INSTALL("cuda-cuobjdump")},
    };
    const char *said;
    check_ptxas(doctor);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct doctor_row row = look_for(doctor, others[i].name, "--version", &said);
        row.needed_for = others[i].use;
        row.install = others[i].install;
        doctor_add(doctor, &row);
    }
    struct doctor_row clang = look_for(doctor, "clang", "--version", &said);
    clang.needed_for = ".cl files, and .cu files without nvcc";
    clang.install = "clang";
    doctor_add(doctor, &clang);
    check_opencl(doctor, &clang);
}
