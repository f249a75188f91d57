// SPDX-License-Identifier: Apache-2.0
#include "host_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host_stack.h"

static struct {
    pid_t owner; /* a child after fork has findings of its own */
    bool has_forked;
    uint64_t saved, saved_count; /* changes and findings that the file has */
    uint32_t work;               /* the stack of the call that runs work */
    bool has_told;               /* this call has a finding */
    bool has_unchecked;          /* a launch was not executed */
} state;

/* ---- start ----------------------------------------------------------------------------------- */

static unsigned tools_of(const char *list)
{
    static const struct {
        const char *name;
        unsigned tool;
    } tools[] = {{"memory", WS_CHECK_MEMORY},
                 {"init", WS_CHECK_INIT},
                 {"race", WS_CHECK_RACE},
                 {"sync", WS_CHECK_SYNC},
                 {"all", WS_CHECK_ALL}};
    unsigned set = 0;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        for (const char *at = list; (at = strstr(at, tools[i].name)) != NULL; at++)
            set |= tools[i].tool;
    return set;
}

static const char *stack_of(void *user, ws_check_host what, uint64_t address)
{
    (void)user;
    if (what == WS_CHECK_HOST_CALL) return host_stack_text(state.work);
    const struct memory_record *freed = check_memory_freed(address);
    if (what == WS_CHECK_HOST_FREED) return freed ? host_stack_text(freed->freed) : NULL;
    const struct memory_record *live = check_memory_live(address);
    return live ? host_stack_text(live->made) : freed ? host_stack_text(freed->made) : NULL;
}

ws_status check_start(void)
{
    if (!runtime.options.check) return WS_OK;
    const ws_check_options options = {
        .size = sizeof options, .tools = tools_of(runtime.options.check), .host = stack_of};
    state.owner = getpid();
    return ws_check_create(runtime.context, &options, &runtime.check);
}

/* ---- findings -------------------------------------------------------------------------------- */

static void add(const char *code, uint64_t address, uint64_t bytes, const char *format,
                va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) return;
    const struct memory_record *live = address ? check_memory_live(address) : NULL;
    const struct memory_record *freed = address && !live ? check_memory_freed(address) : NULL;
    const struct memory_record *record = live ? live : freed;
    const ws_check_finding finding = {.size = sizeof finding,
                                      .code = code,
                                      .detail = text,
                                      .host = host_stack_text(host_stack_take()),
                                      .address = address,
                                      .bytes = bytes,
                                      .memory = record ? record->call : NULL,
                                      .allocation = record ? record->address : 0,
                                      .is_freed = freed != NULL};
    if (ws_check_report(runtime.check, &finding) != WS_OK)
        tell("%s", ws_context_error(runtime.context));
    free(text);
    state.has_told = true;
}

void check_found(const char *code, const char *format, ...)
{
    va_list arguments;
    if (!check_is_on()) return;
    va_start(arguments, format);
    add(code, 0, 0, format, arguments);
    va_end(arguments);
}

void check_found_at(const char *code, uint64_t address, uint64_t bytes, const char *format, ...)
{
    va_list arguments;
    if (!check_is_on()) return;
    va_start(arguments, format);
    add(code, address, bytes, format, arguments);
    va_end(arguments);
}

void check_unchecked(const char *kernel, const char *why)
{
    if (!check_is_on()) return;
    if (ws_check_unchecked(runtime.check, kernel, why) != WS_OK)
        tell("%s", ws_context_error(runtime.context));
    state.has_unchecked = true;
}

void check_enter_work(void)
{
    if (check_is_on()) state.work = host_stack_take();
}

/* ---- the file -------------------------------------------------------------------------------- */

/* New findings at once, counts of known ones with them or at the end. */
static void save(bool is_end)
{
    uint64_t changes = ws_check_changes(runtime.check), count = ws_check_count(runtime.check);
    if (state.saved && (changes + 1 == state.saved || (!is_end && count == state.saved_count)))
        return;
    char name[32];
    snprintf(name, sizeof name, "%ld.findings", (long)getpid());
    char *path = session_path(name);
    if (path && ws_check_save(runtime.check, path) != WS_OK)
        tell("%s", ws_context_error(runtime.context));
    free(path);
    state.saved = changes + 1;
    state.saved_count = count;
}

