// Tests devices: their number, their properties, and their errors.
#include "base/array.h"
#include "device/context.h"
#include "device/device.h"
#include "driver/nvml.h"
#include "testing.h"

#include <ctype.h>

static cuc_device *device;
static int32_t count;

static void setup(void)
{
    if (fake_available())
        fake_reset();
    ck_ok(cuc_device_get_count(&count));
    ck_ok(cuc_device_get(&device, 0));
}

static void teardown(void)
{
    ck_assert_ptr_null(testing_current());
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
}

static cuc_device *second(void)
{
    cuc_device *d;

    ck_ok(cuc_device_get(&d, 1));
    return d;
}

CASE("device", .setup = setup, .teardown = teardown);

TEST(there_is_one_object_for_each_ordinal)
{
    cuc_device *again;

    ck_assert_int_gt(count, 0);
    for (int32_t i = 0; i < count; i++) {
        ck_ok(cuc_device_get(&again, i));
        ck_assert_int_eq(cuc_device_ordinal(again), i);
        ck_assert_int_ge(cuc_device_handle(again), 0);
    }
    ck_ok(cuc_device_get(&again, 0));
    ck_assert_ptr_eq(again, device);
}

static const int32_t bad_ordinals[] = { -1, 8, INT32_MAX, INT32_MIN };

TEST_ROWS(an_ordinal_out_of_range_is_reported_with_the_range, bad_ordinals)
{
    char text[80];
    cuc_device *none = NULL;

    snprintf(text, sizeof(text), "ordinal is %d, the driver has devices 0 to %d", bad_ordinals[_i],
             count - 1);
    if (bad_ordinals[_i] >= 0 && bad_ordinals[_i] < count)
        SKIP("this machine has that many devices");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get(&none, bad_ordinals[_i]), text);
    ck_assert_ptr_null(none);
}

TEST(a_device_reports_its_name_uuid_address_and_architecture)
{
    uint8_t bytes[16];
    char text[48] = "";
    int32_t major = 0, minor = 0;

    ck_assert_str_ne(cuc_device_name(device), "");
    ck_ok(cuc_device_get_uuid_bytes(bytes, device));
    const char *uuid = cuc_device_uuid(device);
    ck_assert_uint_eq(strlen(uuid), 40);
    ck_assert_int_eq(strncmp(uuid, "GPU-", 4), 0);
    int at = 0;
    for (const char *p = uuid + 4; *p; p++)
        if (*p != '-')
            text[at++] = *p;
    ck_assert_int_eq(at, 32);
    text[at] = '\0';
    for (int i = 0; i < 16; i++) {
        unsigned value;
        ck_assert_int_eq(sscanf(text + (ptrdiff_t)2 * i, "%2x", &value), 1);
        ck_assert_uint_eq(value, bytes[i]);
    }
    ck_ok(cuc_device_get_compute_capability(&major, &minor, device));
    snprintf(text, sizeof(text), "sm_%d%d", major, minor);
    ck_assert_str_eq(cuc_device_arch(device), text);
}

TEST(a_pci_address_leads_back_to_its_device)
{
    cuc_device *found = NULL;

    ck_ok(cuc_device_get_by_pci_bus_id(&found, cuc_device_pci_bus_id(device)));
    ck_assert_ptr_eq(found, device);
    found = NULL;
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_device_get_by_pci_bus_id(&found, "0000:ff:1f.0"),
             "no device at PCI address \"0000:ff:1f.0\"", "0000:3b:00.0");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_device_get_by_pci_bus_id(&found, "nonsense"), "\"nonsense\"");
    ck_assert_ptr_null(found);
}

TEST(every_listed_attribute_is_what_the_driver_returns)
{
    cuc_device_properties all = CUC_DEVICE_PROPERTIES_INIT;
    const int32_t *field = (const int32_t *)(const void *)((const char *)&all + sizeof(size_t));

    ck_ok(cuc_device_get_properties(&all, device));
    ck_assert_uint_eq(all.struct_size, sizeof(all));
    for (size_t i = 0; i < cuc_device_attribute_count(); i++) {
        int32_t attribute, value = -77, again;
        const char *name, *unit;
        int expected;

        ck_ok(cuc_device_attribute_at(&attribute, &name, &unit, i));
        ck_ok(cuc_device_attribute_from_name(&again, name));
        ck_assert_int_eq(attribute, again);
        ck_assert_str_ne(unit, "");
        for (const char *p = name; *p; p++)
            ck_assert_msg(islower(*p) || isdigit(*p) || *p == '_', "%s", name);
        ck_ok(cuc_device_get_attribute(&value, device, attribute));
        if (cuc__cu.cuDeviceGetAttribute(&expected, (CUdevice_attribute)attribute,
                                         cuc_device_handle(device)) == 0)
            ck_assert_msg(value == expected, "%s is %d, the driver says %d", name, value, expected);
        ck_assert_msg(field[i] == value, "the field %s is %d, the attribute %d", name, field[i],
                      value);
    }
    ck_assert_int_eq(all.reserved, 0);
    ck_assert_int_gt(all.max_threads_per_block, 0);
}

