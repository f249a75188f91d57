// SPDX-License-Identifier: Apache-2.0
/* Profiles as files, with the warp traces that lie beside them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/trace_file.h"

/* A file in the same folder by its name alone, so that both may be moved; others by their whole path. */
static const char *name_from(struct arena *arena, const char *path, const char *profile_path)
{
    char file_room[PATH_MAX], folder_room[PATH_MAX], *folder = arena_copy(arena, profile_path);
    const char *file = realpath(path, file_room);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = '\0';
    folder = realpath(slash ? folder : ".", folder_room);
    const char *name = arena_copy(arena, file ? file : path);
    size_t length = folder ? strlen(folder) : 0;
    if (length > 1 && !strncmp(name, folder, length) && name[length] == '/' &&
        !strchr(name + length + 1, '/'))
        name += length + 1;
    return name;
}

ws_status profile_save(struct diag *diag, const struct profile *profile, const char *path)
{
    struct arena arena = {0};
    const char *trace = profile->trace && profile->trace_path ? profile->trace_path : NULL;
    char *text = profile_to_json_with(profile, trace ? name_from(&arena, trace, path) : NULL);
    ws_status status = text_write_file(diag, path, text, strlen(text));
    mem_free(text);
    arena_clear(&arena);
    return status;
}

static ws_status read_file(struct diag *diag, const char *path, struct profile **out)
{
    struct arena arena = {0};
    char *text;
    size_t size;
    *out = NULL;
    ws_status status = text_read_at_most(diag, &arena, path, TEXT_MOST_PROFILE, &text, &size);
    if (status == WS_OK && trace_file_recognises(text, size)) {
        status = trace_file_read(diag, path, text, size, out);
        if (status == WS_OK) (*out)->trace_path = arena_copy(&(*out)->arena, path);
    } else if (status == WS_OK) {
        status = profile_load_memory(diag, path, text, size, out);
    }
    arena_clear(&arena);
    return status;
}

/* The traces of the file that the profile names, seen from its own folder. */
static ws_status read_trace(struct diag *diag, const char *path, struct profile *profile)
{
    struct profile *other;
    const char *slash = strrchr(path, '/');
    bool is_beside = profile->trace_path[0] != '/' && slash && !text_is_descriptor(path);
    int folder = is_beside ? (int)(slash + 1 - path) : 0;
    profile->trace_path =
        arena_format(&profile->arena, "%.*s%s", folder, path, profile->trace_path);
    ws_status status = read_file(diag, profile->trace_path, &other);
    if (status == WS_OK && !other->trace)
        status = diag_error(diag, WS_ERR_INPUT, "%s: error: contains no warp traces",
                            profile->trace_path);
    if (status == WS_OK && !trace_fits(other->trace, profile))
        status = diag_error(diag, WS_ERR_INPUT,
                            "%s: error: its warp traces, from %s, belong to another launch",
                            profile->trace_path, other->kernel);
    if (status == WS_OK) profile->trace = trace_share(other->trace);
    if (status != WS_OK) diag_add(diag, "    named by trace_file in %s", path);
    profile_destroy(other);
    return status;
}

ws_status profile_load(struct diag *diag, const char *path, struct profile **out)
{
    *out = NULL;
    TRY(read_file(diag, path, out));
    if ((*out)->trace || !(*out)->trace_path) return WS_OK;
    ws_status status = read_trace(diag, path, *out);
    if (status == WS_OK) return WS_OK;
    profile_destroy(*out);
    *out = NULL;
    return status;
}