/* What the parent found is in its file; what it allocated is its own to free. */
static void notice_fork(void)
{
    if (state.owner == getpid()) return;
    state.owner = getpid();
    state.has_forked = true;
    state.saved = state.saved_count = 0;
    ws_check_forget(runtime.check);
}

/* ---- calls that fail ------------------------------------------------------------------------- */

CUDART const char *cudaGetErrorName(cudaError_t error);
CUDART const char *cudaGetErrorString(cudaError_t error);

static const char *place_of(uint32_t stack)
{
    static _Thread_local char place[512];
    const char *text = host_stack_text(stack);
    snprintf(place, sizeof place, "%.*s", text ? (int)strcspn(text, "\n") : 17,
             text ? text : "an unknown place");
    return place;
}

/* The object that the call was given is none. */
static void tell_handle(const struct handle_miss *miss)
{
    char made[512];
    const char *call = api_current(), *kind = handle_kind_name(miss->kind);
    bool destroys = strstr(call, "Destroy") || strstr(call, "Free") || strstr(call, "Unload");
    if (!miss->was_live) {
        check_found("M25", "%s: the handle is not a %s that lives", call, kind);
        return;
    }
    snprintf(made, sizeof made, "%s", place_of(miss->made));
    check_found(destroys ? "M26" : "M25",
                "%s: the %s was destroyed\nIt was created at: %s\nIt was destroyed at: %s", call,
                kind, made, place_of(miss->gone));
}

/* Answers rather than errors, or not the program's. */
static bool is_answer(cudaError_t error)
{
    return error == cudaErrorNotReady || error == cudaErrorMemoryAllocation ||
           error == cudaErrorNotSupported || error == runtime.sticky ||
           error == runtime.start_failure;
}

void check_call_end(cudaError_t error)
{
    struct handle_miss miss;
    if (!check_is_on()) return;
    notice_fork();
    bool is_handle = handle_take_miss(&miss) && miss.handle &&
                     (error == cudaErrorInvalidResourceHandle || error == cudaErrorInvalidValue);
    if (!state.has_told && is_handle && error != runtime.sticky) tell_handle(&miss);
    if (!state.has_told && error && !is_answer(error))
        check_found("M29", "%s returned %s: %s", api_current(), cudaGetErrorName(error),
                    cudaGetErrorString(error));
    state.has_told = false;
    save(false);
}

void check_scope_end(cudaError_t error)
{
    if (!check_is_on()) return;
    api_lock();
    if (handle_has_miss()) check_call_end(error);
    api_unlock();
}

/* A program that is refused what it needs gives up early: what it has not freed then is not its mistake. */
static void look_for_leaks(void)
{
    if (!runtime.options.leaks) return;
    if (!state.has_unchecked && !session_has_missing()) {
        check_leaks();
        return;
    }
    if (ws_check_note(runtime.check, "memory: leaks were not looked for, because the program "
                                     "used what is not supported here") != WS_OK)
        tell("%s", ws_context_error(runtime.context));
}

void check_context_end(void)
{
    if (!check_is_on()) return;
    notice_fork();
    if (!state.has_forked) look_for_leaks();
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Another thread may be in a call that never ends. */
static bool lock_for_a_while(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    return pthread_mutex_timedlock(&runtime.lock, &until) == 0;
}

/* After exit or the return from main, behind all destructors: handlers run in the reverse order of their
 * registration. Not after _exit, exec or a signal. */
static void at_end(int status, void *unused)
{
    (void)status, (void)unused;
    if (!check_is_on() || !lock_for_a_while()) return;
    notice_fork();
    bool is_sound = !runtime.pending && !runtime.sticky && !state.has_forked;
    if (is_sound) look_for_leaks();
    save(true);
    api_unlock();
}

/* This library is the first to be initialised (initfirst). */
__attribute__((constructor)) static void register_end(void)
{
    on_exit(at_end, NULL);
}
