// SPDX-License-Identifier: Apache-2.0
/* Functions of the CUDA device runtime: vprintf, __assertfail, malloc, free, cudaMalloc and cudaFree (decode/builtins.def).
 *
 * vprintf gets the addresses of a format and of a buffer in which the arguments lie one after the
 * other, each aligned to its size: 4 bytes for int and less, 8 for long long and double, a pointer's
 * for long, %s and %p (CUDA C++ Programming Guide, formatted output). */
#include <stdio.h>
#include <string.h>

#include "emulate/builtin.h"
#include "emulate/check_heap.h"
#include "emulate/defined.h"

enum { ARGUMENTS_MAX = 32 };  /* conversions beyond them are printed as they stand (guide) */
enum { FIELD_MAX = 1 << 12 }; /* width and precision; beyond it a text says nothing more */

/* ---- the caller's memory --------------------------------------------------------------------- */

static bool is_native(const struct caller *caller)
{
    return caller->x->launch->program->native_code;
}

/* Native: arguments lie one after the other in registers from R4 on, those of 8 bytes in pairs that begin with an even
 * register; what does not fit lies in the same way at the stack pointer, R1. The result is where the first one was. */
enum { ABI_STACK = 1, ABI_FIRST = 4, ABI_COUNT = 12 };

static uint32_t *native_register(const struct caller *caller, unsigned number)
{
    uint32_t *all = (uint32_t *)(void *)caller->x->base[BASE_FRAME];
    return all + number * WARP_LANES + caller->lane;
}

/* Word k of them. */
static uint32_t abi_word(const struct caller *caller, unsigned k)
{
    const struct exec *x = caller->x;
    uint32_t value = 0;
    if (k < ABI_COUNT) return *native_register(caller, ABI_FIRST + k);
    uint64_t at = *native_register(caller, ABI_STACK) + UINT64_C(4) * (k - ABI_COUNT);
    if (at + sizeof value <= x->local_stride)
        memcpy(&value, x->locals + (size_t)caller->lane * x->local_stride + at, sizeof value);
    return value;
}

/* Words from `at` on: where one of this kind begins, and what is behind it. */
static unsigned abi_begin(char place, unsigned at)
{
    return place == '8' || place == 'k' ? (at + 1) / 2 * 2 : at;
}
static unsigned abi_end(char place, unsigned at)
{
    return abi_begin(place, at) + (place == '4' ? 1 : place == 'd' ? 3 : 2);
}

static unsigned abi_place(const struct caller *caller, unsigned k)
{
    unsigned at = 0;
    for (unsigned i = 0; i < k; i++)
        at = abi_end(caller->places[i], at);
    return abi_begin(caller->places[k], at);
}

static uint64_t abi_argument(const struct caller *caller, unsigned k)
{
    unsigned at = abi_place(caller, k);
    if (caller->places[k] == '4') return abi_word(caller, at);
    return abi_word(caller, at) | (uint64_t)abi_word(caller, at + 1) << 32;
}

static void frame_argument(const struct caller *caller, unsigned k, void *out, size_t bytes)
{
    const struct exec *x = caller->x;
    const struct call_value *from = &caller->code->site->arguments[k];
    memcpy(out, call_value_place(x, x->warp, x->frame, from, caller->lane),
           from->bytes < bytes ? from->bytes : bytes);
}

uint64_t builtin_argument(const struct caller *caller, unsigned k)
{
    uint64_t value = 0;
    if (is_native(caller)) return abi_argument(caller, k);
    frame_argument(caller, k, &value, sizeof value);
    return value;
}

void builtin_dim3(const struct caller *caller, unsigned k, uint32_t out[3])
{
    unsigned at = abi_place(caller, k);
    memset(out, 0, 3 * sizeof *out);
    for (unsigned i = 0; is_native(caller) && i < 3; i++)
        out[i] = abi_word(caller, at + i);
    if (!is_native(caller)) frame_argument(caller, k, out, 3 * sizeof *out);
}

