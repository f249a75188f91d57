// SPDX-License-Identifier: Apache-2.0
/* Texture fetches, lane by lane, after the appendix "Texture Fetching" of the CUDA C++ Programming
 * Guide; the names are its own: N texels, x the coordinate, T[i] a texel, alpha the fraction. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "base/strbuf.h"
#include "emulate/defined.h"

enum { TAPS_MAX = 8, FRACTION_STEPS = 256 }; /* alpha has 8 bits of fraction (guide) */

/* One dimension of a fetch: one texel, or two and how much each counts. */
struct axis {
    unsigned taps;
    uint64_t index[2];
    bool inside[2];
    double weight[2];
};

/* What one lane reads. */
struct tap {
    bool inside; /* else it is the border */
    uint64_t address;
    double weight;
};
/* What is known of a handle, for all lanes that have the same. */
struct known_texture {
    uint64_t handle;
    const ws_texture *texture; /* NULL: nothing is known yet, or there is none */
    const char *why;           /* the instruction cannot read it; NULL: it can */
    bool is_written;           /* all of it is there, and every texel may be read */
    bool has_words;            /* channels of 32 bits: they are read as they stand */
};
struct fetch {
    const ws_texture *texture;
    bool has_words;
    unsigned tap_count;
    struct tap taps[TAPS_MAX];
    bool is_undefined; /* a texel that counts was never written: the first, at */
    uint64_t undefined_at;
};

/* ---- coordinates ------------------------------------------------------------------------------ */

/* In texels. Wrap takes frac(x), mirror frac(x) or 1 - frac(x) by turns (guide). */
static double to_texels(double x, uint64_t size, const ws_texture *t, unsigned k)
{
    const double limit = 1e12; /* any number beyond all textures whose floor an integer holds */
    if (isnan(x)) return 0;
    if (!t->normalized_coordinates) return x < -limit ? -limit : x > limit ? limit : x;
    if (t->address_modes[k] == WS_ADDRESS_WRAP || t->address_modes[k] == WS_ADDRESS_MIRROR) {
        if (isinf(x)) return 0;
        double whole = floor(x), fraction = x - whole;
        bool odd = fmod(whole, 2) != 0;
        x = odd && t->address_modes[k] == WS_ADDRESS_MIRROR ? 1 - fraction : fraction;
    }
    return fmax(-limit, fmin(limit, x * (double)size));
}

/* Of what to_texels gives. */
static int64_t floor_of(double x)
{
    int64_t whole = (int64_t)x;
    return whole - ((double)whole > x);
}

/* Of 0 to 2^51, to the nearest, in the standard state of floating point (base/float_state.h). */
static double nearest_whole(double x)
{
    const double shift = 0x1.8p52;
    return (x + shift) - shift;
}

static uint64_t to_inside(int64_t index, uint64_t size, ws_address_mode mode, bool *inside)
{
    int64_t last = (int64_t)size - 1;
    *inside = mode != WS_ADDRESS_BORDER || (index >= 0 && index <= last);
    if (mode == WS_ADDRESS_WRAP) {
        int64_t rest = index % (int64_t)size;
        return (uint64_t)(rest < 0 ? rest + (int64_t)size : rest);
    }
    return (uint64_t)(index < 0 ? 0 : index > last ? last : index);
}

static void locate_integer(struct axis *axis, int32_t x, uint64_t size, const ws_texture *t,
                           unsigned k)
{
    bool plain = t->kind == WS_TEXTURE_LINEAR_MEMORY || t->address_modes[k] == WS_ADDRESS_BORDER;
    *axis = (struct axis){.taps = 1, .weight = {1}};
    axis->index[0] =
        to_inside(x, size, plain ? WS_ADDRESS_BORDER : WS_ADDRESS_CLAMP, &axis->inside[0]);
}

/* x in texels; `two`: both neighbours of a point between texels. */
static inline void locate_texels(struct axis *axis, double x, uint64_t size, ws_address_mode mode,
                                 bool two)
{
    *axis = (struct axis){.taps = 1, .weight = {1}};
    if (!two) {
        axis->index[0] = to_inside(floor_of(x), size, mode, &axis->inside[0]);
        return;
    }
    int64_t below = floor_of(x - 0.5);
    double alpha = nearest_whole((x - 0.5 - (double)below) * FRACTION_STEPS) / FRACTION_STEPS;
    axis->taps = 2;
    for (unsigned i = 0; i < 2; i++)
        axis->index[i] = to_inside(below + (int64_t)i, size, mode, &axis->inside[i]);
    axis->weight[0] = 1 - alpha;
    axis->weight[1] = alpha;
}