TEST(properties_fill_the_struct_up_to_the_callers_size)
{
    struct {
        cuc_device_properties all;
        int32_t more[4];
    } large;
    cuc_device_properties small = { .struct_size = sizeof(size_t) + 2 * sizeof(int32_t),
                                    .reserved = 55 };
    const int32_t *field = (const int32_t *)(const void *)((const char *)&small + sizeof(size_t));

    memset(&large, 0x55, sizeof(large));
    large.all.struct_size = sizeof(large);
    ck_ok(cuc_device_get_properties(&large.all, device));
    ck_assert_uint_eq(large.all.struct_size, sizeof(large));
    ck_assert_int_eq(large.more[3], 0);
    memset((char *)&small + sizeof(size_t), 0x55, sizeof(small) - sizeof(size_t));
    ck_ok(cuc_device_get_properties(&small, device));
    ck_assert_int_ne(field[1], 0x55555555);
    ck_assert_int_eq(field[2], 0x55555555);
    small.struct_size = 3;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_properties(&small, device),
             "struct_size is 3", "cuc_device_properties");
}

TEST(an_unknown_attribute_is_refused_by_number)
{
    int32_t value = 42;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_attribute(&value, device, 9999),
             "attribute is 9999");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_device_attribute_from_name(&value, "number_of_wheels"),
             "\"number_of_wheels\"");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_device_attribute_at(&value, NULL, NULL, cuc_device_attribute_count()), "index is");
    ck_assert_int_eq(value, 42);
}

TEST(an_attribute_that_the_driver_is_too_old_for_has_its_default)
{
    int32_t value = 42;

    NEED_FAKE();
    for (size_t i = 0; i < cuc_device_attribute_count(); i++) {
        int32_t attribute;
        ck_ok(cuc_device_attribute_at(&attribute, NULL, NULL, i));
        fake_fail("cuDeviceGetAttribute", 1, CUDA_ERROR_INVALID_VALUE);
        ck_ok(cuc_device_get_attribute(&value, device, attribute));
        ck_assert_int_eq(fake_fails_armed(), 0);
        ck_assert_int_le(value, 1024); // 0 on nearly all devices
    }
    fake_fail("cuDeviceGetAttribute", 1, CUDA_ERROR_UNKNOWN);
    value = 42;
    ck_fails(CUC_ERROR_DRIVER, cuc_device_get_attribute(&value, device, 1),
             "cuDeviceGetAttribute returned 999", "attribute 1");
    ck_assert_int_eq(value, 42);
}

TEST(memory_is_counted)
{
    uint64_t free_bytes = 0, total = 0;

    ck_ok(cuc_device_get_memory_info(&free_bytes, &total, device));
    ck_assert_uint_gt(total, (uint64_t)1 << 30);
    ck_assert_uint_le(free_bytes, total);
    ck_ok(cuc_device_get_memory_info(NULL, &total, device));
    ck_ok(cuc_device_get_memory_info(&free_bytes, NULL, device));
    if (!fake_available())
        return;
    fake_fail("cuMemGetInfo", 1, CUDA_ERROR_UNKNOWN);
    free_bytes = total = 42;
    ck_fails(CUC_ERROR_DRIVER, cuc_device_get_memory_info(&free_bytes, &total, device),
             "cuMemGetInfo");
    ck_assert_uint_eq(free_bytes, 42);
    ck_assert_uint_eq(total, 42);
}