void builtin_result(const struct caller *caller, uint64_t value)
{
    const struct exec *x = caller->x;
    if (is_native(caller)) {
        *native_register(caller, ABI_FIRST) = (uint32_t)value;
        if (caller->places[strlen(caller->places) - 1] == '8')
            *native_register(caller, ABI_FIRST + 1) = (uint32_t)(value >> 32);
        return;
    }
    const struct call_value *to = &caller->code->site->returns[0];
    memcpy(call_value_place(x, x->warp, x->frame, to, caller->lane), &value,
           to->bytes < sizeof value ? to->bytes : sizeof value);
    if (x->tracks) defined_result(x, to, caller->lane);
}

unsigned char *builtin_bytes(const struct caller *caller, uint64_t address, uint64_t *room)
{
    const struct exec *x = caller->x;
    const struct launch *launch = x->launch;
    const struct {
        const unsigned char *host;
        uint64_t bytes;
    } spaces[SPACE_COUNT] = {
        [SPACE_SHARED] = {x->shared, launch->shared_end},
        [SPACE_LOCAL] = {x->locals + (size_t)caller->lane * x->local_stride, x->local_stride},
        [SPACE_PARAM] = {launch->parameters, launch->parameter_bytes},
    };
    enum mem_space space = window_of(address);
    uint64_t at = window_offset(address, space);
    if (at < spaces[space].bytes) {
        *room = spaces[space].bytes - at;
        return (unsigned char *)(uintptr_t)spaces[space].host + at;
    }
    const struct allocation *found = devmem_find(launch->memory, address);
    if (found && found->rule) devmem_touch(launch->memory, found, 0, found->bytes);
    *room = found ? found->address + found->bytes - address : 0;
    return found ? devmem_host(launch->memory, address) : NULL;
}

static bool refuse_access(const struct caller *caller, uint64_t address, uint32_t bytes,
                          bool is_store)
{
    const struct uop u = {
        .insn = caller->code->last, .space = SPACE_GENERIC, .bytes = (uint8_t)bytes};
    fault_memory(caller->x, &u, FAULT_OUT_OF_BOUNDS, caller->lane, address);
    caller->x->fault.store = is_store;
    return false;
}

bool builtin_write(const struct caller *caller, uint64_t address, const void *from, uint32_t bytes)
{
    uint64_t room;
    struct exec *x = caller->x;
    unsigned char *to = builtin_bytes(caller, address, &room);
    if (!to || room < bytes || window_of(address) == SPACE_PARAM)
        return refuse_access(caller, address, bytes, true);
    memcpy(to, from, bytes);
    struct allocation *found = devmem_find(x->launch->memory, address);
    if (found) devmem_written(found, address, bytes);
    if (x->tracks) defined_written(x, caller->lane, address, bytes);
    return true;
}

static bool refuse_read(const struct caller *caller, uint64_t address, uint32_t bytes)
{
    return refuse_access(caller, address, bytes, false);
}

/* The text at an address: up to its end or, if that comes first, `most` bytes. */
static bool guest_text(const struct caller *caller, uint64_t address, uint64_t most,
                       const char **text, size_t *length)
{
    uint64_t room;
    const unsigned char *host = builtin_bytes(caller, address, &room);
    if (!host) return refuse_read(caller, address, 1);
    const unsigned char *end = memchr(host, 0, room < most ? room : most);
    if (!end && most > room) return refuse_read(caller, address + room, 1);
    *text = (const char *)host;
    *length = end ? (size_t)(end - host) : (size_t)most;
    return true;
}

/* ---- vprintf --------------------------------------------------------------------------------- */

/* %[flags][width][.precision][size]type */
struct conversion {
    char flags[6];
    int width, precision;              /* precision -1: none */
    bool width_given, precision_given; /* by an argument, `*` */
    unsigned bytes;                    /* of the argument */
    unsigned short_bits;               /* of h and hh, else 0 */
    char type;
};

struct printing {
    struct caller caller;
    uint64_t cursor; /* address of the next argument */
    unsigned arguments, pointer_bytes;
    bool has_told; /* of an undefined argument */
    struct strbuf text;
};