/* ---- texels ------------------------------------------------------------------------------------ */

/* Normalized integers: the largest is 1; of signed ones the two least are both -1. */
static float to_float(const ws_texture *t, uint32_t bits)
{
    float value;
    if (t->channel_kind == WS_CHANNEL_FLOAT) {
        if (t->channel_bits == 16) return half_to_float((uint16_t)bits);
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    bool is_signed = t->channel_kind == WS_CHANNEL_SIGNED;
    double largest = ldexp(1, (int)t->channel_bits - is_signed) - 1;
    double number = is_signed ? (double)(int32_t)bits : (double)bits;
    return (float)fmax(number / largest, -1);
}

/* Bits of a channel as they stand in a register: integers extended, floats as f32. */
static uint32_t read_channel(const ws_texture *t, const unsigned char *texel, unsigned c)
{
    uint32_t bits = 0;
    unsigned width = t->channel_bits;
    memcpy(&bits, texel + c * width / 8, width / 8);
    if (t->channel_kind == WS_CHANNEL_SIGNED && width < 32 && bits >> (width - 1))
        bits |= UINT32_MAX << width;
    if (!texture_gives_floats(t) || (t->channel_kind == WS_CHANNEL_FLOAT && width == 32))
        return bits;
    float value = to_float(t, bits);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t tap_channel(const struct exec *x, const struct fetch *f, const struct tap *tap,
                            unsigned c)
{
    uint32_t bits = 0;
    const ws_texture *t = f->texture;
    if (tap->inside && f->has_words) {
        memcpy(&bits, devmem_host(x->launch->memory, tap->address + 4 * c), sizeof bits);
        return bits;
    }
    if (tap->inside) return read_channel(t, devmem_host(x->launch->memory, tap->address), c);
    if (t->kind != WS_TEXTURE_LINEAR_MEMORY) memcpy(&bits, &t->border[c], sizeof bits);
    return bits;
}

/* A channel of the result. The sum is exact but for its last rounding: weights have up to 24 bits. */
static uint32_t filtered_channel(const struct exec *x, const struct fetch *f, unsigned c)
{
    if (c >= f->texture->channels) return 0;
    if (f->tap_count == 1) return tap_channel(x, f, &f->taps[0], c);
    double sum = 0;
    for (unsigned k = 0; k < f->tap_count; k++) {
        uint32_t bits = tap_channel(x, f, &f->taps[k], c);
        float value;
        memcpy(&value, &bits, sizeof value);
        /* a texel that does not count is not read: 0 times infinity would be no number */
        if (f->taps[k].weight > 0) sum += f->taps[k].weight * (double)value;
    }
    float result = (float)sum;
    uint32_t bits;
    memcpy(&bits, &result, sizeof bits);
    return bits;
}

/* tld4: the four texels of a square, against the clock from the lower left one on. */
static uint32_t gathered_channel(const struct exec *x, const struct fetch *f, unsigned channel,
                                 unsigned corner)
{
    static const uint8_t corners[] = {2, 3, 1, 0};
    if (channel >= f->texture->channels) return 0;
    return tap_channel(x, f, &f->taps[corners[corner]], channel);
}

/* ---- lanes ------------------------------------------------------------------------------------- */

static uint32_t lane_word(const struct exec *x, operand_ref ref, unsigned lane)
{
    uint32_t word;
    memcpy(&word, x->base[ref >> 30] + (ref & 0x3fffffff) + 4 * lane, sizeof word);
    return word;
}

void texture_fault(struct exec *x, const struct uop *u, unsigned lane, uint64_t handle,
                   const char *why)
{
    struct strbuf text = {0};
    if (x->fault.kind) return;
    fault_at(x, FAULT_TEXTURE, u->insn, 1u << lane);
    strbuf_printf(&text, "  handle 0x%llx: %s", (unsigned long long)handle, why);
    x->fault.detail = strbuf_take(&text);
}

/* Why the instruction cannot read this texture; NULL: it can. */
static const char *mismatch(const struct insn *insn, const ws_texture *t)
{
    static const uint8_t geometries[] = {[WS_TEXTURE_LINEAR_MEMORY] = SUB_1D,
                                         [WS_TEXTURE_1D] = SUB_1D,
                                         [WS_TEXTURE_2D] = SUB_2D,
                                         [WS_TEXTURE_3D] = SUB_3D,
                                         [WS_TEXTURE_1D_LAYERED] = SUB_1D_LAYERED,
                                         [WS_TEXTURE_2D_LAYERED] = SUB_2D_LAYERED,
                                         [WS_TEXTURE_CUBE] = SUB_CUBE,
                                         [WS_TEXTURE_CUBE_LAYERED] = SUB_CUBE_LAYERED};
    bool is_native =
        insn->modifiers & NM_LOW_HANDLE; /* has no 1D fetches by floats, and no types */
    if (is_native && insn->sub_op == SUB_2D && t->kind == WS_TEXTURE_1D) return NULL;
    if (is_native && insn->sub_op == SUB_2D_LAYERED && t->kind == WS_TEXTURE_1D_LAYERED)
        return NULL;
    if (geometries[t->kind] != insn->sub_op)
        return "geometry mismatch between texture and instruction";
    if (t->kind == WS_TEXTURE_LINEAR_MEMORY && insn->type2 == TYPE_F32)
        return "linear memory requires integer coordinates (tex1Dfetch)";
    if (is_native) return NULL;
    /* Unfiltered words of 32 bits are words, whatever they stand for. */
    bool as_it_is = t->channel_bits == 32 && !t->linear_filter;
    if (!as_it_is && texture_gives_floats(t) != (insn->type == TYPE_F32))
        return texture_gives_floats(t)
                   ? "type mismatch: the texture returns floats, the instruction expects integers"
                   : "type mismatch: the texture returns integers, the instruction expects floats";
    return NULL;
}

/* Memory that is freed while a texture of it lives, or that nothing has written: with checks what was fetched is then
 * undefined. */
static bool check_tap(struct exec *x, const struct uop *u, struct fetch *f, const struct tap *tap,
                      unsigned lane)
{
    const ws_texture *t = f->texture;
    unsigned bytes = texture_texel_bytes(t);
    const struct allocation *found = devmem_find(x->launch->memory, tap->address);
    bool inside = found && tap->address + bytes <= found->address + found->bytes;
    bool written = inside && (!found->shadow ||
                              shadow_all(found->shadow, tap->address - found->address, bytes));
    if (written && found->rule)
        devmem_touch(x->launch->memory, found, tap->address - found->address, bytes);
    if (written) return true;
    if (inside && x->checks) {
        if (tap->weight == 0 || f->is_undefined) return true;
        f->is_undefined = true;
        f->undefined_at = tap->address;
        return true;
    }
    fault_memory(x, u, inside ? FAULT_UNINITIALISED : FAULT_FREED, lane, tap->address);
    x->fault.space = SPACE_GLOBAL;
    x->fault.bytes = bytes;
    return false;
}

/* The face of a cube that a direction points to, and where, after the guide's table of the face selection. Where two
 * components are equal the guide is silent: z before y before x. */
static void locate_face(const struct uop *u, const ws_texture *t, const float v[3],
                        struct axis axes[3])
{
    double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    double m = fmax(fabs(x), fmax(fabs(y), fabs(z))), s, r;
    unsigned face;
    if (fabs(z) == m) {
        face = z < 0 ? 5 : 4;
        s = z < 0 ? -x : x;
        r = -y;
    } else if (fabs(y) == m) {
        face = y < 0 ? 3 : 2;
        s = x;
        r = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0;
        s = x < 0 ? z : -z;
        r = -y;
    }
    bool two = t->linear_filter || u->insn->op == OP_TLD4;
    const double place[2] = {m > 0 ? (s / m + 1) / 2 : 0.5, m > 0 ? (r / m + 1) / 2 : 0.5};
    for (unsigned k = 0; k < 2; k++) {
        double at = isnan(place[k]) ? 0 : place[k] * (double)t->width;
        locate_texels(&axes[k], at, t->width, t->address_modes[k], two);
    }
    axes[2] = (struct axis){.taps = 1, .index = {face}, .inside = {true}, .weight = {1}};
}

static void locate_in_cube(const struct exec *x, const struct uop *u, const ws_texture *t,
                           unsigned lane, struct axis axes[3])
{
    bool layered = t->kind == WS_TEXTURE_CUBE_LAYERED;
    float v[3];
    for (unsigned k = 0; k < 3; k++) {
        uint32_t word = lane_word(x, u->src[1 + layered + k], lane);
        memcpy(&v[k], &word, sizeof v[k]);
    }
    locate_face(u, t, v, axes);
    if (!layered) return;
    uint64_t layer = lane_word(x, u->src[1], lane), last = t->depth / 6 - 1;
    axes[2].index[0] += 6 * (layer < last ? layer : last);
}

static void locate_axes(const struct exec *x, const struct uop *u, const ws_texture *t,
                        unsigned lane, struct axis axes[3])
{
    const uint64_t sizes[3] = {t->width, t->height, t->depth};
    bool layered = t->kind == WS_TEXTURE_1D_LAYERED || t->kind == WS_TEXTURE_2D_LAYERED;
    unsigned dimensions = t->kind == WS_TEXTURE_3D                                       ? 3
                          : t->kind == WS_TEXTURE_2D || t->kind == WS_TEXTURE_2D_LAYERED ? 2
                                                                                         : 1;
    const struct axis only = {.taps = 1, .inside = {true}, .weight = {1}};
    if (t->kind >= WS_TEXTURE_CUBE) {
        locate_in_cube(x, u, t, lane, axes);
        return;
    }
    for (unsigned k = 0; k < 3; k++) {
        axes[k] = only;
        if (k >= dimensions) continue;
        uint32_t word = lane_word(x, u->src[1 + layered + k], lane);
        float coordinate;
        memcpy(&coordinate, &word, sizeof coordinate);
        if (u->insn->type2 == TYPE_F32)
            locate_texels(&axes[k], to_texels((double)coordinate, sizes[k], t, k), sizes[k],
                          t->address_modes[k], t->linear_filter || u->insn->op == OP_TLD4);
        else
            locate_integer(&axes[k], (int32_t)word, sizes[k], t, k);
    }
    if (!layered) return;
    uint64_t layer = lane_word(x, u->src[1], lane);
    axes[2].index[0] = layer < t->depth ? layer : t->depth - 1;
}

static void combine_axes(struct fetch *f, const struct axis axes[3])
{
    const ws_texture *t = f->texture;
    uint64_t texel = texture_texel_bytes(t);
    struct tap *tap = f->taps;
    for (unsigned z = 0; z < axes[2].taps; z++)
        for (unsigned y = 0; y < axes[1].taps; y++) {
            uint64_t row =
                t->address + axes[2].index[z] * t->slice_bytes + axes[1].index[y] * t->pitch_bytes;
            double weight = axes[1].weight[y] * axes[2].weight[z];
            bool inside = axes[1].inside[y] && axes[2].inside[z];
            for (unsigned i = 0; i < axes[0].taps; i++)
                *tap++ = (struct tap){.inside = inside && axes[0].inside[i],
                                      .address = row + axes[0].index[i] * texel,
                                      .weight = axes[0].weight[i] * weight};
        }
    f->tap_count = (unsigned)(tap - f->taps);
    f->is_undefined = false;
}

/* Does its memory lie in one allocation still, all of which may be read without a look at it? */
static bool is_written(const struct exec *x, const ws_texture *t)
{
    const struct allocation *found = devmem_find(x->launch->memory, t->address);
    uint64_t bytes = t->slice_bytes * (t->depth - 1) + t->pitch_bytes * (t->height - 1) +
                     t->width * texture_texel_bytes(t);
    return found && !found->shadow && !found->rule &&
           bytes <= found->address + found->bytes - t->address;
}

static void look_up(const struct exec *x, const struct uop *u, uint64_t handle,
                    struct known_texture *out)
{
    *out = (struct known_texture){.handle = handle};
    out->texture = texture_find(x->launch->device, handle, &out->why);
    if (!out->texture) return;
    out->why = mismatch(u->insn, out->texture);
    out->is_written = is_written(x, out->texture);
    out->has_words = out->texture->channel_bits == 32 && !out->texture->normalized_read;
}

/* False: a fault was recorded. */
static bool prepare_lane(struct exec *x, const struct uop *u, unsigned lane,
                         struct known_texture *known, struct fetch *f)
{
    bool is_low = u->insn->modifiers & NM_LOW_HANDLE;
    uint64_t handle = is_low ? texture_handle_of(x->launch->device, lane_word(x, u->src[0], lane))
                             : texture_handle(x, u, u->src[0], lane);
    if (!known->texture || known->handle != handle) look_up(x, u, handle, known);
    f->texture = known->texture;
    f->has_words = known->has_words;
    if (known->why) {
        texture_fault(x, u, lane, handle, known->why);
        return false;
    }
    struct axis axes[3];
    locate_axes(x, u, f->texture, lane, axes);
    combine_axes(f, axes);
    for (unsigned k = 0; k < f->tap_count && !known->is_written; k++)
        if (f->taps[k].inside && !check_tap(x, u, f, &f->taps[k], lane)) return false;
    return true;
}

/* One event for the first texel of all lanes, one for the second ... */
static void tell_observer(struct exec *x, const struct uop *u, const struct fetch *fetches,
                          uint32_t mask)
{
    uint64_t addresses[WARP_LANES] = {0};
    for (unsigned k = 0; k < TAPS_MAX; k++) {
        struct access access = {
            .space = SPACE_GLOBAL, .shape = ACCESS_GENERAL, .addresses = addresses};
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            const struct fetch *f = &fetches[lane];
            if (k >= f->tap_count || !f->taps[k].inside) continue;
            access.mask |= 1u << lane;
            access.bytes = (uint8_t)texture_texel_bytes(f->texture);
            addresses[lane] = f->taps[k].address;
        }
        if (access.mask) x->observe->memory(x->observer_worker, &x->warp->ref, u->index, &access);
    }
}

/* Linear memory gives zeros beyond its end, by definition; few mean it. */
static void check_bounds(struct exec *x, const struct uop *u, const struct fetch *f, unsigned lane)
{
    if (f->texture->kind != WS_TEXTURE_LINEAR_MEMORY || f->taps[0].inside) return;
    struct strbuf text = {0};
    strbuf_printf(&text, "index %d of a texture of %llu texels",
                  (int32_t)lane_word(x, u->src[1], lane), (unsigned long long)f->texture->width);
    check_tell_fetch(x, u, lane, text.data);
    strbuf_clear(&text);
}

static void note_undefined(struct exec *x, const struct uop *u, const struct fetch *fetches,
                           uint32_t good)
{
    uint32_t lanes = 0;
    for (uint32_t left = good; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        lanes |= (uint32_t)fetches[lane].is_undefined << lane;
    }
    if (lanes) defined_fetched(x, u, lanes, fetches[__builtin_ctz(lanes)].undefined_at);
}

void texture_fetch(struct exec *x, const struct uop *u)
{
    struct fetch fetches[WARP_LANES];
    struct known_texture known = {.texture = NULL};
    uint32_t good = 0;
    if (x->fault.kind || !x->mask) return;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        bool is_good = prepare_lane(x, u, lane, &known, &fetches[lane]);
        if (!is_good && !check_goes_on(x)) return;
        if (is_good && x->checks & CHECK_MEMORY) check_bounds(x, u, &fetches[lane], lane);
        good |= (uint32_t)is_good << lane;
    }
    if (x->observe) tell_observer(x, u, fetches, good);
    if (x->tracks) note_undefined(x, u, fetches, good);
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        for (unsigned c = 0; c < UOP_DESTINATIONS; c++) {
            if (u->dst[c] == REF_NONE) continue;
            uint32_t bits = 0;
            if (good >> lane & 1)
                bits = u->insn->op == OP_TLD4
                           ? gathered_channel(x, &fetches[lane], u->insn->choice, c)
                           : filtered_channel(x, &fetches[lane], c);
            unsigned char *to = x->base[u->dst[c] >> 30] + (u->dst[c] & 0x3fffffff);
            memcpy(to + 4 * lane, &bits, sizeof bits);
        }
    }
}
