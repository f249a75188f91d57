// SPDX-License-Identifier: Apache-2.0
#include "emulate/fetch.h"

#include <string.h>

#include "base/strbuf.h"
#include "emulate/defined.h"

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

/* Does its memory lie in one allocation still, all of which may be read without a look at it? */
static bool is_written(const struct exec *x, const ws_texture *t)
{
    const struct allocation *found = devmem_find(x->launch->memory, t->address);
    uint64_t bytes = t->slice_bytes * (t->depth - 1) + t->pitch_bytes * (t->height - 1) +
                     t->width * texture_texel_bytes(t);
    return found && !found->shadow && !found->rule &&
           bytes <= found->address + found->bytes - t->address;
}

void fetch_look_up(const struct exec *x, const struct uop *u, unsigned lane,
                   struct known_texture *out)
{
    bool is_low = u->insn->modifiers & NM_LOW_HANDLE;
    const struct device *device = x->launch->device;
    uint64_t handle = is_low ? texture_handle_of(device, lane_word(x, u->src[0], lane))
                             : texture_handle(x, u, u->src[0], lane);
    *out = (struct known_texture){.handle = handle};
    out->texture = texture_find(device, handle, &out->why);
    if (!out->texture) return;
    out->why = mismatch(u->insn, out->texture);
    out->is_written = is_written(x, out->texture);
}

/* Memory that is freed while a texture of it lives, or that nothing has written: with checks what was fetched is then
 * undefined, which *undefined says. */
static bool check_tap(struct exec *x, const struct uop *u, const struct fetch *f, unsigned k,
                      unsigned lane, bool *undefined)
{
    uint64_t address = f->taps[k].address[lane];
    unsigned bytes = texture_texel_bytes(f->texture);
    const struct allocation *found = devmem_find(x->launch->memory, address);
    bool inside = found && address + bytes <= found->address + found->bytes;
    bool written =
        inside && (!found->shadow || shadow_all(found->shadow, address - found->address, bytes));
    if (written && found->rule)
        devmem_touch(x->launch->memory, found, address - found->address, bytes);
    if (written) return true;
    if (inside && x->checks) {
        *undefined = f->taps[k].weight[lane] > 0;
        return true;
    }
    fault_memory(x, u, inside ? FAULT_UNINITIALISED : FAULT_FREED, lane, address);
    x->fault.space = SPACE_GLOBAL;
    x->fault.bytes = bytes;
    return false;
}

/* The first of its texels that counts and was never written: 0 if there is none. False: the lane cannot fetch. */
static bool check_lane(struct exec *x, const struct uop *u, const struct fetch *f, unsigned lane,
                       uint64_t *undefined_at)
{
    *undefined_at = 0;
    for (unsigned k = 0; k < f->tap_count; k++) {
        bool undefined = false;
        if (!(f->taps[k].inside >> lane & 1)) continue;
        if (!check_tap(x, u, f, k, lane, &undefined)) return false;
        if (undefined && !*undefined_at) *undefined_at = f->taps[k].address[lane];
    }
    return true;
}

/* Lanes that read nothing get an address that another one reads: what they would load may be gone, or be written now. */
static void keep_to_memory(struct fetch *f)
{
    for (unsigned k = 0; k < f->tap_count; k++) {
        struct tap *tap = &f->taps[k];
        const uint32_t reads = tap->inside & f->lanes;
        for (uint32_t left = reads ? ~reads : 0; left; left &= left - 1)
            tap->address[__builtin_ctz(left)] = tap->address[__builtin_ctz(reads)];
    }
}

static bool check_taps(struct exec *x, const struct uop *u, struct fetch *f)
{
    uint32_t undefined = 0;
    uint64_t first_undefined = 0;
    for (uint32_t left = f->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t at;
        if (!check_lane(x, u, f, lane, &at)) {
            if (!check_goes_on(x)) return false;
            f->lanes &= ~(1u << lane);
        } else if (at) {
            if (!undefined) first_undefined = at;
            undefined |= 1u << lane;
        }
    }
    if (undefined && x->tracks) defined_fetched(x, u, undefined, first_undefined);
    return true;
}

/* Linear memory gives zeros beyond its end, by definition; few mean it. */
static void check_bounds(struct exec *x, const struct uop *u, const struct fetch *f)
{
    if (f->texture->kind != WS_TEXTURE_LINEAR_MEMORY) return;
    for (uint32_t left = f->lanes & ~f->taps[0].inside; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct strbuf text = {0};
        strbuf_printf(&text, "index %d of a texture of %llu texels",
                      (int32_t)lane_word(x, u->src[1], lane),
                      (unsigned long long)f->texture->width);
        check_tell_fetch(x, u, lane, text.data);
        strbuf_clear(&text);
    }
}

static bool refuse(struct exec *x, const struct uop *u, const struct known_texture *known,
                   struct fetch *f)
{
    for (uint32_t left = f->lanes; left; left &= left - 1) {
        texture_fault(x, u, (unsigned)__builtin_ctz(left), known->handle, known->why);
        if (!check_goes_on(x)) return false;
    }
    f->lanes = 0;
    return true;
}

bool fetch_check(struct exec *x, const struct uop *u, const struct known_texture *known,
                 struct fetch *f)
{
    if (known->why) return refuse(x, u, known, f);
    if (!known->is_written && !check_taps(x, u, f)) return false;
    keep_to_memory(f);
    if (x->checks & CHECK_MEMORY) check_bounds(x, u, f);
    return true;
}
