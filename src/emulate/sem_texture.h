// SPDX-License-Identifier: Apache-2.0
/* tex and tld4 (fetch.h): where lanes read, and what they get; txq and suq. */
#ifndef EMULATE_SEM_TEXTURE_H
#define EMULATE_SEM_TEXTURE_H

#include "emulate/fetch.h"
#include "emulate/sem_half.h"
#include "emulate/sem_memory.h"

/* One dimension of a fetch: one texel, or two and how much each counts. */
struct axis {
    unsigned taps;
    int32_t index[2][WARP_LANES] __attribute__((aligned(64)));
    int32_t inside[2][WARP_LANES] __attribute__((aligned(64))); /* -1 or 0 */
    float weight[2][WARP_LANES] __attribute__((aligned(64)));
};
typedef double lane_doubles[WARP_LANES] __attribute__((aligned(64)));
typedef uint32_t lane_words[WARP_LANES] __attribute__((aligned(64)));

/* ---- coordinates ------------------------------------------------------------------------------ */

/* Beyond all textures on both sides, and still an index. */
#define BEYOND 0x1.8p30

/* In texels. Wrap takes frac(x), mirror frac(x) or 1 - frac(x) by turns (guide). */
static void to_texels(const float *from, uint64_t size, const ws_texture *t, unsigned k, double *to)
{
    const bool is_mirror = t->address_modes[k] == WS_ADDRESS_MIRROR;
    const bool repeats = is_mirror || t->address_modes[k] == WS_ADDRESS_WRAP;
    const double scale = t->normalized_coordinates ? (double)size : 1;
    VECTOR LANES to[i] = (double)from[i];
    if (t->normalized_coordinates && repeats) VECTOR LANES
        {
            double whole = floor(to[i]), fraction = to[i] - whole; /* of infinity: NaN */
            bool is_odd = whole - 2 * floor(whole / 2) == 1;
            to[i] = is_mirror && is_odd ? 1 - fraction : fraction;
        }
    VECTOR LANES
    {
        double v = to[i] * scale;
        v = v < -BEYOND ? -BEYOND : v > BEYOND ? BEYOND : v;
        to[i] = v == v ? v : 0;
    }
}

/* Wrapped indexes are at most one texel outside: to_texels gives 0 to N. */
static void put_index(struct axis *axis, unsigned tap, const int32_t *index, uint64_t size,
                      ws_address_mode mode)
{
    const int32_t n = (int32_t)size, last = n - 1;
    const bool wraps = mode == WS_ADDRESS_WRAP;
    const int32_t always = mode == WS_ADDRESS_BORDER ? 0 : -1;
    int32_t *to = axis->index[tap], *inside = axis->inside[tap];
    VECTOR LANES
    {
        int32_t at = index[i];
        inside[i] = always | -(int32_t)(at >= 0 && at <= last);
        to[i] = at < 0 ? (wraps ? at + n : 0) : at > last ? (wraps ? at - n : last) : at;
    }
}

static void locate_integers(struct axis *axis, const int32_t *index, uint64_t size,
                            const ws_texture *t, unsigned k)
{
    bool plain = t->kind == WS_TEXTURE_LINEAR_MEMORY || t->address_modes[k] == WS_ADDRESS_BORDER;
    axis->taps = 1;
    put_index(axis, 0, index, size, plain ? WS_ADDRESS_BORDER : WS_ADDRESS_CLAMP);
    LANES axis->weight[0][i] = 1;
}

/* x in texels; `two`: both neighbours of a point between texels. */
static void locate_texels(struct axis *axis, const double *x, uint64_t size, ws_address_mode mode,
                          bool two)
{
    const double shift = 0x1.8p52; /* adding it rounds to a whole number */
    const double half = two ? 0.5 : 0;
    int32_t index[WARP_LANES] __attribute__((aligned(64)));
    lane_doubles below;
    VECTOR LANES below[i] = floor(x[i] - half);
    VECTOR LANES index[i] = (int32_t)below[i];
    axis->taps = two ? 2 : 1;
    put_index(axis, 0, index, size, mode);
    if (!two) {
        LANES axis->weight[0][i] = 1;
        return;
    }
    VECTOR LANES
    {
        double alpha = ((x[i] - half - below[i]) * FRACTION_STEPS + shift) - shift;
        axis->weight[1][i] = (float)(alpha / FRACTION_STEPS);
    }
    VECTOR LANES axis->weight[0][i] = 1 - axis->weight[1][i];
    VECTOR LANES index[i]++;
    put_index(axis, 1, index, size, mode);
}

