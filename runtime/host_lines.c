// SPDX-License-Identifier: Apache-2.0
#include "host_lines.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef WITH_LIBDW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#endif

#include "runtime.h"

/* A function at a line, or an address in an object where lines are unknown. */
struct frame {
    char *function;     /* without parameters; NULL: unknown */
    char *file;         /* NULL: unknown */
    int line;           /* of `file`; 0: unknown */
    const char *object; /* program or library */
    uintptr_t offset;   /* from the begin of the function, else of the object */
    const void *entry;  /* of the function; NULL: unknown */
};

/* ---- names ----------------------------------------------------------------------------------- */

/* Without parameters, arguments of templates and the return type of template functions. */
static char *shorten(const char *name)
{
    static const char anonymous[] = "(anonymous namespace)";
    if (strstr(name, "operator")) return strdup(name);
    char *out = calloc(strlen(name) + 1, 1), *to = out;
    int angles = 0;
    for (const char *c = name; out && *c; c++) {
        if (!strncmp(c, anonymous, sizeof anonymous - 1)) {
            if (!angles) to = stpcpy(to, anonymous);
            c += sizeof anonymous - 2;
        } else if (*c == '(' && !angles) {
            break;
        } else if (*c == '<') {
            angles++;
        } else if (*c == '>') {
            angles--;
        } else if (*c == ' ' && !angles) {
            *(to = out) = '\0';
        } else if (!angles) {
            *to++ = *c;
            *to = '\0';
        }
    }
    return out;
}

/* C++'s own demangler, if the program has its library. */
static char *demangle(const char *name)
{
    static char *(*function)(const char *, char *, size_t *, int *);
    static bool is_looked_for;
    if (!is_looked_for) {
        void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
        memcpy(&function, &found, sizeof found);
        is_looked_for = true;
    }
    int status = 0;
    char *full = function && !strncmp(name, "_Z", 2) ? function(name, NULL, NULL, &status) : NULL;
    char *out = shorten(full && !status ? full : name);
    free(full);
    return out;
}

/* ---- what is not the program's ------------------------------------------------------------------- */

static bool has_part(const char *path, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(path, parts[i])) return true;
    return false;
}

#define HAS_PART(path, parts) has_part(path, parts, sizeof(parts) / sizeof *(parts))

/* Headers of CUDA, its libraries and the compiler; files that nvcc makes between. */
static bool is_toolkit_file(const char *path)
{
    static const char *const made[] = {"cudafe1.stub.c", "/tmpxft_"};
    static const char *const folders[] = {
        "-linux/include/", "/cuda/include/", "/cuda_runtime/include/",
        "/crt/",           "/thrust/",       "/cub/",
        "/cuda/std/",      "/cuda/__",       "/cooperative_groups",
        "/usr/include/",   "/lib/gcc/",
    };
    static const char *const sources[] = {".c", ".cc", ".cpp", ".cxx", ".cu", ".C"};
    const char *name = strrchr(path, '/'), *ending = strrchr(path, '.');
    name = name ? name + 1 : path;
    if (HAS_PART(path, made) || !strcmp(name, "link.stub")) return true;
    for (size_t i = 0; ending && i < sizeof sources / sizeof *sources; i++)
        if (!strcmp(ending, sources[i])) return false;
    return !strncmp(name, "cuda_runtime", 12) || HAS_PART(path, folders);
}

static bool is_toolkit_function(const char *name)
{
    static const char *const prefixes[] = {
        "__device_stub__", "__cuda", "__nv_",
        "thrust::", "cub::", "cuda::", "std::", "cooperative_groups::",
        /* templates of cuda_runtime.h */
        "cudaMalloc", "cudaFree", "cudaHost", "cudaLaunch", "cudaMem", "cudaFunc", "cudaGet",
        "cudaOccupancy", "cudaGraph", "cudaStream", "cudaEvent", "cudaCreate"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) return true;
    return false;
}

/* The function by which a program calls a kernel is nvcc's. */
static bool is_toolkit(const struct frame *frame)
{
    if (frame->entry && kernel_find(frame->entry)) return true;
    return frame->file ? is_toolkit_file(frame->file)
                       : frame->function && is_toolkit_function(frame->function);
}

/* ---- one address ----------------------------------------------------------------------------- */

enum { FRAMES_MAX = 256, INLINED_MAX = 32 };

static struct frame frame_of_symbol(uintptr_t address)
{
    Dl_info info;
    struct frame frame = {.offset = address};
    if (!dladdr((const void *)address, &info)) return frame;
    frame.object = info.dli_fname;
    frame.offset = address - (uintptr_t)info.dli_fbase;
    if (!info.dli_sname) return frame;
    frame.function = demangle(info.dli_sname);
    frame.entry = info.dli_saddr;
    frame.offset = address - (uintptr_t)info.dli_saddr;
    return frame;
}

#ifdef WITH_LIBDW

/* Modules of this process. Debug files by build id are looked for on this machine only: the other function of
 * libdwfl may ask servers. */
static Dwfl *open_process(void)
{
    static Dwfl *dwfl;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_build_id_find_debuginfo};
    if (!dwfl) dwfl = dwfl_begin(&callbacks);
    if (!dwfl) return NULL;
    dwfl_report_begin(dwfl);
    dwfl_linux_proc_report(dwfl, getpid());
    dwfl_report_end(dwfl, NULL, NULL);
    return dwfl;
}

/* Libraries may have been opened since. */
static Dwfl_Module *find_module(uintptr_t address)
{
    static Dwfl *dwfl;
    Dwfl_Module *module = dwfl ? dwfl_addrmodule(dwfl, address) : NULL;
    if (!module) dwfl = open_process();
    return module || !dwfl ? module : dwfl_addrmodule(dwfl, address);
}