static const char *read_number(const char *at, int *out)
{
    int value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (*at - '0') > FIELD_MAX ? FIELD_MAX : value * 10 + (*at - '0');
    *out = value;
    return at;
}

static const char *read_size(const char *at, const struct printing *p, struct conversion *c)
{
    c->bytes = 4;
    c->short_bits = 0;
    for (; *at && strchr("hljztL", *at); at++) {
        if (*at == 'h')
            c->short_bits = c->short_bits ? 8 : 16;
        else
            c->bytes = *at == 'j' || at[-1] == 'l' ? 8 : p->pointer_bytes;
    }
    return at;
}

/* What stands behind a '%'. NULL if it is no conversion that a kernel can print. */
static const char *read_conversion(const char *at, const struct printing *p, struct conversion *c)
{
    *c = (struct conversion){.precision = -1};
    for (unsigned n = 0; *at && strchr("-+ #0", *at); at++)
        if (!strchr(c->flags, *at)) c->flags[n++] = *at;
    c->width_given = *at == '*';
    at = c->width_given ? at + 1 : read_number(at, &c->width);
    if (*at == '.') {
        c->precision_given = *++at == '*';
        at = c->precision_given ? at + 1 : read_number(at, &c->precision);
    }
    at = read_size(at, p, c);
    c->type = *at;
    if (!*at || !strchr("diouxXcspaAeEfFgG", *at)) return NULL;
    if (*at == 's' || *at == 'p') c->bytes = p->pointer_bytes;
    if (strchr("aAeEfFgG", *at)) c->bytes = 8;
    return at + 1;
}

static void check_argument(struct printing *p, uint64_t address, unsigned bytes)
{
    char detail[64];
    struct exec *x = p->caller.x;
    bool is_bad = x->tracks && !defined_bytes_at(x, p->caller.lane, address, bytes);
    if (!is_bad || p->has_told) return;
    p->has_told = true;
    snprintf(detail, sizeof detail, "argument %u behind the format is not initialised",
             p->arguments + 1);
    defined_report(x, CHECK_CODE_UNDEFINED_PRINT, p->caller.code->last, 1u << p->caller.lane, 0,
                   detail);
}

static bool next_argument(struct printing *p, unsigned bytes, uint64_t *out)
{
    uint64_t room, address = (p->cursor + bytes - 1) & ~(uint64_t)(bytes - 1);
    const unsigned char *host = builtin_bytes(&p->caller, address, &room);
    *out = 0;
    if (!host || room < bytes) return refuse_read(&p->caller, address, bytes);
    memcpy(out, host, bytes);
    check_argument(p, address, bytes);
    p->cursor = address + bytes;
    p->arguments++;
    return true;
}

/* A field that an argument gives; false: it could not be read. */
static bool take_field(struct printing *p, bool given, int *field)
{
    uint64_t value;
    if (!given) return true;
    if (!next_argument(p, 4, &value)) return false;
    int32_t wanted = (int32_t)(uint32_t)value;
    *field = wanted > FIELD_MAX ? FIELD_MAX : wanted < -FIELD_MAX ? -FIELD_MAX : wanted;
    return true;
}

static int64_t as_signed(const struct conversion *c, uint64_t value)
{
    unsigned bits = c->short_bits ? c->short_bits : 8 * c->bytes;
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}
static uint64_t as_unsigned(const struct conversion *c, uint64_t value)
{
    unsigned bits = c->short_bits ? c->short_bits : 8 * c->bytes;
    return value << (64 - bits) >> (64 - bits);
}

static bool print_string(struct printing *p, const struct conversion *c, const char *format,
                         uint64_t address)
{
    static const char null[] = "(null)";
    const char *text = null;
    size_t length = sizeof null - 1;
    uint64_t most = c->precision < 0 ? UINT64_MAX : (uint64_t)c->precision;
    if (address && !guest_text(&p->caller, address, most, &text, &length)) return false;
    if (length > INT32_MAX) length = INT32_MAX;
    strbuf_printf(&p->text, format, c->width, (int)length, text);
    return true;
}