/* A dimension that selects: a layer, a face, or nothing. */
static void locate_layers(struct axis *axis, const int32_t *index)
{
    axis->taps = 1;
    LANES
    {
        axis->index[0][i] = index ? index[i] : 0;
        axis->inside[0][i] = -1;
        axis->weight[0][i] = 1;
    }
}

/* The face of a cube that a direction points to, and where, after the guide's table of the face selection. Where two
 * components are equal the guide is silent: z before y before x. */
static void locate_face(float vx, float vy, float vz, int32_t *face, double place[2])
{
    double x = (double)vx, y = (double)vy, z = (double)vz;
    double m = fmax(fabs(x), fmax(fabs(y), fabs(z))), s, r;
    if (fabs(z) == m) {
        *face = z < 0 ? 5 : 4;
        s = z < 0 ? -x : x;
        r = -y;
    } else if (fabs(y) == m) {
        *face = y < 0 ? 3 : 2;
        s = x;
        r = y < 0 ? -z : z;
    } else {
        *face = x < 0 ? 1 : 0;
        s = x < 0 ? z : -z;
        r = -y;
    }
    place[0] = m > 0 ? (s / m + 1) / 2 : 0.5;
    place[1] = m > 0 ? (r / m + 1) / 2 : 0.5;
}

static void locate_in_cube(const struct exec *x, const struct uop *u, const ws_texture *t,
                           struct axis axes[3])
{
    const bool layered = t->kind == WS_TEXTURE_CUBE_LAYERED;
    const float *v[3];
    const uint32_t last = (uint32_t)(t->depth / 6 - 1);
    int32_t face[WARP_LANES];
    lane_doubles at[2];
    for (unsigned k = 0; k < 3; k++)
        v[k] = SRC(float, 1 + layered + k);
    LANES
    {
        double place[2];
        uint32_t layer = layered ? SRC(uint32_t, 1)[i] : 0;
        locate_face(v[0][i], v[1][i], v[2][i], &face[i], place);
        face[i] += 6 * (int32_t)(layer < last ? layer : last);
        for (unsigned k = 0; k < 2; k++)
            at[k][i] = isnan(place[k]) ? 0 : place[k] * (double)t->width;
    }
    for (unsigned k = 0; k < 2; k++)
        locate_texels(&axes[k], at[k], t->width, t->address_modes[k], fetch_takes_two(u, t));
    locate_layers(&axes[2], face);
}

static void locate_axes(const struct exec *x, const struct uop *u, const ws_texture *t,
                        struct axis axes[3])
{
    const uint64_t sizes[3] = {t->width, t->height, t->depth};
    const bool layered = t->kind == WS_TEXTURE_1D_LAYERED || t->kind == WS_TEXTURE_2D_LAYERED;
    const unsigned dimensions = t->kind == WS_TEXTURE_3D                                       ? 3
                                : t->kind == WS_TEXTURE_2D || t->kind == WS_TEXTURE_2D_LAYERED ? 2
                                                                                               : 1;
    if (t->kind >= WS_TEXTURE_CUBE) {
        locate_in_cube(x, u, t, axes);
        return;
    }
    for (unsigned k = 0; k < 3; k++) {
        lane_doubles texels;
        if (k >= dimensions) {
            locate_layers(&axes[k], NULL);
        } else if (u->insn->type2 == TYPE_F32) {
            to_texels(SRC(float, 1 + layered + k), sizes[k], t, k, texels);
            locate_texels(&axes[k], texels, sizes[k], t->address_modes[k], fetch_takes_two(u, t));
        } else {
            locate_integers(&axes[k], SRC(int32_t, 1 + layered + k), sizes[k], t, k);
        }
    }
    if (!layered) return;
    const uint32_t *given = SRC(uint32_t, 1), last = (uint32_t)t->depth - 1;
    int32_t layer[WARP_LANES];
    LANES layer[i] = (int32_t)(given[i] < last ? given[i] : last);
    locate_layers(&axes[2], layer);
}