static bool is_function(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

static char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (!name) name = dwarf_diename(die);
    return name ? demangle(name) : NULL;
}

static char *path_of(const char *name, const char *folder)
{
    char *path = NULL;
    if (!name) return NULL;
    if (*name == '/' || !folder) return strdup(name);
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Where an inlined function was called. */
static void set_call(Dwarf_Die *inlined, Dwarf_Die *unit, const char *folder, struct frame *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Files *files;
    Dwarf_Word file, line;
    size_t count;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
        return;
    out->file = path_of(dwarf_filesrc(files, file, NULL, NULL), folder);
    out->line = (int)line;
}

/* The functions around an address, innermost first, to be freed. */
static int find_scopes(Dwfl_Module *module, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **out)
{
    Dwarf_Die *scopes = NULL, innermost;
    Dwarf_Addr bias;
    *out = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    bool found = count > 0 && dwarf_offdie(dwfl_module_getdwarf(module, &bias),
                                           dwarf_dieoffset(&scopes[0]), &innermost);
    free(scopes);
    /* Not those of the definition of an inlined function, which is elsewhere. */
    return found ? dwarf_getscopes_die(&innermost, out) : 0;
}

static unsigned find_frames(uintptr_t address, struct frame *out)
{
    Dwfl_Module *module = find_module(address);
    Dwfl_Line *line = module ? dwfl_module_getsrc(module, address) : NULL;
    Dwarf_Addr bias;
    Dwarf_Die *unit = line ? dwfl_module_addrdie(module, address, &bias) : NULL;
    if (!unit) return 0;
    struct frame place = frame_of_symbol(address);
    const char *folder = dwfl_line_comp_dir(line);
    Dwarf_Die *scopes;
    int count = find_scopes(module, unit, address - bias, &scopes);
    unsigned found = 0;
    struct frame frame = {.object = place.object};
    frame.file = path_of(dwfl_lineinfo(line, NULL, &frame.line, NULL, NULL, NULL), folder);
    for (int i = 0; i < count && found < INLINED_MAX; i++) {
        if (!is_function(&scopes[i])) continue;
        frame.function = name_of(&scopes[i]);
        out[found++] = frame;
        frame = (struct frame){.object = place.object};
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) break;
        set_call(&scopes[i], unit, folder, &frame);
    }
    free(scopes);
    if (!found) out[found++] = frame;
    struct frame *outermost = &out[found - 1];
    Dwarf_Addr start = 0;
    GElf_Sym symbol;
    GElf_Off offset;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    if (name) start = address - offset;
    outermost->entry = (const void *)(uintptr_t)start;
    if (!outermost->function && name) outermost->function = demangle(name);
    free(place.function);
    return found;
}

/* Programs without line tables still have a table of symbols, of which the dynamic loader knows few. */
static struct frame frame_without_line(uintptr_t address)
{
    struct frame frame = frame_of_symbol(address);
    Dwfl_Module *module = find_module(address);
    GElf_Sym symbol;
    GElf_Off offset;
    const char *name =
        module ? dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) : NULL;
    if (!name) return frame;
    free(frame.function);
    frame.function = demangle(name);
    frame.offset = offset;
    frame.entry = (const void *)(address - offset);
    return frame;
}

#else

static unsigned find_frames(uintptr_t address, struct frame *out)
{
    (void)address, (void)out;
    return 0;
}

static struct frame frame_without_line(uintptr_t address)
{
    return frame_of_symbol(address);
}

#endif

/* ---- all of a stack -------------------------------------------------------------------------- */

static void write_frame(FILE *out, const struct frame *frame)
{
    const char *object = frame->object ? frame->object : "?";
    if (frame->file)
        fprintf(out, "%s at %s:%d\n", frame->function ? frame->function : "?", frame->file,
                frame->line);
    else if (frame->function)
        fprintf(out, "%s+0x%zx in %s\n", frame->function, (size_t)frame->offset, object);
    else
        fprintf(out, "0x%zx in %s\n", (size_t)frame->offset, object);
}

static bool is_main(const struct frame *frame)
{
    return frame->function && !strcmp(frame->function, "main");
}

static char *write_frames(const struct frame *frames, unsigned count)
{
    char *text = NULL;
    size_t bytes;
    unsigned first = 0, end = 0;
    while (first < count && is_toolkit(&frames[first]))
        first++;
    if (first == count) first = 0; /* headers alone */
    while (end < count && !is_main(&frames[end]))
        end++;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    for (unsigned i = first; i < count && i <= end; i++)
        write_frame(out, &frames[i]);
    if (fclose(out) || !text || !*text) {
        free(text);
        return NULL;
    }
    text[strlen(text) - 1] = '\0';
    return text;
}

char *host_lines_text(const uintptr_t *return_addresses, unsigned count)
{
    struct frame *frames = calloc(FRAMES_MAX, sizeof *frames);
    unsigned found = 0;
    if (!frames) return NULL;
    for (unsigned i = 0; i < count && found + INLINED_MAX < FRAMES_MAX; i++) {
        /* A call is before the address that it returns to. */
        unsigned here = find_frames(return_addresses[i] - 1, frames + found);
        if (!here) frames[found] = frame_without_line(return_addresses[i] - 1);
        found += here ? here : 1;
    }
    char *text = write_frames(frames, found);
    for (unsigned i = 0; i < found; i++) {
        free(frames[i].function);
        free(frames[i].file);
    }
    free(frames);
    return text;
}