TEST(peers_are_queried_in_pairs)
{
    int32_t value = 42;

    ck_ok(cuc_device_can_access_peer(&value, device, device));
    ck_assert_int_eq(value, 1);
    value = 42;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_device_get_peer_attribute(&value, device, device, CUC_PEER_ACCESS_SUPPORTED),
             "device and peer are both device 0");
    ck_assert_int_eq(value, 42);
    if (count < 2)
        SKIP("the rest needs two devices");
    ck_ok(cuc_device_can_access_peer(&value, device, second()));
    ck_ok(cuc_device_get_peer_attribute(&value, device, second(), CUC_PEER_ACCESS_SUPPORTED));
    value = 42;
    ck_fails(CUC_ERROR_DRIVER, cuc_device_get_peer_attribute(&value, device, second(), 99),
             "peer attribute 99 of devices 0 and 1");
    ck_assert_int_eq(value, 42);
}

TEST(the_current_device_is_the_contexts_or_the_first)
{
    cuc_device *current = NULL;
    cuc_context *previous = (cuc_context *)(void *)&previous;

    ck_ok(cuc_device_get_current(&current));
    ck_assert_ptr_eq(current, device);
    cuc_device *other = count > 1 ? second() : device;
    ck_ok(cuc_device_set_current(other, &previous));
    ck_assert_ptr_null(previous);
    ck_ok(cuc_device_get_current(&current));
    ck_assert_ptr_eq(current, other);
    ck_ok(cuc_device_set_current(device, &previous));
    ck_assert_ptr_eq(cuc_context_device(previous), other);
    cuc_context_release(previous);
    ck_ok(cuc_context_set_current(NULL, NULL));
    ck_ok(cuc_device_get_current(&current));
    ck_assert_ptr_eq(current, device);
}

TEST(null_arguments_are_named)
{
    int32_t value = 42;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_count(NULL), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get(NULL, 0), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_current(NULL), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_by_pci_bus_id(NULL, "x"), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_by_pci_bus_id(&device, NULL),
             "bus_id is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_attribute(NULL, device, 1), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_attribute(&value, NULL, 1),
             "device is NULL, expected a cuc_device");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_properties(NULL, device), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_uuid_bytes(NULL, device), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_compute_capability(NULL, &value, device),
             "major is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_memory_info(NULL, NULL, NULL),
             "device is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_can_access_peer(&value, device, NULL),
             "peer is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_can_access_peer(NULL, device, device),
             "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_set_current(NULL, NULL), "device is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_context(NULL, device), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_synchronize(NULL), "device is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_attribute_from_name(&value, NULL),
             "name is NULL");
    ck_assert_int_eq(value, 42);
    ck_assert_int_eq(cuc_device_ordinal(NULL), -1);
    ck_assert_int_eq(cuc_device_handle(NULL), -1);
    ck_assert_str_eq(cuc_device_name(NULL), "");
    ck_assert_str_eq(cuc_device_uuid(NULL), "");
    ck_assert_str_eq(cuc_device_pci_bus_id(NULL), "");
    ck_assert_str_eq(cuc_device_arch(NULL), "");
}

CASE("first");

// In a process that has not read any device yet, makes each call fail in turn until all succeed.
TEST(a_failure_while_reading_devices_is_reported_and_not_remembered)
{
    static const char *const functions[] = { "cuDeviceGetCount",    "cuDeviceGet",
                                             "cuDeviceGetName",     "cuDeviceGetUuid",
                                             "cuDeviceGetPCIBusId", "cuDeviceGetAttribute" };
    cuc_device *got = NULL;

    NEED_FAKE();
    for (int i = 0; i < CUC_LENGTH(functions); i++) {
        fake_fail(functions[i], 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_DRIVER, cuc_device_get(&got, 0), functions[i]);
        ck_assert_ptr_null(got);
    }
    fake_fail("cuDeviceGet", 2, CUDA_ERROR_UNKNOWN); // fails after the first device was read
    ck_fails(CUC_ERROR_DRIVER, cuc_device_get(&got, 0), "reading device 1");
    fake_fail("cuDeviceGetAttribute", 14, CUDA_ERROR_INVALID_VALUE); // the limits must be known
    ck_fails(CUC_ERROR_DRIVER, cuc_device_get(&got, 0), "reading device 0");
    ck_ok(cuc_device_get(&got, 0));
    ck_assert_int_eq(fake_fails_armed(), 0);
    ck_assert_str_eq(cuc_device_arch(got), "sm_90");
}

// Simulates NVML with one device. NVML finds it only by its PCI address, and it has no power
// sensor.
static struct nvmlDevice_st *const nvml_device = (void *)0x1234;
static int nvml_starts;