static bool print_value(struct printing *p, const struct conversion *c, uint64_t value)
{
    char format[16];
    const char *fields = c->type == 'c' || c->type == 'p' ? "*" : "*.*";
    bool is_integer = strchr("diouxX", c->type) != NULL;
    double real;
    memcpy(&real, &value, sizeof real);
    snprintf(format, sizeof format, "%%%s%s%s%c", c->flags, fields, is_integer ? "ll" : "",
             c->type);
    switch (c->type) {
    case 's':
        return print_string(p, c, format, value);
    case 'c':
        strbuf_printf(&p->text, format, c->width, (int)(unsigned char)value);
        return true;
    case 'p':
        strbuf_printf(&p->text, format, c->width, (void *)(uintptr_t)value);
        return true;
    case 'd':
    case 'i':
        strbuf_printf(&p->text, format, c->width, c->precision, (long long)as_signed(c, value));
        return true;
    default:
        if (is_integer)
            strbuf_printf(&p->text, format, c->width, c->precision,
                          (unsigned long long)as_unsigned(c, value));
        else
            strbuf_printf(&p->text, format, c->width, c->precision, real);
        return true;
    }
}

static bool print_conversion(struct printing *p, struct conversion *c)
{
    uint64_t value;
    return take_field(p, c->width_given, &c->width) &&
           take_field(p, c->precision_given, &c->precision) && next_argument(p, c->bytes, &value) &&
           print_value(p, c, value);
}

static bool print_format(struct printing *p, const char *format)
{
    struct conversion c;
    while (*format) {
        size_t plain = strcspn(format, "%");
        strbuf_append(&p->text, format, plain);
        format += plain;
        if (!*format) break;
        const char *next = format[1] == '%' ? NULL : read_conversion(format + 1, p, &c);
        unsigned needed = next ? 1u + c.width_given + c.precision_given : 0;
        if (next && p->arguments + needed <= ARGUMENTS_MAX) {
            if (!print_conversion(p, &c)) return false;
            format = next;
            continue;
        }
        strbuf_putc(&p->text, '%');
        format += format[1] == '%' ? 2 : 1;
    }
    return true;
}

/* The result: how many arguments were printed; -1 if there is no format (guide). */
static bool call_vprintf(const struct caller *caller)
{
    struct exec *x = caller->x;
    struct printing p = {.caller = *caller,
                         .cursor = builtin_argument(caller, 1),
                         .pointer_bytes = x->launch->program->module->address_bits / 8};
    const char *format;
    size_t length;
    uint64_t address = builtin_argument(caller, 0);
    builtin_result(caller, UINT32_MAX);
    if (!address) return true;
    if (!guest_text(caller, address, UINT64_MAX, &format, &length)) return false;
    bool printed = print_format(&p, format);
    if (printed && x->launch->printed)
        print_log_add(x->launch->printed, x->block->order, &x->block->printed, p.text.data,
                      p.text.length);
    strbuf_clear(&p.text);
    builtin_result(caller, p.arguments);
    return printed;
}

/* ---- __assertfail ---------------------------------------------------------------------------- */

static void add_text(struct strbuf *out, const struct caller *caller, unsigned k)
{
    enum { SHOWN_MAX = 1024 };
    const char *text = "?";
    size_t length = 1;
    uint64_t address = builtin_argument(caller, k), room;
    if (builtin_bytes(caller, address, &room))
        guest_text(caller, address, room < SHOWN_MAX ? room : SHOWN_MAX, &text, &length);
    strbuf_append(out, text, length);
}

