// SPDX-License-Identifier: Apache-2.0
/* The driver and its GPUs: looked at without creating a context on any of them. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/doctor.h"

#define INSTALL_DRIVER                                                                             \
    "nothing, unless this computer has an NVIDIA GPU: then its driver (Debian: nvidia-driver)"

#if defined(WARPSAGE_STATIC)
#define NOT_OPENED "cannot be opened: this warpsage is linked statically"
#else
#define NOT_OPENED "cannot be opened"
#endif

/* A function pointer out of the library; false: it has no such function. */
static bool find(void *library, const char *symbol, void *out)
{
    void *found = dlsym(library, symbol);
    memcpy(out, &found, sizeof found);
    return found != NULL;
}

static const char *path_of(struct doctor *doctor, void *library, const char *symbol,
                           const char *name)
{
    Dl_info info;
    void *found = dlsym(library, symbol);
    bool is_known = found && dladdr(found, &info) != 0 && info.dli_fname;
    return cli_copy(doctor->cli, is_known ? info.dli_fname : name);
}

static const char *error_text(struct doctor *doctor, const char *function, int error)
{
    return cli_format(doctor->cli, "%s fails with error %d", function, error);
}

static void add_devices(struct doctor *doctor, void *library, const char *path)
{
    enum { NAME_BYTES = 128, CC_MAJOR = 75, CC_MINOR = 76 };
    int (*count_of)(int *), (*get)(int *, int), (*name_of)(char *, int, int);
    int (*attribute)(int *, int, int), count = 0, device, major = 0, minor = 0;
    if (!find(library, "cuDeviceGetCount", &count_of) || !find(library, "cuDeviceGet", &get) ||
        !find(library, "cuDeviceGetName", &name_of) ||
        !find(library, "cuDeviceGetAttribute", &attribute))
        return;
    if (count_of(&count) != 0) count = 0;
    for (int i = 0; i < count; i++) {
        char name[NAME_BYTES] = "";
        bool is_found = get(&device, i) == 0 && name_of(name, NAME_BYTES - 1, device) == 0 &&
                        attribute(&major, CC_MAJOR, device) == 0 &&
                        attribute(&minor, CC_MINOR, device) == 0;
        const struct doctor_row row = {
            .id = cli_format(doctor->cli, "GPU %d", i),
            .is_found = is_found,
            .version = is_found ? cli_format(doctor->cli, "%s, compute capability %d.%d", name,
                                             major, minor)
                                : NULL,
            .where = path,
            .problem = is_found ? NULL : "the driver does not describe it",
            .needed_for = "warpsage calibrate, warpsage validate --gpu-here",
            .install = INSTALL_DRIVER,
        };
        doctor_add(doctor, &row);
    }
}

static void check_driver(struct doctor *doctor)
{
    struct doctor_row row = {.id = "NVIDIA driver",
                             .needed_for = "warpsage calibrate, warpsage validate --gpu-here; "
                                           "predictions need none",
                             .install = INSTALL_DRIVER};
    int (*init)(unsigned), (*version_of)(int *), version = 0, error;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        row.problem = "libcuda.so.1 " NOT_OPENED;
        doctor_add(doctor, &row);
        return;
    }
    row.where = path_of(doctor, library, "cuInit", "libcuda.so.1");
    if (!find(library, "cuInit", &init) || !find(library, "cuDriverGetVersion", &version_of)) {
        row.problem = "it has no cuInit: not a CUDA driver";
    } else if ((error = init(0)) != 0) {
        row.problem = error_text(doctor, "cuInit", error);
    } else {
        row.is_found = true;
        if (version_of(&version) == 0)
            row.version =
                cli_format(doctor->cli, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    }
    doctor_add(doctor, &row);
    if (row.is_found) add_devices(doctor, library, row.where);
    dlclose(library);
}

static void check_nvml(struct doctor *doctor)
{
    enum { VERSION_BYTES = 96 };
    char version[VERSION_BYTES] = "";
    struct doctor_row row = {.id = "NVML",
                             .needed_for = "power and temperatures of warpsage calibrate",
                             .install = INSTALL_DRIVER};
    int (*init)(void), (*version_of)(char *, unsigned), (*shut_down)(void), error;
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        row.problem = "libnvidia-ml.so.1 " NOT_OPENED;
        doctor_add(doctor, &row);
        return;
    }
    row.where = path_of(doctor, library, "nvmlInit_v2", "libnvidia-ml.so.1");
    if (!find(library, "nvmlInit_v2", &init) || !find(library, "nvmlShutdown", &shut_down)) {
        row.problem = "it has no nvmlInit_v2: not NVML";
    } else if ((error = init()) != 0) {
        row.problem = error_text(doctor, "nvmlInit_v2", error);
    } else {
        row.is_found = true;
        if (find(library, "nvmlSystemGetDriverVersion", &version_of) &&
            version_of(version, VERSION_BYTES - 1) == 0)
            row.version = cli_format(doctor->cli, "driver %s", version);
        shut_down();
    }
    doctor_add(doctor, &row);
    dlclose(library);
}

void doctor_gpu(struct doctor *doctor)
{
    check_driver(doctor);
    check_nvml(doctor);
}