static nvmlReturn_t nvml_init(void)
{
    nvml_starts++;
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_shutdown(void)
{
    nvml_starts--;
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_by_uuid(const char *uuid, nvmlDevice_t *out)
{
    (void)uuid;
    (void)out;
    return NVML_ERROR_NOT_FOUND;
}

static nvmlReturn_t nvml_by_address(const char *address, nvmlDevice_t *out)
{
    if (strcmp(address, cuc_device_pci_bus_id(device)) != 0)
        return NVML_ERROR_NOT_FOUND;
    *out = nvml_device;
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_clock(nvmlDevice_t d, nvmlClockType_t type, unsigned *mhz)
{
    ck_assert_ptr_eq(d, nvml_device);
    *mhz = type == NVML_CLOCK_SM ? 1980 : type == NVML_CLOCK_MEM ? 2619 : 0;
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_reasons(nvmlDevice_t d, unsigned long long *reasons)
{
    ck_assert_ptr_eq(d, nvml_device);
    *reasons = CUC_THROTTLE_POWER_CAP;
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_temperature(nvmlDevice_t d, nvmlTemperatureSensors_t sensor, unsigned *out)
{
    ck_assert_ptr_eq(d, nvml_device);
    *out = sensor == NVML_TEMPERATURE_GPU ? 47 : 0;
    return NVML_SUCCESS;
}

static nvmlReturn_t nvml_power(nvmlDevice_t d, unsigned *out)
{
    (void)d;
    (void)out;
    return NVML_ERROR_NOT_SUPPORTED;
}

CASE("device");

TEST(sensors_are_read_as_far_as_the_device_has_them)
{
    cuc_device_sensors s = CUC_DEVICE_SENSORS_INIT;

    cuc__nvml.nvmlInit_v2 = nvml_init;
    cuc__nvml.nvmlShutdown = nvml_shutdown;
    cuc__nvml.nvmlDeviceGetHandleByUUID = nvml_by_uuid;
    cuc__nvml.nvmlDeviceGetHandleByPciBusId_v2 = nvml_by_uuid;
    ck_assert_int_eq(cuc__device_read_sensors(&s, device, CUC_SENSOR_SM_CLOCK), CUC_ERROR_TOOLKIT);
    ck_assert_int_eq(nvml_starts, 0);
    cuc__nvml.nvmlDeviceGetHandleByPciBusId_v2 = nvml_by_address;
    cuc__nvml.nvmlDeviceGetClockInfo = nvml_clock;
    cuc__nvml.nvmlDeviceGetCurrentClocksEventReasons = nvml_reasons;
    cuc__nvml.nvmlDeviceGetTemperature = nvml_temperature;
    cuc__nvml.nvmlDeviceGetPowerUsage = nvml_power;
    ck_ok(cuc__device_read_sensors(&s, device, CUC_SENSOR_SM_CLOCK));
    ck_assert_uint_eq(s.known, CUC_SENSOR_SM_CLOCK);
    ck_assert_uint_eq(s.sm_mhz, 1980);
    ck_assert_uint_eq(s.memory_mhz, 0);
    s = (cuc_device_sensors)CUC_DEVICE_SENSORS_INIT;
    ck_ok(cuc__device_read_sensors(&s, device, 0x1F));
    ck_assert_uint_eq(s.known, 0x1F & ~(uint32_t)CUC_SENSOR_POWER);
    ck_assert_uint_eq(s.memory_mhz, 2619);
    ck_assert_int_eq(s.celsius, 47);
    ck_assert_uint_eq(s.throttle, CUC_THROTTLE_POWER_CAP);
    ck_assert_uint_eq(s.milliwatts, 0);
    ck_assert_int_eq(nvml_starts, 1); // only the first query starts NVML
}

TEST(a_simulated_device_has_no_sensors)
{
    cuc_device_sensors s = CUC_DEVICE_SENSORS_INIT;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_sensors(&s, device, 0x20),
             "wanted is 0x20, bits of 0x1f are known");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_get_sensors(NULL, device, 0), "out is NULL");
    if (!cuc_driver_is_simulated())
        SKIP("it is about simulated devices");
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_device_get_sensors(&s, device, CUC_SENSOR_POWER),
             "it is simulated");
}

int main(void)
{
    return run_device_tests("device");
}