/* __assertfail(message, file, line, function, size of a character) */
static bool call_assertfail(const struct caller *caller)
{
    struct exec *x = caller->x;
    struct strbuf text = {0};
    strbuf_puts(&text, "  ");
    add_text(&text, caller, 1);
    strbuf_printf(&text, ":%u: ", (unsigned)builtin_argument(caller, 2));
    add_text(&text, caller, 3);
    strbuf_puts(&text, ": assertion '");
    add_text(&text, caller, 0);
    strbuf_puts(&text, "' failed");
    fault_at(x, FAULT_ASSERT, caller->code->last, 1u << caller->lane);
    x->fault.detail = strbuf_take(&text);
    return false;
}

/* ---- malloc and free -------------------------------------------------------------------------- */

void builtin_renew(const struct caller *caller, uint64_t address, uint64_t bytes)
{
    if (caller->x->tracks) defined_forget(caller->x, address, bytes);
    order_cleared(caller->x->launch->device, address, bytes);
}

static uint64_t allocate(const struct caller *caller, uint64_t bytes)
{
    struct heap *heap = &caller->x->launch->device->heap;
    uint64_t address = heap->blocks ? check_heap_take(caller->x, caller->code->last, bytes)
                                    : heap_take(heap, bytes);
    if (address) builtin_renew(caller, address, bytes);
    return address;
}

static bool call_malloc(const struct caller *caller)
{
    builtin_result(caller, allocate(caller, builtin_argument(caller, 0)));
    return true;
}

/* Errors of the CUDA runtime. */
enum { CUDA_SUCCESS_HERE = 0, CUDA_ERROR_MEMORY_HERE = 2 };

static bool call_cuda_malloc(const struct caller *caller)
{
    uint64_t to = builtin_argument(caller, 0),
             address = allocate(caller, builtin_argument(caller, 1));
    builtin_result(caller, address ? CUDA_SUCCESS_HERE : CUDA_ERROR_MEMORY_HERE);
    return builtin_write(caller, to, &address, sizeof address);
}

static bool call_free(const struct caller *caller)
{
    uint64_t address = builtin_argument(caller, 0);
    struct heap *heap = &caller->x->launch->device->heap;
    bool is_given = heap->blocks ? check_heap_give(caller->x, caller->code->last, address)
                                 : heap_give(heap, address);
    if (is_given) return true;
    struct strbuf text = {0};
    strbuf_printf(&text, "  free(0x%llx)", (unsigned long long)address);
    if (heap->blocks) check_heap_refusal(heap, address, &text);
    fault_at(caller->x, FAULT_FREE, caller->code->last, 1u << caller->lane);
    caller->x->fault.detail = strbuf_take(&text);
    return false;
}

static bool call_cuda_free(const struct caller *caller)
{
    bool is_given = call_free(caller);
    builtin_result(caller, CUDA_SUCCESS_HERE);
    return is_given;
}

static bool call(const struct caller *caller, enum builtin builtin)
{
    static bool (*const calls[])(const struct caller *) = {
        [BUILTIN_VPRINTF] = call_vprintf,         [BUILTIN_ASSERTFAIL] = call_assertfail,
        [BUILTIN_MALLOC] = call_malloc,           [BUILTIN_FREE] = call_free,
        [BUILTIN_CUDA_MALLOC] = call_cuda_malloc, [BUILTIN_CUDA_FREE] = call_cuda_free,
    };
    return builtin < BUILTIN_DEVICE_CALLS ? calls[builtin](caller)
                                          : builtin_device(caller, builtin);
}

void builtin_call(struct exec *x, const struct code *code, enum builtin builtin, uint32_t lanes)
{
    static const char *const places[] = {
#define BUILTIN(name, text, parameters, results, bytes) [BUILTIN_##name] = bytes,
#include "decode/builtins.def"
#undef BUILTIN
    };
    struct caller caller = {.x = x, .code = code, .places = places[builtin]};
    for (uint32_t left = lanes; left; left &= left - 1) {
        caller.lane = (uint32_t)__builtin_ctz(left);
        if (launch_cancelled(x->launch)) { /* texts may be megabytes each */
            fault_at(x, FAULT_CANCELLED, code->last, left);
            return;
        }
        if (!call(&caller, builtin) && !check_goes_on(x)) return;
    }
}
