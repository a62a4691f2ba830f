#include "base/array.h"
#include "device.h"
#include "base/options.h"

#include <string.h>

static const struct {
    int32_t attribute;
    int32_t fallback;
    const char *name;
    const char *unit;
} attributes[] = {
#define ROW(value, constant, field, fallback, unit) { value, fallback, #field, unit },
    CUC_DEVICE_ATTRIBUTE_LIST(ROW)
#undef ROW
};

static const size_t attribute_count = CUC_LENGTH(attributes);

size_t cuc_device_attribute_count(void)
{
    return attribute_count;
}

cuc_status cuc_device_attribute_at(int32_t *attribute, const char **name, const char **unit,
                                   size_t index)
{
    if (index >= attribute_count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "index is %zu, there are %zu attributes", index,
                        attribute_count);
    if (attribute)
        *attribute = attributes[index].attribute;
    if (name)
        *name = attributes[index].name;
    if (unit)
        *unit = attributes[index].unit;
    return CUC_OK;
}

cuc_status cuc_device_attribute_from_name(int32_t *out, const char *name)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(name);
    for (size_t i = 0; i < attribute_count; i++) {
        if (strcmp(attributes[i].name, name) == 0) {
            *out = attributes[i].attribute;
            return CUC_OK;
        }
    }
    return CUC_FAIL(CUC_ERROR_NOT_FOUND,
                    "no device attribute is called \"%s\"; `cucore info --json` lists them", name);
}

static cuc_status get_attribute(int32_t *out, cuc_device *device, int32_t attribute,
                                const char *function)
{
    int value;
    CUresult r =
        cuc__cu.cuDeviceGetAttribute(&value, (CUdevice_attribute)attribute, device->handle);

    if (r == CUDA_ERROR_INVALID_VALUE) {
        for (size_t i = 0; i < attribute_count; i++) {
            if (attributes[i].attribute == attribute) {
                *out = attributes[i].fallback;
                return CUC_OK;
            }
        }
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "attribute is %d, unknown to cucore and to this driver (CUDA %d.%d)",
                         attribute, cuc__driver_version() / 1000,
                         cuc__driver_version() % 1000 / 10);
    }
    if (r)
        return cuc__fail_driver(NULL, r, function, "cuDeviceGetAttribute",
                                "asking device %d for attribute %d", device->ordinal, attribute);
    *out = value;
    return CUC_OK;
}

cuc_status cuc_device_get_attribute(int32_t *out, cuc_device *device, int32_t attribute)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    return get_attribute(out, device, attribute, __func__);
}

cuc_status cuc_device_get_properties(cuc_device_properties *out, cuc_device *device)
{
    cuc_device_properties all = CUC_DEVICE_PROPERTIES_INIT;
    int32_t *field = (int32_t *)((char *)&all + sizeof(size_t));

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    // The fields follow the order of the list, one int32_t each.
    for (size_t i = 0; i < attribute_count; i++) {
        cuc_status st = get_attribute(&field[i], device, attributes[i].attribute, __func__);
        if (st < 0)
            return st;
    }
    return CUC_WRITE_STRUCT(out, &all, cuc_device_properties);
}
