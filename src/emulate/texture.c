// SPDX-License-Identifier: Apache-2.0
/* Texture objects: what a handle stands for. */
#include <string.h>

#include "emulate/exec.h"

/* Handles: the serial number of the slot's texture above the slot's number, from 1. */
struct texture_slot {
    ws_texture texture;
    uint32_t serial;
    bool live;
};
enum { SERIAL_SHIFT = 32 };

/* More texels in a row, a column or in depth than any GPU takes. */
#define SIZE_MAX_TEXELS (UINT64_C(1) << 30)

unsigned texture_texel_bytes(const ws_texture *texture)
{
    return texture->channels * texture->channel_bits / 8;
}

bool texture_gives_floats(const ws_texture *texture)
{
    return texture->channel_kind == WS_CHANNEL_FLOAT || texture->normalized_read;
}

static const char *format_fault(const ws_texture *t)
{
    bool is_float = t->channel_kind == WS_CHANNEL_FLOAT;
    if (t->channels != 1 && t->channels != 2 && t->channels != 4)
        return "a texel must have 1, 2 or 4 channels";
    if (t->channel_bits != 8 && t->channel_bits != 16 && t->channel_bits != 32)
        return "a channel must have 8, 16 or 32 bits";
    if ((unsigned)t->channel_kind > WS_CHANNEL_FLOAT) return "unknown channel kind";
    if (is_float && t->channel_bits == 8) return "floats must have 16 or 32 bits";
    if (t->normalized_read && !is_float && t->channel_bits == 32)
        return "integers of 32 bits cannot be read as normalized floats";
    if (t->linear_filter && !texture_gives_floats(t)) return "filtering requires float reads";
    return NULL;
}

static const char *shape_fault(const ws_texture *t)
{
    if ((unsigned)t->kind > WS_TEXTURE_CUBE_LAYERED) return "unknown texture kind";
    for (unsigned k = 0; k < 3; k++)
        if ((unsigned)t->address_modes[k] > WS_ADDRESS_BORDER) return "unknown address mode";
    const uint64_t sizes[] = {t->width, t->height, t->depth};
    const uint64_t texel = texture_texel_bytes(t);
    for (unsigned k = 0; k < 3; k++)
        if (sizes[k] < 1 || sizes[k] > SIZE_MAX_TEXELS) return "size 0 or too large";
    if (t->address % texel || t->pitch_bytes % texel || t->slice_bytes % texel)
        return "address and pitch must be multiples of a texel";
    if (t->height > 1 && t->pitch_bytes < t->width * texel)
        return "the pitch is smaller than a row";
    if (t->pitch_bytes > SIZE_MAX_TEXELS * texel || t->slice_bytes > UINT64_MAX / SIZE_MAX_TEXELS)
        return "its pitch is too large";
    bool is_cube = t->kind >= WS_TEXTURE_CUBE;
    if (is_cube &&
        (t->width != t->height || t->depth % 6 || (t->depth > 6 && t->kind == WS_TEXTURE_CUBE)))
        return "a cube must have six square faces";
    if (t->depth > 1 && t->slice_bytes < t->pitch_bytes * (t->height - 1) + t->width * texel)
        return "slices overlap";
    return NULL;
}

/* Sizes that the kind has not are 1; modes that it cannot have become those that it takes instead. */
static ws_texture completed(const ws_texture *given)
{
    ws_texture t = *given;
    bool rows = t.kind >= WS_TEXTURE_2D && t.kind != WS_TEXTURE_1D_LAYERED;
    bool slices = t.kind >= WS_TEXTURE_3D;
    if (!rows) t.height = 1;
    if (!slices) t.depth = 1;
    if (t.height == 1) t.pitch_bytes = 0;
    if (t.depth == 1) t.slice_bytes = 0;
    for (unsigned k = 0; k < 3 && !t.normalized_coordinates; k++)
        if (t.address_modes[k] == WS_ADDRESS_WRAP || t.address_modes[k] == WS_ADDRESS_MIRROR)
            t.address_modes[k] = WS_ADDRESS_CLAMP;
    return t;
}

static bool lies_in_memory(const struct device *device, const ws_texture *t)
{
    const struct allocation *found = devmem_find(&device->memory, t->address);
    uint64_t bytes = t->slice_bytes * (t->depth - 1) + t->pitch_bytes * (t->height - 1) +
                     t->width * texture_texel_bytes(t);
    return found && bytes <= found->address + found->bytes - t->address;
}

static struct texture_slot *take_slot(struct device *device)
{
    for (uint32_t i = 0; i < device->texture_count; i++)
        if (!device->textures[i].live) return &device->textures[i];
    GROW(device->textures, device->texture_count, device->texture_room);
    struct texture_slot *slot = &device->textures[device->texture_count++];
    slot->serial = 0;
    return slot;
}

ws_status device_texture_create(struct diag *diag, struct device *device, const ws_texture *texture,
                                uint64_t *out)
{
    *out = 0;
    const char *fault = format_fault(texture);
    ws_texture complete = completed(texture);
    if (!fault) fault = shape_fault(&complete);
    if (!fault && !lies_in_memory(device, &complete))
        fault = "its texels are not within one device allocation";
    if (fault) return diag_error(diag, WS_ERR_ARGUMENT, "texture: %s", fault);
    struct texture_slot *slot = take_slot(device);
    slot->texture = complete;
    slot->serial++;
    slot->live = true;
    *out = (uint64_t)slot->serial << SERIAL_SHIFT | ((uint64_t)(slot - device->textures) + 1);
    return WS_OK;
}

static struct texture_slot *find_slot(const struct device *device, uint64_t handle)
{
    uint64_t number = handle & UINT32_MAX;
    if (number < 1 || number > device->texture_count) return NULL;
    struct texture_slot *slot = &device->textures[number - 1];
    uint64_t serial = handle >> SERIAL_SHIFT;
    return serial >= 1 && serial <= slot->serial ? slot : NULL;
}

uint64_t texture_handle_of(const struct device *device, uint32_t low)
{
    uint64_t serial =
        low >= 1 && low <= device->texture_count ? device->textures[low - 1].serial : 0;
    return serial << SERIAL_SHIFT | low;
}

uint64_t texture_handle(const struct exec *x, const struct uop *u, operand_ref from, unsigned lane)
{
    uint64_t handle;
    memcpy(&handle, x->base[from >> 30] + (from & 0x3fffffff) + 8 * lane, sizeof handle);
    if (insn_source(u->insn, 0)->kind == OPERAND_SYMBOL)
        memcpy(&handle, devmem_host(x->launch->memory, handle), sizeof handle);
    return handle;
}

const ws_texture *texture_find(const struct device *device, uint64_t handle, const char **why)
{
    const struct texture_slot *slot = find_slot(device, handle);
    bool current = slot && slot->live && handle >> SERIAL_SHIFT == slot->serial;
    *why = !slot ? "no texture object has this handle" : "the texture object was destroyed";
    return current ? &slot->texture : NULL;
}

ws_status device_texture_destroy(struct diag *diag, struct device *device, uint64_t handle)
{
    const char *why;
    if (!texture_find(device, handle, &why))
        return diag_error(diag, WS_ERR_ARGUMENT, "texture 0x%llx: %s", (unsigned long long)handle,
                          why);
    find_slot(device, handle)->live = false;
    return WS_OK;
}