static void combine_axes(struct fetch *f, const struct axis axes[3])
{
    const ws_texture *t = f->texture;
    const uint64_t texel = texture_texel_bytes(t), pitch = t->pitch_bytes, slice = t->slice_bytes;
    f->tap_count = 0;
    for (unsigned n = 0; n < axes[0].taps * axes[1].taps * axes[2].taps; n++) {
        const unsigned p = n % axes[0].taps, q = n / axes[0].taps % axes[1].taps,
                       r = n / axes[0].taps / axes[1].taps;
        struct tap *tap = &f->taps[f->tap_count++];
        int32_t inside[WARP_LANES] __attribute__((aligned(64)));
        VECTOR LANES
        {
            inside[i] = axes[0].inside[p][i] & axes[1].inside[q][i] & axes[2].inside[r][i];
            tap->weight[i] = axes[0].weight[p][i] * axes[1].weight[q][i] * axes[2].weight[r][i];
            tap->address[i] = t->address + (uint32_t)axes[0].index[p][i] * texel +
                              (uint32_t)axes[1].index[q][i] * pitch +
                              (uint32_t)axes[2].index[r][i] * slice;
        }
        tap->inside = lanes_to_mask(inside);
    }
}

/* ---- texels ------------------------------------------------------------------------------------ */

/* Channels of a tap, whose words are loaded once. */
struct texels {
    const struct devmem *memory;
    const struct fetch *fetch;
    const struct tap *tap; /* NULL: nothing is loaded */
    unsigned word;         /* of the texel: which is loaded */
    lane_words words;
};

#define LOAD_LANES(T)                                                                              \
    VECTOR LANES                                                                                   \
    {                                                                                              \
        T value;                                                                                   \
        memcpy(&value, host_at(host, address[i]), sizeof value);                                   \
        words[i] = value;                                                                          \
    }
static void load_texels(struct texels *from, const struct tap *tap, unsigned word)
{
    const unsigned char *host = host_at(from->memory->zero, 4 * word);
    const uint64_t *address = tap->address;
    const unsigned bytes = texture_texel_bytes(from->fetch->texture);
    uint32_t *words = from->words;
    if (from->tap == tap && from->word == word) return;
    from->tap = tap;
    from->word = word;
    if (bytes >= 4) {
        LOAD_LANES(uint32_t)
    } else if (bytes == 2) {
        LOAD_LANES(uint16_t)
    } else {
        LOAD_LANES(uint8_t)
    }
}
#undef LOAD_LANES

/* Normalized integers of 8 or 16 bits: the largest is 1; of signed ones the two least are both -1. */
static void normalize_lanes(const ws_texture *t, uint32_t *bits)
{
    const bool is_signed = t->channel_kind == WS_CHANNEL_SIGNED;
    const float largest = (float)((1u << (t->channel_bits - is_signed)) - 1);
    VECTOR LANES
    {
        float number = (float)(int32_t)bits[i] / largest;
        bits[i] = float_as_bits(number < -1 ? -1 : number);
    }
}

/* Bits of less than a word as they stand in a register: integers extended, floats as f32. */
static void widen_channel(const ws_texture *t, unsigned begin, const uint32_t *words,
                          uint32_t *bits)
{
    const unsigned rest = 32 - t->channel_bits, left = rest - begin;
    const bool is_signed = t->channel_kind == WS_CHANNEL_SIGNED;
    if (is_signed)
        VECTOR LANES bits[i] = (uint32_t)((int32_t)(words[i] << left) >> rest);
    else
        VECTOR LANES bits[i] = words[i] << left >> rest;
    if (t->channel_kind == WS_CHANNEL_FLOAT) /* what is not a number keeps its bits */
        VECTOR LANES bits[i] = float_as_bits(widened_f16((uint16_t)bits[i]));
    else if (t->normalized_read)
        normalize_lanes(t, bits);
}

