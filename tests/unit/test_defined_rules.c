// SPDX-License-Identifier: Apache-2.0
/* What operations make of undefined bits, against the definition: a bit of a result is undefined if the undefined bits of
 * the sources can change it. Sources are (u & mask) ^ value, where u is memory that was never written: undefined just in
 * the bits of the mask. The same kernel runs without checks for all, or many, contents of u; a bit that differs between
 * two of these runs must be undefined. Of `exact` operations no other may be, if all contents were tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulate/exec.h"

enum { LANES = 32, BITS = 64, SOURCES = 4, VARIATIONS = 64, ROUNDS = 6 };

static const struct {
    const char *text;  /* %d, %a, %b, %c, %e; %q: a second result */
    const char *types; /* of the result and the sources: h 16, w 32, d 64 bits, p predicate */
    bool exact;
} operations[] = {
    {"mov.b32 %d, %a;", "ww", true},
    {"mov.b64 %d, {%a, %b};", "dww", true},
    {"mov.b32 %d, {%a, %b};", "whh", true},
    {"mov.b64 {%q, %d}, %a;", "wd", true},
    {"and.b32 %d, %a, %b;", "www", true},
    {"or.b64 %d, %a, %b;", "ddd", true},
    {"xor.b32 %d, %a, %b;", "www", true},
    {"not.b16 %d, %a;", "hh", true},
    {"lop3.b32 %d, %a, %b, %c, 0x1b;", "wwww", true},
    {"lop3.b32 %d, %a, %b, %c, 0xe8;", "wwww", true},
    {"cnot.b32 %d, %a;", "ww", false},
    {"shl.b32 %d, %a, 7;", "ww", true},
    {"shr.s32 %d, %a, 9;", "ww", true},
    {"shr.u64 %d, %a, 33;", "dd", true},
    {"shl.b32 %d, %a, %b;", "www", false},
    {"shf.l.wrap.b32 %d, %a, %b, 11;", "www", true},
    {"shf.r.clamp.b32 %d, %a, %b, %c;", "wwww", false},
    {"bfe.s32 %d, %a, 5, 9;", "ww", true},
    {"bfe.u64 %d, %a, 40, 30;", "dd", true},
    {"bfe.u32 %d, %a, %b, %c;", "wwww", false},
    {"bfi.b32 %d, %a, %b, 4, 11;", "www", true},
    {"bfi.b64 %d, %a, %b, 4, 40;", "ddd", true},
    {"prmt.b32 %d, %a, %b, 0x7204;", "www", true},
    {"prmt.b32 %d, %a, %b, 0x9c3f;", "www", true},
    {"prmt.b32 %d, %a, %b, %c;", "wwww", false},
    {"brev.b32 %d, %a;", "ww", true},
    {"szext.clamp.s32 %d, %a, 13;", "ww", true},
    {"bmsk.clamp.b32 %d, %a, %b;", "www", false},
    {"popc.b32 %d, %a;", "ww", false},
    {"popc.b64 %d, %a;", "wd", false},
    {"clz.b32 %d, %a;", "ww", false},
    {"clz.b64 %d, %a;", "wd", false},
    {"bfind.u32 %d, %a;", "ww", false},
    {"bfind.s32 %d, %a;", "ww", false},
    {"bfind.shiftamt.u64 %d, %a;", "wd", false},
    {"fns.b32 %d, %a, %b, 1;", "www", false},
    {"add.s32 %d, %a, %b;", "www", false},
    {"add.u64 %d, %a, %b;", "ddd", false},
    {"add.s16 %d, %a, %b;", "hhh", false},
    {"add.sat.s32 %d, %a, %b;", "www", false},
    {"add.u16x2 %d, %a, %b;", "www", false},
    {"sub.s32 %d, %a, %b;", "www", false},
    {"sub.s64 %d, %a, %b;", "ddd", false},
    {"neg.s32 %d, %a;", "ww", false},
    {"abs.s32 %d, %a;", "ww", false},
    {"mul.lo.s32 %d, %a, %b;", "www", false},
    {"mul.lo.u64 %d, %a, %b;", "ddd", false},
    {"mul.lo.s32 %d, %a, 24;", "ww", false},
    {"mul.lo.s32 %d, %a, 0;", "ww", true},
    {"mul.wide.s32 %d, %a, 4;", "dw", false},
    {"mul.wide.u32 %d, %a, %b;", "dww", false},
    {"mul.wide.s32 %d, %a, %b;", "dww", false},
    {"mul.wide.s16 %d, %a, %b;", "whh", false},
    {"mul.hi.u32 %d, %a, %b;", "www", false},
    {"mul.hi.s64 %d, %a, %b;", "ddd", false},
    {"mad.lo.s32 %d, %a, %b, %c;", "wwww", false},
    {"mad.wide.s32 %d, %a, 8, %b;", "dwd", false},
    {"mad.wide.u32 %d, %a, %b, %c;", "dwwd", false},
    {"mad.hi.s32 %d, %a, %b, %c;", "wwww", false},
    {"mad.lo.s16 %d, %a, %b, %c;", "hhhh", false},
    {"mul24.lo.s32 %d, %a, %b;", "www", false},
    {"mad24.lo.u32 %d, %a, %b, %c;", "wwww", false},
    {"sad.s32 %d, %a, %b, %c;", "wwww", false},
    {"dp4a.s32.u32 %d, %a, %b, %c;", "wwww", false},
    {"dp2a.lo.s32.u32 %d, %a, %b, %c;", "wwww", false},
    {"add.cc.u32 %q, %a, %b; addc.u32 %d, %c, 5;", "wwww", false},
    {"sub.cc.u32 %q, %a, %b; subc.u32 %d, %c, 5;", "wwww", false},
    {"mad.lo.cc.u32 %q, %a, %b, 3; madc.hi.u32 %d, %a, %b, %c;", "wwww", false},
    {"add.cc.u64 %d, %a, %b;", "ddd", false},
    {"div.u32 %d, %a, 10;", "ww", false},
    {"rem.s32 %d, %a, 7;", "ww", false},
    {"rem.u64 %d, %a, 8;", "dd", false},
    {"min.s32 %d, %a, %b;", "www", false},
    {"min.u32 %d, %a, %b;", "www", false},
    {"max.s64 %d, %a, %b;", "ddd", false},
    {"max.u16 %d, %a, %b;", "hhh", false},
    {"max.s16x2 %d, %a, %b;", "www", false},
    {"min.f32 %d, %a, %b;", "www", false},
    {"add.f32 %d, %a, %b;", "www", false},
    {"mul.f32 %d, %a, %b;", "www", false},
    {"fma.rn.f32 %d, %a, %b, %c;", "wwww", false},
    {"fma.rn.f64 %d, %a, %b, %c;", "dddd", false},
    {"neg.f32 %d, %a;", "ww", false},
    {"abs.f32 %d, %a;", "ww", false},
    {"rcp.rn.f32 %d, %a;", "ww", false},
    {"sqrt.rn.f64 %d, %a;", "dd", false},
    {"copysign.f32 %d, %a, %b;", "www", true},
    {"add.f16x2 %d, %a, %b;", "www", false},
    {"fma.rn.bf16x2 %d, %a, %b, %c;", "wwww", false},
    {"add.f16 %d, %a, %b;", "hhh", false},
    {"max.f16x2 %d, %a, %b;", "www", false},
    {"cvt.u64.u32 %d, %a;", "dw", true},
    {"cvt.s64.s32 %d, %a;", "dw", true},
    {"cvt.s32.s16 %d, %a;", "wh", true},
    {"cvt.u32.u8 %d, %a;", "ww", true},
    {"cvt.s32.s8 %d, %a;", "ww", true},
    {"cvt.u16.u32 %d, %a;", "hw", true},
    {"cvt.u32.u64 %d, %a;", "wd", true},
    {"cvt.sat.u8.s32 %d, %a;", "ww", false},
    {"cvt.rn.f32.s32 %d, %a;", "ww", false},
    {"cvt.rzi.s32.f32 %d, %a;", "ww", false},
    {"cvt.rn.f16.f32 %d, %a;", "hw", false},
    {"cvt.f32.f16 %d, %a;", "wh", false},
    {"cvt.rn.f16x2.f32 %d, %a, %b;", "www", false},
    {"cvt.rn.bf16x2.f32 %d, %a, %b;", "www", false},
    {"cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", "wwww", false},
    {"selp.b32 %d, %a, %b, %c;", "wwwp", true},
    {"selp.b64 %d, %a, %b, %c;", "dddp", true},
    {"slct.b32.s32 %d, %a, %b, %c;", "wwww", true},
    {"slct.b32.f32 %d, %a, %b, %c;", "wwww", false},
    {"setp.eq.u32 %d, %a, %b;", "pww", true},
    {"setp.ne.b64 %d, %a, %b;", "pdd", true},
    {"setp.lt.s32 %d, %a, %b;", "pww", true},
    {"setp.le.u32 %d, %a, %b;", "pww", true},
    {"setp.gt.s16 %d, %a, %b;", "phh", true},
    {"setp.hs.u64 %d, %a, %b;", "pdd", true},
    {"setp.ge.s64 %d, %a, 0;", "pd", true},
    {"setp.lt.u32 %d, %a, 256;", "pw", true},
    {"setp.lt.f32 %d, %a, %b;", "pww", false},
    {"setp.lt.f16x2 %d|%q, %a, %b;", "pww", false},
    {"setp.lt.f16x2 %q|%d, %a, %b;", "pww", false},
    {"setp.lt.and.s32 %d, %a, %b, %c;", "pwwp", true},
    {"setp.lt.or.s32 %d, %a, %b, !%c;", "pwwp", true},
    {"setp.eq.xor.s32 %d, %a, %b, %c;", "pwwp", false},
    {"setp.lt.and.s32 %q|%d, %a, %b, %c;", "pwwp", true},
    {"set.lt.u32.s32 %d, %a, %b;", "www", true},
    {"set.gt.and.f32.u32 %d, %a, %b, %c;", "wwwp", false},
    {"testp.finite.f32 %d, %a;", "pw", false},
    {"and.pred %d, %a, %b;", "ppp", true},
    {"or.pred %d, %a, !%b;", "ppp", true},
    {"xor.pred %d, %a, %b;", "ppp", true},
    {"not.pred %d, %a;", "pp", true},
    {"mov.pred %d, %a;", "pp", true},
    {"@%b mov.b32 %q, %a; @%b mov.b32 %d, %a; @!%b mov.b32 %d, 5;", "wwp", false},
    {"mov.b32 %d, 3; @%b mov.b32 %d, %a;", "wwp", false},
    {"mov.b32 %d, 3; @%b add.u32 %d, %d, %a;", "wwp", false},
    {"shfl.sync.down.b32 %d, %a, 5, 31, -1;", "ww", true},
    {"shfl.sync.bfly.b32 %d, %a, 3, 0x1807, -1;", "ww", true},
    {"shfl.sync.idx.b32 %d, %a, %b, 31, -1;", "www", false},
    {"shfl.sync.up.b32 %t|%d, %a, 9, 0, -1;", "pw", true},
    {"vote.sync.any.pred %d, %a, -1;", "pp", false},
    {"vote.sync.all.pred %d, %a, -1;", "pp", false},
    {"vote.sync.uni.pred %d, !%a, -1;", "pp", false},
    {"vote.sync.ballot.b32 %d, %a, -1;", "wp", true},
    {"match.any.sync.b32 %d, %a, -1;", "ww", false},
    {"match.all.sync.b64 %d|%z, %a, -1;", "wd", false},
    {"redux.sync.add.u32 %d, %a, -1;", "ww", false},
    {"redux.sync.and.b32 %d, %a, -1;", "ww", false},
    {"redux.sync.or.b32 %d, %a, -1;", "ww", false},
    {"redux.sync.min.s32 %d, %a, -1;", "ww", false},
    {"vadd.s32.u32.s32 %d, %a.b1, %b.h0;", "www", false},
    {"vadd4.u32.u32.u32 %d, %a, %b, %c;", "wwww", false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static unsigned bits_of(char type)
{
    return type == 'h' ? 16 : type == 'w' ? 32 : type == 'd' ? 64 : 1;
}

static const char *register_type(char type)
{
    return type == 'h' ? ".b16" : type == 'w' ? ".b32" : type == 'd' ? ".b64" : ".pred";
}

static void add(char **at, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char **at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    *at += vsprintf(*at, format, list);
    va_end(list);
}

/* Words of 64 bits: u[block][source][lane], mask[source][lane], value[source][lane]; out[block][lane][bit] are bytes. */
static void write_kernel(char *at, size_t index)
{
    const char *types = operations[index].types;
    unsigned sources = (unsigned)strlen(types) - 1, bits = bits_of(types[0]);
    add(&at,
        ".version 8.6\n.target sm_100a\n.address_size 64\n"
        ".visible .entry k(.param .u64 u, .param .u64 masks, .param .u64 values, .param .u64 "
        "out)\n{\n.reg .b64 %%at, %%u, %%m, %%v, %%lane, %%block, %%o;\n.reg .b32 %%t, %%s;\n");
    add(&at, ".reg %s %%d, %%q;\n.reg .pred %%z;\n", register_type(types[0]));
    for (unsigned k = 0; k < sources; k++)
        add(&at, ".reg %s %%x%u;\n.reg .b64 %%y%u;\n", register_type(types[k + 1]), k, k);
    add(&at, "mov.u32 %%t, %%tid.x;\ncvt.u64.u32 %%lane, %%t;\nmov.u32 %%t, %%ctaid.x;\n"
             "cvt.u64.u32 %%block, %%t;\n");
    for (unsigned k = 0; k < sources; k++) {
        add(&at, "ld.param.u64 %%at, [u];\nmad.lo.u64 %%at, %%block, %u, %%at;\n",
            8 * LANES * SOURCES);
        add(&at, "mad.lo.u64 %%at, %%lane, 8, %%at;\nld.global.b64 %%u, [%%at+%u];\n",
            8 * LANES * k);
        add(&at,
            "ld.param.u64 %%at, [masks];\nmad.lo.u64 %%at, %%lane, 8, %%at;\n"
            "ld.global.b64 %%m, [%%at+%u];\n",
            8 * LANES * k);
        add(&at,
            "ld.param.u64 %%at, [values];\nmad.lo.u64 %%at, %%lane, 8, %%at;\n"
            "ld.global.b64 %%v, [%%at+%u];\n",
            8 * LANES * k);
        add(&at, "and.b64 %%u, %%u, %%m;\nxor.b64 %%y%u, %%u, %%v;\n", k);
        if (types[k + 1] == 'd')
            add(&at, "mov.b64 %%x%u, %%y%u;\n", k, k);
        else if (types[k + 1] == 'p')
            add(&at, "cvt.u32.u64 %%t, %%y%u;\nand.b32 %%t, %%t, 1;\nsetp.ne.u32 %%x%u, %%t, 0;\n",
                k, k);
        else
            add(&at, "cvt.u%u.u64 %%x%u, %%y%u;\n", bits_of(types[k + 1]), k, k);
    }
    for (const char *c = operations[index].text; *c; c++) {
        static const char letters[] = "abce";
        const char *found = c[0] == '%' ? strchr(letters, c[1]) : NULL;
        if (found && c[1]) {
            add(&at, "%%x%u", (unsigned)(found - letters));
            c++;
        } else {
            *at++ = *c;
        }
    }
    add(&at,
        "\nld.param.u64 %%o, [out];\nmad.lo.u64 %%o, %%block, %u, %%o;\n"
        "mad.lo.u64 %%o, %%lane, %u, %%o;\n",
        LANES * BITS, BITS);
    if (types[0] == 'p')
        add(&at, "selp.b64 %%u, 1, 0, %%d;\n");
    else if (types[0] == 'd')
        add(&at, "mov.b64 %%u, %%d;\n");
    else
        add(&at, "cvt.u64.u%u %%u, %%d;\n", bits);
    for (unsigned bit = 0; bit < bits; bit++)
        add(&at,
            "shr.u64 %%v, %%u, %u;\ncvt.u32.u64 %%s, %%v;\nand.b32 %%s, %%s, 1;\n"
            "st.global.u8 [%%o+%u], %%s;\n",
            bit, bit);
    add(&at, "ret;\n}\n");
    *at = 0;
}

/* ---- running --------------------------------------------------------------------------------- */

struct input {
    uint64_t masks[SOURCES][LANES], values[SOURCES][LANES];
    uint64_t u[VARIATIONS][SOURCES][LANES];
    bool is_exhaustive;
};

/* Few undefined bits, so that all their values can be tried, or many. */
static void choose(struct input *in, const char *types, unsigned round, uint64_t *state)
{
    unsigned sources = (unsigned)strlen(types) - 1;
    memset(in, 0, sizeof *in);
    in->is_exhaustive = round < ROUNDS / 2;
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct {
            unsigned source, bit;
        } chosen[6];
        unsigned count = 0;
        for (unsigned k = 0; k < sources; k++) {
            unsigned bits = bits_of(types[k + 1]);
            uint64_t value = next_random(state);
            if (next_random(state) % 4 == 0) value &= 0xff; /* small ones, too */
            if (next_random(state) % 8 == 0) value = ~value;
            in->values[k][lane] = bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
            if (next_random(state) % 8 == 0 && k)
                in->values[k][lane] = in->values[0][lane]; /* equal ones */
            if (!in->is_exhaustive && next_random(state) % 3) {
                in->masks[k][lane] = next_random(state) & next_random(state);
                if (next_random(state) % 4 == 0) in->masks[k][lane] = ~UINT64_C(0);
            }
        }
        for (unsigned n = 0; in->is_exhaustive && n < 6; n++) {
            unsigned k = (unsigned)(next_random(state) % sources);
            unsigned bit = (unsigned)(next_random(state) % bits_of(types[k + 1]));
            if (next_random(state) % 4 == 0 || in->masks[k][lane] >> bit & 1) continue;
            in->masks[k][lane] |= UINT64_C(1) << bit;
            chosen[count].source = k;
            chosen[count++].bit = bit;
        }
        for (unsigned v = 0; v < VARIATIONS; v++)
            for (unsigned k = 0; k < sources; k++) {
                if (!in->is_exhaustive) {
                    in->u[v][k][lane] = v ? next_random(state) : 0;
                    continue;
                }
                for (unsigned n = 0; n < count; n++)
                    if (chosen[n].source == k && (v >> n) & 1)
                        in->u[v][k][lane] |= UINT64_C(1) << chosen[n].bit;
            }
    }
}

struct outcome {
    uint8_t bits[VARIATIONS][LANES][BITS];
    bool undefined[LANES][BITS]; /* with checks */
};

static uint64_t allocate(struct device *device, size_t bytes, const void *content)
{
    struct diag diag = {0};
    uint64_t address;
    assert_int_equal(device_alloc(&diag, device, bytes, &address), WS_OK);
    if (content) assert_int_equal(device_copy_in(&diag, device, address, content, bytes), WS_OK);
    return address;
}

static void ignore_launch(void *self, const struct launch_view *launch)
{
    (void)self, (void)launch;
}
static void ignore_end(void *self)
{
    (void)self;
}
static void ignore_report(void *self, const struct check_report *report)
{
    (void)self, (void)report;
}
static const struct checker_ops ops = {
    .launch_begin = ignore_launch, .launch_end = ignore_end, .report = ignore_report};

static void run(const struct module *module, bool checks, const struct input *in,
                struct outcome *out)
{
    struct diag diag = {0};
    struct device *device;
    const struct checker checker = {.ops = &ops, .tools = CHECK_INIT};
    struct device_options options = {
        .threads = 1, .isa_level = -1, .check = checks ? &checker : NULL};
    assert_int_equal(device_create(&diag, &options, &device), WS_OK);
    uint64_t parameters[4] = {allocate(device, sizeof in->u, checks ? NULL : in->u),
                              allocate(device, sizeof in->masks, in->masks),
                              allocate(device, sizeof in->values, in->values),
                              allocate(device, sizeof out->bits, NULL)};
    struct launch_options launch = {.grid = {checks ? 1 : VARIATIONS, 1, 1},
                                    .block = {LANES, 1, 1},
                                    .parameters = parameters,
                                    .parameter_bytes = sizeof parameters};
    if (device_launch(&diag, device, module, &launch, NULL) != WS_OK) fail_msg("%s", diag.text);
    const struct devmem *memory = &device->memory;
    const struct allocation *result = devmem_find(memory, parameters[3]);
    if (!checks) {
        memcpy(out->bits, devmem_host(memory, parameters[3]), sizeof out->bits);
    } else {
        assert_non_null(result->shadow);
        for (unsigned i = 0; i < LANES * BITS; i++)
            out->undefined[i / BITS][i % BITS] = !shadow_all(result->shadow, i, 1);
    }
    device_destroy(device);
}

static void rule(size_t index, struct input *in, struct outcome *out)
{
    static char text[1 << 16];
    const char *types = operations[index].types;
    unsigned bits = bits_of(types[0]);
    uint64_t state = 88172645463325252u + index;
    struct diag diag = {0};
    struct module *module;
    write_kernel(text, index);
    if (module_load_memory(&diag, "k.ptx", text, strlen(text), &module) != WS_OK)
        fail_msg("%s: %s", operations[index].text, diag.text);
    for (unsigned round = 0; round < ROUNDS; round++) {
        choose(in, types, round, &state);
        run(module, true, in, out);
        run(module, false, in, out);
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned bit = 0; bit < bits; bit++) {
                bool varies = false;
                for (unsigned v = 1; v < VARIATIONS; v++)
                    varies |= out->bits[v][lane][bit] != out->bits[0][lane][bit];
                if (varies && !out->undefined[lane][bit])
                    fail_msg("%s: bit %u of lane %u counts as defined, but varies (round %u)",
                             operations[index].text, bit, lane, round);
                bool crosses = strstr(operations[index].text, ".sync");
                if (operations[index].exact && in->is_exhaustive && !crosses && !varies &&
                    out->undefined[lane][bit])
                    fail_msg("%s: bit %u of lane %u counts as undefined, but never varies (round "
                             "%u)",
                             operations[index].text, bit, lane, round);
            }
    }
    module_destroy(module);
}

static void every_rule(void **state)
{
    (void)state;
    struct input *in = calloc(1, sizeof *in);
    struct outcome *out = calloc(1, sizeof *out);
    assert_non_null(in);
    assert_non_null(out);
    for (size_t i = 0; i < OPERATIONS; i++)
        rule(i, in, out);
    free(in);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
