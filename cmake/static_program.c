// SPDX-License-Identifier: Apache-2.0
/* What the statically linked program has instead of libraries that Debian has no archives of, or that a
 * static program must not load. */
#include <dlfcn.h>
#include <hwloc.h>
#include <hwloc/plugins.h>
#include <stddef.h>

/* A library that a static program loads needs the very C library that the program was linked with, and
 * crashes with another. hwloc looks for plugins this way, `calibrate` for the driver: both go without. */
void *dlopen(const char *path, int mode)
{
    (void)path;
    (void)mode;
    return NULL;
}

/* hwloc asks udev for the serial numbers of disks, and gives up without a handle. */
struct udev;
struct udev_device;
struct udev *udev_new(void);
struct udev *udev_new(void)
{
    return NULL;
}
struct udev *udev_unref(struct udev *udev);
struct udev *udev_unref(struct udev *udev)
{
    (void)udev;
    return NULL;
}
struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem,
                                                           const char *name);
struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem,
                                                           const char *name)
{
    (void)udev;
    (void)subsystem;
    (void)name;
    return NULL;
}
struct udev_device *udev_device_unref(struct udev_device *device);
struct udev_device *udev_device_unref(struct udev_device *device)
{
    (void)device;
    return NULL;
}
const char *udev_device_get_property_value(struct udev_device *device, const char *key);
const char *udev_device_get_property_value(struct udev_device *device, const char *key)
{
    (void)device;
    (void)key;
    return NULL;
}

/* hwloc's reader of XML by libxml2, with which 30 MB of Unicode tables would come. A component whose start
 * fails is skipped. */
static int skip(unsigned long flags)
{
    (void)flags;
    return -1;
}
extern const struct hwloc_component hwloc_xml_libxml_component;
const struct hwloc_component hwloc_xml_libxml_component = {
    .abi = HWLOC_COMPONENT_ABI, .init = skip, .type = HWLOC_COMPONENT_TYPE_XML};