static void read_channel(struct texels *from, const struct tap *tap, unsigned c, uint32_t *bits)
{
    const ws_texture *t = from->fetch->texture;
    const unsigned at = c * t->channel_bits;
    const uint32_t border = t->kind == WS_TEXTURE_LINEAR_MEMORY ? 0 : float_as_bits(t->border[c]);
    if (tap->inside & from->fetch->lanes) {
        load_texels(from, tap, at / 32);
        if (t->channel_bits == 32)
            memcpy(bits, from->words, sizeof from->words);
        else
            widen_channel(t, at % 32, from->words, bits);
    }
    if (tap->inside != UINT32_MAX) VECTOR LANES bits[i] = tap->inside >> i & 1 ? bits[i] : border;
}

/* A texel that does not count is not read: 0 times infinity would be no number. */
static void add_weighted(const float *weight, uint32_t *bits, double *sum)
{
    VECTOR LANES bits[i] &= -(uint32_t)(weight[i] > 0);
    VECTOR LANES sum[i] += (double)weight[i] * (double)bits_as_float(bits[i]);
}

/* The sums are exact but for their last rounding: weights have up to 24 bits. */
static void filter_channels(struct texels *from, unsigned channels, lane_words *results)
{
    const struct fetch *f = from->fetch;
    lane_doubles sums[UOP_DESTINATIONS];
    for (unsigned c = 0; c < channels; c++)
        LANES sums[c][i] = 0;
    for (unsigned k = 0; k < f->tap_count; k++)
        for (unsigned c = 0; c < channels; c++) {
            lane_words bits;
            read_channel(from, &f->taps[k], c, bits);
            add_weighted(f->taps[k].weight, bits, sums[c]);
        }
    for (unsigned c = 0; c < channels; c++)
        VECTOR LANES results[c][i] = float_as_bits((float)sums[c][i]);
}

/* Of tex by channel; of tld4 one channel of the four texels of a square, against the clock from the lower left on. */
static void fetch_results(const struct exec *x, const struct uop *u, const struct fetch *f,
                          lane_words *results)
{
    static const uint8_t corners[UOP_DESTINATIONS] = {2, 3, 1, 0};
    struct texels from = {.memory = x->launch->memory, .fetch = f};
    const unsigned channels = f->lanes ? f->texture->channels : 0, choice = u->insn->choice;
    const bool gathers = u->insn->op == OP_TLD4;
    if (gathers ? choice >= channels : channels < UOP_DESTINATIONS)
        memset(results, 0, UOP_DESTINATIONS * sizeof *results);
    if (gathers) {
        for (unsigned c = 0; c < UOP_DESTINATIONS && choice < channels; c++)
            read_channel(&from, &f->taps[corners[c]], choice, results[c]);
    } else if (f->tap_count == 1) {
        for (unsigned c = 0; c < channels; c++)
            read_channel(&from, &f->taps[0], c, results[c]);
    } else {
        filter_channels(&from, channels, results);
    }
}

/* ---- lanes ------------------------------------------------------------------------------------- */

/* One event for the first texel of all lanes, one for the second ... */
static void tell_taps(struct exec *x, const struct uop *u, struct fetch *f)
{
    for (unsigned k = 0; k < f->tap_count; k++) {
        uint64_t copy[WARP_LANES] __attribute__((aligned(64))), *addresses = f->taps[k].address;
        const uint32_t mask = f->lanes & f->taps[k].inside;
        struct access access = {.space = SPACE_GLOBAL,
                                .bytes = (uint8_t)texture_texel_bytes(f->texture)};
        if (!mask) continue;
        if (mask != UINT32_MAX) addresses = memcpy(copy, addresses, sizeof copy);
        find_shape(&access, addresses, mask);
        leave_upper_halves();
        x->observe->memory(x->observer_worker, &x->warp->ref, u->index, &access);
    }
}

/* For the lanes of the mask that have this handle: `f` lacks those that cannot fetch; they get 0. */
static void write_results(struct exec *x, const struct uop *u, const struct fetch *f,
                          uint32_t lanes)
{
    lane_words results[UOP_DESTINATIONS];
    fetch_results(x, u, f, results);
    for (unsigned c = 0; c < UOP_DESTINATIONS; c++) {
        if (u->dst[c] == REF_NONE) continue;
        uint32_t *to = DST(uint32_t, c);
        const uint32_t *bits = results[c], good = f->lanes;
        VECTOR LANES to[i] = lanes >> i & 1 ? (good >> i & 1 ? bits[i] : 0) : to[i];
    }
}

/* Lanes of `among` that have the handle of the first of them. */
static uint32_t lanes_alike(const struct exec *x, const struct uop *u, uint32_t among)
{
    const unsigned first = (unsigned)__builtin_ctz(among);
    uint32_t alike = 0;
    if (u->insn->modifiers & NM_LOW_HANDLE) {
        const uint32_t *handle = SRC(uint32_t, 0);
        LANES alike |= (uint32_t)(handle[i] == handle[first]) << i;
    } else {
        const uint64_t *handle = SRC(uint64_t, 0);
        LANES alike |= (uint32_t)(handle[i] == handle[first]) << i;
    }
    return alike & among;
}

static void tex_any(struct exec *x, const struct uop *u)
{
    struct fetch f;
    for (uint32_t left = x->mask, lanes; left && !x->fault.kind; left &= ~lanes) {
        struct known_texture known;
        struct axis axes[3];
        lanes = lanes_alike(x, u, left);
        fetch_look_up(x, u, (unsigned)__builtin_ctz(left), &known);
        f.texture = known.texture;
        f.lanes = lanes;
        f.tap_count = 0;
        if (!known.why) {
            locate_axes(x, u, f.texture, axes);
            combine_axes(&f, axes);
        }
        leave_upper_halves();
        if (!fetch_check(x, u, &known, &f)) return;
        if (x->observe) tell_taps(x, u, &f);
        write_results(x, u, &f, lanes);
    }
}

/* ---- attributes (PTX ISA: txq, suq) ------------------------------------------------------------- */

static uint32_t attribute_of(const ws_texture *t, unsigned which)
{
    /* wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border */
    static const uint8_t modes[] = {[WS_ADDRESS_WRAP] = 0,
                                    [WS_ADDRESS_CLAMP] = 3,
                                    [WS_ADDRESS_MIRROR] = 1,
                                    [WS_ADDRESS_BORDER] = 4};
    const uint32_t layers = (uint32_t)t->depth;
    switch (which) {
    case SUB_WIDTH:
        return (uint32_t)t->width;
    case SUB_HEIGHT:
        return (uint32_t)t->height;
    case SUB_DEPTH:
        return t->kind == WS_TEXTURE_3D ? (uint32_t)t->depth : 1;
    case SUB_ARRAY_SIZE:
        return t->kind == WS_TEXTURE_CUBE_LAYERED                                     ? layers / 6
               : t->kind == WS_TEXTURE_1D_LAYERED || t->kind == WS_TEXTURE_2D_LAYERED ? layers
                                                                                      : 0;
    case SUB_MEMORY_LAYOUT:
        return t->kind == WS_TEXTURE_LINEAR_MEMORY;
    case SUB_NORMALIZED_COORDS:
        return t->normalized_coordinates;
    case SUB_FILTER_MODE:
        return t->linear_filter;
    case SUB_ADDRESS_MODE_0:
    case SUB_ADDRESS_MODE_1:
    case SUB_ADDRESS_MODE_2:
        return modes[t->address_modes[which - SUB_ADDRESS_MODE_0]];
    default: /* levels and samples of textures that have neither mipmaps nor several samples */
        return 0;
    }
}

static void texture_query_any(struct exec *x, const struct uop *u)
{
    for (uint32_t left = x->mask; left && !x->fault.kind; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const char *why;
        const uint64_t handle = texture_handle(x, u, u->src[0], lane);
        const ws_texture *t = texture_find(x->launch->device, handle, &why);
        if (t) {
            DST(uint32_t, 0)[lane] = attribute_of(t, u->insn->sub_op);
            continue;
        }
        texture_fault(x, u, lane, handle, why);
        if (check_goes_on(x)) DST(uint32_t, 0)[lane] = 0;
    }
}

SELECT_ONE(tex, SAME(tex_any))
SELECT_ONE(texture_query, SAME(texture_query_any))

#endif
